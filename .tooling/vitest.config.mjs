import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { vitestWgsl } from "./wgsl-plugin.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const long = process.env.GRAVMESH_LONG;
/** Under Deno: its own WebGPU stands where Dawn's package is asked for. */
const wgpu = "deno" in process.versions;

/** The files that try less in `npm test` than `npm run test:long` does. */
function filesInFull() {
  return readdirSync(join(root, "test"), { recursive: true })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => join("test", file))
    .filter((file) => readFileSync(join(root, file), "utf8").includes("support/full.ts"));
}

export default defineConfig({
  root,
  plugins: [vitestWgsl],
  ...(wgpu && { resolve: { alias: { webgpu: join(root, "test/support/wgpu-module.mjs") } } }),
  test: {
    include: long ? filesInFull() : ["test/**/*.test.ts"],
    // Two cores, on which a kernel compiles in one thread: two files at a time.
    maxWorkers: wgpu ? 1 : 2,
    pool: "forks",
    setupFiles: ["test/support/typed-arrays.ts"],
    testTimeout: long ? 1_200_000 : 240_000,
    hookTimeout: 240_000,
  },
});
