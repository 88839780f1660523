/**
 * The rest of an ensemble as an array job of Slurm, a task of which is a member, and a job behind it that collects the results
 * when the array has ended, in whatever way. Their scripts are the user's once they are written: a later submission takes them as
 * they are, unless options for sbatch are given anew.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { cut } from "../../foundation/deck/problems.ts";
import { fileError, makeFolders, requireReplaceable, writeFileAtomic } from "../../run/io/files.node.ts";
import { textOrNone } from "../../run/io/regular-file.node.ts";
import { holderOf } from "../../run/lock.ts";
import { shellLine, shellWord } from "../../run/shell-word.ts";
import { type Ensemble, type Member, memberFolder } from "./ensemble.ts";
import type { EnsembleEvent } from "./events.ts";

export interface SlurmRequest {
  /** Options of sbatch for the members, and for the collecting job, as on a command line. */
  sbatch?: string | undefined;
  sbatchCollect?: string | undefined;
  program: readonly string[];
  folder: string;
  ensemble: Ensemble;
  left: readonly Member[];
  jobs?: number | undefined;
  onlyWrite: boolean;
}

/** sbatch and squeue answer within seconds, or the controller is down [ms]. */
const PATIENCE_MS = 60_000;

/** Writes the scripts, and submits them. Throws "usage" where there is no sbatch, "io" with its own words where it refuses. */
export function submit(request: SlurmRequest, watch: (event: EnsembleEvent) => void): void {
  const { folder, left, jobs, onlyWrite } = request;
  const at = resolve(folder);
  const scripts = { members: slurmFile(at, "members.sh"), collect: slurmFile(at, "collect.sh") };
  const anew = request.sbatch !== undefined || request.sbatchCollect !== undefined;
  if (anew || !existsSync(scripts.members) || !existsSync(scripts.collect)) {
    writeScripts(request);
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
  // A process killed between the two submissions has left an array that isn't collected.
  if (missing.length === 0 && (queue.collecting || queue.jobs.length === 0)) {
    warn("No member is left that isn't finished, in the queue or computed elsewhere: nothing to submit.");
    return;
  }
  const array = arrayOf(missing);
  const job = missing.length === 0 ? null : sbatch(["--parsable", `--array=${array}`, scripts.members], folder);
  if (job !== null) {
    try {
      requireReplaceable(jobsFile);
      appendFileSync(jobsFile, `${job}\n`);
    } catch (cause) {
      throw fileError("write", jobsFile, cause);
    }
  }
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

/** What a program of Slurm answers; undefined where it isn't on the PATH. Throws "io" with `refused` where it says no. */
function answerOf(program: string, args: readonly string[], refused: (why: string) => string): string | undefined {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: PATIENCE_MS });
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return undefined;
  if (status === 0) return stdout;
  throw new GravmeshError("io", refused(stderr?.trim() || error?.message || `it ended with ${status}`));
}

/**
 * Members that wait or run, by index, their jobs, and whether a job does that collects: jobs of the scripts, also those that
 * a killed command didn't come to note, and noted ones, also where their script was called by another path. Throws "io".
 */
function queueOf(scripts: { members: string; collect: string }, noted: readonly string[]) {
  const queue = { members: new Set<number>(), jobs: [] as string[], collecting: false };
  const args = ["--noheader", "--array", `--user=${userInfo().username}`, "--format=%F|%K|%o"];
  const refused = (why: string) =>
    `squeue doesn't say which members are in the queue: ${why}. Nothing was submitted, lest they be computed twice. Try again when Slurm answers.`;
  const answer = answerOf("squeue", args, refused);
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

const slurmFile = (folder: string, name: "members.sh" | "collect.sh" | "jobs.txt" | "") => join(folder, "slurm", name);

/** So long before its time is up a member gets a signal, and saves a checkpoint [s]. */
const WARNING_S = 120;
/** What a job that only collects needs of the members' options. */
const FOR_COLLECTING = /^--?(account|A|partition|p|qos|q|reservation|clusters|M|mail-type|mail-user|nice|wckey)\b/;
const OURS = /^(--array|-a|--dependency|-d|--wrap)\b/;
const NAME = "gravmesh";
const LONGEST_SHOWN = 80;

/** Writes both scripts. Throws "usage" for options that sbatch can't have, "io". */
function writeScripts({ folder, ensemble, program, sbatch: options = "", sbatchCollect: own }: SlurmRequest): void {
  const at = resolve(folder);
  const logs = (file: string) => shellWord(`${slurmFile(at, "").replaceAll("%", "%%")}/${file}`);
  const given = optionLines("--sbatch", options);
  const shared = given.filter((line) => FOR_COLLECTING.test(line));
  const collecting = own === undefined ? shared : optionLines("--sbatch-collect", own);
  const gravmesh = shellLine(...program);
  const warning = given.some((line) => line.startsWith("--signal")) ? [] : [`--signal=B:TERM@${WARNING_S}`];
  const heading = ensemble.title.replaceAll(/\s+/g, " ");
  const members = script(
    [
      `A member of the ensemble "${heading}" a task.`,
      "gravmesh ensemble --resume FOLDER --slurm submits what isn't finished. By hand, members 0 to 3:",
      "sbatch --array=0-3 members.sh; a finished member ends at once.",
      `Slurm's signal comes ${WARNING_S} s before the end of the job's time: the member saves a checkpoint and stops.`,
    ],
    [`--job-name=${NAME}`, `--output=${logs("member_%a.log")}`, "--open-mode=append", ...warning, ...given],
    `exec ${gravmesh} ensemble --resume ${shellWord(at)} --member`,
  );
  const collect = script(
    [`Collects the results of the ensemble "${heading}".`],
    [`--job-name=${NAME}-collect`, `--output=${logs("collect.log")}`, "--open-mode=append", ...collecting],
    `exec ${gravmesh} ensemble --collect ${shellWord(at)}`,
  );
  makeFolders(slurmFile(folder, ""));
  for (const [name, text] of Object.entries({ "members.sh": members, "collect.sh": collect })) {
    const file = join(slurmFile(folder, ""), name);
    writeFileAtomic(file, text);
    chmodSync(file, 0o755);
  }
}

function script(comments: readonly string[], options: readonly string[], command: string): string {
  const lines = ["#!/bin/bash", ...comments.map((text) => `# ${text}`), ...options.map((text) => `#SBATCH ${text}`)];
  return `${[...lines, "", command].join("\n")}\n`;
}

/** An option of sbatch with its value a line. Throws "usage". */
export function optionLines(flag: string, text: string): string[] {
  const lines: string[] = [];
  for (const word of text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []) {
    if (word.startsWith("-")) lines.push(word);
    else if (lines.length > 0) lines[lines.length - 1] += ` ${word}`;
    else refuse(flag, text, "");
  }
  if (lines.join(" ").replaceAll(/\s/g, "").length !== text.replaceAll(/\s/g, "").length) {
    refuse(flag, text, " A quote has no end.");
  }
  const ours = lines.find((line) => OURS.test(line));
  if (ours !== undefined) refuse(flag, text, ` ${ours.split(/[= ]/)[0]} is decided by the ensemble.`);
  return lines;
}

function refuse(flag: string, text: string, why: string): never {
  throw new GravmeshError(
    "usage",
    `${flag} ${cut(JSON.stringify(text), LONGEST_SHOWN)}: expected options of sbatch, as in ${flag} "--time=2:00:00 --partition=gpu".${why}`,
  );
}
