// `npm run test:kills -- --kills 100 --seed 1`: runs of every kind, ensembles, runs on two ranks, movies and conversions are
// killed at random moments with SIGKILL, gone on with, some killed again, and held against the same ones undisturbed. Ends with 1
// when a folder differs. Of an ensemble and of ranks the command or one of its processes is killed.
import { spawn, spawnSync } from "node:child_process";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
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
const RUNS = {
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
const RANKS = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2"];
/** What movies and conversions are made of. */
const SOURCE = ["run", "plummer", "--backend=cpu", "mesh.cells=16", "particles.0.count=30000", "particles.0.cutoff=3"];
const OF_SOURCE = [...SOURCE, "time.end=0.2", "time.step=0.1", "output.snapshots=6", "--out", "source"];

/** The run goes on where it was, once there is a deck in its folder; before, the user starts it as before. */
const resumedRun = (begin, folder) =>
  existsSync(join(work, folder, "scenario.toml")) ? ["run", "--resume", folder] : begin;
const aRun = (args) => ({
  begin: (folder) => ["run", ...args, OFTEN, "--out", folder],
  again: resumedRun,
  differences,
  onGpu: !args.includes("--backend=cpu"),
});

const ENSEMBLE = ["plummer", "--backend=cpu", "mesh.cells=16", "time.end=1", ...SMALL, "--vary", "seed=1..2"];
const anEnsemble = {
  begin: (folder) => ["ensemble", ...ENSEMBLE, OFTEN, "--jobs", "2", "--out", folder],
  again: (begin, folder) =>
    existsSync(join(work, folder, "ensemble.json")) ? ["ensemble", "--resume", folder] : begin,
  differences: async (whole, found) => {
    const members = ["member_000", "member_001"];
    const told = await Promise.all(members.map((name) => differences(join(whole, name), join(found, name))));
    return [...otherNames(whole, found), ...told.flatMap((lines, i) => lines.map((line) => `${members[i]}: ${line}`))];
  },
};

/** What is made of a finished run: the same command again, which may replace what is there. */
const made = (command, name) => ({
  ofSource: true,
  begin: (folder) => {
    mkdirSync(join(work, folder), { recursive: true });
    return command(join(folder, name));
  },
  again: (begin) => [...begin, "--force"],
  differences: async (whole, found) => {
    const names = readdirSync(whole, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const files = names.map(({ parentPath, name: file }) => join(parentPath, file).slice(whole.length + 1));
    const unlike = files.filter((file) => !same(join(whole, file), join(found, file)));
    return [...otherNames(whole, found), ...unlike.map((file) => `${file} differs`)];
  },
});
const same = (one, other) => existsSync(other) && readFileSync(one).equals(readFileSync(other));

function otherNames(whole, found) {
  const names = (folder) =>
    readdirSync(folder, { recursive: true })
      .filter((name) => !name.startsWith("member_"))
      .sort();
  const [expected, there] = [names(whole).join(" "), names(found).join(" ")];
  return expected === there ? [] : [`expected ${expected}, found ${there}`];
}

const CASES = {
  ...Object.fromEntries(Object.entries(RUNS).map(([name, args]) => [name, aRun(args)])),
  ensemble: anEnsemble,
  ranks: { ...aRun([...RUNS.mesh]), through: RANKS },
  movie: made((out) => ["movie", "source", "--from", "snapshots", "--format", "apng", "--out", out], "movie.png"),
  frames: made((out) => ["movie", "source", "--from", "snapshots", "--format", "png", "--out", out], "frames"),
  convert: made((out) => ["convert", "source/snapshot_000.hdf5", out], "particles.csv"),
  stdin: {
    ...made((out) => ["convert", "-", out], "particles.hdf5"),
    // Temporary files go to the folder of the results, where nothing of them may stay.
    input: "source/snapshot_000.hdf5",
  },
};

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
const cases = options.only.split(",").map((name) => ({ name, ...CASES[name] }));
const unknown = cases.find(({ begin }) => begin === undefined);
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

/** The processes that a process has started, where the system tells. */
function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/**
 * Starts gravmesh; `killAt` [ms], counted from event number `after` (from its start when that is undefined). `whom` from 0 to 1:
 * which of its processes; of ranks not the launcher, which would leave them behind.
 */
function gravmesh(args, { killAt, after, whom = 0 } = {}, { through = [], input } = {}) {
  const started = performance.now();
  const [program, ...rest] = [...through, process.execPath, bin, ...args, "--json"];
  const child = spawn(program, rest, {
    cwd: work,
    stdio: [input ? "pipe" : "ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", ...(input && { TMPDIR: join(work, dirname(args[2])) }) },
  });
  if (input) {
    child.stdin.on("error", () => {}); // it was killed
    createReadStream(join(work, input)).pipe(child.stdin);
  }
  const events = [];
  let [left, errors, timer, killed] = ["", "", undefined, false];
  const kill = () => {
    const started = childrenOf(child.pid);
    const all = through.length > 0 && started.length > 0 ? started : [child.pid, ...started];
    try {
      process.kill(all[Math.min(all.length - 1, Math.floor(whom * all.length))], "SIGKILL");
      killed = true;
    } catch {
      // It has ended by itself.
    }
  };
  if (killAt !== undefined && after === undefined) timer = setTimeout(kill, killAt);
  child.stdout.on("data", (chunk) => {
    const lines = (left + chunk).split("\n");
    left = lines.pop();
    for (const line of lines) {
      const event = JSON.parse(line);
      // These come at intervals of time, so that two runs have different numbers of them.
      if (event.event === "progress" || event.event === "frame") continue;
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
      resolve({ killed, code, signal, events, errors, ms: performance.now() - started });
    });
  });
}

/** In which part of its life a process was killed: what it had told, and which file it had begun. */
function stageOf({ events }, folder) {
  const begun = (existsSync(folder) ? readdirSync(folder, { recursive: true }) : [])
    .map((name) => basename(name))
    .find((name) => /\.part-\d+$/.test(name));
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
  const whom = random();
  if (random() < 0.5 || events.length < 2) return { killAt: random() * ms, whom };
  const kinds = [...new Set(events.map(({ event }) => event))].filter((kind) => kind !== "end");
  const kind = kinds[Math.floor(random() * kinds.length)];
  const places = events.flatMap(({ event }, i) => (event === kind ? [i] : []));
  const after = places[Math.floor(random() * places.length)];
  return { after, killAt: random() * ((events[after + 1]?.at ?? ms) - events[after].at), whom };
}

/** Of a resumed run that is killed again: at once, or later. */
function nextMoment({ ms, events }, random) {
  const start = events.find(({ event }) => event === "start")?.at ?? ms;
  const whom = random();
  return random() < 0.5 ? { killAt: random() * start, whom } : { killAt: start + random() * (ms - start), whom };
}

/** Kills a command of a kind, as often as chance says, and lets it go to its end; what came of it. */
async function life({ name, whole, through, input, ...kind }, folder, random) {
  const path = join(work, folder);
  const stages = [];
  let aim = moment(whole, random);
  for (;;) {
    const begin = kind.begin(folder);
    const command = stages.length > 0 ? kind.again(begin, folder) : begin;
    const ended = await gravmesh(command, aim, { through, input });
    if (ended.killed && ended.code !== 0) {
      stages.push(stageOf(ended, path));
      aim = random() < AGAIN ? nextMoment(whole, random) : undefined;
      continue;
    }
    if (ended.code !== 0) {
      const told = ended.events.find(({ event }) => event === "error")?.message ?? ended.errors.trim();
      return { stages, faults: [`gravmesh ${command.join(" ")} ended with ${ended.code}: ${told}`] };
    }
    if (stages.length > 0) return { stages, faults: await kind.differences(join(work, `whole-${name}`), path) };
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
if (cases.some(({ ofSource }) => ofSource) && (await gravmesh(OF_SOURCE)).code !== 0)
  throw new Error("the run that movies are made of fails undisturbed");
for (const one of cases) {
  // On a GPU the first run measures kernels and remembers; the second one's times are those of the runs to come.
  const { onGpu } = one;
  for (const folder of [...(onGpu ? [`first-${one.name}`] : []), `whole-${one.name}`]) {
    one.whole = await gravmesh(one.begin(folder), {}, one);
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
