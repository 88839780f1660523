/**
 * A direct-sum job as dispatches: ranges of targets against ranges of sources, each short enough for a display
 * driver's watchdog and small enough for the scratch of the slice sums. Totals wait in a buffer from one to the next,
 * and slices stay whole, so that the division never shows in the result.
 */
import { f32, type UniformWord, u32 } from "../gpu/buffers.ts";
import type { ForceOrder } from "./bodies.ts";
import { FOLD_WIDTH, type ForceShape, SLICE } from "./force-shapes.ts";

/** Targets of a dispatch, and interactions of one where no other number is given, at most: 0.04 s at 10¹¹ a second. */
export const TARGET_RANGE = 2 ** 18;
export const MOST_INTERACTIONS = 2 ** 32;
/** Layers of a dispatch at most: WebGPU's workgroups along an axis. */
const MOST_LAYERS = 65_535;
/** Bytes of slice sums at most, unless one slice of all targets takes more: what any adapter binds. */
export const SCRATCH_BYTES = 2 ** 27;

/** Bytes of a target's totals, and of a slice's sums for it (Fold and Sums in wgsl/direct/lib/force-*.wgsl). */
export const TOTALS_BYTES: Record<ForceOrder, number> = { acceleration: 96, jerk: 160, snap: 224 };
export const SUMS_BYTES: Record<ForceOrder, number> = { acceleration: 16, jerk: 32, snap: 48 };

/** A part of a job: half-open ranges of target slots and of sources. */
export interface ForcePart {
  firstTarget: number;
  endTarget: number;
  firstSource: number;
  endSource: number;
  start: "zero" | "result" | "state";
  finish: boolean;
}

/** Numbers of targets that a dispatch is meant for. */
export interface Meant {
  fewest: number;
  most: number;
}

const targetsOf = ({ firstTarget, endTarget }: ForcePart): number => endTarget - firstTarget;
const slicesOf = ({ firstSource, endSource }: ForcePart): number => Math.ceil((endSource - firstSource) / SLICE);

/** The parts of a job in the order in which they run. */
export function forceParts(
  shape: ForceShape,
  order: ForceOrder,
  job: { targetCount: number; sourceCount: number; accumulate: boolean; mostInteractions: number },
): ForcePart[] {
  const { targetCount, sourceCount, accumulate, mostInteractions } = job;
  const parts: ForcePart[] = [];
  for (let firstTarget = 0; firstTarget < targetCount; firstTarget += TARGET_RANGE) {
    const endTarget = Math.min(targetCount, firstTarget + TARGET_RANGE);
    const sources = SLICE * mostSlices(shape, order, endTarget - firstTarget, mostInteractions);
    let firstSource = 0;
    do {
      const endSource = Math.min(sourceCount, firstSource + sources);
      const start = firstSource > 0 ? "state" : accumulate ? "result" : "zero";
      parts.push({ firstTarget, endTarget, firstSource, endSource, start, finish: endSource === sourceCount });
      firstSource = endSource;
    } while (firstSource < sourceCount);
  }
  return parts;
}

function mostSlices(shape: ForceShape, order: ForceOrder, targets: number, mostInteractions: number): number {
  const slices = mostInteractions / (targets * SLICE);
  if (!shape.split) return Math.max(1, Math.floor(slices));
  return Math.max(1, Math.floor(Math.min(slices, MOST_LAYERS, SCRATCH_BYTES / (targets * SUMS_BYTES[order]))));
}

/** Bytes that the totals take which wait from part to part, and the slice sums of a split shape. */
export function scratchBytes(
  shape: ForceShape,
  order: ForceOrder,
  parts: readonly ForcePart[],
): { state: number; slices: number } {
  const waiting = parts.filter(({ finish }) => !finish).map(targetsOf);
  const sums = shape.split ? parts.map((part) => targetsOf(part) * slicesOf(part)) : [];
  return {
    state: TOTALS_BYTES[order] * Math.max(1, ...waiting),
    slices: SUMS_BYTES[order] * Math.max(1, ...sums),
  };
}

/** How a part is dispatched: targets of a workgroup along x, workgroups along y that share them. */
export interface Grid {
  perGroup: number;
  layers: number;
}

export function sumGrid(shape: ForceShape, part: ForcePart): Grid {
  return { perGroup: shape.perGroup, layers: shape.split ? Math.ceil(slicesOf(part) / shape.layer) : 1 };
}

export const FOLD_GRID: Grid = { perGroup: FOLD_WIDTH, layers: 1 };

/** Workgroups of a part whose targets the host counts. */
export function gridSize({ perGroup, layers }: Grid, part: ForcePart): [number, number] {
  return [Math.ceil(targetsOf(part) / perGroup), layers];
}

/** The uniform of a part (Job in wgsl/direct/lib/force-job.wgsl); with `listed` where the GPU lists the targets. */
export function jobUniform(part: ForcePart, softening: number, listed?: Meant): UniformWord[] {
  const { firstTarget, endTarget, firstSource, endSource, start, finish } = part;
  const words = [firstTarget, endTarget, firstSource, endSource, listed ? 1 : 0];
  return [
    ...u32(...words, { zero: 0, result: 1, state: 2 }[start], finish ? 1 : 0, 0),
    ...f32(softening * softening),
    ...u32(listed?.fewest ?? 0, listed?.most ?? 0),
  ];
}
