/** `gravmesh ensemble`: an ensemble with a display and signals, or one member of it as a run. */

import type { ActiveMember, EnsembleEvent, SkippedEvent, Tally } from "../ensemble/events.ts";
import { runMember } from "../ensemble/member.ts";
import { valuesText } from "../ensemble/plan.ts";
import {
  collectEnsemble,
  type EnsembleRequest,
  runEnsemble,
  type SubmitRequest,
  submitEnsemble,
  tellPlan,
} from "../ensemble/run-ensemble.ts";
import { GravmeshError } from "../errors.ts";
import { bytesText } from "../io/files.node.ts";
import { clock, duration } from "../page/numbers.ts";
import { table } from "../page/text.ts";
import type { RunEvent } from "../run/events.ts";
import { colours } from "./colours.ts";
import { barOf, percent, type Words } from "./display.ts";
import { runWords } from "./run.ts";
import { type Flags, session } from "./session.ts";

const BAR = { all: 24, member: 12 };
/** Members in a line of the display. */
const MOST_NAMED = 10;

function tallyText({ waiting, running, interrupted, failed, finished }: Tally): string {
  const all: [number, string][] = [
    [finished, "finished"],
    [failed, "failed"],
    [running, "running"],
    [waiting + interrupted, "left"],
  ];
  return all
    .filter(([count, name]) => count > 0 || name === "finished")
    .map(([count, name]) => `${count} ${name}`)
    .join(", ");
}

const eta = (seconds: number | null) => (seconds === null ? "" : `  ETA ${clock(seconds)}`);

const activeLine = ({ index, values, fraction, what, remainingSeconds }: ActiveMember) =>
  `  ${barOf(fraction, BAR.member)} ${percent(fraction)}  member ${index}  ${valuesText({ values })}  ${what}${eta(remainingSeconds)}`;

/** What an ensemble says: a line for all members and one for each that is computed, a line that stays for each that ends. */
export const ensembleWords: Words<EnsembleEvent> = {
  live: {
    activity: ({ what }) => `collecting: ${what} …`,
    progress: ({ fraction, tally, active, remainingSeconds }) =>
      [
        `${barOf(fraction, BAR.all)} ${percent(fraction)}  ${tallyText(tally)}${eta(remainingSeconds)}`,
        ...active.map(activeLine),
      ].join("\n"),
  },
  plain: {
    progress: ({ fraction, tally, remainingSeconds }) =>
      `${percent(fraction)}  ${tallyText(tally)}${eta(remainingSeconds)}`,
  },
  lasting: {
    start: ({ title, members, tally, jobs, folder }) => {
      const at = jobs !== null && jobs > 1 ? `, ${jobs} at once` : "";
      return `${colours.bold(title)}\n${members} members (${tallyText(tally)})${at}; results in ${folder}`;
    },
    member: ({ index, values, state, seconds, message, finished, members }) => {
      const name = `  member ${index}  ${valuesText({ values })}`;
      const all = `${finished} of ${members} finished`;
      if (state === "finished") return `${name}  ${duration(seconds)}  (${all})`;
      return `${name}  ${colours.yellow(state)}${message === null ? "" : `: ${message}`}`;
    },
    skipped: ({ index, why }) =>
      `  member ${index}  ${why === "finished" ? "finished before" : "another process has it"}`,
    scripts: ({ members, collect, array }) =>
      `Scripts for Slurm:\n  sbatch --array=${array} ${members}\n  sbatch --dependency=afterany:JOB ${collect}`,
    submitted: ({ job, array, collect, queued, folder }) => {
      const before = queued > 0 ? `; ${queued} were in the queue already` : "";
      return `Submitted: job ${job} for members ${array}${before}; job ${collect} collects them. Scripts and logs: ${folder}`;
    },
    collected: ({ page, tally }) => `\nCollected: ${tallyText(tally)}.\n  page  ${page}`,
    interrupted: ({ tally, resume }) => `Stopped: ${tallyText(tally)}. Go on with:\n  ${resume}`,
    end: ({ tally, failed, folder, resume }) => {
      const results = `\n${tallyText(tally)}; results in ${folder}`;
      if (failed.length === 0) return results;
      const named = failed.slice(0, MOST_NAMED).join(", ") + (failed.length > MOST_NAMED ? ", …" : "");
      return `${results}\nMember${failed.length > 1 ? "s" : ""} ${named} failed: error.txt in the folder of each says why. Repeat with:\n  ${resume}`;
    },
    plan: ({ title, members, memoryBytes, folder }) => {
      const keys = Object.keys(members[0].values);
      const rows = members.map(({ index, values, state }) => [
        String(index),
        ...keys.map((key) => valuesText({ values: { [key]: values[key] } }).slice(key.length + 3)),
        state,
      ]);
      return `${colours.bold(title)}\n${members.length} members in ${folder}, each at most ${bytesText(memoryBytes)}\n\n${table(["member", ...keys, "state"], rows)}`;
    },
  },
  stopping: " members with their checkpoints;",
};

