import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { vitestWgsl } from "./wgsl-plugin.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const long = process.env.GRAVMESH_LONG;
/** Under Deno: its own WebGPU stands where Dawn's package is asked for. */
const wgpu = "deno" in process.versions;

const textOf = (file) => readFileSync(join(root, file), "utf8");
const files = readdirSync(join(root, "test"), { recursive: true })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => join("test", file));

/**
 * What a file may leave behind for the next one in its process: records in registries, modules, and what is global. Spies and
 * what stands in for globals and the environment end with their test. GRAVMESH_NO_DENO is of tests that load drivers or the cores.
 */
const LEAVES_TRACES =
  /\bregister[A-Z]|\bvi\.(mock|resetModules)|process\.(chdir|exitCode)|process\.env(\.\w+ =|\.GRAVMESH_NO_DENO)|assign\(process\.env|\.prototype\.|from outside/;

/** They can share a process, so that the modules under test are loaded once and not once a file. */
const shares = (file) => !LEAVES_TRACES.test(textOf(file));
const isOfKernels = (file) => dirname(file) === join("test", "kernel");
const waits = (file) => ["browser", "cli"].some((folder) => dirname(file) === join("test", folder));

const BUILD = ["test/support/build.ts"];
/** Where CI is set no kernel has been compiled before: to optimise one takes longer than the tests of kernels run it. */
const KERNELS = { env: process.env.CI ? { GALLIVM_PERF: "nopt" } : {} };
// They run in the order of their names: what waits for other processes before what fills the cores until the end.
const projects = [
  { name: "isolated", include: files.filter((file) => !shares(file) && !isOfKernels(file)), globalSetup: BUILD },
  { name: "isolated, kernels", include: files.filter((file) => !shares(file) && isOfKernels(file)), ...KERNELS },
  ...[
    {
      name: "shared, by other processes",
      include: files.filter((file) => shares(file) && waits(file)),
      globalSetup: BUILD,
    },
    { name: "shared, kernels", include: files.filter((file) => shares(file) && isOfKernels(file)), ...KERNELS },
    { name: "shared, others", include: files.filter((file) => shares(file) && !waits(file) && !isOfKernels(file)) },
  ].map((project) => ({ ...project, isolate: false })),
];
/** Those that try less in `npm test` than `npm run test:long` does. */
const filesInFull = files.filter((file) => textOf(file).includes("support/full.ts"));

export default defineConfig({
  root,
  plugins: [vitestWgsl],
  ...(wgpu && { resolve: { alias: { webgpu: join(root, "test/support/wgpu-module.mjs") } } }),
  test: {
    ...(wgpu ? { include: files } : long ? { include: filesInFull, globalSetup: BUILD } : {}),
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
