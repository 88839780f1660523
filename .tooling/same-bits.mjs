// Whether two builds give the same bits: every bundled deck, tiny and short, on the software adapter with a GPU's kernels, and with
// this build also a run that is resumed at half, and one on two ranks (mpirun.mpich).
// node .tooling/same-bits.mjs [--alone] [--kept FOLDER] BEFORE [DECK…]; BEFORE is another built checkout, whose decks both run;
// its results are kept in FOLDER and used again; --alone leaves out the run that is resumed and the two ranks.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { parse, stringify } from "smol-toml";
import { readSnapshot } from "../dist/node/index.js";

const NOW = resolve(import.meta.dirname, "..");
const STEPS = 12;
const MOST_BODIES = 2000;

/** Writes a deck made tiny, with outputs at a half and at the end, or the first half of it. */
function writeTiny(file, deck, share) {
  const { mesh, level = [], bars, time } = deck;
  if (mesh) mesh.cells = Math.min(mesh.cells, level.length > 0 ? 48 : 32);
  for (const one of deck.particles) {
    if (one.count) one.count = Math.min(one.count, MOST_BODIES);
    if (one.perSide) one.perSide = mesh.cells / 2;
  }
  if (time.spacing === "log-a") time.step = time.start; // none is longer than the run
  const length = STEPS * share * time.step;
  time.end = time.spacing === "log-a" ? time.start * Math.exp(length) : (time.start ?? 0) + length;
  if (bars) bars.count = STEPS * share;
  const { redshifts, ...output } = deck.output;
  deck.output = { ...output, snapshots: 2 * share, diagnostics: 4 * share };
  writeFileSync(file, stringify(deck));
  return time.end;
}

/** Runs; the first line of what went wrong, if anything. */
function run(tree, args, through = []) {
  const [program, ...rest] = [
    ...through,
    process.execPath,
    join(tree, "dist/bin/gravmesh.js"),
    "run",
    ...args,
    "--quiet",
  ];
  const env = { ...process.env, GRAVMESH_WITHOUT: "software-kernels" };
  const { status, stderr } = spawnSync(program, rest, { env, encoding: "utf8" });
  return status === 0 ? undefined : stderr.trim().split("\n")[0] || `ended with ${status}`;
}

/** What differs in the snapshot of a number; those of ranks are sets of files. */
async function unlike(index, ...folders) {
  const [one, other] = await Promise.all(
    folders.map((folder) => {
      const name = join(folder, `snapshot_00${index}`);
      return readSnapshot(existsSync(`${name}.hdf5`) ? `${name}.hdf5` : `${name}.0.hdf5`);
    }),
  );
  return ["ids", "positions", "velocities"]
    .filter((key) => one[key] && !Buffer.from(one[key].buffer).equals(Buffer.from(other[key].buffer)))
    .map((key) => `${key} of snapshot ${index}`);
}

/** Columns of diagnostics.csv that differ, and by how much of their largest value. */
function unlikeRows(...folders) {
  const [one, other] = folders.map((folder) => {
    const lines = readFileSync(join(folder, "diagnostics.csv"), "utf8").trim().split("\n");
    const [head, ...rows] = lines.filter((line) => !line.startsWith("#")).map((line) => line.split(","));
    return { head, rows };
  });
  const most = (values) => Math.max(...values.map((value) => Math.abs(value)));
  return one.head.flatMap((name, c) => {
    const d = other.head.indexOf(name);
    const apart = d < 0 ? 0 : most(one.rows.map((row, r) => row[c] - other.rows[r][d]));
    return apart === 0 ? [] : [`${name} by ${(apart / most(one.rows.map((row) => row[c]))).toExponential(0)}`];
  });
}

const options = { alone: { type: "boolean" }, kept: { type: "string" } };
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const [before, ...names] = positionals;
const decks = join(resolve(before), "scenarios");
const folder = mkdtempSync(join(tmpdir(), "gravmesh-bits-"));
try {
  for (const name of readdirSync(decks).flatMap((file) => (file.endsWith(".toml") ? [file.slice(0, -5)] : []))) {
    if (names.length > 0 && !names.includes(name)) continue;
    const deck = () => parse(readFileSync(join(decks, `${name}.toml`), "utf8"));
    const out = (run) => join(folder, run);
    const end = writeTiny(out("whole.toml"), deck(), 1);
    writeTiny(out("half.toml"), deck(), 0.5);
    const args = (into, from = "whole") => [out(`${from}.toml`), "--out", out(into)];
    const told = async (fault, ...pairs) =>
      fault ?? ((await Promise.all(pairs.map((pair) => unlike(...pair)))).flat().join(", ") || "same");
    const old = values.kept ? join(resolve(values.kept), name) : out("before");
    const made = existsSync(old) ? undefined : run(resolve(before), [out("whole.toml"), "--out", old]);
    const fault = made ?? run(NOW, args("now"));
    const bits = await told(fault, ...(fault ? [] : [0, 1, 2].map((k) => [k, old, out("now")])));
    const columns = fault ? [] : unlikeRows(old, out("now"));
    console.log(`${name}: ${bits}; rows: ${columns.join(", ") || "same"}`);
    if (!values.alone) {
      const halved = run(NOW, args("half", "half")) ?? run(NOW, ["--resume", out("half"), `time.end=${end}`]);
      console.log(`  resumed: ${await told(fault ?? halved, [2, out("now"), out("half")])}`);
      const shared = run(NOW, args("ranks"), ["mpirun.mpich", "-n", "2"]);
      console.log(`  on two ranks: ${await told(fault ?? shared, [2, out("now"), out("ranks")])}`);
    }
    for (const done of readdirSync(folder)) rmSync(join(folder, done), { recursive: true });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
