/**
 * The command behind `npm run test:malformed`: malformed decks, overrides, flags, paths, files and result folders, chosen
 * by a seed. Each has to end in time in one message without a stack trace, or run to finite numbers. Prints a table by
 * kind and every fault with the way to see it again; ends with 1 where there is one.
 */
import { type ChildProcess, fork } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Choice, type MalformedCase } from "./case.ts";
import { keyCases, overrideCases, p3mCases, pairCases, placeCases, structureCases } from "./decks.ts";
import { fileCases } from "./files.ts";
import { flagCases } from "./flags.ts";
import { formatCases, verdictOnParticles } from "./formats.ts";
import { type Ending, VERDICTS, type Verdict, verdictOn } from "./judge.ts";
import type { Answer } from "./worker.ts";

const { values } = parseArgs({
  options: {
    /** Of the program's inputs, and as many damaged files of particles. */
    cases: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    /** A case ends in this time [s]. */
    limit: { type: "string", default: "10" },
    only: { type: "string" },
    /** Cases of one kind alone, all of them; "format": the files of particles. */
    kind: { type: "string" },
    list: { type: "boolean", default: false },
  },
});

/** Of them some are chosen, or with --kind "P³M" all taken. */
const P3M_CASES = 60;
/** Shares of the cases. */
const SHARES = { keys: 38, pairs: 14, places: 4, structure: 12, overrides: 6, flags: 14, files: 16, p3m: 12 };

async function chosenCases(count: number, seed: number): Promise<MalformedCase[]> {
  const formats = await formatCases(new Choice(seed), count);
  if (values.kind === "format") return formats;
  const choice = new Choice(seed);
  const pools: Record<keyof typeof SHARES, (() => MalformedCase)[]> = {
    keys: keyCases(choice),
    pairs: pairCases(choice, count),
    places: placeCases(choice),
    structure: structureCases(choice),
    overrides: overrideCases(),
    flags: flagCases(choice),
    files: fileCases(choice),
    p3m: p3mCases(choice, P3M_CASES),
  };
  const { kind } = values;
  if (kind !== undefined) {
    const all = Object.values(pools).flatMap((pool) => pool.map((make) => make()));
    return all.filter((one) => one.kind === kind);
  }
  const total = Object.values(SHARES).reduce((sum, share) => sum + share, 0);
  const chosen = Object.entries(pools).flatMap(([name, pool]) => {
    const share = SHARES[name as keyof typeof SHARES] / total;
    return choice.shuffled(pool).slice(0, Math.max(1, Math.round(count * share)));
  });
  return [...chosen.map((make) => make()), ...formats];
}

/** A worker that is made anew when it had to be ended. */
class Hand {
  #child: ChildProcess | undefined;
  constructor(private readonly scratch: string) {}

  async #ready(): Promise<ChildProcess> {
    if (this.#child) return this.#child;
    const file = fileURLToPath(new URL("./worker.mjs", import.meta.url));
    const env = { ...process.env, NO_COLOR: "1", XDG_CACHE_HOME: join(this.scratch, "cache") };
    const child = fork(file, [this.scratch], { stdio: ["ignore", "inherit", "inherit", "ipc"], env });
    await new Promise<void>((resolve, reject) => {
      child.once("message", () => resolve());
      child.once("exit", (code) => reject(new Error(`the worker ended with ${code}`)));
    });
    this.#child = child;
    return child;
  }

  async end(number: number, one: MalformedCase, folder: string): Promise<Ending> {
    const child = await this.#ready();
    const start = performance.now();
    return new Promise((resolve) => {
      const lost = (why: string) => {
        this.#child = undefined;
        resolve({ code: undefined, stdout: "", stderr: why, milliseconds: performance.now() - start });
      };
      const died = (code: number | null) => {
        clearTimeout(limit);
        lost(`the process ended with ${code}`);
      };
      const limit = setTimeout(() => child.kill("SIGKILL"), 1000 * Number(values.limit));
      child.once("exit", died);
      child.once("message", ({ ending }: Answer) => {
        clearTimeout(limit);
        child.off("exit", died);
        resolve(ending);
      });
      child.send({ number, one, folder });
    });
  }

