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

/**
 * What a file may leave behind for the next one in its process: records in registries, modules, and what is global. Spies and
 * what stands in for globals and the environment end with their test. GRAVMESH_NO_DENO is of tests that load drivers or the cores.
 */
const LEAVES_TRACES =
  /\bregister[A-Z]|\bvi\.(mock|resetModules)|process\.(chdir|exitCode)|process\.env(\.\w+ =|\.GRAVMESH_NO_DENO)|assign\(process\.env|\.prototype\.|from outside/;

/** Files that can share a process, so that the modules under test are loaded once and not once a file; or those that can't. */
function filesThat(share, ...folders) {
  return folders
    .flatMap((folder) => readdirSync(join(root, "test", folder)).map((file) => `test/${folder}/${file}`))
    .filter(
      (file) => file.endsWith(".test.ts") && LEAVES_TRACES.test(readFileSync(join(root, file), "utf8")) !== share,
    );
}

const BUILD = ["test/support/build.ts"];
/** Where CI is set no kernel has been compiled before: to optimise one takes longer than the tests of kernels run it. */
const KERNELS = { env: process.env.CI ? { GALLIVM_PERF: "nopt" } : {} };
// They run in the order of their names: what waits for other processes before what fills the cores until the end.
const projects = [
  { name: "isolated", include: filesThat(false, "browser", "cli", "physics", "unit"), globalSetup: BUILD },
  { name: "isolated, kernels", include: filesThat(false, "kernel"), ...KERNELS },
  {
    name: "shared, by other processes",
    include: filesThat(true, "browser", "cli"),
    isolate: false,
    globalSetup: BUILD,
  },
  { name: "shared, kernels", include: filesThat(true, "kernel"), isolate: false, ...KERNELS },
  { name: "shared, physics and units", include: filesThat(true, "physics", "unit"), isolate: false },
];

export default defineConfig({
  root,
  plugins: [vitestWgsl],
  ...(wgpu && { resolve: { alias: { webgpu: join(root, "test/support/wgpu-module.mjs") } } }),
  test: {
    ...(wgpu ? { include: ["test/**/*.test.ts"] } : long ? { include: filesInFull(), globalSetup: BUILD } : {}),
    // Two cores: of three files at a time one mostly waits, for a process, a page or a kernel that compiles in one thread.
    maxWorkers: wgpu ? 1 : 3,
    pool: "forks",
    setupFiles: ["test/support/typed-arrays.ts"],
    ...{ restoreMocks: true, unstubEnvs: true, unstubGlobals: true },
    ...(!long && !wgpu && { projects: projects.map((test) => ({ extends: true, test })) }),
    testTimeout: long ? 1_200_000 : 240_000,
    hookTimeout: 240_000,
  },
});
