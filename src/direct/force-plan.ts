/**
 * A direct-sum job as dispatches: ranges of targets against ranges of sources, each short enough for a display
 * driver's watchdog, whose totals wait in a buffer from one to the next. Slices stay whole, so that the division never
 * shows in the result.
 */
import { packUniform } from "../gpu/buffers.ts";
import type { ForceOrder } from "./bodies.ts";
import { SLICE } from "./force-shapes.ts";

/** Targets of a dispatch, and interactions of one, at most: 0.05 s at 10¹¹ a second. */
export const TARGET_RANGE = 2 ** 18;
const MOST_INTERACTIONS = 2 ** 32;

/** Bytes of the totals of a target (Totals in wgsl/lib/force-*.wgsl). */
const TOTALS_BYTES: Record<ForceOrder, number> = { acceleration: 48, jerk: 80, snap: 112 };

/** Bytes of `state` that the dispatches need. */
export function stateBytes(order: ForceOrder, dispatches: readonly ForceDispatch[]): number {
  const waiting = dispatches.filter(({ finish }) => !finish);
  const targets = Math.max(1, ...waiting.map(({ firstTarget, endTarget }) => endTarget - firstTarget));
  return TOTALS_BYTES[order] * targets;
}

/** One dispatch: half-open ranges of target slots and of sources. */
export interface ForceDispatch {
  firstTarget: number;
  endTarget: number;
  firstSource: number;
  endSource: number;
  start: "zero" | "result" | "state";
  finish: boolean;
}

/** The dispatches of a job. `mostSources`: of a dispatch, a multiple of SLICE; what MOST_INTERACTIONS allows if less. */
export function forceDispatches(
  targetCount: number,
  sourceCount: number,
  accumulate: boolean,
  mostSources: number = Number.POSITIVE_INFINITY,
): ForceDispatch[] {
  const dispatches: ForceDispatch[] = [];
  for (let firstTarget = 0; firstTarget < targetCount; firstTarget += TARGET_RANGE) {
    const endTarget = Math.min(targetCount, firstTarget + TARGET_RANGE);
    const slices = Math.floor(Math.min(mostSources, MOST_INTERACTIONS / (endTarget - firstTarget)) / SLICE);
    const chunk = SLICE * Math.max(1, slices);
    let firstSource = 0;
    do {
      const endSource = Math.min(sourceCount, firstSource + chunk);
      const start = firstSource > 0 ? "state" : accumulate ? "result" : "zero";
      const finish = endSource === sourceCount;
      dispatches.push({ firstTarget, endTarget, firstSource, endSource, start, finish });
      firstSource = endSource;
    } while (firstSource < sourceCount);
  }
  return dispatches;
}

/** The uniform of a dispatch (Job in wgsl/lib/force-job.wgsl). */
export function jobUniform(dispatch: ForceDispatch, listed: boolean, softening: number): ArrayBuffer {
  const { firstTarget, endTarget, firstSource, endSource, start, finish } = dispatch;
  return packUniform([
    ["u32", firstTarget],
    ["u32", endTarget],
    ["u32", firstSource],
    ["u32", endSource],
    ["u32", listed ? 1 : 0],
    ["u32", { zero: 0, result: 1, state: 2 }[start]],
    ["u32", finish ? 1 : 0],
    ["u32", 0],
    ["f32", softening * softening],
  ]);
}
