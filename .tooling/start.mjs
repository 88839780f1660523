// `npm start`: sees to an adapter, then runs the flagship scenario, in float64 on the CPU if there is none.
// Arguments go to the command line: `npm start -- time.end=0.5`.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { provideAdapter } from "./setup.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, "dist/bin/gravmesh.js");

const { adapter, problem } = await provideAdapter();
if (problem) console.log(`${problem}\nGoing on without it, in float64 on the CPU; that takes longer.`);
else console.log(`WebGPU adapter: ${adapter}`);

if (!existsSync(bin)) await import("./build.mjs");
// A run that is there already stays: results/spiral, then results/spiral-2, …
let out = join("results", "spiral");
for (let n = 2; existsSync(join(root, out)); n++) out = join("results", `spiral-${n}`);
// The live line and Ctrl-C belong to the run itself.
process.on("SIGINT", () => {});
const { status } = spawnSync(
  process.execPath,
  [bin, "run", "spiral", ...(adapter ? [] : ["--backend", "cpu"]), "--out", out, ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit" },
);
process.exitCode = status ?? 1;
