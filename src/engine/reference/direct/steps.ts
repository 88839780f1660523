/**
 * Time steps of direct summation. The largest step is LARGEST ticks; every other is it divided by a power of two.
 * A step is halved as often as its criterion asks, and doubled once at a time, only where its end is a multiple of the
 * doubled step (McMillan 1986; Makino 1991), so particles whose steps end together form a block.
 *   shared    the largest step for all
 *   adaptive  the smallest step that any particle wants, for all
 *   block     every particle its own
 */

import { GravmeshError } from "../../../foundation/base/errors.ts";
import { norm } from "../../direct/integrators/criteria.ts";
import type { StepScheme } from "../../direct/settings.ts";

/** Ticks of the largest step. */
export const LARGEST_STEP = 2 ** 30;

/** An acceleration below this part of the largest is rounding: it sets no step. */
const NO_ACCELERATION = 1e-9;

/** Steps of all particles. */
export interface BlockSteps {
  /** [N] ticks since the largest step began, to which each particle has been advanced. */
  times: Uint32Array;
  /** [N] ticks of each particle's present step. */
  ticks: Uint32Array;
}

/** The largest power of two of ticks within a step of `wanted` ticks, LARGEST at most; 0 when not even one fits. */
export function ticksWithin(wanted: number): number {
  if (!(wanted >= 1)) return 0;
  return wanted >= LARGEST_STEP ? LARGEST_STEP : 2 ** (31 - Math.clz32(wanted));
}

/** The step after one of `ticks` that ended at `now`, when `allowed` ticks are (a power of two, or 0). */
export function nextTicks(ticks: number, allowed: number, now: number): number {
  if (allowed < ticks) return allowed;
  const doubled = 2 * ticks;
  return allowed >= doubled && doubled <= LARGEST_STEP && now % doubled === 0 ? doubled : ticks;
}

/** When the next block is due [ticks]. */
export function nextTime({ times, ticks }: BlockSteps): number {
  let next = LARGEST_STEP;
  for (let i = 0; i < times.length; i++) next = Math.min(next, times[i] + ticks[i]);
  return next;
}

/** Writes the numbers of the particles whose step ends at `now` to `rows`; how many there are. */
export function listActive({ times, ticks }: BlockSteps, now: number, rows: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < times.length; i++) if (times[i] + ticks[i] === now) rows[count++] = i;
  return count;
}

/** Where in the run steps are chosen, for the message when there is none. */
export interface StepContext {
  scheme: StepScheme;
  /** Length of a tick [time]. */
  tick: number;
  /** Ticks since the largest step began. */
  now: number;
  /** [time] since the start. */
  time: number;
}

/** Gives particles `rows[0 … count)` at `now` their next steps, by `wanted` [time]. Throws "numerical" where there is none. */
export function chooseSteps(
  steps: BlockSteps,
  rows: Uint32Array,
  count: number,
  wanted: Float64Array,
  context: StepContext,
): void {
  const { scheme, tick, now } = context;
  let smallest = Number.POSITIVE_INFINITY;
  for (let slot = 0; slot < count; slot++) {
    const i = rows[slot];
    steps.times[i] = now;
    if (Number.isNaN(wanted[slot])) throw notANumber(i, context.time);
    if (scheme === "block") {
      steps.ticks[i] = nextTicks(steps.ticks[i], ticksWithin(wanted[slot] / tick), now);
      if (steps.ticks[i] === 0) throw tooShort(i, wanted[slot], context);
    }
    if (wanted[slot] < smallest) smallest = wanted[slot];
  }
  if (scheme !== "adaptive" || count === 0) return;
  const shared = nextTicks(steps.ticks[0], ticksWithin(smallest / tick), now);
  if (shared === 0) throw tooShort(rows[wanted.indexOf(smallest)], smallest, context);
  steps.ticks.fill(shared);
}

/**
 * Gives all particles their first steps, at time 0. Where accelerations cancel, as on the central body of a symmetric
 * figure, the criterion |a|/|j| says nothing: such a body takes the smallest step of the others.
 */
export function chooseFirstSteps(
  steps: BlockSteps,
  wanted: Float64Array,
  accelerations: Float64Array,
  context: StepContext,
): void {
  const { scheme, tick } = context;
  steps.times.fill(0);
  steps.ticks.fill(LARGEST_STEP);
  if (scheme === "shared") return;
  const sizes = wanted.map((_, i) => norm(accelerations, 3 * i));
  const negligible = NO_ACCELERATION * sizes.reduce((most, size) => Math.max(most, size), 0);
  let shortest = -1;
  for (let i = 0; i < wanted.length; i++) {
    if (Number.isNaN(wanted[i])) throw notANumber(i, context.time);
    if (sizes[i] > negligible && !(wanted[i] >= wanted[shortest])) shortest = i;
  }
  for (let i = 0; i < wanted.length; i++) {
    const tells = scheme === "block" && sizes[i] > negligible ? i : shortest;
    const step = tells < 0 ? Number.POSITIVE_INFINITY : wanted[tells];
    steps.ticks[i] = ticksWithin(step / tick);
    if (steps.ticks[i] === 0) throw tooShort(tells, step, context);
  }
}

function notANumber(particle: number, time: number): GravmeshError {
  return new GravmeshError(
    "numerical",
    `stage correct, time ${Number(time.toPrecision(6))}: expected a finite force on particle ${particle}, found NaN; ` +
      "look for it in the initial conditions",
  );
}

function tooShort(particle: number, wanted: number, { tick, time }: StepContext): GravmeshError {
  return new GravmeshError(
    "numerical",
    `stage correct, time ${Number(time.toPrecision(6))}: the step of particle ${particle} fell below ${tick.toPrecision(3)}, 2^-30 of the ` +
      `largest: its criterion asks for ${wanted.toPrecision(3)}; it is likely in a close pair: try a direct.softening ` +
      "above 0, a larger direct.nu or direct.eta, or a shorter time.step",
  );
}
