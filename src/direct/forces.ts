/**
 * Direct summation on the GPU: the exact force of a set of bodies on another,
 *   A = Σ Gm r/ρ³,  φ = −Σ Gm/ρ,  ρ² = r² + ε²,  with jerk and snap where asked for
 * (Portegies Zwart+ 2007, eq. 1; Nitadori & Makino 2008, eqs. 10–12). A pair of equal ids exerts nothing, nor does a
 * pair at no distance without softening. Records: bodies.ts; precision and order of summation: docs/precision.md.
 */
import { GravmeshError } from "../errors.ts";
import type { Batch } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Kernel } from "../gpu/kernel.ts";
import { pairArithmeticSurvives } from "./arithmetic.ts";
import { bodyBytes, type ForceOrder, forceBytes } from "./bodies.ts";
import { CHECKED_SOFTENING, requireForces } from "./force-check.ts";
import { everywhere, type ForceChoice, type ForceKind, measuredChoice, shapeFor, shapesUpTo } from "./force-choice.ts";
import {
  FOLD_GRID,
  type ForcePart,
  forceParts,
  gridSize,
  jobUniform,
  type Meant,
  MOST_INTERACTIONS,
  scratchBytes,
  sumGrid,
} from "./force-plan.ts";
import { ForceRounds, type RoundShape, type RoundsJob } from "./force-rounds.ts";
import {
  availableShapes,
  FORCE_SHAPES,
  type ForceShape,
  type ForceVariant,
  foldGroup,
  foldKernel,
  forceKernel,
  planKernel,
  roundKernel,
} from "./force-shapes.ts";
import {
  type ForceStep,
  type ListedDispatch,
  type ListedForces,
  type ListedStep,
  listedForces,
} from "./listed-forces.ts";
import type { Precision } from "./settings.ts";

export interface ForceOptions {
  order: ForceOrder;
  precision: Precision;
  /** Plummer softening ε [length]; 0 for none. */
  softening: number;
  /** A fixed kernel shape; left out, the fastest of a short measurement. */
  shape?: string;
  /** Of a dispatch at most (default 2³²); less keeps a slow adapter's display responsive. Changes no result. */
  mostInteractions?: number;
  /** How targets that the GPU lists are dispatched; by what costs less by default. Changes no result. */
  dispatch?: ListedDispatch;
}

/** Forces of the first `sourceCount` bodies of `sources` on the first `targetCount` bodies of `targets`. */
export interface ForceJob {
  targets: GPUBuffer;
  targetCount: number;
  sources: GPUBuffer;
  sourceCount: number;
  /** Force records by target row. */
  result: GPUBuffer;
  /** Add to the records that are there (their jerk and snap are single words). */
  accumulate?: boolean;
}

/** As a ForceJob, for targets that the GPU lists. */
export interface ListedForceJob {
  targets: GPUBuffer;
  /** Rows of `targets` (u32). */
  list: GPUBuffer;
  /** Word 0: how many rows the list holds, at most `mostTargets`; 0 is allowed. */
  count: GPUBuffer;
  mostTargets: number;
  sources: GPUBuffer;
  sourceCount: number;
  /** Force records by slot in the list. */
  result: GPUBuffer;
}

/** Buffers of a job; list and count where the GPU lists the targets, and how many of them it is meant for. */
type JobBuffers = Pick<ForceJob, "targets" | "sources" | "result"> &
  Partial<Pick<ListedForceJob, "list" | "count"> & { meant: Meant }>;

/** A dispatch of a job. */
export interface ForcePortion {
  /** Pairs that it sums. */
  interactions: number;
  encode(batch: Batch): unknown;
}

/** A job ready to be dispatched, and the uniforms made for it. */
interface PreparedJob {
  steps: ForceStep[];
  uniforms: GPUBuffer[];
}

/** Jobs that are remembered with their uniforms and bindings; the oldest is forgotten first. */
const MOST_REMEMBERED = 1024;

/** Kernels of the shapes in the choice. */
interface Kernels {
  /** For jobs of one part, and for others. */
  sums: Map<ForceShape, { single: Kernel; carried: Kernel }>;
  fold: Kernel;
  plan: Kernel;
}

export class DirectForces {
  readonly order: ForceOrder;
  readonly #scratch: Record<"state" | "slices", GPUBuffer[]> = { state: [], slices: [] };
  readonly #remembered = new Map<string, PreparedJob>();
  readonly #names = new WeakMap<GPUBuffer, number>();
  #named = 0;

  private constructor(
    private readonly gpu: GpuContext,
    private readonly options: ForceOptions,
    /** The shapes in use. */
    readonly choice: ForceChoice,
    private readonly kernels: Kernels,
  ) {
    this.order = options.order;
  }

