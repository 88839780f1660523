/**
 * Which of the things that a run does besides steps are worth a word where only one can stand: those that last. How long
 * one takes is known from the time before. A row of diagnostics, some ten a second of them, would otherwise hide what the
 * steps have to say.
 */

/** What took less than this the last time isn't told [ms]. */
const LEAST = 1000;

interface Told {
  event: string;
  what?: string;
  fraction?: number;
}

export class Activities {
  /** By what is done, without its number [ms]. */
  readonly #took = new Map<string, number>();
  #current: { kind: string; since: number } | undefined;

  /** Hears of every event: any of them ends what was done before. True for an activity that is worth a word. */
  hear({ event, what = "", fraction }: Told, now: number): boolean {
    if (this.#current) this.#took.set(this.#current.kind, now - this.#current.since);
    this.#current = undefined;
    if (event !== "activity") return false;
    const kind = what.replace(/ \d+$/, "");
    const lasting = (this.#took.get(kind) ?? Number.POSITIVE_INFINITY) >= LEAST;
    this.#current = { kind, since: now };
    // At the end there are no steps to tell of.
    return lasting || fraction === undefined || fraction >= 1;
  }
}
