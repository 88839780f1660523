/**
 * The record of a study and its runner: cases are made one after the other, each is in NAME.json before the next begins.
 * A case that fails doesn't stop the others; an interruption keeps what has been measured.
 */
import { loadavg } from "node:os";
import { isAborted } from "../foundation/base/errors.ts";
import type { NoteEvent, WarningEvent } from "../run/events.ts";
import { messageOf } from "../run/failure.ts";
import type { ResultFiles, Status } from "../run/results.ts";

/** "interrupted": stopped within, with what had been measured; "skipped": it can't be made here; "waiting": not made yet. */
export type CaseStatus = Status | "skipped" | "waiting";

export interface CaseRecord<Result = unknown> {
  /** Stable, unique in the study. */
  key: string;
  label: string;
  parameters: object;
  status: CaseStatus;
  /** Why it failed or was skipped. */
  message: string | null;
  /** When it ended, ISO 8601, and how long it took [s]. */
  date: string | null;
  seconds: number | null;
  /** Load average of the last minute when it began, its own process included. */
  load: number | null;
  result: Result;
}

/** What every NAME.json of a study has. */
export interface StudyRecord<Result = unknown> {
  status: Status;
  cases: CaseRecord<Result>[];
}

/** A case as it is before it is made; `result` holds nothing yet. */
export function waitingCase<Result>(
  { key, label, parameters }: Pick<CaseRecord, "key" | "label" | "parameters">,
  result: Result,
): CaseRecord<Result> {
  const nothing = { message: null, date: null, seconds: null, load: null };
  return { ...{ key, label, parameters, status: "waiting" }, ...nothing, result };
}

/** Which case of how many. */
export interface Place {
  key: string;
  label: string;
  index: number;
  count: number;
}

/** What every study reports as it goes: `Start` and `Progress` are what a study adds of its own. */
export type StudyEvent<Record extends StudyRecord, Start extends object = object, Progress extends object = object> =
  | ({ event: "start" } & Start)
  | ({ event: "progress"; fraction: number } & Place & Progress)
  | { event: "activity"; what: string }
  | CaseEvent<Record["cases"][number]>
  | WarningEvent
  | NoteEvent
  | TableEvent
  | { event: "end"; folder: string; page: string; record: Record };

/** Of a study that leaves no files: a table of results as text, and as what JSON has of it. */
export interface TableEvent {
  event: "table";
  message: string;
  figures: object;
  indent?: number;
}

/** A case has ended, in whatever way; `brief`: its result in a few words. */
interface CaseEvent<Case> {
  event: "case";
  index: number;
  count: number;
  brief: string;
  case: Case;
}

export interface StudyRun<Record extends StudyRecord> {
  record: Record;
  /** None of a study that leaves no files. */
  files?: ResultFiles<Record>;
  signal: AbortSignal;
  watch: (event: CaseEvent<Record["cases"][number]> | WarningEvent) => void;
  /**
   * Measures into the case; one that it leaves "waiting" is complete. Throws what makes the case fail, or "aborted": then
   * it counts as not made.
   */
  make: (one: Record["cases"][number], place: Place) => Promise<void>;
  brief?: (one: Record["cases"][number]) => string;
  /** The warning that a failure is told with, besides the event of the case. */
  warning?: (one: Record["cases"][number]) => string;
}

/** Makes what isn't complete; sets the status of the whole. */
export async function runCases<Record extends StudyRecord>(run: StudyRun<Record>): Promise<void> {
  const { record, files, signal, watch, make, brief = () => "", warning } = run;
  const count = record.cases.length;
  for (const [index, one] of record.cases.entries()) {
    if (one.status === "complete") continue;
    if (signal.aborted) break;
    const started = performance.now();
    one.load = loadavg()[0];
    try {
      await make(one, { key: one.key, label: one.label, index, count });
      if (one.status === "waiting") one.status = "complete";
    } catch (error) {
      if (isAborted(error)) break;
      Object.assign(one, { status: "failed", message: messageOf(error) });
      if (warning) watch({ event: "warning", message: warning(one) });
    }
    one.date = new Date().toISOString();
    one.seconds = (performance.now() - started) / 1000;
    files?.save(record); // whatever happens to the next one
    watch({ event: "case", index, count, brief: brief(one), case: one });
  }
  record.status = statusOf(record.cases);
}

function statusOf(cases: readonly CaseRecord[]): Status {
  const is = (...some: CaseStatus[]) => cases.some(({ status }) => some.includes(status));
  return is("waiting", "interrupted") ? "interrupted" : is("failed") ? "failed" : "complete";
}
