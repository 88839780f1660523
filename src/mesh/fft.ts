/**
 * Three-dimensional Fourier transform of real meshes on the GPU, in place, n = 2^k or 3·2^k per side:
 *   X_k = Σ_j x_j e^{−2πi k·j/n}  and its unnormalised inverse (n³ times the mesh after both).
 * A real row of n numbers has a pitch of n + 2 words and becomes n/2 + 1 complex numbers; the spectrum is
 * [kz][ky][kx], kx = 0 … n/2, ky and kz in transform order.
 */
import inPlace from "../../wgsl/mesh/fft-in-place.wgsl";
import type { Batch, Pass } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import { type LineKernel, LineKernels, type LineSet, shapeForLines } from "./fft-kernel.ts";
import type { FftShape } from "./fft-plan.ts";

/** The lines of a mesh of n cells per side with rows of n/2 + 1 complex numbers, `pitch` words apart. */
export function meshLines(n: number, pitch = n + 2): Record<"x" | "y" | "z", LineSet> {
  const half = n / 2 + 1;
  const row = pitch / 2;
  return {
    x: { count: n * n, lanes: 1, source: { run: row, stride: 1 } },
    y: { count: half * n, lanes: half, source: { run: n * row, stride: row } },
    z: { count: half * n, lanes: half, source: { run: row, stride: n * row } },
  };
}

/** Bytes of a mesh of n cells per side with rows `pitch` words apart. */
export function paddedMeshBytes(n: number, pitch = n + 2): number {
  return 4 * pitch * n * n;
}

/** A transform bound to a buffer. */
export interface BoundFft3 {
  /** Mesh → spectrum. */
  forward(batch: Batch): Batch;
  /** Spectrum → mesh, n³ times as large. */
  inverse(batch: Batch): Batch;
}

type Fft3Kernels = Record<"rowsForward" | "forward" | "inverse" | "rowsInverse", LineKernel>;

export class Fft3 {
  readonly shape: FftShape;

  private constructor(
    readonly cells: number,
    private readonly kernels: LineKernels,
    private readonly lines: Fft3Kernels,
  ) {
    this.shape = kernels.shape;
  }

  /** Compiles the kernels; the shape goes by the kind of adapter unless it is given. */
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

  /** mesh: [n² rows × (n+2)] f32. */
  bind(mesh: GPUBuffer): BoundFft3 {
    const { x, y, z } = meshLines(this.cells);
    const { rowsForward, forward, inverse, rowsInverse } = this.lines;
    const there: Pass[] = [rowsForward.on(x, mesh), forward.on(y, mesh), forward.on(z, mesh)];
    const back: Pass[] = [inverse.on(z, mesh), inverse.on(y, mesh), rowsInverse.on(x, mesh)];
    return {
      forward: (batch) => batch.passes(there),
      inverse: (batch) => batch.passes(back),
    };
  }

  /** Bytes of tables on the GPU. */
  get memory(): number {
    return this.kernels.bytes;
  }

  destroy(): void {
    this.kernels.destroy();
  }
}
