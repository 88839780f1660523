// `npm run test:kills -- --kills 100 --seed 1`: runs of every kind are killed at random moments with SIGKILL, resumed,
// some killed again, and held against the same runs undisturbed. Ends with 1 when a folder differs.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { differences } from "./same-results.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, "dist/bin/gravmesh.js");
const page = join(root, "docs/robustness.md");

const SMALL = ["particles.0.count=3000", "particles.0.cutoff=3", "output.snapshots=3", "output.diagnostics=6"];
const COMOVING = ["lcdm", "mesh.cells=32", "particles[0].perSide=16", "output.redshifts=[10,3]", "time.end=0.4"];
const STAR_CLUSTER = ["plummer-hermite", "output.snapshots=2", "output.diagnostics=4"];
/** Small runs of every kind, with a checkpoint whenever the state is synchronous. */
const CASES = {
  mesh: ["plummer", "mesh.cells=32", "time.end=1", ...SMALL],
  box: [...COMOVING, "output.haloes=true"],
  direct: [...STAR_CLUSTER, "--backend=webgpu", "particles.plummer.count=256", "time.end=0.25"],
  multigrid: ["plummer", "mesh.cells=32", "mesh.poisson=multigrid", "time.end=0.4", ...SMALL],
  adaptive: ["plummer", "mesh.cells=32", "time.step=adaptive", "time.end=1", ...SMALL],
  cpu: ["plummer", "--backend=cpu", "mesh.cells=16", "time.end=1", ...SMALL],
  "cpu-box": [...COMOVING, "--backend=cpu", "mesh.cells=16", "output.haloes=true"],
  "cpu-direct": [...STAR_CLUSTER, "--backend=cpu", "particles.plummer.count=64", "time.end=0.25"],
};
const OFTEN = "output.checkpointMinutes=1e-6";

const STAGES = [
  ...["start-up", "preparation", "steps", "outputs", "writing a snapshot", "writing a checkpoint"],
  ...["writing another file", "the end"],
];
/** Of the runs that were killed, those killed again. */
const AGAIN = 0.4;

const { values: options } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    jobs: { type: "string", default: "1" },
    only: { type: "string", default: Object.keys(CASES).join(",") },
    built: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
});
const wanted = Number(options.kills);
const cases = options.only.split(",").map((name) => ({ name, args: CASES[name] }));
const unknown = cases.find(({ args }) => args === undefined);
if (!(Number.isInteger(wanted) && wanted > 0) || unknown) {
  console.error(`usage: --kills N --seed S --jobs J --only ${Object.keys(CASES).join(",")}`);
  process.exit(2);
}

/** Uniform numbers in [0, 1) that a seed decides (mulberry32). */
function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Starts gravmesh; `killAt` [ms], counted from event number `after` (from its start when that is undefined). */
function gravmesh(args, { killAt, after } = {}) {
  const started = performance.now();
  const child = spawn(process.execPath, [bin, "run", ...args, "--json"], {
    cwd: work,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  const events = [];
  let [rest, errors, timer] = ["", "", undefined];
  const kill = () => child.kill("SIGKILL");
  if (killAt !== undefined && after === undefined) timer = setTimeout(kill, killAt);
  child.stdout.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const event = JSON.parse(line);
      // These come at intervals of time, so that two runs have different numbers of them.
      if (event.event === "progress") continue;
      if (events.length === after) timer = setTimeout(kill, killAt);
      events.push({ ...event, at: performance.now() - started });
    }
  });
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ pid: child.pid, code, signal, events, errors, ms: performance.now() - started });
    });
  });
}

/** In which part of its life a process was killed: what it had told, and which file it had begun. */
function stageOf({ events, pid }, folder) {
  const begun = [folder, join(folder, "checkpoint")]
    .flatMap((one) => (existsSync(one) ? readdirSync(one) : []))
    .find((name) => name.endsWith(`.part-${pid}`));
  if (begun?.startsWith(".snapshot")) return "writing a snapshot";
  if (begun?.startsWith(".state")) return "writing a checkpoint";
  if (begun) return "writing another file";
  const { event, time } = events.at(-1) ?? {};
  if (event === undefined) return "start-up";
  if (event === "preparation" || event === "warning") return "preparation";
  if (event === "end" || (event === "checkpoint" && time === endOf(events))) return "the end";
  return event === "start" || event === "diagnostics" ? "outputs" : "steps";
}

const endOf = (events) => events.find(({ event }) => event === "start")?.end;

/**
 * A moment in the life of a run like `whole`: half of them anywhere in time, half near a random event of a random kind,
 * so that what is short is hit as well.
 */
function moment({ events, ms }, random) {
  if (random() < 0.5) return { killAt: random() * ms };
  const kinds = [...new Set(events.map(({ event }) => event))].filter((kind) => kind !== "end");
  const kind = kinds[Math.floor(random() * kinds.length)];
  const places = events.flatMap(({ event }, i) => (event === kind ? [i] : []));
  const after = places[Math.floor(random() * places.length)];
  return { after, killAt: random() * ((events[after + 1]?.at ?? ms) - events[after].at) };
}

