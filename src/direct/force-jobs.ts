/**
 * Jobs of a direct sum made ready to be dispatched: cut into parts (force-plan.ts), with the uniforms, scratch and bindings
 * that these need, and remembered, since steps and substeps sum the same again and again.
 */
import { GravmeshError } from "../base/errors.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Kernel } from "../gpu/kernel.ts";
import { bodyBytes, type ForceOrder, forceBytes } from "./bodies.ts";
import { FOLD_GRID, forceParts, jobUniform, type Meant, scratchBytes, sumGrid } from "./force-plan.ts";
import { type ForceShape, foldGroup } from "./force-shapes.ts";
import type { ForceStep } from "./listed-forces.ts";

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
export type JobBuffers = Pick<ForceJob, "targets" | "sources" | "result"> &
  Partial<Pick<ListedForceJob, "list" | "count"> & { meant: Meant }>;

type JobSize = Pick<ForceJob, "targetCount" | "sourceCount" | "accumulate">;

/** Kernels of a shape: for jobs of one part, and for others. */
export interface SumKernels {
  single: Kernel;
  carried: Kernel;
}

export interface JobKernels {
  sums: ReadonlyMap<ForceShape, SumKernels>;
  fold: Kernel;
}

export interface JobKind {
  order: ForceOrder;
  /** Plummer softening ε [length]. */
  softening: number;
  /** Of a dispatch at most. */
  mostInteractions: number;
}

/** A job ready to be dispatched, and the uniforms made for it. */
export interface PreparedJob {
  steps: ForceStep[];
  uniforms: GPUBuffer[];
}

/** Jobs that are remembered with their uniforms and bindings; the oldest is forgotten first. */
const MOST_REMEMBERED = 1024;

export class ForceJobs {
  readonly #scratch: Record<"state" | "slices", GPUBuffer[]> = { state: [], slices: [] };
  readonly #remembered = new Map<string, PreparedJob>();
  readonly #names = new WeakMap<GPUBuffer, number>();
  #named = 0;

  constructor(
    private readonly gpu: GpuContext,
    private readonly kind: JobKind,
    private readonly kernels: JobKernels,
  ) {}

  /** The dispatches of a job in the shape that is for jobs of its size. */
  steps(shape: ForceShape, job: ForceJob): readonly ForceStep[] {
    const { targets, targetCount, sources, sourceCount, result, accumulate = false } = job;
    const names = [targets, sources, result].map((buffer) => this.#nameOf(buffer));
    const key = [shape.name, targetCount, sourceCount, accumulate, ...names].join(" ");
    let known = this.#remembered.get(key);
    if (!known) {
      known = this.prepared(shape, job, job);
      this.#remember(key, known);
    }
    return known.steps;
  }

  /** The dispatches of a job in this shape; their uniforms are the caller's. */
  prepared(
    shape: ForceShape,
    { targetCount, sourceCount, accumulate = false }: JobSize,
    bound: JobBuffers,
  ): PreparedJob {
    const { order, softening, mostInteractions } = this.kind;
    const { targets, sources, result } = bound;
    const parts = forceParts(shape, order, { targetCount, sourceCount, accumulate, mostInteractions });
    const last = parts.at(-1);
    if (last) {
      // Rows of a list are the caller's affair; slots of the result are not.
      if (!bound.list) requireRecords("targets", targets, bodyBytes(order), last.endTarget);
      requireRecords("sources", sources, bodyBytes(order), last.endSource);
      requireRecords("result", result, forceBytes(order), last.endTarget);
    }
    const { list = targets, count = targets } = bound; // unread without a list
    const bytes = scratchBytes(shape, order, parts);
    const state = this.#scratchOf("state", bytes.state);
    const slices = shape.split ? this.#scratchOf("slices", bytes.slices) : undefined;
    const carried = parts.some(({ start, finish }) => start !== "zero" || !finish);
    const sum = this.kernels.sums.get(shape)![carried ? "carried" : "single"];
    const uniforms: GPUBuffer[] = [];
    const steps: ForceStep[] = [];
    for (const part of parts) {
      const uniform = this.gpu.buffers.uniform("direct force job", jobUniform(part, softening, bound.meant));
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

  destroy(): void {
    for (const { uniforms } of this.#remembered.values()) this.gpu.buffers.release(...uniforms);
    this.#remembered.clear();
    this.gpu.buffers.release(...this.#scratch.state, ...this.#scratch.slices);
  }
}

function requireRecords(name: string, buffer: GPUBuffer, bytes: number, count: number): void {
  const held = Math.floor(buffer.size / bytes);
  if (held >= count) return;
  throw new GravmeshError(
    "usage",
    `direct forces: ${name} should hold ${count} records of ${bytes} bytes, found ${held}`,
  );
}
