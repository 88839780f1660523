/** Forces too long for one submission, in rounds (wgsl/engine/direct/force-round.wgsl) of whole slices: the bits stay. */
import type { Batch, Pass } from "../../foundation/gpu/batch.ts";
import { u32 } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { BoundKernel } from "../../foundation/gpu/kernel.ts";
import type { ForceOrder } from "./bodies.ts";
import { type ForceSpan, shapesUpTo } from "./force-choice.ts";
import { FOLD_WIDTH, type ForceShape, foldKernel, forceKernel, ROW, roundKernel, SLICE } from "./force-shapes.ts";
import {
  type DirectForces,
  jobUniform,
  MOST_INTERACTIONS,
  SCRATCH_BYTES,
  SUMS_BYTES,
  TARGET_RANGE,
  variantOf,
} from "./forces.ts";

/** The forces of sources on the bodies that the GPU lists, or on all. */
export interface RoundsJob {
  bodies: GPUBuffer;
  bodyCount: number;
  /** Those that attract, in the first rows. */
  sources: GPUBuffer;
  sourceCount: number;
  /** Rows of `bodies` (u32), as many as the control words say. */
  list: GPUBuffer;
  /** `Control` in WGSL. */
  control: GPUBuffer;
  result: GPUBuffer;
  /** Where several ranks share out the targets. */
  ranks?: SharedTargets | undefined;
}

/** Ranks that each sum the forces on a part of the targets. */
export interface SharedTargets {
  rank: number;
  size: number;
  /** Fewer targets than this every rank sums by itself; no less than there are ranks. */
  fewest: number;
}

/** Fewer targets than this are no range of their own. */
const LEAST_TARGETS = 64;
const NO_BOUND = 2 ** 32 - 1;
/** Bytes of a target's totals (Fold in wgsl/engine/direct/lib/force-fold-state.wgsl). */
const TOTALS_BYTES: Record<ForceOrder, number> = { acceleration: 96, jerk: 160, snap: 224 };

export class ForceRounds {
  private constructor(
    /** Slice sums that a submission's share must allow at least: of one slice for a range of targets. */
    readonly leastShare: number,
    private readonly round: BoundKernel,
    /** Dispatches for as many workgroups as a round may have: those past its end return at once. */
    private readonly sums: Record<"listed" | "all", readonly Pass[]>,
  ) {}

  /** `share`: pair interactions of a submission at most, to begin with: ranges of targets are short enough for it. */
  static async create(gpu: GpuContext, forces: DirectForces, job: RoundsJob, share: number): Promise<ForceRounds> {
    const { bodies, bodyCount, sources, sourceCount, list, control, result, ranks } = job;
    const { order, options, choice } = forces;
    const variant = variantOf(options);
    const spans = shapesUpTo(choice, bodyCount, sourceCount);
    const [round, fold, ...kernels] = await Promise.all([
      roundKernel(gpu),
      foldKernel(gpu, variant, true),
      ...spans.map(({ shape }) => forceKernel(gpu, shape, variant, true)),
    ]);
    const range = Math.min(bodyCount, TARGET_RANGE, Math.max(LEAST_TARGETS, Math.floor(share / SLICE)));
    const slices = Math.ceil(sourceCount / SLICE);
    const own = gpu.buffers;
    const state = own.storage("direct force state", TOTALS_BYTES[order] * range, "other");
    const inScratch = scratchSums(spans, range, slices, order);
    const scratch = own.storage("direct force slices", SUMS_BYTES[order] * Math.max(1, inScratch), "other");
    const mostSplit = Math.max(0, ...spans.map(({ shape, most }) => (shape.split ? most : 0)));
    const most = Math.max(range, Math.floor(MOST_INTERACTIONS / SLICE));
    const among = ranks ? [ranks.rank, ranks.size, ranks.fewest] : [0, 1, NO_BOUND];
    const limits = u32(sourceCount, range, most, mostSplit, inScratch, ...among);
    const bind = (listed: 0 | 1) =>
      spans.flatMap(({ shape, fewest, most }, k): Pass[] => {
        const words = jobUniform([0, bodyCount, sourceCount, listed, 0], options.softening, fewest, most);
        const inputs = [own.uniform("direct force job", words), bodies, sources, list, control];
        const targets = Math.min(most, range);
        if (!shape.split) {
          const groups = Math.ceil(targets / (shape.group * shape.targets));
          return [{ kernel: kernels[k].bind(...inputs, result, state), groups: [groups, 1] }];
        }
        const groups = splitGroups(shape, { targets, slices, sums: inScratch });
        return [
          { kernel: kernels[k].bind(...inputs, scratch), groups: [Math.min(groups, ROW), Math.ceil(groups / ROW)] },
          { kernel: fold.bind(...inputs, result, state, scratch), groups: [Math.ceil(targets / FOLD_WIDTH), 1] },
        ];
      });
    const bound = round.bind(own.uniform("direct force rounds", limits), control);
    return new ForceRounds(range, bound, { listed: bind(1), all: bind(0) });
  }

  /** Records a round of the forces on the listed bodies, or on all. */
  encode(batch: Batch, of: "listed" | "all"): void {
    batch.dispatch(this.round, [1]).passes(this.sums[of]);
  }
}

/** Slice sums that scratch holds: those of all slices for the targets of split variants, if memory has the room. */
function scratchSums(spans: readonly ForceSpan[], range: number, slices: number, order: ForceOrder): number {
  const split = spans.filter(({ shape }) => shape.split).map(({ most }) => Math.min(most, range) * slices);
  if (split.length === 0) return 0;
  return Math.max(range, Math.min(Math.floor(SCRATCH_BYTES / SUMS_BYTES[order]), Math.max(...split)));
}

/** Workgroups of a split variant at most, for up to so many targets and slices, of which so many sums are written down. */
function splitGroups(
  { group, targets: each, layer }: ForceShape,
  { targets, slices, sums }: { targets: number; slices: number; sums: number },
): number {
  const across = Array.from({ length: Math.ceil(targets / (group * each)) }, (_, k) => k + 1);
  const layers = (k: number) => Math.ceil(Math.min(slices, sums / (group * each * (k - 1) + 1)) / layer);
  return Math.max(...across.map((k) => k * layers(k)));
}
