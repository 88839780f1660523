/** The smooth part of a mesh's potential, which the levels in it go on from: of a copy of its mass, with its force as scratch. */
import type { Batch, Pass, Step } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { LineKernels } from "./fft-kernel.ts";
import { MeshBuffers } from "./field.ts";
import { inTurns } from "./greens.ts";
import { smoothFine, smoothSpectrum } from "./level-kernels.ts";
import { isolatedPasses } from "./poisson-isolated.ts";
import { meanWords } from "./poisson-periodic.ts";
import type { PoissonProblem } from "./poisson-solver.ts";
import { splitPasses } from "./poisson-split.ts";
import type { MeshSettings } from "./settings.ts";

/** A mesh whose words, and then smooth potential, lie beside another one's. */
export function besideMesh(kernels: LineKernels, mesh: MeshBuffers): { mesh: MeshBuffers; copies: Step[] } {
  const slabs = mesh.slabs.map((slab) => ({
    ...slab,
    field: kernels.storage("smooth potential", slab.field.size),
    high: kernels.storage("mass of the smooth part, high word", slab.high.size),
  }));
  const copies = mesh.slabs.flatMap(({ field, high }, s) => [
    { source: field, sourceOffset: 0, target: slabs[s].field, targetOffset: 0, size: field.size },
    { source: high, sourceOffset: 0, target: slabs[s].high, targetOffset: 0, size: high.size },
  ]);
  return { mesh: new MeshBuffers(mesh.grid, mesh.pitch, slabs, mesh.starts, mesh.read), copies };
}

/** That of the box for levels of one refinement. */
export class SmoothPart {
  private constructor(
    readonly mesh: MeshBuffers,
    private readonly copies: readonly Step[],
    private readonly passes: readonly Pass[],
  ) {}

  static async create(
    { gpu, kernels }: { gpu: GpuContext; kernels: LineKernels },
    box: MeshBuffers,
    problem: PoissonProblem & { mesh: MeshSettings },
    refinement: number,
    /** Coarse potential of the box's own solution by two meshes, which comes before. */
    coarse?: GPUBuffer,
  ): Promise<SmoothPart> {
    const { mesh: settings, boundary, boxSize, G, massUnit, totalUnits = 0 } = problem;
    const { cells } = box;
    const { mesh, copies } = besideMesh(kernels, box);
    const h = boxSize / cells;
    const scheme = { ...settings, cells };
    if (boundary === "isolated") {
      const fine = (side: number) => smoothFine(scheme, refinement, side);
      const { passes } = await splitPasses(gpu, kernels, mesh, { ...problem, ...scheme }, { fine, coarse });
      return new SmoothPart(mesh, copies, passes);
    }
    const spectrum = await inTurns(smoothSpectrum(scheme, refinement, h));
    const padded = { cells, period: cells, length: boxSize, spectrum, factor: (G * massUnit) / h ** 3 };
    const mean = meanWords(totalUnits, cells);
    return new SmoothPart(mesh, copies, await isolatedPasses(kernels, mesh, padded, { mean }));
  }

  /** Takes the mesh's mass before it is solved. */
  encodeCopy(batch: Batch): void {
    batch.stage("levels").steps(this.copies);
  }

  encode(batch: Batch): void {
    batch.stage("levels").passes(this.passes);
  }
}
