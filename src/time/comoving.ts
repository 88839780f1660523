/**
 * The comoving clock of a run: the scale factor a is its time, and a kick–drift–kick step between two scale factors has
 * the factors of cosmology/steps.ts. State: comoving x, canonical p = a² dx/dt, so that forces are those of the static
 * pipeline in comoving coordinates.
 */
import { Background } from "../cosmology/background.ts";
import type { CosmologySettings } from "../cosmology/settings.ts";
import { ComovingClock } from "../cosmology/steps.ts";
import type { TimeSettings } from "./settings.ts";

export class ComovingTime {
  readonly clock: ComovingClock;

  constructor(
    cosmology: CosmologySettings,
    private readonly time: TimeSettings,
  ) {
    this.clock = new ComovingClock(new Background(cosmology));
  }

  /** Factors of the kicks and drifts of the steps between consecutive scale factors `edges` [n + 1]. */
  factors(edges: ArrayLike<number>): { openings: number[]; drifts: number[]; closings: number[] } {
    const { factors, spacing } = this.time;
    const kind = factors === "standard" ? "standard" : "growthCorrected";
    const steps = this.clock.steps(edges, spacing);
    return {
      openings: steps.map(({ opening }) => opening[kind]),
      drifts: steps.map(({ drift }) => drift[kind]),
      closings: steps.map(({ closing }) => closing[kind]),
    };
  }

  /**
   * Longest step at `a` in the spacing's variable, a or ln a: as the static criterion has it (time/adaptive.ts) with
   * dx = p dt/a² and dp = g dt/a.
   */
  stepLimit(a: number, cellSize: number, { acceleration, speed }: { acceleration: number; speed: number }): number {
    const { accuracy, courant, maxStep, spacing } = this.time;
    const dt = Math.min(accuracy * Math.sqrt((cellSize * a ** 3) / acceleration), (courant * cellSize * a * a) / speed);
    const expansion = this.clock.background.hubble(a);
    return Math.min(dt * expansion * (spacing === "a" ? a : 1), maxStep);
  }
}

/** Time a `share` of the way from one to another: evenly, or evenly in ln a. Both ends are exact. */
export function between({ clock, spacing }: TimeSettings, from: number, to: number, share: number): number {
  if (share === 0 || share === 1) return share === 0 ? from : to;
  return clock === "comoving" && spacing === "log-a" ? from * (to / from) ** share : from + (to - from) * share;
}

/** How far two times are apart in the variable that steps are equal in. */
export function distance({ clock, spacing }: TimeSettings, from: number, to: number): number {
  return clock === "comoving" && spacing === "log-a" ? Math.log(to / from) : to - from;
}
