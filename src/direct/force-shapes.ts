/**
 * Kernel shapes of the direct sum. All sum in the same order and give the same bits; which is fastest depends on the
 * adapter and on how many targets there are.
 *   whole  a target's sum is one invocation's work, from the first source to the last
 */
import directForce from "../../wgsl/direct-force.wgsl";
import bodyAcceleration from "../../wgsl/lib/body-acceleration.wgsl";
import bodyJerk from "../../wgsl/lib/body-jerk.wgsl";
import bodySnap from "../../wgsl/lib/body-snap.wgsl";
import doubleSingle from "../../wgsl/lib/double-single.wgsl";
import forceAcceleration from "../../wgsl/lib/force-acceleration.wgsl";
import forceJerk from "../../wgsl/lib/force-jerk.wgsl";
import forceJob from "../../wgsl/lib/force-job.wgsl";
import forcePair from "../../wgsl/lib/force-pair.wgsl";
import forceResult from "../../wgsl/lib/force-result.wgsl";
import forceSnap from "../../wgsl/lib/force-snap.wgsl";
import type { WgslSource } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Kernel } from "../gpu/kernel.ts";
import type { Precision } from "../scenario/scenario.ts";
import type { ForceOrder } from "./bodies.ts";

/** Consecutive sources that are summed in float32 before their sum joins the total, a pair. */
export const SLICE = 128;

export interface ForceShape {
  name: string;
  source: WgslSource;
  /** Invocations of a workgroup, and targets of one. */
  group: number;
  targetsPerGroup: number;
}

export const FORCE_SHAPES: readonly ForceShape[] = [
  { name: "plain", source: directForce, group: 64, targetsPerGroup: 64 },
];

/** What a kernel is compiled for. */
export interface ForceVariant {
  order: ForceOrder;
  precision: Precision;
  /** ε > 0. */
  softened: boolean;
}

const BODIES: Record<ForceOrder, WgslSource> = { acceleration: bodyAcceleration, jerk: bodyJerk, snap: bodySnap };
const FORCES: Record<ForceOrder, WgslSource> = { acceleration: forceAcceleration, jerk: forceJerk, snap: forceSnap };

/** Bindings: job, targets, sources, list, count, result, state. */
export function forceKernel(gpu: GpuContext, shape: ForceShape, variant: ForceVariant): Promise<Kernel> {
  const { order, precision, softened } = variant;
  return gpu.kernel({
    label: `direct force/${shape.name} ${order} ${precision}`,
    sources: [doubleSingle, BODIES[order], forceJob, forcePair, FORCES[order], forceResult, shape.source],
    entry: "sum",
    bindings: ["uniform", "read", "read", "read", "read", "read-write", "read-write"],
    constants: {
      SLICE: `${SLICE}u`,
      GROUP: `${shape.group}u`,
      PAIRED: precision === "double-single",
      SOFTENED: softened,
    },
  });
}
