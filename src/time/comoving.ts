/**
 * The comoving clock of a run: the scale factor a is its time, and a kick–drift–kick step between two scale factors has
 * the factors of cosmology/steps.ts. Positions are comoving and velocities canonical momenta p = a² dx/dt, so that forces
 * are those of the static pipeline in comoving coordinates.
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

  /**
   * Longest step at `a` in the spacing's variable, a or ln a: as the static criterion has it (time/adaptive.ts) with
   * dx = p dt/a² and dp = g dt/a.
   */
  stepLimit(a: number, cellSize: number, { acceleration, speed }: Extremes): number {
    const { accuracy, courant, maxStep, spacing } = this.time;
    const dt = Math.min(accuracy * Math.sqrt((cellSize * a ** 3) / acceleration), (courant * cellSize * a * a) / speed);
    const expansion = this.clock.background.hubble(a);
    return Math.min(dt * expansion * (spacing === "a" ? a : 1), maxStep);
  }
}