  /**
   * Chooses the shapes, by measurement at the first start on an adapter, compiles and checks them. Throws "device" when
   * double-single arithmetic doesn't survive the adapter's compiler or a shape computes something else, "usage" for a
   * shape that isn't there.
   */
  static async create(gpu: GpuContext, options: ForceOptions): Promise<DirectForces> {
    const { order, precision } = options;
    if (precision === "double-single") await requirePairArithmetic(gpu);
    const choice =
      options.shape === undefined
        ? await DirectForces.choice(gpu, { order, precision })
        : fixedChoice(gpu, options.shape);
    const variant = variantOf(options);
    const shapes = [...new Set([choice.short, choice.fewest, choice.few, choice.middle, choice.many])];
    const sumKernels = async (shape: ForceShape): Promise<[ForceShape, { single: Kernel; carried: Kernel }]> => {
      const single = await forceKernel(gpu, shape, variant, "whole");
      return [shape, { single, carried: shape.split ? single : await forceKernel(gpu, shape, variant, "part") }];
    };
    const [fold, plan, ...sums] = await Promise.all([
      foldKernel(gpu, variant, "part"),
      planKernel(gpu),
      ...shapes.map(sumKernels),
    ]);
    const kernels = { fold, plan, sums: new Map(sums) };
    const checked = { ...options, softening: variant.softened ? CHECKED_SOFTENING : 0 };
    await requireForces(gpu, variant, shapes, (shape) => new DirectForces(gpu, checked, everywhere(shape), kernels));
    return new DirectForces(gpu, options, choice, kernels);
  }

  /** The shapes for a kind of force: pinned, remembered, or measured. */
  static choice(gpu: GpuContext, kind: ForceKind): Promise<ForceChoice> {
    return measuredChoice(gpu, kind, (fixed) => DirectForces.create(gpu, fixed));
  }

