/** Which activities are shown: those that lasted the time before. Rows of diagnostics would hide the progress. */

/** What took less than this the last time isn't shown [ms]. */
const LEAST = 1000;

export class Activities {
  /** Last duration by kind [ms]. */
  readonly #took = new Map<string, number>();
  #current: { kind: string; since: number } | undefined;

  /** Every event ends the activity before it. True for an activity that is to be shown. */
  shows({ event, what = "", fraction }: { event: string; what?: string; fraction?: number }, now: number): boolean {
    if (this.#current) this.#took.set(this.#current.kind, now - this.#current.since);
    this.#current = undefined;
    if (event !== "activity") return false;
    const kind = what.replace(/ \d+$/, "");
    const lasting = (this.#took.get(kind) ?? Number.POSITIVE_INFINITY) >= LEAST;
    this.#current = { kind, since: now };
    // At the end there are no steps to show.
    return lasting || fraction === undefined || fraction >= 1;
  }
}
