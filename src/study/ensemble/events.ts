/** The events of an ensemble. With --json each event is one line on stdout; docs/summary.md lists them. */
import type { ErrorEvent, WarningEvent } from "../../run/events.ts";
import type { Member } from "./ensemble.ts";
import type { MemberState, Outcome, Tally } from "./member-state.ts";

export interface ActiveMember extends Pick<Member, "index" | "values"> {
  fraction: number;
  /** "drawing initial conditions", "step 120" … */
  what: string;
  /** [s]; null: unknown yet */
  remainingSeconds: number | null;
}

/** There was nothing to do for this process: another one has finished it, has failed at it meanwhile, or has it still. */
export interface SkippedEvent {
  event: "skipped";
  index: number;
  why: "finished" | "failed" | "running";
  folder: string;
  process?: string;
}

interface Ended extends Pick<Outcome, "tally" | "failures"> {
  folder: string;
  resume: string;
}

/** Times are in seconds. */
export type EnsembleEvent =
  | { event: "plan"; title: string; folder: string; memoryBytes: number; members: readonly PlannedMember[] }
  | { event: "start"; title: string; folder: string; members: number; tally: Tally; jobs: number | null }
  | {
      event: "progress";
      fraction: number;
      tally: Tally;
      members: number;
      active: readonly ActiveMember[];
      elapsedSeconds: number;
      /** null: unknown yet */
      remainingSeconds: number | null;
    }
  | ({ event: "member"; seconds: number; message: string | null; finished: number; members: number } & PlannedMember)
  | SkippedEvent
  | { event: "waiting"; members: readonly { index: number; process: string }[] }
  | { event: "scripts"; members: string; collect: string; array: string }
  | { event: "submitted"; job: string | null; array: string; collect: string; queued: number; folder: string }
  | ({ event: "interrupted" } & Ended)
  | { event: "activity"; what: string }
  | { event: "collected"; folder: string; page: string; files: readonly string[]; tally: Tally }
  | ({ event: "end" } & Ended & Pick<Outcome, "failed" | "unfinished">)
  | WarningEvent
  | ErrorEvent;

type PlannedMember = Member & { state: MemberState };

export const ENSEMBLE_EVENTS: Record<EnsembleEvent["event"], string> = {
  plan: "with --dry-run: `title`, `folder`, `memoryBytes` (at most, of one member), `members` (`index`, `folder`, `values`, `state` of each)",
  start:
    "the ensemble starts or continues: `title`, `folder`, `members`, `tally` (how many are waiting, running, interrupted, failed, finished), `jobs`",
  progress:
    "about once a second: `fraction` of all members together, `tally`, `members`, `active` (`index`, `values`, `fraction`, `what`, `remainingSeconds` of the running ones), `elapsedSeconds`, `remainingSeconds` (null: unknown yet)",
  member:
    "an attempt at a member has ended: `index`, `values`, `state`, `seconds`, `message` (why it failed, or null), `folder`, `finished`, `members`",
  skipped:
    "there is nothing to do for a member here: `index`, `folder`, `why` (finished; failed: another process has tried it meanwhile; running: another `process` has it)",
  waiting:
    "only members of other processes are left; those that these leave unfinished are continued: `members` (`index`, `process`)",
  scripts: "with --slurm-write: the scripts `members` and `collect`, and the `array` of members that aren't finished",
  submitted:
    "to Slurm: `job` (its number, or null where all remaining members were in the queue) for the `array` of members, `collect` (the number of the collecting job), `queued` (members that were in the queue already), `folder` (of scripts and logs)",
  interrupted:
    "Ctrl-C: members have saved their states: `folder`, `tally`, `failures` (as at the end), `resume` (the command that continues)",
  activity: "results are being collected: `what`",
  collected: "the members' results are together: `folder`, `page`, `files`, `tally`",
  warning: "something to know: `message`",
  end: "every member has been tried: `folder`, `tally`, `failed` (their indices), `failures` (`message` and its `members`), `unfinished` (`index`, `state`, `folder`, `message`: which process may have it, or null), `resume` (the command that repeats and continues)",
  error: "the ensemble can't begin: `kind`, `message`, `exitCode`",
};
