/** What is left of an ensemble as an array job of Slurm, and a job behind it that collects the results. */
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { resolve } from "node:path";
import { GravmeshError } from "../errors.ts";
import { fileError } from "../io/files.node.ts";
import { textOrNone } from "../io/regular-file.node.ts";
import type { Ensemble } from "./ensemble.ts";
import type { EnsembleEvent } from "./events.ts";
import { type ScriptOptions, slurmFile, writeScripts } from "./slurm-scripts.ts";

export interface SlurmRequest extends Omit<ScriptOptions, "title" | "name"> {
  folder: string;
  ensemble: Ensemble;
  /** Members that aren't finished. */
  left: readonly number[];
  /** At most as many at once. */
  jobs?: number | undefined;
  /** Scripts alone. */
  onlyWrite: boolean;
}

/** sbatch and squeue answer within seconds, or the controller is down [ms]. */
const PATIENCE_MS = 60_000;

/** Writes the scripts, and submits them. Throws "usage" where there is no sbatch, "io" with its own words where it refuses. */
export function submit(request: SlurmRequest, watch: (event: EnsembleEvent) => void): void {
  const { folder, ensemble, left, jobs, onlyWrite } = request;
  const scripts = {
    members: slurmFile(resolve(folder), "members.sh"),
    collect: slurmFile(resolve(folder), "collect.sh"),
  };
  const anew = request.sbatch !== undefined || request.sbatchCollect !== undefined;
  if (anew || !existsSync(scripts.members) || !existsSync(scripts.collect)) {
    writeScripts(folder, { ...request, title: ensemble.title, name: "gravmesh" });
  }
  const earlier = submittedJobs(folder);
  const queued = onlyWrite ? new Set<number>() : inQueue(earlier);
  const missing = left.filter((index) => !queued.has(index));
  const array = `${rangesText(missing)}${jobs === undefined ? "" : `%${jobs}`}`;
  if (onlyWrite) {
    watch({ event: "scripts", ...scripts, array });
    return;
  }
  if (missing.length === 0) {
    watch({ event: "warning", message: "All members that aren't finished are in the queue: nothing to submit." });
    return;
  }
  const members = sbatch(["--parsable", `--array=${array}`, scripts.members], folder);
  note(folder, members);
  const after = queued.size > 0 ? [members, ...earlier] : [members];
  const collect = sbatch(["--parsable", `--dependency=afterany:${after.join(":")}`, scripts.collect], folder);
  watch({
    event: "submitted",
    job: members,
    array,
    collect,
    queued: queued.size,
    folder: slurmFile(resolve(folder), ""),
  });
}

/** 0, 1, 2, 5 → "0-2,5". */
export function rangesText(indices: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const index of indices) {
    const last = ranges.at(-1);
    if (last && index === last[1] + 1) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

/** Array jobs of this ensemble, by number. */
function submittedJobs(folder: string): string[] {
  return (textOrNone(slurmFile(folder, "jobs.txt")) ?? "").split("\n").filter((line) => /^\d+$/.test(line));
}

function note(folder: string, job: string): void {
  const file = slurmFile(folder, "jobs.txt");
  try {
    appendFileSync(file, `${job}\n`);
  } catch (cause) {
    throw fileError("write", file, cause);
  }
}

/** Members whose tasks wait or run in one of these jobs. */
function inQueue(jobs: readonly string[]): Set<number> {
  if (jobs.length === 0) return new Set();
  const { status, stdout } = spawnSync("squeue", ["--noheader", "--array", "--format=%K", `--jobs=${jobs.join(",")}`], {
    encoding: "utf8",
    timeout: PATIENCE_MS,
  });
  // Jobs that Slurm has forgotten are none; members' locks see to the rest.
  const lines = status === 0 ? stdout.split("\n") : [];
  return new Set(
    lines
      .map((line) => line.trim())
      .filter((line) => /^\d+$/.test(line))
      .map(Number),
  );
}

/** Submits; the number of the job. */
function sbatch(args: readonly string[], folder: string): string {
  const { error, status, stdout, stderr } = spawnSync("sbatch", args, { encoding: "utf8", timeout: PATIENCE_MS });
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === "ENOENT") {
    throw new GravmeshError(
      "usage",
      `There is no sbatch on the PATH: this machine can't submit to Slurm. The scripts are in ${slurmFile(resolve(folder), "")}; ` +
        "give the same command where sbatch is, or submit them by hand. --slurm-write writes them without this message.",
    );
  }
  const job = /^(\d+)/.exec(stdout ?? "")?.[1];
  if (status === 0 && job !== undefined) return job;
  const why = stderr?.trim() || error?.message || `it ended with ${status}`;
  throw new GravmeshError(
    "io",
    `sbatch ${args.join(" ")} was refused: ${why}. Options are given with --sbatch "--time=… --partition=…", or written into the script.`,
  );
}
