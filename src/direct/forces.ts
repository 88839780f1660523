/**
 * Direct summation on the GPU: the exact force of a set of bodies on another,
 *   A = Σ Gm r/ρ³,  φ = −Σ Gm/ρ,  ρ² = r² + ε²,  with jerk and snap where asked for
 * (Portegies Zwart+ 2007, eq. 1; Nitadori & Makino 2008, eqs. 10–12). A pair of equal ids exerts nothing, nor does a
 * pair at no distance without softening. Records: bodies.ts; precision and order of summation: docs/precision.md.
 */
import planWgsl from "../../wgsl/direct-force-plan.wgsl";
import type { Batch } from "../gpu/batch.ts";
import { USAGE } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel, Kernel } from "../gpu/kernel.ts";
import type { Precision } from "../scenario/scenario.ts";
import { type ForceOrder, forceBytes } from "./bodies.ts";
import { type ForceDispatch, forceDispatches, jobUniform, stateBytes } from "./force-plan.ts";
import { FORCE_SHAPES, type ForceShape, forceKernel } from "./force-shapes.ts";

export interface ForceOptions {
  order: ForceOrder;
  precision: Precision;
  /** Plummer softening ε [length]; 0 for none. */
  softening: number;
  /** A fixed kernel shape; left out, the fastest of a short measurement. */
  shape?: string;
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

interface Step {
  kernel: BoundKernel;
  groups: [number, number];
}

/** Jobs that are remembered with their uniforms and bindings; the oldest is forgotten first. */
const MOST_REMEMBERED = 1024;
const ENTRY_WORDS = 6;
const ARGUMENT_WORDS = 3;
const PLAN_GROUP = 64;

export class DirectForces {
  readonly order: ForceOrder;
  readonly precision: Precision;
  readonly softening: number;
  readonly #gpu: GpuContext;
  readonly #shape: ForceShape;
  readonly #kernel: Kernel;
  readonly #plan: Kernel;
  readonly #owned: GPUBuffer[] = [];
  readonly #remembered = new Map<string, { steps: Step[]; uniforms: GPUBuffer[] }>();
  readonly #names = new WeakMap<GPUBuffer, number>();
  #named = 0;
  #state: GPUBuffer | undefined;

  private constructor(gpu: GpuContext, options: ForceOptions, shape: ForceShape, kernel: Kernel, plan: Kernel) {
    this.#gpu = gpu;
    this.order = options.order;
    this.precision = options.precision;
    this.softening = options.softening;
    this.#shape = shape;
    this.#kernel = kernel;
    this.#plan = plan;
  }

  /** Compiles. Throws "device" when double-single arithmetic doesn't survive the adapter's compiler. */
  static async create(gpu: GpuContext, options: ForceOptions): Promise<DirectForces> {
    const { order, precision, softening } = options;
    const shape = FORCE_SHAPES.find(({ name }) => name === options.shape) ?? FORCE_SHAPES[0];
    const kernel = await forceKernel(gpu, shape, { order, precision, softened: Math.fround(softening ** 2) > 0 });
    const plan = await gpu.kernel({
      label: "direct force/plan",
      sources: [planWgsl],
      entry: "plan",
      bindings: ["read", "read", "read-write"],
    });
    return new DirectForces(gpu, options, shape, kernel, plan);
  }

  /** Records the dispatches of a job. Its buffers must not be destroyed before the batch is submitted. */
  encode(batch: Batch, job: ForceJob): void {
    const { targets, targetCount, sources, sourceCount, result, accumulate = false } = job;
    const buffers = [targets, sources, result].map((buffer) => this.#nameOf(buffer));
    const key = [targetCount, sourceCount, accumulate, ...buffers].join(" ");
    let known = this.#remembered.get(key);
    if (!known) {
      const dispatches = forceDispatches(targetCount, sourceCount, accumulate);
      known = this.#steps(dispatches, { targets, sources, result });
      this.#remember(key, known);
    }
    for (const { kernel, groups } of known.steps) batch.dispatch(kernel, groups);
  }

  /** A job for the targets that the GPU lists; the caller destroys it. */
  indirect(job: ListedForceJob): { encode(batch: Batch): void; destroy(): void } {
    const { targets, list, count, mostTargets, sources, sourceCount, result } = job;
    const { buffers } = this.#gpu;
    const dispatches = forceDispatches(mostTargets, sourceCount, false);
    const { steps, uniforms } = this.#steps(dispatches, { targets, sources, result, list, count });
    const entries = new Uint32Array(ENTRY_WORDS * dispatches.length);
    dispatches.forEach(({ firstTarget, endTarget }, i) => {
      const meant = [0, 0xffff_ffff];
      entries.set([firstTarget, endTarget, this.#shape.group * this.#shape.targets, 1, ...meant], ENTRY_WORDS * i);
    });
    const entryBuffer = buffers.upload("direct force plan", entries, "other");
    const bytes = 4 * ARGUMENT_WORDS * dispatches.length;
    const args = buffers.storage("direct force arguments", bytes, "other", USAGE.INDIRECT);
    const plan = this.#plan.bind(entryBuffer, count, args);
    return {
      encode: (batch) => {
        batch.dispatch(plan, [Math.ceil(dispatches.length / PLAN_GROUP)]);
        steps.forEach(({ kernel }, i) => {
          batch.dispatchIndirect(kernel, args, 4 * ARGUMENT_WORDS * i);
        });
      },
      destroy: () => buffers.release(entryBuffer, args, ...uniforms),
    };
  }

  destroy(): void {
    for (const { uniforms } of this.#remembered.values()) this.#gpu.buffers.release(...uniforms);
    this.#remembered.clear();
    this.#gpu.buffers.release(...this.#owned);
  }

  #steps(
    dispatches: readonly ForceDispatch[],
    bound: { targets: GPUBuffer; sources: GPUBuffer; result: GPUBuffer; list?: GPUBuffer; count?: GPUBuffer },
  ): { steps: Step[]; uniforms: GPUBuffer[] } {
    const { targets, sources, result } = bound;
    const listed = bound.list !== undefined;
    const { list = targets, count = targets } = bound; // unread without a list
    const state = this.#stateOf(stateBytes(this.order, dispatches));
    const uniforms = dispatches.map((dispatch) =>
      this.#gpu.buffers.uniform("direct force job", jobUniform(dispatch, listed, this.softening)),
    );
    const steps = dispatches.map(({ firstTarget, endTarget }, i): Step => {
      const kernel = this.#kernel.bind(uniforms[i], targets, sources, list, count, result, state);
      return { kernel, groups: [Math.ceil(((endTarget - firstTarget) / this.#shape.group) * this.#shape.targets), 1] };
    });
    return { steps, uniforms };
  }

  /** Grows; what it grew out of may still be bound and stays until the end. */
  #stateOf(bytes: number): GPUBuffer {
    if (!this.#state || this.#state.size < bytes) {
      this.#state = this.#gpu.buffers.storage("direct force state", 2 ** Math.ceil(Math.log2(bytes)), "other");
      this.#owned.push(this.#state);
    }
    return this.#state;
  }

  #remember(key: string, job: { steps: Step[]; uniforms: GPUBuffer[] }): void {
    const oldest = this.#remembered.entries().next().value;
    if (oldest && this.#remembered.size >= MOST_REMEMBERED) {
      this.#remembered.delete(oldest[0]);
      this.#gpu.buffers.release(...oldest[1].uniforms);
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

  /** Bytes of a result record. */
  get resultBytes(): number {
    return forceBytes(this.order);
  }
}