  /**
   * Records the dispatches of a job. Its buffers must not be destroyed before the batch is submitted. Throws "usage"
   * when targets or sources are more than their buffers hold.
   */
  encode(batch: Batch, job: ForceJob): void {
    for (const { kernel, part, grid } of this.#stepsOf(job)) batch.dispatch(kernel, gridSize(grid, part));
  }

  /** What `encode` records, one dispatch after the other, for a job that is more than a submission should hold. */
  portions(job: ForceJob): ForcePortion[] {
    return this.#stepsOf(job).map(({ kernel, part, grid }) => ({
      interactions: grid === FOLD_GRID ? 0 : (part.endTarget - part.firstTarget) * (part.endSource - part.firstSource),
      encode: (batch) => batch.dispatch(kernel, gridSize(grid, part)),
    }));
  }

  /** A job for the targets that the GPU lists; the caller destroys it. */
  indirect(job: ListedForceJob): ListedForces {
    const { targets, list, count, mostTargets, sources, sourceCount, result } = job;
    if (mostTargets < 1) return { encode: () => {}, destroy: () => {} };
    const steps: ListedStep[] = [];
    const uniforms: GPUBuffer[] = [];
    let fewest = 0;
    for (const { shape, below } of shapesUpTo(this.choice, mostTargets, sourceCount)) {
      const meant = { fewest, most: below - 1 };
      const parts = this.#parts(shape, meant.most, sourceCount, false);
      const prepared = this.#prepared(shape, parts, { targets, sources, result, list, count, meant });
      fewest = below;
      steps.push(...prepared.steps.map((step) => ({ ...step, meant })));
      uniforms.push(...prepared.uniforms);
    }
    return listedForces(this.gpu, { plan: this.kernels.plan, count, steps, uniforms, dispatch: this.options.dispatch });
  }

  /** Forces of sources on the listed bodies or on all, in rounds of at most `share` pair interactions a submission. */
  async rounds(job: Omit<RoundsJob, "mostInteractions">, share: number): Promise<ForceRounds> {
    const { gpu, options, choice } = this;
    const { mostInteractions = MOST_INTERACTIONS, order, softening } = options;
    const variant = variantOf(options);
    const roundShape = async ({ shape, below }: { shape: ForceShape; below: number }, k: number) => {
      const fold = shape.split ? await foldKernel(gpu, variant, "round") : undefined;
      const sum = await forceKernel(gpu, shape, variant, "round");
      return { shape, sum, fold, fewest: served[k - 1]?.below ?? 0, most: below - 1 } satisfies RoundShape;
    };
    const served = shapesUpTo(choice, job.bodyCount, job.sourceCount);
    const [round, ...shapes] = await Promise.all([roundKernel(gpu), ...served.map(roundShape)]);
    return ForceRounds.create(gpu, { round, shapes, order, softening }, { ...job, mostInteractions }, share);
  }

  destroy(): void {
    for (const { uniforms } of this.#remembered.values()) this.gpu.buffers.release(...uniforms);
    this.#remembered.clear();
    this.gpu.buffers.release(...this.#scratch.state, ...this.#scratch.slices);
  }

  #stepsOf({ targets, targetCount, sources, sourceCount, result, accumulate = false }: ForceJob): readonly ForceStep[] {
    const names = [targets, sources, result].map((buffer) => this.#nameOf(buffer));
    const key = [targetCount, sourceCount, accumulate, ...names].join(" ");
    let known = this.#remembered.get(key);
    if (!known) {
      const shape = shapeFor(this.choice, targetCount, sourceCount);
      const parts = this.#parts(shape, targetCount, sourceCount, accumulate);
      known = this.#prepared(shape, parts, { targets, sources, result });
      this.#remember(key, known);
    }
    return known.steps;
  }

  #parts(shape: ForceShape, targetCount: number, sourceCount: number, accumulate: boolean): ForcePart[] {
    const { mostInteractions = MOST_INTERACTIONS } = this.options;
    return forceParts(shape, this.order, { targetCount, sourceCount, accumulate, mostInteractions });
  }

  #prepared(shape: ForceShape, parts: readonly ForcePart[], bound: JobBuffers): PreparedJob {
    const { targets, sources, result } = bound;
    const last = parts.at(-1);
    if (last) {
      // Rows of a list are the caller's affair; slots of the result are not.
      if (!bound.list) requireRecords("targets", targets, bodyBytes(this.order), last.endTarget);
      requireRecords("sources", sources, bodyBytes(this.order), last.endSource);
      requireRecords("result", result, forceBytes(this.order), last.endTarget);
    }
    const { list = targets, count = targets } = bound; // unread without a list
    const bytes = scratchBytes(shape, this.order, parts);
    const state = this.#scratchOf("state", bytes.state);
    const slices = shape.split ? this.#scratchOf("slices", bytes.slices) : undefined;
    const carried = parts.some(({ start, finish }) => start !== "zero" || !finish);
    const sum = this.kernels.sums.get(shape)![carried ? "carried" : "single"];
    const uniforms: GPUBuffer[] = [];
    const steps: ForceStep[] = [];
    for (const part of parts) {
      const uniform = this.gpu.buffers.uniform(
        "direct force job",
        jobUniform(part, this.options.softening, bound.meant),
      );
      uniforms.push(uniform);
      const inputs = [uniform, targets, sources, list, count];
      const grid = sumGrid(shape, part);
      if (slices) {
        if (grid.layers > 0) steps.push({ kernel: sum.bind(...inputs, slices), part, grid, group: shape.group });
        const fold = this.kernels.fold.bind(...inputs, result, state, slices);
        steps.push({ kernel: fold, part, grid: FOLD_GRID, group: foldGroup(this.gpu.adapter.software) });
      } else {
        steps.push({ kernel: sum.bind(...inputs, result, state), part, grid, group: shape.group });
      }
    }
    return { steps, uniforms };
  }

  /** Scratch of so many bytes at least. It grows; what it outgrew may still be bound and stays until the end. */
  #scratchOf(kind: "state" | "slices", bytes: number): GPUBuffer {
    const held = this.#scratch[kind];
    const fitting = held.find(({ size }) => size >= bytes);
    if (fitting) return fitting;
    const limit = this.gpu.device.limits.maxStorageBufferBindingSize;
    const size = Math.max(bytes, Math.min(2 ** Math.ceil(Math.log2(bytes)), limit));
    const buffer = this.gpu.buffers.storage(`direct force ${kind}`, size, "other");
    held.push(buffer);
    return buffer;
  }

  #remember(key: string, job: PreparedJob): void {
    const oldest = this.#remembered.entries().next().value;
    if (oldest && this.#remembered.size >= MOST_REMEMBERED) {
      this.#remembered.delete(oldest[0]);
      this.gpu.buffers.release(...oldest[1].uniforms);
    }
    this.#remembered.set(key, job);
  }

  #nameOf(buffer: GPUBuffer): number {
    let name = this.#names.get(buffer);
    if (name === undefined) {
      name = this.#named++;
      this.#names.set(buffer, name);
    }
    return name;
  }
}

function variantOf({ order, precision, softening }: ForceOptions): ForceVariant {
  return { order, precision, softened: Math.fround(softening * softening) > 0 };
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
  const adapter = gpu.adapter.description || gpu.adapter.device;
  throw new GravmeshError(
    "device",
    `direct.precision = "double-single": the compiler of ${adapter} doesn't keep pair arithmetic (${detail}); try direct.precision = "single", or --backend cpu`,
  );
}

function fixedChoice(gpu: GpuContext, name: string): ForceChoice {
  const shape = availableShapes(gpu).find((candidate) => candidate.name === name);
  if (shape) return everywhere(shape);
  const known = FORCE_SHAPES.some((candidate) => candidate.name === name);
  const names = availableShapes(gpu).map((candidate) => candidate.name);
  throw new GravmeshError(
    "usage",
    `kernel shape of the direct sum: expected one of ${names.join(", ")}, found "${name}"${known ? ", which this adapter can't run" : ""}`,
  );
}
