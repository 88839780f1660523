// Sees to what a machine needs besides Node: a WebGPU adapter, and for the tests h5py, yt and a browser.
// Installs Debian packages where it may (root or password-less sudo, apt) and GRAVMESH_NO_SETUP isn't 1;
// otherwise says what to type. Run on its own (`node .tooling/setup.mjs`) it prepares for `npm start`.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const tooling = dirname(fileURLToPath(import.meta.url));
const PROBE_TIMEOUT_MS = 60_000;

/** The project's own TypeScript module, loaded without a build. */
export async function loadSource(path) {
  const { outputFiles } = await build({
    entryPoints: [join(dirname(tooling), path)],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    logLevel: "error",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

/** Mesa's loader complains without it. */
export function provideRuntimeFolder() {
  if (process.platform === "linux" && !process.env.XDG_RUNTIME_DIR) {
    process.env.XDG_RUNTIME_DIR = mkdtempSync(join(tmpdir(), "gravmesh-runtime-"));
    const folder = process.env.XDG_RUNTIME_DIR;
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  }
}

/** Name of the WebGPU adapter, or undefined. Asked in a child process, which may crash or hang. */
export function adapterName() {
  const child = spawnSync(process.execPath, [join(tooling, "probe.mjs")], {
    encoding: "utf8",
    timeout: PROBE_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  try {
    return JSON.parse(child.stdout) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Command prefix that makes us root without a question, or undefined. */
function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  return spawnSync("sudo", ["-n", "true"], { stdio: "ignore" }).status === 0 ? ["sudo", "-n"] : undefined;
}

const mayInstall = () =>
  process.env.GRAVMESH_NO_SETUP !== "1" &&
  process.platform === "linux" &&
  existsSync("/usr/bin/apt-get") &&
  rootPrefix() !== undefined;

/** Resolves to how a program ended and what it wrote. */
function outcomeOf(program, args, { input, ...options } = {}) {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], ...options });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name]?.setEncoding("utf8").on("data", (text) => {
      output[name] += text;
    });
  }
  child.stdin?.end(input);
  return new Promise((done) => {
    child.on("error", ({ message }) => done({ status: null, stdout: "", stderr: message }));
    child.on("close", (status) => done({ status, ...output }));
  });
}

function asRoot(command, options) {
  const [program, ...args] = [...rootPrefix(), ...command];
  return outcomeOf(program, args, { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }, ...options });
}

/** Whether apt's lists of packages were fetched, which takes longer than most packages do. */
let listed = false;

/** Carries out a plan of src/doors/cli/driver.ts. Returns what went wrong, or undefined. */
async function install({ packages, suite, source }) {
  if (source) {
    const written = await asRoot(["tee", source.path], { input: source.text });
    if (written.status !== 0) return `${source.path} could not be written: ${written.stderr}`;
  }
  // sudo resets the environment, so the front end is chosen on the command line as well.
  const env = ["env", "DEBIAN_FRONTEND=noninteractive"];
  const update = listed && !source ? { status: 0 } : await asRoot([...env, "apt-get", "update", "-q"]);
  listed = update.status === 0;
  const installed = await asRoot([
    ...env,
    ...["apt-get", "install", "-y", "-q", "--no-install-recommends"],
    ...(suite ? ["-t", suite] : []),
    ...packages,
  ]);
  if (installed.status === 0) return undefined;
  const log = `${update.status === 0 ? "" : update.stderr}${installed.stdout}${installed.stderr}`;
  return log.trim().split("\n").slice(-8).join("\n");
}

/**
 * Looks for an adapter and installs a software driver where there is none and we may.
 * Returns { adapter } or { problem } with the exact command to type.
 */
export async function provideAdapter() {
  provideRuntimeFolder();
  const found = adapterName();
  if (found) return { adapter: found };
  const { driverPlanHere, planText } = await loadSource("src/doors/cli/driver.ts");
  const plan = driverPlanHere();
  const advice = `To install a software Vulkan driver:\n  ${planText(plan)}`;
  if (plan.kind !== "apt" || !mayInstall()) return { problem: `No WebGPU adapter was found. ${advice}` };
  const from = plan.suite ? ` from ${plan.suite}` : "";
  const source = plan.source ? ` The apt source ${plan.source.path} is written for it.` : "";
  const packages = `${plan.packages.join(", ")}${from}`;
  console.log(`No WebGPU adapter was found: installing a software Vulkan driver (${packages}).${source}`);
  const failure = await install(plan);
  if (failure) return { problem: `The software Vulkan driver could not be installed:\n${failure}\n${advice}` };
  const adapter = adapterName();
  return adapter ? { adapter } : { problem: `Still no WebGPU adapter after the installation. ${advice}` };
}