  close(): void {
    this.#child?.disconnect();
  }
}

const shell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const nameOf = (verdict: Verdict) => (typeof verdict === "string" ? verdict : "fault");

const seed = Number(values.seed);
const cases = await chosenCases(Number(values.cases), seed);
const scratch = mkdtempSync(join(tmpdir(), "gravmesh-malformed-"));
const hand = new Hand(scratch);
const table = new Map<string, Record<string, number>>();
let faults = 0;
let slowest = { milliseconds: 0, title: "" };
const began = performance.now();

for (const [number, one] of cases.entries()) {
  if (values.only !== undefined && Number(values.only) !== number) continue;
  // One folder deeper: what is written to ".." is gone with the rest.
  const outer = join(scratch, String(number));
  const folder = join(outer, "here");
  mkdirSync(folder, { recursive: true });
  const ending = await hand.end(number, one, folder);
  const first = verdictOn(ending, folder, JSON.stringify(one));
  const special = one.setup.some(
    (made) => ("fifo" in made && made.fifo === one.stays) || ("folder" in made && made.folder === one.stays),
  );
  const replaced = special && lstatSync(join(folder, one.stays!), { throwIfNoEntry: false })?.isFile() !== false;
  const verdict = replaced ? { fault: `${one.stays} was replaced` } : verdictOnParticles(one, ending, first, folder);
  const row = table.get(one.kind) ?? {};
  table.set(one.kind, row);
  row[nameOf(verdict)] = (row[nameOf(verdict)] ?? 0) + 1;
  if (ending.milliseconds > slowest.milliseconds) slowest = { milliseconds: ending.milliseconds, title: one.title };
  if (values.list) console.log(number, one.kind, one.title, nameOf(verdict), ending.milliseconds.toFixed(0));
  if (typeof verdict === "string") {
    rmSync(outer, { recursive: true, force: true });
    if (values.only !== undefined) console.log(verdict, ending.stderr);
    continue;
  }
  faults++;
  const command = `gravmesh ${one.args.map(shell).join(" ")}`;
  console.log(`FAULT ${number}, ${one.kind}: ${one.title}: ${verdict.fault}`);
  console.log(`  cd ${folder} && ${command.length > 600 ? `${command.slice(0, 600)}…` : command}`);
  const chosen = values.kind === undefined ? `--cases ${values.cases}` : `--kind "${values.kind}"`;
  console.log(`  npm run test:malformed -- ${chosen} --seed ${seed} --only ${number}`);
  console.log(ending.stderr.slice(0, 1500).replace(/^/gm, "  | "));
  writeFileSync(join(outer, "case.json"), JSON.stringify(one));
}
hand.close();

const seconds = (performance.now() - began) / 1000;
const text = (cell: string | number) => String(cell).padEnd(18);
const columns = [...VERDICTS.filter((name) => [...table.values()].some((row) => name in row)), "fault"];
console.log(["kind", ...columns].map(text).join("").trimEnd());
const sum: Record<string, number> = {};
for (const [kind, row] of [...table].sort()) {
  for (const column of columns) sum[column] = (sum[column] ?? 0) + (row[column] ?? 0);
  console.log([kind, ...columns.map((column) => row[column] ?? 0)].map(text).join("").trimEnd());
}
console.log(["all", ...columns.map((column) => sum[column] ?? 0)].map(text).join("").trimEnd());
const slow = `slowest ${(slowest.milliseconds / 1000).toFixed(1)} s (${slowest.title})`;
console.log(`${cases.length} malformed inputs, seed ${seed}, ${seconds.toFixed(0)} s; ${slow}`);
if (faults === 0) rmSync(scratch, { recursive: true, force: true });
else console.log(`${faults} at fault; their files are in ${scratch}`);
process.exitCode = faults === 0 ? 0 : 1;
