import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { vitestWgsl } from "./wgsl-plugin.mjs";

export default defineConfig({
  root: dirname(dirname(fileURLToPath(import.meta.url))),
  plugins: [vitestWgsl],
  test: {
    include: ["test/**/*.test.ts"],
    // Two cores and one software GPU: files in turn, so that no test waits behind another's kernels.
    fileParallelism: false,
    pool: "forks",
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
