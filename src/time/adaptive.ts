/**
 * The adaptive global step. Each interval between outputs is divided into 2^k equal steps; k is chosen anew at every
 * synchronous state from the largest acceleration and speed:
 *   dt ≤ min(η √(h/|a|max), C h/|v|max, maxStep),   h = cell size
 * (Power et al. 2003, eq. 7, with the mesh cell for the softening; Courant condition for the drift.)
 * Steps are counted in ticks of interval/2^TICK_BITS, so a run always lands on its outputs exactly.
 */
import { GravmeshError } from "../errors.ts";
import type { TimeSettings } from "./settings.ts";

const TICK_BITS = 24;
export const TICKS = 2 ** TICK_BITS;
/** Steps taken before the criterion is looked at again. */
const STEPS_BETWEEN_CHECKS = 4;

/** Largest step the criterion allows [time]. */
export function stepLimit(
  time: Pick<TimeSettings, "accuracy" | "courant" | "maxStep">,
  cellSize: number,
  extremes: { acceleration: number; speed: number },
): number {
  const byAcceleration = time.accuracy * Math.sqrt(cellSize / extremes.acceleration);
  const bySpeed = (time.courant * cellSize) / extremes.speed;
  return Math.min(byAcceleration, bySpeed, time.maxStep);
}

export interface AdaptiveSegment {
  steps: number;
  /** Ticks a step. */
  ticks: number;
}

/** The next steps from `tick` of an interval that lasts `interval` [time]: commensurate, at most to its end. */
export function adaptiveSegment(tick: number, interval: number, limit: number): AdaptiveSegment {
  let ticks = TICKS;
  while (ticks > 1 && (interval * ticks) / TICKS > limit) ticks /= 2;
  if ((interval * ticks) / TICKS > limit) {
    throw new GravmeshError(
      "numerical",
      `the adaptive step fell below ${(interval / TICKS).toPrecision(3)}: the criterion asks for ${limit.toPrecision(3)}; ` +
        "look for particles with extreme speed, or set time.step to a number",
    );
  }
  while (tick % ticks !== 0) ticks /= 2; // double only when commensurate
  return { steps: Math.min(STEPS_BETWEEN_CHECKS, (TICKS - tick) / ticks), ticks };
}
