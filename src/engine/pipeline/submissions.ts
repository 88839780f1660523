/** How many steps go into one submission: enough that the host's part costs nothing, few enough for the system's patience. */

import type { InTurn } from "../../foundation/gpu/in-turn.ts";
import { type AdvanceControl, goesOn } from "../backend/backend.ts";

/** A submission is kept near this long [ms]: some systems reset a device that doesn't answer for two seconds. */
export const SUBMISSION_MS = 480;
/** CPU adapters have no watchdog: allow twice as long, for so many steps: one in 16 with those that end early. */
const ENOUGH = 18;
const LONGEST_SUBMISSION = 32;
/** Browsers' clocks go by up to a millisecond: by them a step may have taken none at all [ms]. */
const SHORTEST_STEP = 1e-3;

/** Steps of `timed` [ms] each that go into a submission of at most `longest` [ms], or what the kind of adapter stands. */
export function stepsOfASubmission(
  timed: number,
  { software, longest }: { software: boolean; longest?: number | undefined },
): number {
  const step = Math.max(SHORTEST_STEP, timed);
  const fitting = Math.min(LONGEST_SUBMISSION, Math.max(1, Math.floor((longest ?? SUBMISSION_MS) / step)));
  const enough = software && longest === undefined && ENOUGH * step <= 2 * SUBMISSION_MS;
  return enough ? Math.max(ENOUGH, fitting) : fitting;
}

export class Pacing {
  /** What a step takes [ms], by the last submission; unknown before the first. */
  #ms = Number.POSITIVE_INFINITY;

  constructor(private readonly software: boolean) {}

  /** Two submissions are under way at a time, but not where a step alone is longer than either should be. */
  async makeWay(submissions: InTurn, { submission: longest = SUBMISSION_MS }: AdvanceControl): Promise<void> {
    if (this.#ms > longest) await submissions.drain();
  }

  /** Steps of the next submission of an advance that has taken `steps`; 0 where it is to be stopped. */
  next(steps: number, control: AdvanceControl): number {
    const { submission, most = Number.POSITIVE_INFINITY } = control;
    const fitting = stepsOfASubmission(this.#ms, { software: this.software, longest: submission });
    return goesOn(control) ? Math.min(fitting, most - steps) : 0;
  }

  took(ms: number, steps: number): void {
    this.#ms = ms / steps;
  }
}
