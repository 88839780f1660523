/**
 * Direct summation on the GPU: the exact force of a set of bodies on another,
 *   A = Σ Gm r/ρ³,  φ = −Σ Gm/ρ,  ρ² = r² + ε²,  with jerk and snap where asked for
 * (Portegies Zwart+ 2007, eq. 1; Nitadori & Makino 2008, eqs. 10–12). A pair of equal ids exerts nothing, nor does a
 * pair at no distance without softening. Records: bodies.ts; precision and order of summation: docs/precision.md.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { adapterName } from "../../foundation/gpu/adapter.ts";
import type { Batch } from "../../foundation/gpu/batch.ts";
import { f32, u32 } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { Kernel } from "../../foundation/gpu/kernel.ts";
import { pairArithmeticSurvives } from "./arithmetic.ts";
import { type ForceOrder, RECORD_BYTES } from "./bodies.ts";
import { CHECKED_SOFTENING, requireForces } from "./force-check.ts";
import { everywhere, type ForceChoice, type ForceSpan, shapeFor, shapesOn, shapesUpTo } from "./force-choice.ts";
import { FOLD_WIDTH, type ForceShape, type ForceVariant, foldKernel, forceKernel, SLICE } from "./force-shapes.ts";
import type { Precision } from "./settings.ts";
import type { Softening } from "./softening.ts";

export interface ForceOptions extends Softening {
  order: ForceOrder;
  precision: Precision;
  /** A variant of the kernel by name, or those for any job; left out, the rule for the kind of adapter decides. */
  shape?: string | ForceChoice;
}

/** Forces of the first `sourceCount` bodies of `sources` on the first `targetCount` bodies of `targets`. */
export interface ForceJob {
  targets: GPUBuffer;
  targetCount: number;
  sources: GPUBuffer;
  sourceCount: number;
  /** Force records by target row, or by place in the list. */
  result: GPUBuffer;
  /** Add to the records that are there (their jerk and snap are single words). */
  accumulate?: boolean;
  /** Targets are rows (u32) that the GPU lists, as many as word 0 of `count` says: from 0 to `targetCount`. */
  listed?: { rows: GPUBuffer; count: GPUBuffer };
}

/** Some of the targets of a job. */
export interface ForcePortion {
  /** Pairs that it sums. */
  interactions: number;
  encode(batch: Batch): void;
}

/** Targets of a dispatch at most, and pairs of one: 0.04 s at 10¹¹ a second. */
export const TARGET_RANGE = 2 ** 18;
export const MOST_INTERACTIONS = 2 ** 32;
/** Bytes of slice sums at most: what any adapter binds. */
export const SCRATCH_BYTES = 2 ** 27;
/** Bytes of a slice's sums for a target (Sums in wgsl/engine/direct/lib/force-sums.wgsl). */
export const SUMS_BYTES: Record<ForceOrder, number> = { acceleration: 16, jerk: 32, snap: 48 };

/** Uniforms that are remembered, since steps sum the same again and again; the oldest is forgotten first. */
const MOST_REMEMBERED = 1024;

type Groups = [x: number, y: number];

/** Workgroups of a dispatch for so many targets. */
function groupsOf({ group, targets, split, layer }: ForceShape, targetCount: number, sourceCount: number): Groups {
  return [Math.ceil(targetCount / (group * targets)), split ? Math.ceil(sourceCount / (SLICE * layer)) : 1];
}

export class DirectForces {
  readonly order: ForceOrder;
  readonly #uniforms = new Map<string, GPUBuffer>();
  /** Slice sums. It grows; what it outgrew may still be bound and stays until the end. */
  readonly #scratch: GPUBuffer[] = [];

  private constructor(
    private readonly gpu: GpuContext,
    readonly options: ForceOptions,
    /** The variants in use. */
    readonly choice: ForceChoice,
    private readonly kernels: { sums: ReadonlyMap<ForceShape, Kernel>; fold: Kernel },
  ) {
    this.order = options.order;
  }

  /** Compiles and checks the variants. Throws "device" where one is wrong, "usage" where one isn't there. */
  static async create(gpu: GpuContext, options: ForceOptions): Promise<DirectForces> {
    if (options.precision === "double-single") await requirePairArithmetic(gpu);
    const choice = typeof options.shape === "object" ? options.shape : shapesOn(gpu, options.shape);
    const variant = variantOf(options);
    const shapes = choice.map(({ shape }) => shape);
    const [fold, ...sums] = await Promise.all([
      foldKernel(gpu, variant, false),
      ...shapes.map((shape) => forceKernel(gpu, shape, variant, false)),
    ]);
    const kernels = { fold, sums: new Map(shapes.map((shape, k) => [shape, sums[k]])) };
    const checked = { ...options, softening: variant.softened ? CHECKED_SOFTENING : 0 };
    await requireForces(gpu, variant, shapes, (shape) => new DirectForces(gpu, checked, everywhere(shape), kernels));
    return new DirectForces(gpu, options, choice, kernels);
  }

  /** Records the dispatches of a job. Its buffers must not be destroyed before the batch is submitted. Throws "usage". */
  encode(batch: Batch, job: ForceJob): void {
    for (const portion of this.portions(job)) portion.encode(batch);
  }

