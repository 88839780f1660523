/**
 * Poisson's equation ∇²φ = 4πGρ on the GPU by Fourier transform: deposited mass in `field` and `high` → potential in
 * `field` (see field.ts), periodic or isolated; with the spectral gradient the force mesh as well.
 */
import type { Batch, Pass } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import { LineKernels, shapeForLines } from "./fft-kernel.ts";
import type { FftShape } from "./fft-plan.ts";
import type { MeshBuffers } from "./field.ts";
import { isolatedKernelSpectrumInTurns } from "./greens.ts";
import { blocksOfMesh, isolatedPasses } from "./poisson-isolated.ts";
import { periodicPasses } from "./poisson-periodic.ts";
import type { PoissonSettings, PoissonSolver } from "./poisson-solver.ts";

export class PoissonFft implements PoissonSolver {
  readonly needsHost = false;
  readonly shape: FftShape;

  private constructor(
    private readonly kernels: LineKernels,
    private readonly passes: readonly Pass[],
    readonly writesGradient: boolean,
  ) {
    this.shape = kernels.shape;
  }

  /**
   * Uploads tables (an isolated kernel takes a second or more to make
   * at n = 128 and beyond, without blocking) and compiles.
   */
  static async create(gpu: GpuContext, mesh: MeshBuffers, settings: PoissonSettings): Promise<PoissonFft> {
    const n = mesh.cells;
    const isolated = settings.boundary === "isolated";
    const shape = settings.shape ?? shapeForLines(gpu, isolated ? [n, 2 * n] : [n / 2, n]);
    const kernels = new LineKernels(gpu, shape);
    const passes = isolated
      ? await isolatedPasses(kernels, mesh, settings, await isolatedOctant(kernels, mesh, settings))
      : await periodicPasses(kernels, mesh, settings);
    return new PoissonFft(kernels, passes, settings.spectralGradient);
  }

  /** field and high [mass units] → field [velocity²], and with the spectral gradient force. */
  encode(batch: Batch): Batch {
    return batch.stage("poisson").passes(this.passes);
  }

  /** Bytes held beside the mesh buffers: isolated kernel, work space of the spectral gradient, tables. */
  get memory(): number {
    return this.kernels.bytes;
  }

  destroy(): void {
    this.kernels.destroy();
  }
}

/** Transfer function from mass units to potential by blocks of modes, [n+1][n+1][modes]: Ĝ·G·massUnit/h³, rounded to float32. */
async function isolatedOctant(
  kernels: LineKernels,
  mesh: MeshBuffers,
  settings: PoissonSettings,
): Promise<GPUBuffer[]> {
  const { cells: n } = mesh;
  const h = settings.boxSize / n;
  const factor = (settings.G * settings.massUnit) / h ** 3;
  const spectrum = await isolatedKernelSpectrumInTurns(n, h, settings.kernel);
  return blocksOfMesh(mesh).map(({ first, count }) => {
    const values = new Float32Array((n + 1) ** 2 * count);
    for (let row = 0; row < (n + 1) ** 2; row++) {
      const from = row * (n + 1) + first;
      for (let kx = 0; kx < count; kx++) values[row * count + kx] = factor * spectrum[from + kx];
    }
    return kernels.table("isolated kernel", values, "mesh");
  });
}
