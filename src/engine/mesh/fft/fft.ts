/**
 * Three-dimensional Fourier transform of real meshes on the GPU, in place, n = 2^k or 3·2^k per side:
 *   X_k = Σ_j x_j e^{−2πi k·j/n}  and its unnormalised inverse (n³ times the mesh after both).
 * A real row of n numbers has a pitch of n + 2 words and becomes n/2 + 1 complex numbers; the spectrum is
 * [kz][ky][kx], kx = 0 … n/2, ky and kz in transform order.
 */
import inPlace from "../../../../wgsl/engine/mesh/fft/fft-in-place.wgsl";
import type { Batch, Step } from "../../../foundation/gpu/batch.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import { type LineKernel, LineKernels, type LineSet, shapeForLines } from "./fft-kernel.ts";
import type { FftShape } from "./fft-plan.ts";
import { type PaddedSlab, paddedBytes, rowBlocks } from "./fft-slabs.ts";

/** The lines of so many planes of a mesh of n cells per side with rows of n/2 + 1 complex numbers; along z of all. */
export function meshLines(n: number, planes = n): Record<"x" | "y" | "z", LineSet> {
  const row = n / 2 + 1;
  return {
    x: { count: n * planes, lanes: 1, source: { run: row, stride: 1 } },
    y: { count: row * planes, lanes: row, source: { run: n * row, stride: row } },
    z: { count: row * n, lanes: row, source: { run: row, stride: n * row } },
  };
}

/** Steps of a transform of certain buffers. */
export interface BoundFft3 {
  /** Mesh → spectrum. */
  forward(batch: Batch): Batch;
  /** Spectrum → mesh, n³ times as large. */
  inverse(batch: Batch): Batch;
}

export class Fft3 {
  readonly shape: FftShape;
  /** For lines across slabs. */
  #scratch: GPUBuffer | undefined;

  private constructor(
    readonly cells: number,
    private readonly kernels: LineKernels,
    private readonly lines: Record<"rowsForward" | "forward" | "inverse" | "rowsInverse", LineKernel>,
  ) {
    this.shape = kernels.shape;
  }

  /** Compiles the kernels; the variant depends on the kind of adapter unless it is given. */
  static async create(gpu: GpuContext, cells: number, options: { shape?: FftShape } = {}): Promise<Fft3> {
    const kernels = new LineKernels(gpu, options.shape ?? shapeForLines(gpu, [cells / 2, cells]));
    const rows = { length: cells / 2, rows: true };
    const strided = { length: cells, rows: false };
    return new Fft3(cells, kernels, {
      rowsForward: await kernels.kernel("fft rows", "realForward", rows, [inPlace]),
      forward: await kernels.kernel("fft", "forward", strided, [inPlace]),
      inverse: await kernels.kernel("inverse fft", "inverse", strided, [inPlace]),
      rowsInverse: await kernels.kernel("inverse fft rows", "realInverse", rows, [inPlace]),
    });
  }

  /**
   * mesh: [n² rows × (n+2)] f32, or the same in slabs (createPaddedSlabs), which have the same bits; several share a scratch
   * of the size of one slab.
   */
  bind(mesh: GPUBuffer | readonly PaddedSlab[]): BoundFft3 {
    const { cells: n, lines: kernels } = this;
    const slabs = "size" in mesh ? [{ first: 0, planes: n, buffer: mesh }] : mesh;
    const inPlanes = (kernel: LineKernel, axis: "x" | "y"): Step[] =>
      slabs.map(({ planes, buffer }) => kernel.on(meshLines(n, planes)[axis], buffer));
    const across = (kernel: LineKernel): Step[] => {
      if (slabs.length === 1) return [kernel.on(meshLines(n).z, slabs[0].buffer)];
      const scratch = this.#scratchFor(slabs);
      return rowBlocks(n, slabs, scratch).flatMap(({ lines, gather, scatter }) => [
        ...gather,
        kernel.on(lines, scratch),
        ...scatter,
      ]);
    };
    const { rowsForward, forward, inverse, rowsInverse } = kernels;
    const there = [...inPlanes(rowsForward, "x"), ...inPlanes(forward, "y"), ...across(forward)];
    const back = [...across(inverse), ...inPlanes(inverse, "y"), ...inPlanes(rowsInverse, "x")];
    return { forward: (batch) => batch.steps(there), inverse: (batch) => batch.steps(back) };
  }

  /** Makes what such slabs need beside them, so that it is known to have found room before `bind`. Throws "memory". */
  async reserve(slabs: readonly PaddedSlab[]): Promise<void> {
    if (slabs.length > 1) this.#scratchFor(slabs);
    await this.kernels.settle();
  }

  #scratchFor(slabs: readonly PaddedSlab[]): GPUBuffer {
    this.#scratch ??= this.kernels.storage("transform along z", paddedBytes(this.cells, slabs[0].planes));
    return this.#scratch;
  }

  /** Bytes of tables on the GPU, and of the scratch of slabs. */
  get memory(): number {
    return this.kernels.bytes;
  }

  destroy(): void {
    this.kernels.destroy();
  }
}