  /** What `encode` records, by ranges of targets. Throws "usage" for more targets or sources than the buffers hold. */
  portions(job: ForceJob): ForcePortion[] {
    const { targets, targetCount, sources, sourceCount, result, listed } = job;
    const { order, choice } = this;
    if (targetCount > 0) {
      // Rows of a list are the caller's affair; places in the result are not.
      if (!listed) requireRecords("targets", targets, RECORD_BYTES[order], targetCount);
      requireRecords("sources", sources, RECORD_BYTES[order], sourceCount);
      requireRecords("result", result, RECORD_BYTES[order], targetCount);
    }
    const spans = listed
      ? shapesUpTo(choice, targetCount, sourceCount)
      : [{ shape: shapeFor(choice, targetCount, sourceCount), fewest: 0, most: targetCount }];
    return spans.flatMap((span) => {
      const range = this.#range(span.shape, sourceCount);
      const portions: ForcePortion[] = [];
      for (let first = 0; first < span.most; ) {
        const end = Math.min(span.most, first + range);
        portions.push(this.#portion(job, span, first, end));
        first = end;
      }
      return portions;
    });
  }

  /** Whether so many listed targets take several dispatches of a variant, most of them idle with few: rounds have one (force-rounds.ts). */
  isLong(mostTargets: number, sourceCount: number): boolean {
    return shapesUpTo(this.choice, mostTargets, sourceCount).some(
      ({ shape, most }) => most > this.#range(shape, sourceCount),
    );
  }

  destroy(): void {
    this.gpu.buffers.release(...this.#uniforms.values(), ...this.#scratch.splice(0));
    this.#uniforms.clear();
  }

  /** The targets [first, end) of a job, which is meant for the variant of a span. */
  #portion(job: ForceJob, { shape, fewest, most }: ForceSpan, first: number, end: number): ForcePortion {
    const { targets, sources, sourceCount, result, accumulate, listed = { rows: targets, count: targets } } = job;
    const words = [first, end, sourceCount, job.listed ? 1 : 0, accumulate ? 1 : 0];
    const inputs = [this.#uniform(words, fewest, most), targets, sources, listed.rows, listed.count];
    const sum = this.kernels.sums.get(shape)!;
    const groups = groupsOf(shape, end - first, sourceCount);
    const interactions = (end - first) * sourceCount;
    if (!shape.split) {
      const bound = sum.bind(...inputs, result);
      return { interactions, encode: (batch) => void batch.dispatch(bound, groups) };
    }
    const slices = this.#slices(SUMS_BYTES[this.order] * (end - first) * Math.ceil(sourceCount / SLICE));
    const bound = sum.bind(...inputs, slices);
    const folded = this.kernels.fold.bind(...inputs, result, result, slices); // nothing waits: there is no state
    return {
      interactions,
      encode: (batch) => {
        if (sourceCount > 0) batch.dispatch(bound, groups);
        batch.dispatch(folded, [Math.ceil((end - first) / FOLD_WIDTH), 1]);
      },
    };
  }

  /** Targets of a dispatch. */
  #range({ split }: ForceShape, sourceCount: number): number {
    const slices = split ? Math.ceil(sourceCount / SLICE) : 0;
    const inScratch = SCRATCH_BYTES / (SUMS_BYTES[this.order] * Math.max(1, slices));
    return Math.max(1, Math.floor(Math.min(TARGET_RANGE, inScratch, MOST_INTERACTIONS / Math.max(1, sourceCount))));
  }

  #uniform(words: readonly number[], fewest: number, most: number): GPUBuffer {
    const key = [...words, fewest, most].join(" ");
    let uniform = this.#uniforms.get(key);
    if (!uniform) {
      uniform = this.gpu.buffers.uniform("direct force job", jobUniform(words, this.options.softening, fewest, most));
      const [oldest] = this.#uniforms;
      if (this.#uniforms.size >= MOST_REMEMBERED) {
        this.#uniforms.delete(oldest[0]);
        this.gpu.buffers.release(oldest[1]);
      }
      this.#uniforms.set(key, uniform);
    }
    return uniform;
  }

  #slices(bytes: number): GPUBuffer {
    const fitting = this.#scratch.find(({ size }) => size >= bytes);
    if (fitting) return fitting;
    const size = 2 ** Math.ceil(Math.log2(Math.max(SUMS_BYTES[this.order], bytes)));
    const buffer = this.gpu.buffers.storage("direct force slices", size, "other");
    this.#scratch.push(buffer);
    return buffer;
  }
}

/** `Job` in wgsl/engine/direct/lib/force-job.wgsl: first and end of the targets, sources, whether they are listed and added. */
export const jobUniform = (words: readonly number[], softening: number, fewest: number, most: number) => [
  ...u32(...words, 0),
  ...f32(softening * softening),
  ...u32(fewest, most),
];

export function variantOf({ order, precision, softening, softeningKernel = "plummer" }: ForceOptions): ForceVariant {
  return { order, precision, softened: Math.fround(softening * softening) > 0 ? softeningKernel : undefined };
}

function requireRecords(name: string, buffer: GPUBuffer, bytes: number, count: number): void {
  const held = Math.floor(buffer.size / bytes);
  if (held >= count) return;
  throw new GravmeshError(
    "usage",
    `direct forces: ${name} should hold ${count} records of ${bytes} bytes, found ${held}`,
  );
}

async function requirePairArithmetic(gpu: GpuContext): Promise<void> {
  const { passed, detail } = await pairArithmeticSurvives(gpu);
  if (passed) return;
  throw new GravmeshError(
    "device",
    `direct.precision = "double-single": the compiler of ${adapterName(gpu.adapter)} doesn't keep pair arithmetic (${detail}); try direct.precision = "single", or --backend cpu`,
  );
}
