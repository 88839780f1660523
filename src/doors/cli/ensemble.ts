/** `gravmesh ensemble`: an ensemble with a display and signals, or one member of it as a run. */

import { bytesText } from "../../foundation/base/bytes.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { RunEvent } from "../../run/events.ts";
import { clock, duration } from "../../run/page/numbers.ts";
import { textTable } from "../../run/page/text.ts";
import type { ActiveMember, EnsembleEvent, SkippedEvent } from "../../study/ensemble/events.ts";
import { runMember } from "../../study/ensemble/member.ts";
import type { Outcome, Tally } from "../../study/ensemble/member-state.ts";
import { valuesText, valueText } from "../../study/ensemble/plan.ts";
import {
  collectEnsemble,
  type EnsembleRequest,
  reportPlan,
  runEnsemble,
  type SubmitRequest,
  submitEnsemble,
} from "../../study/ensemble/run-ensemble.ts";
import { colours } from "./colours.ts";
import { percentColumn, progressBar, type Words } from "./display.ts";
import { runWords } from "./run.ts";
import { type Flags, session } from "./session.ts";

const BAR = { all: 24, member: 12 };
const MOST_NAMED = 10;

function tallyText({ waiting, running, interrupted, failed, finished }: Tally): string {
  const all = Object.entries({ finished, failed, running, left: waiting + interrupted });
  const shown = all.filter(([name, count]) => count > 0 || name === "finished");
  return shown.map(([name, count]) => `${count} ${name}`).join(", ");
}

/** "members 1, 2, 3". */
function namesOf(members: readonly number[], word = "member"): string {
  const named = members.slice(0, MOST_NAMED).join(", ");
  return `${word}${members.length > 1 ? "s" : ""} ${named}${members.length > MOST_NAMED ? ", …" : ""}`;
}

const failureText = ({ message, members }: Outcome["failures"][number]) =>
  `${colours.red("error:")} ${namesOf(members)} failed: ${message}`;

/** Where a member is that is neither finished nor failed. */
function unfinishedText({ index, state, folder, message }: Outcome["unfinished"][number]): string {
  const where = message ?? `It is ${state === "running" ? "computed by another process" : state}, in ${folder}.`;
  return `Member ${index} isn't finished. ${where}`;
}

const eta = (seconds: number | null) => (seconds === null ? "" : `  ETA ${clock(seconds)}`);

const activeLine = ({ index, values, fraction, what, remainingSeconds }: ActiveMember) =>
  `  ${progressBar(fraction, BAR.member)} ${percentColumn(fraction)}  member ${index}  ${valuesText({ values })}  ${what}${eta(remainingSeconds)}`;

export const ensembleWords: Words<EnsembleEvent> = {
  live: {
    activity: ({ what }) => `collecting: ${what} …`,
    progress: ({ fraction, tally, active, remainingSeconds }) =>
      [
        `${progressBar(fraction, BAR.all)} ${percentColumn(fraction)}  ${tallyText(tally)}${eta(remainingSeconds)}`,
        ...active.map(activeLine),
      ].join("\n"),
  },
  plain: {
    progress: ({ fraction, tally, remainingSeconds }) =>
      `${percentColumn(fraction)}  ${tallyText(tally)}${eta(remainingSeconds)}`,
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
    skipped: ({ index, why }) => `  member ${index}  ${why} in another process`,
    waiting: ({ members }) =>
      [
        `Waiting for ${namesOf(members.map(({ index }) => index))}, which other processes compute:`,
        ...members.slice(0, MOST_NAMED).map(({ index, process }) => `  member ${index}  ${process}`),
      ].join("\n"),
    scripts: ({ members, collect, array }) =>
      `Scripts for Slurm:\n  sbatch --array=${array} ${members}\n  sbatch --dependency=afterany:JOB ${collect}`,
    submitted: ({ job, array, collect, queued, folder }) => {
      if (job === null) return `Submitted: job ${collect} collects the ${queued} members that are in the queue.`;
      const before = queued > 0 ? `; ${queued} were in the queue already` : "";
      return `Submitted: job ${job} for members ${array}${before}; job ${collect} collects them. Scripts and logs: ${folder}`;
    },
    collected: ({ page, tally }) => `\nCollected: ${tallyText(tally)}.\n  page  ${page}`,
    interrupted: ({ tally, resume }) => `Stopped: ${tallyText(tally)}. Go on with:\n  ${resume}`,
    end: ({ tally, failed, unfinished, folder, resume }) => {
      const lines = [`\n${tallyText(tally)}; results in ${folder}`];
      if (failed.length > 0) {
        lines.push(`${namesOf(failed, "Member")} failed: error.txt in the folder of each says why.`);
      }
      lines.push(...unfinished.slice(0, MOST_NAMED).map(unfinishedText));
      if (lines.length > 1) lines.push(`Go on with:\n  ${resume}`);
      return lines.join("\n");
    },
    plan: ({ title, members, memoryBytes, folder }) => {
      const keys = Object.keys(members[0].values);
      const rows = members.map(({ index, values, state }) => {
        return [String(index), ...keys.map((key) => valueText(values[key])), state];
      });
      const head = `${members.length} members in ${folder}, each at most ${bytesText(memoryBytes)}`;
      return `${colours.bold(title)}\n${head}\n\n${textTable(["member", ...keys, "state"], rows)}`;
    },
  },
  quiet: {
    interrupted: ({ failures }) => failures.map(failureText).join("\n"),
    end: ({ failures, unfinished }) => [...failures.map(failureText), ...unfinished.map(unfinishedText)].join("\n"),
  },
  stopping: " members with their checkpoints;",
};

const takenText = ({ index, folder, process }: SkippedEvent) =>
  `Member ${index} is computed by ${process}: nothing was done in ${folder}.`;

/** A member is shown as the run that it is. */
const memberWords: Words<RunEvent | SkippedEvent> = {
  ...runWords,
  lasting: {
    ...runWords.lasting,
    skipped: (event) =>
      event.why === "running"
        ? takenText(event)
        : `Member ${event.index} is ${event.why}: nothing to do in ${event.folder}.`,
  },
  quiet: { skipped: (event) => (event.why === "running" ? takenText(event) : "") },
};

interface Options extends Omit<SubmitRequest, "scenario" | "overrides" | "program" | "onlyWrite" | "member">, Flags {
  member?: number | true;
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
  const wrong = `--collect reads the ensemble in ${folder}: leave out SCENARIO, --vary and --resume.`;
  throw new GravmeshError("usage", wrong);
}

/** Aborted when the ensemble that has started this process says so, or is gone, however it ended. */
function starterStops(): AbortSignal {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  if (process.connected === false) stop(); // before we came to listen
  process.once("disconnect", stop);
  process.once("message", stop);
  process.channel?.unref(); // it doesn't keep this process alive
  return stopping.signal;
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
      const { openEnsemble } = await import("../../study/ensemble/run-ensemble.ts");
      const index = member === true ? indexIn(process.env) : member;
      const { folder } = await openEnsemble({ ...request, member: index }, signal);
      return runMember({ folder, index, since: 0 }, watch, AbortSignal.any([signal, starterStops()]));
    });
  }
  return session(flags, ensembleWords, (watch, signal) => {
    if (collect !== undefined) return collectEnsemble(requireAlone(collect, request), watch);
    if (options.dryRun) return reportPlan(request, watch, signal);
    if (slurm || slurmWrite) return submitEnsemble({ ...request, onlyWrite: !slurm }, watch, signal);
    return runEnsemble(request, watch, signal);
  });
}
