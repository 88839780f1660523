/**
 * Two scripts for Slurm in the ensemble's folder: an array job, a task of which is a member, and a job that collects the
 * results when the array has ended, in whatever way. They are the user's from then on: a later submission takes them as they
 * are, unless options for sbatch are given anew.
 */
import { chmodSync } from "node:fs";
import { join, resolve } from "node:path";
import { GravmeshError } from "../base/errors.ts";
import { cut } from "../deck/problems.ts";
import { makeFolders, writeFileAtomic } from "../io/files.node.ts";
import { shellLine, shellWord } from "../run/shell-word.ts";

const SLURM_FOLDER = "slurm";

/** Where the scripts are, and what is kept beside them. */
export const slurmFile = (folder: string, name: "members.sh" | "collect.sh" | "jobs.txt" | "") =>
  join(folder, SLURM_FOLDER, name);

/** So long before its time is up a member gets a signal, and saves a checkpoint [s]. */
const WARNING_S = 120;
/** What a job that only collects needs of the members' options. */
const FOR_COLLECTING = /^--?(account|A|partition|p|qos|q|reservation|clusters|M|mail-type|mail-user|nice|wckey)\b/;
/** What is decided here. */
const OURS = /^(--array|-a|--dependency|-d|--wrap)\b/;
/** The array job's name. */
const NAME = "gravmesh";
const LONGEST_SHOWN = 80;

export interface ScriptOptions {
  /** Options of sbatch for the members, and for the collecting job, as on a command line. */
  sbatch?: string | undefined;
  sbatchCollect?: string | undefined;
  /** The gravmesh command: program and its first arguments. */
  program: readonly string[];
  title: string;
}

/** Writes both scripts. Throws "usage" for options that sbatch can't have, "io". */
export function writeScripts(folder: string, options: ScriptOptions): void {
  const { program, title } = options;
  const at = resolve(folder);
  const logs = (file: string) => shellWord(`${slurmFile(at, "").replaceAll("%", "%%")}/${file}`);
  const given = optionLines("--sbatch", options.sbatch ?? "");
  const collecting =
    options.sbatchCollect === undefined
      ? given.filter((line) => FOR_COLLECTING.test(line))
      : optionLines("--sbatch-collect", options.sbatchCollect);
  const gravmesh = shellLine(...program);
  const warning = given.some((line) => line.startsWith("--signal")) ? [] : [`--signal=B:TERM@${WARNING_S}`];
  const heading = title.replaceAll(/\s+/g, " ");
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