/** A member is shown as the run that it is. */
const memberWords: Words<RunEvent | SkippedEvent> = {
  ...runWords,
  lasting: {
    ...runWords.lasting,
    skipped: ({ index, why, folder }) =>
      `Member ${index} ${why === "finished" ? "is finished" : "is computed by another process"}: nothing to do in ${folder}.`,
  },
};

interface Options extends Omit<SubmitRequest, "scenario" | "overrides" | "program" | "onlyWrite" | "member">, Flags {
  member?: number | true;
  /** Folder. */
  collect?: string;
  slurm?: boolean;
  slurmWrite?: boolean;
}

/** What a scheduler's array calls its tasks: Slurm's, and that of an indexed job of Kubernetes. */
const INDEX_VARIABLES = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"];

function indexIn(environment: NodeJS.ProcessEnv): number {
  const found = INDEX_VARIABLES.map((name) => environment[name]).find((value) => value !== undefined);
  if (found !== undefined && /^\d+$/.test(found)) return Number(found);
  throw new GravmeshError(
    "usage",
    `--member: which one? Give its number, or start it by a scheduler's array, which sets ${INDEX_VARIABLES.join(" or ")}.`,
  );
}

/** The folder of an ensemble that is only looked at. Throws "usage" where more is asked for. */
function requireAlone(folder: string, { scenario, vary, resume, dryRun }: EnsembleRequest): string {
  if (scenario === undefined && vary.length === 0 && resume === undefined && !dryRun) return folder;
  throw new GravmeshError(
    "usage",
    `--collect reads the ensemble in ${folder}: leave out SCENARIO, --vary and --resume.`,
  );
}

export async function ensembleCommand(
  scenario: string | undefined,
  overrides: string[],
  { json, quiet, member, collect, slurm = false, slurmWrite = false, ...options }: Options,
): Promise<number> {
  const flags: Flags = { json, quiet };
  const program = [process.execPath, ...process.execArgv, process.argv[1]];
  const request: EnsembleRequest = { ...options, scenario, overrides, program };
  if (member !== undefined) {
    return session(flags, memberWords, async (watch, signal) => {
      const { openEnsemble } = await import("../ensemble/run-ensemble.ts");
      const index = member === true ? indexIn(process.env) : member;
      const { folder } = await openEnsemble({ ...request, member: index });
      return runMember({ folder, index, since: 0 }, watch, signal);
    });
  }
  return session(flags, ensembleWords, (watch, signal) => {
    if (collect !== undefined) return collectEnsemble(requireAlone(collect, request), watch);
    if (options.dryRun) return tellPlan(request, watch);
    if (slurm || slurmWrite) return submitEnsemble({ ...request, onlyWrite: !slurm }, watch);
    return runEnsemble(request, watch, signal);
  });
}
