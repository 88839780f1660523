/**
 * The comoving clock of a run: its time is the scale factor a, positions are comoving and velocities p = a² dx/dt, so
 * that forces are those of the static pipeline, with the factors of cosmology/steps.ts.
 */
import { Background } from "../cosmology/background.ts";
import type { CosmologySettings } from "../cosmology/settings.ts";
import { ComovingClock, type StepFactors } from "../cosmology/steps.ts";
import type { Extremes } from "./adaptive.ts";
import type { TimeSettings } from "./settings.ts";

export class ComovingTime {
  readonly clock: ComovingClock;

  constructor(
    cosmology: CosmologySettings,
    private readonly time: TimeSettings,
  ) {
    this.clock = new ComovingClock(new Background(cosmology), time.factors);
  }

  /** Factors of the steps between consecutive scale factors `edges` [n + 1]. */
  factors(edges: ArrayLike<number>): StepFactors {
    return this.clock.steps(edges, this.time.spacing);
  }

  /** Longest step at `a`, in a or ln a: the static criterion (time/adaptive.ts) with dx = p dt/a², dp = g dt/a. */
  stepLimit(a: number, cellSize: number, { acceleration, speed }: Extremes): number {
    const { accuracy, courant, maxStep, spacing } = this.time;
    const dt = Math.min(accuracy * Math.sqrt((cellSize * a ** 3) / acceleration), (courant * cellSize * a * a) / speed);
    const expansion = this.clock.background.hubble(a);
    return Math.min(dt * expansion * (spacing === "a" ? a : 1), maxStep);
  }
}
