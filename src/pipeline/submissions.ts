/** How many steps go into one submission: enough that the host's part costs nothing, few enough for the system's patience. */

/** A submission is kept near this long [ms]: some systems reset a device that doesn't answer for two seconds. */
export const SUBMISSION_MS = 480;
/** Twice as long it may be on a processor, which nobody resets, for so many steps: one in 16 with those that end early. */
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
