// `npm run test:adapters`: the kernel and physics tests on adapters that this machine doesn't have: one with WebGPU's default
// limits, one without timestamps, one without subgroups, one with the kernels for GPUs, and SwiftShader. Writes what it found,
// with date and adapters, into docs/emulated-adapters.md. Ends with 1 when a test fails. `npm run test:adapters -- no-subgroups
// test/kernel/scan.test.ts` tries some emulations, or some files, and writes nothing; with `--go-on` only what hasn't passed since
// the last whole run is run, and the page is written anew; with `--page` nothing is run, and the page says what hasn't been.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { adapterName, firefoxProgram, loadSource, provideAdapter, provideDeno, providePackages } from "./setup.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = join(root, "docs/emulated-adapters.md");
const { swiftShaderDriver } = await loadSource("test/support/swiftshader.ts");
const { DENO_ENVIRONMENT, denoProgram } = await loadSource("test/support/deno.ts");

/** What the float64 pipelines compute by themselves asks no adapter. */
const WITHOUT_ADAPTER = /reference/;
/** Set devices beside each other, in one process. */
const SIDE_BY_SIDE = ["test/kernel/emulated-adapters.test.ts", "test/kernel/second-implementation.test.ts"];
const IN_FIREFOX = ["test/browser/firefox.test.ts"];
/** What Dawn's package can do besides, or other processes do with it, which Deno isn't asked for. */
const OF_DAWN = /device|doctor|ranks|slabs|shared-mesh/;
/** Minutes on SwiftShader, of kernels that the other files run as well. */
const TOO_LONG = ["aubert2009", "cosmology", "host-loop", "shapes"]
  .map((name) => `test/physics/${name}.test.ts`)
  .filter((file) => existsSync(join(root, file)));

const without = (what) => ({ GRAVMESH_WITHOUT: what });
const emulations = {
  "default-limits": { title: "default limits", env: () => without("raised-limits") },
  "no-timestamps": { title: "no timestamps", env: () => without("timestamp-query") },
  "no-subgroups": { title: "no subgroups", env: () => without("subgroups") },
  "gpu-kernels": { title: "kernels for GPUs", env: () => without("software-kernels") },
  swiftshader: {
    title: "SwiftShader",
    env: () => ({ VK_DRIVER_FILES: swiftShaderDriver() }),
    leftOut: TOO_LONG,
  },
  wgpu: {
    title: "wgpu and naga",
    env: () => DENO_ENVIRONMENT,
    program: () => [denoProgram(root), "run", "-A", "--node-modules-dir=manual", "--no-lock"],
    leaves: OF_DAWN,
    leftOut: TOO_LONG,
  },
  firefox: {
    title: "page in Firefox",
    env: () => ({ GRAVMESH_FIREFOX: firefoxProgram() ?? "/usr/bin/firefox-esr" }),
    files: IN_FIREFOX,
  },
  "side-by-side": { title: "side by side", env: () => ({ GRAVMESH_LONG: "1" }), files: SIDE_BY_SIDE },
};

const words = process.argv.slice(2);
const pageOnly = words.includes("--page");
const goOn = words.includes("--go-on") || pageOnly;
const given = words.filter((word) => !word.startsWith("--"));
const chosen = given.filter((word) => word in emulations);
const wantedFiles = given.filter((word) => !(word in emulations));
const wanted = chosen.length > 0 ? chosen : Object.keys(emulations);

const { problem } = await provideAdapter();
if (problem) {
  console.error(`${problem}\nThe tests need an adapter.`);
  process.exit(1);
}
const browsers = swiftShaderDriver() ? ["firefox-esr"] : ["chromium", "firefox-esr"];
for (const missing of [await provideDeno(), ...(await providePackages(browsers))]) if (missing) console.error(missing);
if (!swiftShaderDriver()) {
  console.error(
    "SwiftShader was not found. It comes with Chromium (sudo apt-get install -y chromium); GRAVMESH_SWIFTSHADER",
  );
  console.error("names its vk_swiftshader_icd.json elsewhere.");
  process.exit(1);
}

