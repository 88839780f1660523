import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import { vitestWgsl } from "./wgsl-plugin.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const long = process.env.GRAVMESH_LONG;
/** Under Deno: its own WebGPU stands where Dawn's package is asked for. */
const wgpu = "deno" in process.versions;

// Where CI is set no kernel has been compiled before, and the software driver takes longer to optimise one than tests run it.
if (process.env.CI) process.env.GALLIVM_PERF ??= "nopt";

const textOf = (file) => readFileSync(join(root, file), "utf8");
/** `npm test` runs these; all others are for `npm run test:rest`. Without either, all are there to choose from. */
const isFirst = (file) => /^unit\W|\.first\.test\.ts$/.test(file);
const part = process.env.GRAVMESH_TESTS;
const files = readdirSync(join(root, "test"), { recursive: true })
  .filter((file) => file.endsWith(".test.ts") && (!part || isFirst(file) === (part === "first")))
  .map((file) => join("test", file));

/**
 * What a file may leave behind for the next one in its process: records in registries, modules, and what is global. Spies and
 * what stands in for globals and the environment end with their test. GRAVMESH_NO_DENO is of tests that load drivers or the cores.
 */
const LEAVES_TRACES =
  /\bregister[A-Z]|\bvi\.(mock|resetModules)|process\.(chdir|exitCode)|process\.env(\.\w+ =|\.GRAVMESH_NO_DENO)|assign\(process\.env|\.prototype\.|from outside/;

/** They can share a process, so that the modules under test are loaded once and not once a file. */
const shares = (file) => !LEAVES_TRACES.test(textOf(file));
const projects = [
  { name: "isolated", include: files.filter((file) => !shares(file)) },
  { name: "shared", include: files.filter(shares), isolate: false },
];
/** Those that try less than under `npm run test:long`. */
const filesInFull = files.filter((file) => textOf(file).includes("support/full.ts"));

/** By how long their files take on average: none that takes minutes is left alone at the end. */
const LONGEST_FIRST = ["browser", "cli", "physics", "kernel", "unit"];
const rank = ({ moduleId, project: { name } }) =>
  (name === "shared" ? LONGEST_FIRST.length : 0) +
  LONGEST_FIRST.indexOf(relative(join(root, "test"), moduleId).split(sep)[0]);
class LongestFirst extends BaseSequencer {
  async sort(files) {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  root,
  plugins: [vitestWgsl],
  ...(wgpu && { resolve: { alias: { webgpu: join(root, "test/support/wgpu-module.mjs") } } }),
  test: {
    ...(wgpu ? { include: files } : { globalSetup: ["test/support/build.ts"], ...(long && { include: filesInFull }) }),
    // Two cores: of three files at a time one mostly waits, for a process, a page or a kernel that compiles in one thread.
    maxWorkers: wgpu ? 1 : 3,
    pool: "forks",
    setupFiles: ["test/support/typed-arrays.ts"],
    sequence: { sequencer: LongestFirst },
    ...{ restoreMocks: true, unstubEnvs: true, unstubGlobals: true },
    ...(!long && !wgpu && { projects: projects.map((test) => ({ extends: true, test })) }),
    // For what has hung: no test may depend on how busy the machine is.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
  },
});
