/** What is left of an ensemble as an array job of Slurm, and a job behind it that collects the results. */
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { userInfo } from "node:os";
import { resolve } from "node:path";
import { GravmeshError } from "../base/errors.ts";
import { fileError } from "../io/files.node.ts";
import { textOrNone } from "../io/regular-file.node.ts";
import { holderOf } from "../run/lock.ts";
import { type Ensemble, type Member, memberFolder } from "./ensemble.ts";
import type { EnsembleEvent } from "./events.ts";
import { type ScriptOptions, slurmFile, writeScripts } from "./slurm-scripts.ts";

export interface SlurmRequest extends Omit<ScriptOptions, "title"> {
  folder: string;
  ensemble: Ensemble;
  /** Members that aren't finished. */
  left: readonly Member[];
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
  const at = resolve(folder);
  const scripts = { members: slurmFile(at, "members.sh"), collect: slurmFile(at, "collect.sh") };
  const anew = request.sbatch !== undefined || request.sbatchCollect !== undefined;
  if (anew || !existsSync(scripts.members) || !existsSync(scripts.collect)) {
    writeScripts(folder, { ...request, title: ensemble.title });
  }
  const indices = (members: readonly Member[]) => members.map(({ index }) => index);
  const arrayOf = (members: readonly number[]) => `${rangesText(members)}${jobs === undefined ? "" : `%${jobs}`}`;
  if (onlyWrite) {
    watch({ event: "scripts", ...scripts, array: arrayOf(indices(left)) });
    return;
  }
  /** Array jobs of this ensemble, by number. */
  const jobsFile = slurmFile(folder, "jobs.txt");
  const queue = queueOf(scripts, textOrNone(jobsFile)?.match(/^\d+$/gm) ?? []);
  const warn = (message: string) => watch({ event: "warning", message });
  const outside = left.filter(({ index }) => !queue.members.has(index));
  // A command on some machine computes them.
  const taken = outside.filter((member) => holderOf(memberFolder(folder, member))?.life === "alive");
  const missing = indices(outside.filter((member) => !taken.includes(member)));
  if (taken.length > 0) {
    warn(`Members ${rangesText(indices(taken))} are computed by processes outside of these jobs and are left to them.`);
  }
  // Whoever was killed between the two submissions has left an array that nobody collects.
  if (missing.length === 0 && (queue.collecting || queue.jobs.length === 0)) {
    warn("No member is left that isn't finished, in the queue or computed elsewhere: nothing to submit.");
    return;
  }
  const array = arrayOf(missing);
  const job = missing.length === 0 ? null : sbatch(["--parsable", `--array=${array}`, scripts.members], folder);
  if (job !== null) note(jobsFile, job);
  const after = [...(job === null ? [] : [job]), ...queue.jobs];
  const collect = sbatch(["--parsable", `--dependency=afterany:${after.join(":")}`, scripts.collect], folder);
  const queued = queue.members.size;
  watch({ event: "submitted", job, array, collect, queued, folder: slurmFile(at, "") });
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

function note(file: string, job: string): void {
  try {
    appendFileSync(file, `${job}\n`);
  } catch (cause) {
    throw fileError("write", file, cause);
  }
}

interface Queue {
  /** Indices of those whose tasks wait or run. */
  members: Set<number>;
  /** Numbers of their jobs. */
  jobs: string[];
  /** Whether a job waits or runs that collects. */
  collecting: boolean;
}

/** What a program of Slurm answers; undefined where it isn't on the PATH. Throws "io" with `refused` where it says no. */
function answerOf(program: string, args: readonly string[], refused: (why: string) => string): string | undefined {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: PATIENCE_MS });
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return undefined;
  if (status === 0) return stdout;
  throw new GravmeshError("io", refused(stderr?.trim() || error?.message || `it ended with ${status}`));
}

/**
 * What of this ensemble is in the queue: the jobs of its scripts, also those that a killed command didn't come to note, and
 * those that are noted, also where their script was called by another path. Throws "io" where squeue doesn't answer.
 */
function queueOf(scripts: { members: string; collect: string }, noted: readonly string[]): Queue {
  const queue: Queue = { members: new Set(), jobs: [], collecting: false };
  const args = ["--noheader", "--array", `--user=${userInfo().username}`, "--format=%F|%K|%o"];
  const answer = answerOf(
    "squeue",
    args,
    (why) =>
      `squeue doesn't say which members are in the queue: ${why}. Nothing was submitted, lest they be computed twice. Try again when Slurm answers.`,
  );
  // Where it is missing, sbatch is, too, and says so.
  for (const line of answer?.split("\n") ?? []) {
    const [, job, index, command] = /^\s*(\d+)\|([^|]*)\|(.*?)\s*$/.exec(line) ?? [];
    if (command === scripts.collect) queue.collecting = true;
    else if (/^\d+$/.test(index ?? "") && (command === scripts.members || noted.includes(job))) {
      queue.members.add(Number(index));
      if (!queue.jobs.includes(job)) queue.jobs.push(job);
    }
  }
  return queue;
}

/** Submits; the number of the job. */
function sbatch(args: readonly string[], folder: string): string {
  const refused = (why: string) =>
    `sbatch ${args.join(" ")} was refused: ${why}. Options are given with --sbatch "--time=… --partition=…", or written into the script.`;
  const answer = answerOf("sbatch", args, refused);
  if (answer === undefined) {
    throw new GravmeshError(
      "usage",
      `There is no sbatch on the PATH: this machine can't submit to Slurm. The scripts are in ${slurmFile(resolve(folder), "")}; ` +
        "give the same command where sbatch is, or submit them by hand. --slurm-write writes them without this message.",
    );
  }
  const [job] = /^\d+/.exec(answer) ?? [];
  if (job === undefined) throw new GravmeshError("io", refused("it named no job"));
  return job;
}
