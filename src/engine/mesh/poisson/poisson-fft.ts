/**
 * Poisson's equation ∇²φ = 4πGρ on the GPU by Fourier transform: deposited mass in `field` and `high` → potential in
 * `field` (see field.ts), periodic or isolated; with the spectral gradient the force mesh as well.
 */
import type { Batch, Pass } from "../../../foundation/gpu/batch.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import { LineKernels, shapeForLines } from "../fft/fft-kernel.ts";
import type { FftShape } from "../fft/fft-plan.ts";
import type { MeshBuffers } from "../field.ts";
import { smoothPasses } from "../levels/smooth-part.ts";
import { isolatedKernelSteps, runYielding } from "./greens.ts";
import { isolatedPasses } from "./poisson-isolated.ts";
import { periodicPasses } from "./poisson-periodic.ts";
import type { PoissonSettings, PoissonSolver } from "./poisson-solver.ts";
import { splitPasses } from "./poisson-split.ts";
import { isolatedPeriod } from "./split-mesh.ts";

export class PoissonFft implements PoissonSolver {
  readonly needsHost = false;
  readonly shape: FftShape;

  private constructor(
    private readonly kernels: LineKernels,
    private readonly passes: readonly Pass[],
    readonly coarse: GPUBuffer | undefined,
    /** Periodic: K, and behind it what neutrinos multiply the potential by. */
    private readonly laplacian: GPUBuffer | undefined,
  ) {
    this.shape = kernels.shape;
  }

  /** Uploads tables, which takes a second or more of a large isolated mesh, without blocking, and compiles. */
  static async create(gpu: GpuContext, mesh: MeshBuffers, settings: PoissonSettings): Promise<PoissonFft> {
    const isolated = settings.boundary === "isolated";
    const period = isolated ? isolatedPeriod(mesh.cells, settings.kernel) : mesh.cells;
    const shape = settings.shape ?? shapeForLines(gpu, [period / 2, period]);
    const kernels = new LineKernels(gpu, shape);
    const made: { passes: Pass[]; coarse?: GPUBuffer; laplacian?: GPUBuffer } = settings.smooth
      ? await smoothPasses(gpu, kernels, mesh, settings)
      : await (isolated ? passesOfIsolated(gpu, kernels, mesh, settings) : periodicPasses(kernels, mesh, settings));
    return new PoissonFft(kernels, made.passes, made.coarse, made.laplacian);
  }

  encodeResponse(batch: Batch, factors: Float64Array): void {
    const { buffer, byteLength } = Float32Array.from(factors);
    batch.write(this.laplacian!, this.laplacian!.size - byteLength, buffer);
  }

  /** field and high [mass units] → field [velocity²], and with the spectral gradient force. */
  encode(batch: Batch): Batch {
    return batch.stage("poisson").passes(this.passes);
  }

  /** Bytes held in addition to the mesh buffers: isolated kernel, work space of the spectral gradient, tables. */
  get memory(): number {
    return this.kernels.bytes;
  }

  destroy(): void {
    this.kernels.destroy();
  }
}

async function passesOfIsolated(
  gpu: GpuContext,
  kernels: LineKernels,
  mesh: MeshBuffers,
  settings: PoissonSettings,
): Promise<{ passes: Pass[]; coarse?: GPUBuffer }> {
  const { kernel, boxSize, G, massUnit, gradient } = settings;
  const { cells } = mesh;
  if (kernel === "split") return splitPasses(gpu, kernels, mesh, { ...settings, cells });
  const h = boxSize / cells;
  const padded = {
    ...{ cells, period: 2 * cells, length: 2 * boxSize },
    spectrum: await runYielding(isolatedKernelSteps(cells, h, kernel)),
    factor: (G * massUnit) / h ** 3,
  };
  return { passes: await isolatedPasses(kernels, mesh, padded, { spectralGradient: gradient === "spectral" }) };
}
