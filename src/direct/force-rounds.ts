/**
 * Forces that are more work than a submission should hold, in rounds (wgsl/direct/force-round.wgsl): each sums what is
 * left of the submission's share, and the next goes on from there, in this submission or another. The result has the
 * same bits wherever the cuts fall, since slices stay whole.
 */
import type { Batch } from "../gpu/batch.ts";
import { USAGE, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel, Kernel } from "../gpu/kernel.ts";
import type { ForceOrder } from "./bodies.ts";
import { FOLD_GRID, jobUniform, SCRATCH_BYTES, SUMS_BYTES, TARGET_RANGE, TOTALS_BYTES } from "./force-plan.ts";
import { type ForceShape, SLICE } from "./force-shapes.ts";
import { ARGUMENT_BYTES } from "./listed-forces.ts";

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
  /** Pair interactions of a round at most. */
  mostInteractions: number;
}

/** Ranks that each sum the forces on a part of the targets. */
export interface SharedTargets {
  rank: number;
  size: number;
  /** Fewer targets than this every rank sums by itself; no less than there are ranks. */
  fewest: number;
}

/** A shape and its kernels for rounds, for so many targets. */
export interface RoundShape {
  shape: ForceShape;
  sum: Kernel;
  fold: Kernel | undefined;
  fewest: number;
  most: number;
}

export interface RoundKernels {
  round: Kernel;
  shapes: readonly RoundShape[];
  order: ForceOrder;
  softening: number;
}

/** Fewer targets than this are no range of their own. */
const LEAST_TARGETS = 64;
const NO_BOUND = 2 ** 32 - 1;

export class ForceRounds {
  readonly #owned: GPUBuffer[] = [];
  readonly #args: GPUBuffer;
  readonly #round: BoundKernel;
  /** Of the listed, and of all. */
  readonly #sums: Record<"listed" | "all", BoundKernel[]>;

  private constructor(
    private readonly gpu: GpuContext,
    { round, shapes, order, softening }: RoundKernels,
    { bodies, bodyCount, sources, sourceCount, list, control, result, ranks, mostInteractions }: RoundsJob,
    /** Slice sums that a submission's share must allow at least: of one slice for a range of targets. */
    readonly leastShare: number,
  ) {
    const { buffers } = gpu;
    const own = (buffer: GPUBuffer) => {
      this.#owned.push(buffer);
      return buffer;
    };
    const storage = (label: string, bytes: number) => own(buffers.storage(label, Math.max(4, bytes), "other"));
    const range = leastShare;
    const slices = Math.ceil(sourceCount / SLICE);
    const state = storage("direct force state", TOTALS_BYTES[order] * range);
    /** Slice sums that scratch holds, of shapes that need any. */
    const held = Math.min(Math.floor(SCRATCH_BYTES / SUMS_BYTES[order]), range * slices);
    const splits = shapes.filter(({ shape }) => shape.split).map(({ most }) => Math.min(most, range) * slices);
    const scratchSums = Math.max(range, Math.min(held, Math.max(0, ...splits)));
    const scratch = splits.length > 0 ? storage("direct force slices", SUMS_BYTES[order] * scratchSums) : undefined;
    const entries: number[] = [];
    const bind = (uniform: GPUBuffer) =>
      shapes.flatMap(({ sum, fold }) => {
        const inputs = [uniform, bodies, sources, list, control];
        if (!fold || !scratch) return [sum.bind(...inputs, result, state)];
        return [sum.bind(...inputs, scratch), fold.bind(...inputs, result, state, scratch)];
      });
    for (const { shape, fewest, most } of shapes) {
      entries.push(shape.perGroup, shape.split ? shape.layer : 0, fewest, most, shape.split ? scratchSums : NO_BOUND);
      if (shape.split) entries.push(FOLD_GRID.perGroup, 0, fewest, most, NO_BOUND);
    }
    const words = 5;
    this.#args = own(
      buffers.storage("direct force arguments", (ARGUMENT_BYTES * entries.length) / words, "other", USAGE.INDIRECT),
    );
    const most = Math.max(range, Math.min(NO_BOUND, Math.floor(mostInteractions / SLICE)));
    const among = ranks ? [ranks.rank, ranks.size, ranks.fewest] : [0, 1, NO_BOUND];
    const limits = own(buffers.uniform("direct force rounds", u32(sourceCount, range, most, ...among)));
    const entryBuffer = own(buffers.upload("direct force round entries", new Uint32Array(entries), "other"));
    this.#round = round.bind(limits, control, entryBuffer, this.#args);
    const whole = { firstTarget: 0, endTarget: bodyCount, firstSource: 0, endSource: sourceCount };
    const part = { ...whole, start: "zero", finish: true } as const;
    const meant = { fewest: 0, most: NO_BOUND };
    this.#sums = {
      listed: bind(own(buffers.uniform("direct force job", jobUniform(part, softening, meant)))),
      all: bind(own(buffers.uniform("direct force job", jobUniform(part, softening)))),
    };
  }

  /** `share`: pair interactions of a submission at most, to begin with: ranges of targets are short enough for it. */
  static create(gpu: GpuContext, kernels: RoundKernels, job: RoundsJob, share: number): ForceRounds {
    const fitting = Math.max(LEAST_TARGETS, Math.floor(share / SLICE));
    return new ForceRounds(gpu, kernels, job, Math.min(job.bodyCount, fitting, TARGET_RANGE));
  }

  /** Records a round of the forces on the listed bodies, or on all. */
  encode(batch: Batch, of: "listed" | "all"): void {
    batch.dispatch(this.#round, [1]);
    for (const [k, kernel] of this.#sums[of].entries()) batch.dispatchIndirect(kernel, this.#args, ARGUMENT_BYTES * k);
  }

  destroy(): void {
    this.gpu.buffers.release(...this.#owned.splice(0));
  }
}
