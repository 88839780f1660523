/**
 * Direct summation on the GPU: the exact force of a set of bodies on another,
 *   A = Σ Gm r/ρ³,  φ = −Σ Gm/ρ,  ρ² = r² + ε²,  with jerk and snap where asked for
 * (Portegies Zwart+ 2007, eq. 1; Nitadori & Makino 2008, eqs. 10–12). A pair of equal ids exerts nothing, nor does a
 * pair at no distance without softening. Records: bodies.ts; precision and order of summation: docs/precision.md.
 */
import { GravmeshError } from "../base/errors.ts";
import { adapterName } from "../gpu/adapter.ts";
import type { Batch } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Kernel } from "../gpu/kernel.ts";
import { pairArithmeticSurvives } from "./arithmetic.ts";
import type { ForceOrder } from "./bodies.ts";
import { CHECKED_SOFTENING, requireForces } from "./force-check.ts";
import { everywhere, type ForceChoice, shapeFor, shapesOn, shapesUpTo } from "./force-choice.ts";
import { type ForceJob, ForceJobs, type JobKernels, type ListedForceJob, type SumKernels } from "./force-jobs.ts";
import { FOLD_GRID, gridSize, MOST_INTERACTIONS } from "./force-plan.ts";
import { ForceRounds, type RoundShape, type RoundsJob } from "./force-rounds.ts";
import {
  availableShapes,
  FORCE_SHAPES,
  type ForceShape,
  type ForceVariant,
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
  /** A kernel shape by name, or those for any job; left out, the rule for the kind of adapter decides. */
  shape?: string | ForceChoice;
  /** Of a dispatch at most (default 2³²); less keeps a slow adapter's display responsive. Changes no result. */
  mostInteractions?: number;
  /** How targets that the GPU lists are dispatched; by what costs less by default. Changes no result. */
  dispatch?: ListedDispatch;
}

/** A dispatch of a job. */
export interface ForcePortion {
  /** Pairs that it sums. */
  interactions: number;
  encode(batch: Batch): unknown;
}

export class DirectForces {
  readonly order: ForceOrder;
  readonly #jobs: ForceJobs;

  private constructor(
    private readonly gpu: GpuContext,
    private readonly options: ForceOptions,
    /** The shapes in use. */
    readonly choice: ForceChoice,
    private readonly kernels: JobKernels & { plan: Kernel },
  ) {
    const { order, softening, mostInteractions = MOST_INTERACTIONS } = options;
    this.order = order;
    this.#jobs = new ForceJobs(gpu, { order, softening, mostInteractions }, kernels);
  }

  /**
   * Compiles the shapes and checks them. Throws "device" when double-single arithmetic doesn't survive the adapter's compiler or a shape computes something else, "usage" for a
   * shape that isn't there.
   */
  static async create(gpu: GpuContext, options: ForceOptions): Promise<DirectForces> {
    if (options.precision === "double-single") await requirePairArithmetic(gpu);
    const choice =
      typeof options.shape === "string" ? fixedChoice(gpu, options.shape) : (options.shape ?? shapesOn(gpu));
    const variant = variantOf(options);
    const shapes = [...new Set([choice.short, choice.fewest, choice.few, choice.middle, choice.many])];
    const sumKernels = async (shape: ForceShape): Promise<[ForceShape, SumKernels]> => {
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
      const size = { targetCount: meant.most, sourceCount };
      const prepared = this.#jobs.prepared(shape, size, { targets, sources, result, list, count, meant });
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

  #stepsOf(job: ForceJob): readonly ForceStep[] {
    return this.#jobs.steps(shapeFor(this.choice, job.targetCount, job.sourceCount), job);
  }

  destroy(): void {
    this.#jobs.destroy();
  }
}

function variantOf({ order, precision, softening }: ForceOptions): ForceVariant {
  return { order, precision, softened: Math.fround(softening * softening) > 0 };
}

async function requirePairArithmetic(gpu: GpuContext): Promise<void> {
  const { passed, detail } = await pairArithmeticSurvives(gpu);
  if (passed) return;
  throw new GravmeshError(
    "device",
    `direct.precision = "double-single": the compiler of ${adapterName(gpu.adapter)} doesn't keep pair arithmetic (${detail}); try direct.precision = "single", or --backend cpu`,
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
