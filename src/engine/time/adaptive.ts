/**
 * The adaptive global step: each interval between outputs is divided into 2^k equal steps, k chosen anew for every few
 * steps from the largest acceleration and speed,
 *   dt ≤ min(η √(h/|a|max), C h/|v|max, maxStep),   h = cell size
 * (Power et al. 2003, eq. 7, with the mesh cell for the softening; Courant condition for the drift). Steps are counted in
 * ticks of interval/2^TICK_BITS, so that a run lands on its outputs exactly. So that the device needn't wait, steps are
 * chosen one segment ahead, by the extremes at the end of the segment before the one under way, with room for their
 * latest growth. While they grow fast segments are short.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { Background } from "../../physics/cosmology/background.ts";
import type { TimeSettings } from "./settings.ts";

const TICK_BITS = 24;
export const TICKS = 2 ** TICK_BITS;
/** Steps of a segment, after which the extremes are looked at: while they hardly grow, and while they do or nobody knows. */
const STEPS_OF_A_SEGMENT = { calm: 10, growing: 4 };
/** Growth in a segment up to which it is calm: a step that is too long by a fifth. */
const CALM_GROWTH = 1.5;
/** Legs from the end of one to the end of the last that is chosen by its extremes. */
const LEGS_AHEAD = 2;
/** Growth that is reckoned with at most: what grows faster than that is an accident in a single particle. */
const MOST_GROWTH = 4;

/** The largest |a| [velocity/time] and |v| [velocity]. */
export interface Extremes {
  acceleration: number;
  speed: number;
}

/** Largest step the criterion allows [time]. */
export function stepLimit(
  time: Pick<TimeSettings, "accuracy" | "courant" | "maxStep">,
  cellSize: number,
  extremes: Extremes,
): number {
  const byAcceleration = time.accuracy * Math.sqrt(cellSize / extremes.acceleration);
  const bySpeed = (time.courant * cellSize) / extremes.speed;
  return Math.min(byAcceleration, bySpeed, time.maxStep);
}

/** The same on the comoving clock at `a`, in a or ln a as steps are equal in: with dx = p dt/a², dp = g dt/a. */
export function comovingStepLimit(
  background: Background,
  { accuracy, courant, maxStep, spacing }: TimeSettings,
  a: number,
  cellSize: number,
  { acceleration, speed }: Extremes,
): number {
  const dt = Math.min(accuracy * Math.sqrt((cellSize * a ** 3) / acceleration), (courant * cellSize * a * a) / speed);
  return Math.min(dt * background.hubble(a) * (spacing === "a" ? a : 1), maxStep);
}

export interface AdaptiveSegment {
  steps: number;
  ticks: number;
}

/** Extremes to reckon with up to the end of the segment that is chosen by `now`, where they were `before` one segment earlier. */
export function foreseen(now: Extremes, before: Extremes | undefined): Extremes {
  const grown = (value: number, earlier: number) =>
    earlier > 0 ? value * Math.min(MOST_GROWTH, Math.max(1, (value / earlier) ** LEGS_AHEAD)) : value;
  if (!before) return now;
  return { acceleration: grown(now.acceleration, before.acceleration), speed: grown(now.speed, before.speed) };
}

/** Whether the extremes grew little from one segment to the next. */
function calm(now: Extremes, before: Extremes | undefined): boolean {
  if (!before) return false;
  const { acceleration, speed } = before;
  return now.acceleration <= CALM_GROWTH * acceleration && now.speed <= CALM_GROWTH * speed;
}

/** At most `most` steps from `tick` of an interval that lasts `interval` [time]: commensurate, at most to its end. */
export function adaptiveSegment(
  tick: number,
  interval: number,
  limit: number,
  most: number = STEPS_OF_A_SEGMENT.calm,
): AdaptiveSegment {
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
  return { steps: Math.min(most, (TICKS - tick) / ticks), ticks };
}

/** What the choice of the next steps depends on; part of a checkpoint. */
export interface AdaptiveState {
  /** Extremes by which the next segments are chosen, the first first. */
  measured: Extremes[];
  /** Those by which the last one was. */
  before?: Extremes | undefined;
  /** What is left of a segment that was stopped. */
  begun?: AdaptiveSegment | undefined;
}

export class AdaptivePlan {
  readonly #segments: AdaptiveSegment[] = [];
  readonly #state: AdaptiveState;
  #tick: number;

  /** From `start` [tick] of an interval. `limit`: the largest step at a tick [time], as the interval is. */
  constructor(
    private readonly start: number,
    private readonly interval: number,
    private readonly limit: (tick: number, extremes: Extremes) => number,
    state: AdaptiveState,
  ) {
    this.#tick = start;
    this.#state = { ...state, measured: [...state.measured] };
  }

  /** The state of a plan that begins with the extremes known: both of its first segments are chosen by them. */
  static from(extremes: Extremes, before: Extremes | undefined): AdaptiveState {
    return { measured: Array.from({ length: LEGS_AHEAD }, () => extremes), before };
  }

  note(extremes: Extremes): void {
    this.#state.measured.push(extremes);
  }

  /** The next segment, and the tick that it begins at. */
  next(): AdaptiveSegment & { from: number } {
    const from = this.#tick;
    const segment = this.#state.begun ?? this.#choose();
    this.#state.begun = undefined;
    this.#segments.push(segment);
    this.#tick += segment.steps * segment.ticks;
    return { ...segment, from };
  }

  /** The tick after so many steps of this plan, and the state to go on from there when it is left. */
  after(steps: number): { tick: number; state: AdaptiveState } {
    let [left, tick] = [steps, this.start];
    let begun: AdaptiveSegment | undefined;
    for (const segment of this.#segments) {
      const taken = Math.min(left, segment.steps);
      tick += taken * segment.ticks;
      left -= taken;
      if (taken < segment.steps) begun = { ...segment, steps: segment.steps - taken };
    }
    const { measured, before } = this.#state;
    return { tick, state: { measured: [...measured], before, ...(begun && { begun }) } };
  }

  #choose(): AdaptiveSegment {
    const { measured, before } = this.#state;
    const now = measured.shift();
    if (!now) throw new Error("adaptive steps: expected the extremes at the end of an earlier segment to be noted");
    const limit = this.limit(this.#tick, foreseen(now, before));
    const most = STEPS_OF_A_SEGMENT[calm(now, before) ? "calm" : "growing"];
    this.#state.before = now;
    return adaptiveSegment(this.#tick, this.interval, limit, most);
  }
}
