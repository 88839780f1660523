/**
 * Variants of the direct sum's kernel. All sum in the same order and give the same bits; which is fastest depends on the
 * adapter and on how many targets there are (force-choice.ts).
 *   whole  an invocation sums over all sources
 *   split  workgroups share out the slices of the sources, a second kernel folds their sums: for few targets
 */
import directForce from "../../../wgsl/engine/direct/force.wgsl";
import directFold from "../../../wgsl/engine/direct/force-fold.wgsl";
import directRound from "../../../wgsl/engine/direct/force-round.wgsl";
import directSubgroups from "../../../wgsl/engine/direct/force-subgroups.wgsl";
import directTiles from "../../../wgsl/engine/direct/force-tiles.wgsl";
import forcePlummer from "../../../wgsl/engine/direct/lib/force-plummer.wgsl";
import forceSpline from "../../../wgsl/engine/direct/lib/force-spline.wgsl";
import forceSplit from "../../../wgsl/engine/direct/lib/force-split.wgsl";
import forceWhole from "../../../wgsl/engine/direct/lib/force-whole.wgsl";
import type { WgslConstants } from "../../foundation/gpu/compose.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { Kernel } from "../../foundation/gpu/kernel.ts";
import { type ForceOrder, orderConstants } from "./bodies.ts";
import { CONTROL } from "./control.ts";
import type { Precision } from "./settings.ts";
import { type SofteningKernel, SPLINE_RADIUS } from "./softening.ts";

/** Consecutive sources that are summed in float32 before their sum joins the total, a pair. */
export const SLICE = 128;
/** Consecutive slices whose sums are added up by themselves, in pairs, before they join the total. */
export const STRETCH = 64;

const SOFTENED = { plummer: forcePlummer, spline: forceSpline };
const THROUGH = { memory: directForce, tiles: directTiles, subgroups: directSubgroups };

export interface ForceShape {
  name: string;
  /** How sources come: from global memory, through workgroup memory, or through the registers of a subgroup. */
  through: keyof typeof THROUGH;
  split: boolean;
  /** Invocations of a workgroup. */
  group: number;
  /** Targets of an invocation. */
  targets: 1 | 2 | 4;
  /** Sources of a turn of the loop, from global memory. */
  sources: 1 | 4;
  /** Slices that a layer of workgroups sums, in a split variant. */
  layer: number;
}

const whole = { through: "memory", split: false, group: 64, targets: 1, sources: 1, layer: 1 } as const;

const tiled = { ...whole, through: "tiles", group: SLICE } as const;

/** The first three are those of Fujiwara & Nakasato 2009: figures 2, 3 and 4. */
export const FORCE_SHAPES: readonly ForceShape[] = [
  { ...whole, name: "plain" },
  { ...whole, name: "targets-4", targets: 4 },
  { ...whole, name: "targets-4-sources-4", targets: 4, sources: 4 },
  { ...whole, name: "subgroups", through: "subgroups", group: 8, targets: 4 },
  { ...whole, name: "split", split: true },
  { ...tiled, name: "tiles" },
  { ...tiled, name: "split-tiles", split: true },
  { ...whole, name: "split-subgroups", through: "subgroups", split: true, group: 8, targets: 2, layer: 4 },
];

const FEWEST_LANES = 8;

/** Whether sources can go through the registers of a subgroup. */
export const hasLanes = ({ device }: Pick<GpuContext, "device">): boolean =>
  device.features.has("subgroups") && (device.adapterInfo.subgroupMinSize ?? 0) >= FEWEST_LANES;

/** The variants that the adapter can run. */
export function availableShapes(gpu: Pick<GpuContext, "device">): ForceShape[] {
  const lanes = hasLanes(gpu);
  return FORCE_SHAPES.filter(({ through }) => through !== "subgroups" || lanes);
}

/** Workgroups of a round in a row of a dispatch. */
export const ROW = 2 ** 15;

/** What a kernel is compiled for. */
export interface ForceVariant {
  order: ForceOrder;
  precision: Precision;
  /** None: ε = 0. */
  softened: SofteningKernel | undefined;
}

/** `round`: dispatches are parts that the GPU finds (wgsl/engine/direct/force-round.wgsl). */
function constantsOf(gpu: GpuContext, { order, precision, softened }: ForceVariant, round: boolean): WgslConstants {
  const paired = precision === "double-single";
  return {
    ...orderConstants(order),
    SLICE: `${SLICE}u`,
    STRETCH: `${STRETCH}u`,
    ROUND: round,
    PART_AT: `${CONTROL.firstTarget}u`,
    PAIRED: paired,
    // Reciprocal roots are refined on GPUs, where they are approximations; those of processors are rounded twice.
    REFINED: paired && !gpu.adapter.software,
    SOFTENED: softened !== undefined,
    SPLINE_RADIUS,
  };
}

/** Bindings: job, targets, sources, list, count; then result and state or, where the variant is split, slices. */
export function forceKernel(
  gpu: GpuContext,
  { name, through, split, group, targets, sources, layer }: ForceShape,
  variant: ForceVariant,
  round: boolean,
): Promise<Kernel> {
  return gpu.kernel({
    label: `direct force/${name} ${variant.order} ${variant.precision}`,
    sources: [SOFTENED[variant.softened ?? "plummer"], split ? forceSplit : forceWhole, THROUGH[through]],
    entry: "sum",
    constants: {
      ...constantsOf(gpu, variant, round),
      GROUP: `${group}u`,
      TARGETS: `${targets}u`,
      SOURCES: `${sources}u`,
      LAYER: `${layer}u`,
      ROW: `${ROW}u`,
    },
  });
}

/** Writes the part of a round. Bindings: limits, control. */
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

/** Bindings: job, targets, sources, list, count, result, state, slices. */
export function foldKernel(gpu: GpuContext, variant: ForceVariant, round: boolean): Promise<Kernel> {
  // Invocations that share a target's slices: on a GPU many, since few targets leave it idle; on a CPU no more than needed.
  const lanes = gpu.adapter.software ? 1 : 16;
  return gpu.kernel({
    label: `direct force/fold ${variant.order}`,
    sources: [SOFTENED[variant.softened ?? "plummer"], directFold],
    entry: "foldSlices",
    constants: {
      ...constantsOf(gpu, variant, round),
      WIDTH: `${FOLD_WIDTH}u`,
      LANES: `${lanes}u`,
      SHARED: lanes > 1,
      GROUP: `${FOLD_WIDTH}u`,
      TARGETS: "1u",
    },
  });
}