/** Of a resumed run that is killed again: at once, or later. */
function nextMoment({ ms, events }, random) {
  const start = events.find(({ event }) => event === "start")?.at ?? ms;
  return random() < 0.5 ? { killAt: random() * start } : { killAt: start + random() * (ms - start) };
}

/** Kills a run of a kind, as often as chance says, and lets it go to its end; what came of it. */
async function life({ name, args, whole }, folder, random) {
  const begin = [...args, OFTEN, "--out", folder];
  const path = join(work, folder);
  const stages = [];
  let aim = moment(whole, random);
  for (;;) {
    // Before there is a deck in the folder, the user starts the run as before.
    const command = existsSync(join(path, "scenario.toml")) ? ["--resume", folder] : begin;
    const ended = await gravmesh(command, aim);
    if (ended.signal === "SIGKILL") {
      stages.push(stageOf(ended, path));
      aim = random() < AGAIN ? nextMoment(whole, random) : undefined;
      continue;
    }
    if (ended.code !== 0) {
      const told = ended.events.find(({ event }) => event === "error")?.message ?? ended.errors.trim();
      return { stages, faults: [`gravmesh run ${command.join(" ")} ended with ${ended.code}: ${told}`] };
    }
    if (stages.length > 0) return { stages, faults: await differences(join(work, `whole-${name}`), path) };
    // Too late: it was complete. Another try.
    rmSync(path, { recursive: true, force: true });
    aim = moment(whole, random);
  }
}

function table(rows) {
  const used = STAGES.filter((stage) => rows.some(({ stages }) => stages.includes(stage)));
  const count = (list, stage) => list.flatMap(({ stages }) => stages).filter((one) => one === stage).length;
  const line = (label, list) => {
    const kills = list.flatMap(({ stages }) => stages).length;
    const again = list.filter(({ stages }) => stages.length > 1).length;
    const equal = list.filter(({ faults }) => faults.length === 0).length;
    return `| ${[label, list.length, kills, again, ...used.map((stage) => count(list, stage)), equal].join(" | ")} |`;
  };
  return [
    `| run | runs | kills | killed again | ${used.join(" | ")} | equal |`,
    `|---|${"---:|".repeat(used.length + 4)}`,
    ...cases.map(({ name }) =>
      line(
        name,
        rows.filter((row) => row.name === name),
      ),
    ),
    line("all", rows),
  ].join("\n");
}

function record(text) {
  const [from, to] = ["<!-- kills -->", "<!-- /kills -->"];
  const before = readFileSync(page, "utf8");
  writeFileSync(page, before.replace(new RegExp(`${from}[\\s\\S]*${to}`), `${from}\n${text}\n${to}`));
}

if (!options.built) {
  const { status } = spawnSync(process.execPath, [join(root, ".tooling/build.mjs")], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
const work = mkdtempSync(join(tmpdir(), "gravmesh-kills-"));
const started = performance.now();
for (const one of cases) {
  // On a GPU the first run measures kernels and remembers; the second one's times are those of the runs to come.
  const onGpu = !one.args.includes("--backend=cpu");
  for (const folder of [...(onGpu ? [`first-${one.name}`] : []), `whole-${one.name}`]) {
    one.whole = await gravmesh([...one.args, OFTEN, "--out", folder]);
    if (one.whole.code !== 0) throw new Error(`${one.name} fails undisturbed: ${one.whole.errors}`);
  }
  const told = onGpu ? await differences(join(work, `first-${one.name}`), join(work, `whole-${one.name}`)) : [];
  if (told.length > 0) throw new Error(`${one.name} isn't the same twice, undisturbed: ${told.join("; ")}`);
}
const rows = [];
let kills = 0;
let begun = 0;
async function lives() {
  while (kills < wanted) await next(begun++);
}
async function next(number) {
  const one = cases[number % cases.length];
  const folder = `${one.name}-${number}`;
  // What happens to a run is its number's, however many go on beside it.
  const row = { name: one.name, ...(await life(one, folder, numbers(1000 * Number(options.seed) + number))) };
  rows.push(row);
  kills += row.stages.length;
  const outcome = row.faults.length === 0 ? "equal" : `DIFFERENT in ${join(work, folder)}`;
  console.log(`${String(kills).padStart(4)}  ${folder}: killed in ${row.stages.join(", then in ")}: ${outcome}`);
  for (const fault of row.faults) console.log(`      ${fault}`);
  if (row.faults.length === 0) rmSync(join(work, folder), { recursive: true });
}
await Promise.all(Array.from({ length: Number(options.jobs) }, lives));
const failed = rows.filter(({ faults }) => faults.length > 0).length;
const minutes = ((performance.now() - started) / 60_000).toFixed(1);
const summary =
  `${new Date().toISOString().slice(0, 10)}, seed ${options.seed}: ${kills} kills of ${rows.length} runs in ${minutes} ` +
  `minutes; ${rows.length - failed} folders equal, ${failed} different.`;
console.log(`\n${table(rows)}\n\n${summary}`);
if (options.record) record(`${summary}\n\n${table(rows)}`);
if (failed === 0) rmSync(work, { recursive: true });
process.exit(failed === 0 ? 0 : 1);
