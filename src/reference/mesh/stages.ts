/** The stages of a step in float64: how long they take, room for others between them, and the check of what they leave. */
import type { StageTime } from "../../backend/backend.ts";
import { GravmeshError } from "../../base/errors.ts";

const STAGES = ["order", "deposit", "poisson", "gradient", "update"] as const;
export type Stage = (typeof STAGES)[number];

/** Longest time [ms] that passes before other work on the event loop gets a turn, give or take a stage. */
const TURN = 30;

export class Stages {
  private lastTurn = performance.now();
  private readonly spent = new Map<Stage, StageTime>(STAGES.map((stage) => [stage, { stage, ms: 0, count: 0 }]));

  /** Runs a stage, adding to its time, and to its count when `first` is set: stages may run in parts. */
  timed<T>(stage: Stage, first: boolean, work: () => T): T {
    const start = performance.now();
    const result = work();
    const entry = this.spent.get(stage) as StageTime;
    entry.ms += performance.now() - start;
    if (first) entry.count++;
    return result;
  }

  times(): StageTime[] {
    return STAGES.map((stage) => ({ ...(this.spent.get(stage) as StageTime) }));
  }

  async giveWay(): Promise<void> {
    if (performance.now() - this.lastTurn < TURN) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.lastTurn = performance.now();
  }
}

/** Throws "numerical" naming stage, step and the first value that is not a finite number, of `perItem` an `item`. */
export function expectFinite(
  { stage, step }: { stage: Stage; step: number },
  values: Float64Array,
  perItem: number,
  item: string,
): void {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  if (Number.isFinite(sum)) return;
  const at = values.findIndex((value) => !Number.isFinite(value));
  if (at < 0) return;
  throw new GravmeshError(
    "numerical",
    `Stage ${stage}, step ${step}: expected finite numbers, found ${values[at]} at ${item} ` +
      `${Math.floor(at / perItem)}. Look for such a value in the initial conditions, or try a shorter step.`,
  );
}
