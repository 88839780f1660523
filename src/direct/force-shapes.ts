/**
 * Kernel shapes of the direct sum. All sum in the same order and give the same bits; which is fastest depends on the
 * adapter and on how many targets there are.
 *   whole  an invocation sums over all sources
 *   split  workgroups share out the slices of the sources, a second kernel folds their sums: for few targets
 */
import directForce from "../../wgsl/direct/force.wgsl";
import directFold from "../../wgsl/direct/force-fold.wgsl";
import directFoldLanes from "../../wgsl/direct/force-fold-lanes.wgsl";
import directPlan from "../../wgsl/direct/force-plan.wgsl";
import directRound from "../../wgsl/direct/force-round.wgsl";
import directSlices from "../../wgsl/direct/force-slices.wgsl";
import directSubgroups from "../../wgsl/direct/force-subgroups.wgsl";
import directTiles from "../../wgsl/direct/force-tiles.wgsl";
import lanesAcceleration from "../../wgsl/direct/lib/body-acceleration-lanes.wgsl";
import lanesJerk from "../../wgsl/direct/lib/body-jerk-lanes.wgsl";
import lanesSnap from "../../wgsl/direct/lib/body-snap-lanes.wgsl";
import forceAcceleration from "../../wgsl/direct/lib/force-acceleration.wgsl";
import forceJerk from "../../wgsl/direct/lib/force-jerk.wgsl";
import forceSnap from "../../wgsl/direct/lib/force-snap.wgsl";
import forceSplit from "../../wgsl/direct/lib/force-split.wgsl";
import forceWhole from "../../wgsl/direct/lib/force-whole.wgsl";
import type { WgslSource } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Kernel } from "../gpu/kernel.ts";
import type { ForceOrder } from "./bodies.ts";
import { CONTROL } from "./control.ts";
import type { Precision } from "./settings.ts";

/** Consecutive sources that are summed in float32 before their sum joins the total, a pair. */
export const SLICE = 128;
/** Consecutive slices whose sums are added up by themselves, in pairs, before they join the total. */
export const STRETCH = 64;

/**
 * How sources reach the arithmetic: from global memory, through workgroup memory, through a subgroup's registers; or
 * from global memory with a slice an invocation, instead of a target.
 */
export type ForceFamily = "global" | "tiles" | "subgroups" | "slices";

export interface ForceShape {
  name: string;
  family: ForceFamily;
  split: boolean;
  /** Invocations of a workgroup. */
  group: number;
  /** Targets of an invocation. */
  targets: 1 | 2 | 4;
  /** Targets of a workgroup. */
  perGroup: number;
  /** Sources of a turn of the loop, in the family "global". */
  sources: 1 | 4;
  /** Slices that a layer of workgroups sums, in a split shape. */
  layer: number;
}

const shape = (
  name: string,
  family: ForceFamily,
  targets: 1 | 2 | 4,
  group: number,
  { split = false, sources = 1, layer = 1 }: { split?: boolean; sources?: 1 | 4; layer?: number } = {},
): ForceShape => {
  const perGroup = family === "slices" ? 1 : group * targets;
  return { name, family, split, group, targets, perGroup, sources, layer };
};

export const FORCE_SHAPES: readonly ForceShape[] = [
  shape("plain", "global", 1, 64),
  shape("targets-4", "global", 4, 64),
  shape("targets-4-sources-4", "global", 4, 64, { sources: 4 }),
  shape("tiles", "tiles", 1, 128),
  shape("tiles-targets-4", "tiles", 4, 128),
  shape("subgroups", "subgroups", 2, 8),
  shape("subgroups-targets-4", "subgroups", 4, 64),
  shape("split", "global", 1, 64, { split: true }),
  shape("split-tiles", "tiles", 1, 64, { split: true }),
  shape("split-subgroups", "subgroups", 2, 8, { split: true, layer: 4 }),
  shape("split-slices", "slices", 1, 64, { split: true, layer: 64 }),
];

const FEWEST_LANES = 8;

/** The shapes that the adapter can run. */
export function availableShapes(gpu: GpuContext): ForceShape[] {
  const { device } = gpu;
  const lanes = device.features.has("subgroups") ? (device.adapterInfo.subgroupMinSize ?? 0) : 0;
  return FORCE_SHAPES.filter(({ family }) => family !== "subgroups" || lanes >= FEWEST_LANES);
}