const isThere = (...paths) => paths.some(existsSync);
const python = (...args) => spawnSync("/usr/bin/python3", args, { stdio: "ignore" }).status === 0;
// Debian puts the daemons of Slurm where no user's PATH leads.
const program = (name) => () => isThere(join("/usr/sbin", name), join("/usr/bin", name));
/** One node of Slurm, which its test starts and ends. */
const ENSEMBLES = "ensembles on a scheduler";

export const firefoxProgram = () =>
  process.env.GRAVMESH_FIREFOX ?? ["/usr/bin/firefox-esr", "/usr/bin/firefox"].find(existsSync);

/** Debian packages that tests need: what for, and whether they are there. */
const PACKAGES = {
  "python3-h5py": [
    "reading snapshots back with an independent reader, and the Python package",
    () => python("-c", "import h5py"),
  ],
  // Looked for without its import, which takes seconds.
  "python3-yt": [
    "running the recipes of docs/snapshots.md",
    () => python("-c", 'import importlib.util, sys; sys.exit(importlib.util.find_spec("yt") is None)'),
  ],
  // Both libraries that a run on several ranks may find.
  "openmpi-bin": ["runs on several ranks", () => isThere("/usr/bin/mpirun.openmpi")],
  mpich: ["runs on several ranks", () => isThere("/usr/bin/mpirun.mpich")],
  slurmctld: [ENSEMBLES, program("slurmctld")],
  slurmd: [ENSEMBLES, program("slurmd")],
  "slurm-client": [ENSEMBLES, program("sbatch")],
  munge: [ENSEMBLES, program("munged")],
  chromium: [
    "the browser test (GRAVMESH_NO_BROWSER=1 leaves it out)",
    () => isThere("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"),
  ],
  "firefox-esr": ["the page in Firefox", () => firefoxProgram() !== undefined],
};

/** What `npm test` needs: Firefox is for `npm run test:adapters`. */
export const testPackages = () =>
  Object.keys(PACKAGES).filter(
    (name) => name !== "firefox-esr" && (name !== "chromium" || process.env.GRAVMESH_NO_BROWSER !== "1"),
  );

/** Installs those that are missing, all at once where apt knows them all. Resolves to what is missing still. */
export async function providePackages(names) {
  const missing = () => names.filter((name) => !PACKAGES[name][1]());
  const wanted = missing();
  if (wanted.length > 0 && mayInstall()) {
    console.log(`Installing ${wanted.join(", ")}, for the tests.`);
    if (await install({ packages: wanted })) for (const name of wanted) await install({ packages: [name] });
  }
  return missing().map((name) => `${name} is missing, for ${PACKAGES[name][0]}: sudo apt-get install -y ${name}`);
}

/**
 * wgpu and naga, the WebGPU of Firefox, beside Dawn: from npm, for the tests alone, so that an installation is quick. What is
 * fetched has the SHA-512 of .tooling/deno/package-lock.json, or npm refuses it.
 */
export async function provideDeno() {
  if (process.env.GRAVMESH_NO_DENO === "1") return undefined;
  const root = dirname(tooling);
  const { DENO_FOLDER, denoProgram } = await loadSource("test/support/deno.ts");
  const isFetched = () => existsSync(denoProgram(root));
  if (isFetched()) return undefined;
  const command = ["ci", "--prefix", DENO_FOLDER];
  if (process.env.GRAVMESH_NO_SETUP !== "1" && !process.env.GRAVMESH_DENO) {
    console.log(`Fetching Deno, for a second implementation of WebGPU (GRAVMESH_NO_DENO=1 leaves it out).`);
    cpSync(join(tooling, "deno"), join(root, DENO_FOLDER), { recursive: true });
    await outcomeOf("npm", command, { cwd: root, shell: process.platform === "win32" });
    if (isFetched()) return undefined;
  }
  return `Deno is missing, for a second implementation of WebGPU (GRAVMESH_NO_DENO=1 leaves it out): cp -r .tooling/deno/. ${DENO_FOLDER} && npm ${command.join(" ")}`;
}

if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1]) {
  const { adapter, problem } = await provideAdapter();
  console.log(adapter ? `WebGPU adapter: ${adapter}` : problem);
  process.exitCode = adapter ? 0 : 1;
}
