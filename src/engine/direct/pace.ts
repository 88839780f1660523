/** How much work a submission holds: no watchdog should fire, and aborts come through. Results are the same. */

/** What a submission should last [ms]; a display driver's patience ends at about a second. */
const GOAL = 150;
/** Below this [ms], what a submission costs by itself hides the work. */
const TELLING = 30;
/** Work per ms to begin with: pair interactions on a slow CPU driver, and on a modest GPU. */
const FIRST_GUESS = { software: 2e5, hardware: 2e7 };
/** How much quicker or slower the adapter may turn out from one submission to the next. */
const LARGEST_CHANGE = 8;

/** Pair interactions that surely take no longer than `ms`, before anything has been measured. */
export function firstGuess(software: boolean, ms: number): number {
  return ms * (software ? FIRST_GUESS.software : FIRST_GUESS.hardware);
}

export class SubmissionPace {
  #perMs: number;

  constructor(software: boolean) {
    this.#perMs = firstGuess(software, 1);
  }

  /** Work of a submission of so many milliseconds. */
  budget(ms = GOAL): number {
    return this.#perMs * ms;
  }

  /** Learns that `work` took `ms`; what isn't `busy` can tell that the adapter is quicker, not that it is slower. */
  learn(work: number, ms: number, busy = ms >= TELLING): void {
    const rate = work / Math.max(ms, 0.1);
    const slowest = busy ? this.#perMs / LARGEST_CHANGE : this.#perMs;
    this.#perMs = Math.min(LARGEST_CHANGE * this.#perMs, Math.max(slowest, rate));
  }
}
