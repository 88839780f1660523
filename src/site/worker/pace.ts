/** How many steps a second a run does, lately. */

/** Time over which it is taken [ms]. */
const WINDOW = 1500;

export class Pace {
  #turns: { at: number; steps: number }[] = [];

  add(steps: number, ms: number): void {
    const now = performance.now();
    if (this.#turns.length === 0) this.#turns.push({ at: now - ms, steps: 0 });
    this.#turns.push({ at: now, steps });
    while (this.#turns.length > 2 && this.#turns[1].at < now - WINDOW) this.#turns.shift();
  }

  /** A pause is no time of the run's. */
  rest(): void {
    this.#turns = [];
  }

  get stepsPerSecond(): number {
    if (this.#turns.length < 2) return 0;
    const [first, ...rest] = this.#turns;
    const steps = rest.reduce((sum, turn) => sum + turn.steps, 0);
    return (1000 * steps) / Math.max(1, rest[rest.length - 1].at - first.at);
  }
}
