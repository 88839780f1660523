/** Time spent by stage, and turns for the event loop, in work that would otherwise hold a thread for long. */
import type { StageTime } from "../backend/backend.ts";

/** Longest time [ms] that passes before other work on the event loop gets a turn, give or take a piece of work. */
const TURN = 30;

export class StageClock<Stage extends string> {
  readonly #times: Map<Stage, StageTime>;
  #lastTurn = performance.now();

  constructor(stages: readonly Stage[]) {
    this.#times = new Map(stages.map((stage) => [stage, { stage, ms: 0, count: 0 }]));
  }

  /** Runs a piece of a stage; it counts as one more when `first` is set: a stage may run in pieces. */
  run<T>(stage: Stage, work: () => T, first = true): T {
    const start = performance.now();
    const result = work();
    const entry = this.#times.get(stage)!;
    entry.ms += performance.now() - start;
    if (first) entry.count++;
    return result;
  }

  /** Gives other work its turn, if one is due. */
  async giveWay(): Promise<void> {
    if (performance.now() - this.#lastTurn < TURN) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.#lastTurn = performance.now();
  }

  times(): StageTime[] {
    return [...this.#times.values()].map((entry) => ({ ...entry }));
  }
}
