// The time of a step on several ranks and in one process, alternating: each round runs both, the fastest of each counts.
//   node docs/examples/ranks.mjs plummer particles.plummer.count=1_000_000 time.end=1
//   node docs/examples/ranks.mjs --ranks 4 --rounds 5 --mpirun "mpirun --bind-to none" disk time.end=0.5
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ranks: { type: "string", default: "2" },
    rounds: { type: "string", default: "3" },
    mpirun: { type: "string", default: "mpirun --bind-to none" },
  },
});
const program = fileURLToPath(new URL("../../dist/bin/gravmesh.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gravmesh-ranks-"));

/** summary.json of a run. */
function run(ranks) {
  const out = join(folder, String(ranks));
  const outputs = ["output.snapshots=1", "output.diagnostics=1"];
  const own = [process.execPath, program, "run", ...positionals, ...outputs, "--out", out, "--force", "--quiet"];
  const words = ranks === 1 ? own : [...values.mpirun.split(" "), "-n", String(ranks), ...own];
  const { status, stderr } = spawnSync(words[0], words.slice(1), { encoding: "utf8" });
  if (status !== 0) throw new Error(`${words.join(" ")} ended with ${status}\n${stderr}`);
  return JSON.parse(readFileSync(join(out, "summary.json"), "utf8"));
}

const step = ({ stepSeconds, steps }) => (1000 * stepSeconds) / steps;
const fastest = (summaries) => summaries.reduce((a, b) => (step(b) < step(a) ? b : a));
const many = Number(values.ranks);
const found = { 1: [], [many]: [] };
try {
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const ranks of [1, many]) found[ranks].push(run(ranks));
    const last = [1, many].map((ranks) => `${step(found[ranks].at(-1)).toFixed(1)} ms on ${ranks}`);
    console.log(`round ${round + 1}: ${last.join(", ")}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const [alone, shared] = [fastest(found[1]), fastest(found[many])];
console.log(`fastest: ${step(alone).toFixed(1)} ms a step alone, ${step(shared).toFixed(1)} on ${many} ranks`);
console.log(`ratio ${(step(shared) / step(alone)).toFixed(2)}; ${shared.solvers ?? ""}`);
const { millisecondsPerStep, share } = shared.communication;
console.log(`other ranks: ${millisecondsPerStep.toFixed(1)} ms a step, ${(100 * share).toFixed(0)} %`);
for (const { stage, millisecondsPerStep: ms, slowest } of shared.stages) {
  const before = alone.stages.find((one) => one.stage === stage);
  const most = `most ${slowest.millisecondsPerStep.toFixed(2)} on rank ${slowest.rank}`;
  console.log(`  ${stage.padEnd(22)} ${before?.millisecondsPerStep.toFixed(2) ?? "-"} → ${ms.toFixed(2)}, ${most}`);
}