const all = ["test/kernel", "test/physics"]
  .flatMap((folder) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`))
  .filter((file) => file.endsWith(".test.ts") && !WITHOUT_ADAPTER.test(file) && !SIDE_BY_SIDE.includes(file))
  .sort();

/** What was found under each emulation, for `--go-on`. */
const folder = join(root, "node_modules/.cache/gravmesh-adapters");
mkdirSync(folder, { recursive: true });
const whole = given.length === 0;
const results = new Map();
for (const name of wanted) {
  const { title, env, program = () => [process.execPath], leaves, files = all, leftOut = [] } = emulations[name];
  const own = files.filter((file) => !leaves?.test(file));
  const record = join(folder, `${name}.json`);
  if (whole && !goOn) rmSync(record, { force: true });
  const earlier = goOn ? recorded(record) : undefined;
  const settings = env();
  const variables = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  const passed = (file) => earlier?.files.get(file)?.failed === 0;
  const due = (wantedFiles.length > 0 ? wantedFiles : own).filter((file) => !leftOut.includes(file));
  const now = pageOnly ? [] : due.filter((file) => !passed(file));
  if (!pageOnly) console.log(`\n${title}: ${variables.join(" ")}`);
  const started = Date.now();
  const found =
    now.length > 0
      ? await run(now, { settings, program: program(), output: join(folder, "run.json") })
      : { files: new Map(), failures: [] };
  const kept = [...(earlier?.files ?? [])].filter(([file]) => passed(file) && own.includes(file));
  const seconds = (earlier?.seconds ?? 0) + Math.round((Date.now() - started) / 1000);
  const result = { ...found, files: new Map([...kept, ...found.files]), adapter: adapterUnder(settings), seconds };
  result.missing = due.filter((file) => !result.files.has(file)).length;
  results.set(name, result);
  if ((whole || goOn) && !pageOnly) writeFileSync(record, JSON.stringify({ ...result, files: [...result.files] }));
}

function recorded(record) {
  if (!existsSync(record)) return undefined;
  const { files, ...rest } = JSON.parse(readFileSync(record, "utf8"));
  return { ...rest, files: new Map(files) };
}

const count = { passed: 0, skipped: 0, failed: 0 };
for (const { files } of results.values())
  for (const each of files.values()) for (const key of Object.keys(count)) count[key] += each[key];
if (whole) writeFileSync(page, text());
console.log(
  `\n${count.passed} passed, ${count.skipped} skipped, ${count.failed} failed${whole ? "; written: docs/emulated-adapters.md" : ""}`,
);
process.exit(count.failed === 0 && count.passed > 0 ? 0 : 1);

function adapterUnder(settings) {
  const before = { ...process.env };
  Object.assign(process.env, settings);
  const name = adapterName();
  for (const key of Object.keys(settings)) delete process.env[key];
  Object.assign(process.env, before);
  return name ?? "none";
}

/** Counts by file, and the names of tests that failed. */
async function run(files, { settings, program, output }) {
  const [command, ...first] = program;
  const child = spawn(
    command,
    [
      ...first,
      ...["node_modules/vitest/vitest.mjs", "run", "--config", ".tooling/vitest.config.mjs"],
      ...["--reporter=default", "--reporter=json", `--outputFile.json=${output}`],
      ...["--testTimeout=1200000", "--hookTimeout=1200000", ...files],
    ],
    { cwd: root, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...settings } },
  );
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ])
    createInterface({ input: from }).on("line", (line) => {
      // Dawn's remarks on the software drivers' limits, once for every file.
      if (line.trim() && !line.includes("artificially reduced")) to.write(`${line}\n`);
    });
  const status = await new Promise((resolve) => child.on("close", resolve));
  const counted = new Map();
  const failures = [];
  try {
    for (const { name, status: how, assertionResults } of JSON.parse(readFileSync(output, "utf8")).testResults) {
      const of = (state) => assertionResults.filter((test) => test.status === state);
      const failed = of("failed");
      failures.push(...failed.map(({ fullName }) => `${name.slice(root.length + 1)}: ${fullName}`));
      // A file that can't be loaded, or whose hooks fail, has no failed test of its own.
      const broken = how === "failed" && failed.length === 0 ? 1 : 0;
      const passed = of("passed").length;
      counted.set(name.slice(root.length + 1), {
        passed,
        failed: failed.length + broken,
        skipped: assertionResults.length - passed - failed.length,
      });
    }
  } catch (error) {
    failures.push(`vitest left no results: ${error.message}`);
  }
  const failed = [...counted.values()].some((each) => each.failed > 0);
  if (status !== 0 && !failed) counted.set("(the run itself)", { passed: 0, failed: 1, skipped: 0 });
  return { files: counted, failures };
}

function cell(each) {
  if (!each) return "";
  const { passed, skipped, failed } = each;
  return [passed, skipped > 0 && `${skipped} skipped`, failed > 0 && `**${failed} failed**`].filter(Boolean).join(", ");
}

function text() {
  const names = [...results.keys()];
  const files = [...new Set([...results.values()].flatMap((each) => [...each.files.keys()]))].sort();
  const row = (cells) => `| ${cells.join(" | ")} |`;
  const perFile = files.map((file) => row([file, ...names.map((name) => cell(results.get(name).files.get(file)))]));
  const failures = names.flatMap((name) =>
    (results.get(name).failures ?? []).map((failure) => `- ${emulations[name].title}: ${failure}`),
  );
  const total = (key, name) => [...results.get(name).files.values()].reduce((sum, each) => sum + each[key], 0);
  return `# Emulated adapters

gravmesh was written without a GPU at hand, so the tests emulate less capable adapters: \`npm run test:adapters\` runs the tests
of kernels and physics on five emulated adapters, on a second implementation of WebGPU, and the page in Firefox, and writes this
page. \`npm run test:rest\` runs a selection (\`test/kernel/emulated-adapters.test.ts\`: every fallback gives the bits of a device with
everything; \`test/kernel/second-implementation.test.ts\`: SwiftShader against the machine's own adapter, wgpu against Dawn;
\`test/kernel/doctor.first.test.ts\`: naga compiles every module).

| emulation | how | stands for |
|---|---|---|
| default limits | \`GRAVMESH_WITHOUT=raised-limits\`: 8 storage buffers a stage, 128 MiB a binding, 256 MiB a buffer, 256 invocations and 16 KiB of memory a workgroup | a page's own device from \`requestDevice()\`; phones and older integrated GPUs |
| no timestamps | \`GRAVMESH_WITHOUT=timestamp-query\` | a page's own device; browsers that withhold the clock |
| no subgroups | \`GRAVMESH_WITHOUT=subgroups\` | a page's own device; drivers without them, or with fewer than 8 lanes |
| kernels for GPUs | \`GRAVMESH_WITHOUT=software-kernels\`: those for a GPU, on llvmpipe | a GPU: choice of kernels and buffers, solvers for ranks |
| SwiftShader | \`VK_DRIVER_FILES=…/vk_swiftshader_icd.json\` of the Chromium package | another compiler, another order of invocations, subgroups of 4 lanes, 12 storage buffers a stage |
| wgpu and naga | the tests under Deno, which \`npm test\` fetches from npm | Firefox: another implementation of WebGPU, another compiler of WGSL, no subgroups |
| page in Firefox | \`GRAVMESH_FIREFOX=/usr/bin/firefox-esr\`, headless, by WebDriver BiDi | Firefox |
| side by side | \`GRAVMESH_LONG=1\`: the files above in full, of which \`npm run test:rest\` runs a selection | |

The same variables work for every command: \`GRAVMESH_WITHOUT=subgroups gravmesh doctor\`.

On SwiftShader integers (cell masses, order, groups, neighbours, counts of modes) equal those on llvmpipe. Rounded values agree to
rounding: forces, potentials and velocities after four steps on a mesh to 2.2e-7 (rms) and 4.6e-7 (worst, over the largest), power
spectra to 2e-8, direct accelerations to the last bit, jerks to 2e-7.

With wgpu and naga, in Deno and in Firefox, all that \`test/support/adapter-results.ts\` computes has the bits of Dawn on the
same driver: cell masses, haloes, spectra, forces, motion on the mesh and by pairs.

This doesn't test speed; races that a CPU driver happens to order but a GPU's scheduler, memory model and caches may not;
arithmetic of lower accuracy than these two drivers have (\`inverseSqrt\`, contraction, denormals); Metal's and Direct3D's
compilers; lost devices. \`gravmesh doctor\` and the probe at the start of a direct sum test an adapter's arithmetic where it
runs.

Not run: float64 tests (\`reference\` in the name), which need no adapter; on SwiftShader
${TOO_LONG.map((file) => `\`${file}\``).join(", ")}, which take minutes there for kernels that other files run as well. Tests of
shapes that an adapter doesn't support are skipped by name, and counted as skipped.

Last run: ${new Date().toISOString().slice(0, 10)}; ${count.passed} passed, ${count.skipped} skipped, ${count.failed} failed.

| | ${names.map((name) => emulations[name].title).join(" | ")} |
|---|${names.map(() => "---|").join("")}
${row(["adapter", ...names.map((name) => results.get(name).adapter)])}
${row(["passed", ...names.map((name) => total("passed", name))])}
${row(["skipped", ...names.map((name) => total("skipped", name))])}
${row(["failed", ...names.map((name) => total("failed", name))])}
${row(["files not run", ...names.map((name) => results.get(name).missing)])}
${row(["seconds", ...names.map((name) => results.get(name).seconds)])}
${failures.length > 0 ? `\n${failures.join("\n")}\n` : ""}
Tests that passed, by file:

| file | ${names.map((name) => emulations[name].title).join(" | ")} |
|---|${names.map(() => "---|").join("")}
${perFile.join("\n")}
`;
}