/** What a kernel is compiled for. */
export interface ForceVariant {
  order: ForceOrder;
  precision: Precision;
  /** ε > 0. */
  softened: boolean;
}

const LANES: Record<ForceOrder, WgslSource> = { acceleration: lanesAcceleration, jerk: lanesJerk, snap: lanesSnap };
const FORCES: Record<ForceOrder, WgslSource> = { acceleration: forceAcceleration, jerk: forceJerk, snap: forceSnap };
const FAMILIES: Record<ForceFamily, WgslSource> = {
  global: directForce,
  tiles: directTiles,
  subgroups: directSubgroups,
  slices: directSlices,
};

/** Whether reciprocal roots are refined: on GPUs, where they are approximations; those of processors are rounded twice. */
const refined = ({ adapter }: GpuContext, precision: Precision): boolean =>
  precision === "double-single" && !adapter.software;

/**
 * What dispatches of a kernel are: the whole of a job; a part of several, or one that adds to a result; or a part that
 * is found on the GPU (wgsl/direct/force-round.wgsl).
 */
export type ForceUse = "whole" | "part" | "round";

/** Where a round's part stands among the words that begin with the number of targets. */
const partAt = (use: ForceUse): string => `${use === "round" ? CONTROL.firstTarget : 0}u`;

/**
 * Bindings: job, targets, sources, list, count; then result and state, or slices where the shape is split: it leaves
 * what it begins with and hands on to the fold.
 */
export function forceKernel(gpu: GpuContext, shape: ForceShape, variant: ForceVariant, use: ForceUse): Promise<Kernel> {
  const { order, precision, softened } = variant;
  const { family, split, group, targets, sources, layer } = shape;
  return gpu.kernel({
    label: `direct force/${shape.name} ${order} ${precision}`,
    sources: [
      ...[FORCES[order], split ? forceSplit : forceWhole, FAMILIES[family]],
      ...(family === "subgroups" ? [LANES[order]] : []),
    ],
    entry: "sum",
    constants: {
      SLICE: `${SLICE}u`,
      STRETCH: `${STRETCH}u`,
      GROUP: `${group}u`,
      TARGETS: `${targets}u`,
      SOURCES: `${sources}u`,
      LAYER: `${layer}u`,
      CARRIED: use !== "whole",
      PART_AT: partAt(use),
      PAIRED: precision === "double-single",
      REFINED: refined(gpu, precision),
      SOFTENED: softened,
    },
  });
}

/** Writes the arguments of indirect dispatches. Bindings: entries, count, arguments. */
export function planKernel(gpu: GpuContext): Promise<Kernel> {
  return gpu.kernel({
    label: "direct force/plan",
    sources: [directPlan],
    entry: "plan",
  });
}

/** Writes the part of a round and the arguments of its dispatches. Bindings: limits, control, entries, arguments. */
export function roundKernel(gpu: GpuContext): Promise<Kernel> {
  return gpu.kernel({
    label: "direct force/round",
    sources: [directRound],
    entry: "nextRound",
    constants: { SLICE: `${SLICE}u` },
  });
}

/** Targets of a workgroup of the fold: few, since targets are. */
export const FOLD_WIDTH = 8;

/** Invocations that share a target's slices: on a GPU many, since few targets leave it idle; on a CPU no more than needed. */
const foldLanes = (software: boolean) => (software ? 1 : 16);

/** Invocations of a workgroup of the fold. */
export const foldGroup = (software: boolean): number => FOLD_WIDTH * foldLanes(software);

/** Bindings: job, targets, sources, list, count, result, state, slices. */
export function foldKernel(
  gpu: GpuContext,
  { order, precision, softened }: ForceVariant,
  use: ForceUse,
): Promise<Kernel> {
  return gpu.kernel({
    label: `direct force/fold ${order}`,
    sources: [FORCES[order], foldLanes(gpu.adapter.software) > 1 ? directFoldLanes : directFold],
    entry: "foldSlices",
    constants: {
      SLICE: `${SLICE}u`,
      STRETCH: `${STRETCH}u`,
      WIDTH: `${FOLD_WIDTH}u`,
      LANES: `${foldLanes(gpu.adapter.software)}u`,
      GROUP: `${foldGroup(gpu.adapter.software)}u`,
      TARGETS: "1u",
      CARRIED: true,
      PART_AT: partAt(use),
      PAIRED: precision === "double-single",
      REFINED: refined(gpu, precision),
      SOFTENED: softened,
    },
  });
}
