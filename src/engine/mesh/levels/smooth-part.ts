/** The smooth part of a mesh's potential, which pairs or the levels in it go on from, with its force as scratch: for levels of a copy of its mass. */
import type { Batch, Pass, Step } from "../../../foundation/gpu/batch.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { LineKernels } from "../fft/fft-kernel.ts";
import { MeshBuffers } from "../field.ts";
import { runYielding } from "../poisson/greens.ts";
import { isolatedPasses } from "../poisson/poisson-isolated.ts";
import { meanWords } from "../poisson/poisson-periodic.ts";
import type { PoissonProblem, PoissonSettings } from "../poisson/poisson-solver.ts";
import { splitPasses } from "../poisson/poisson-split.ts";
import type { MeshSettings } from "../settings.ts";
import { smoothFine, smoothSpectrum } from "./level-kernels.ts";

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

/** From a mesh's words to its smooth potential, for levels of a refinement, or without one for pairs of particles. */
export async function smoothPasses(
  gpu: GpuContext,
  kernels: LineKernels,
  mesh: MeshBuffers,
  settings: PoissonSettings,
  { refinement, coarse }: { refinement?: number; coarse?: GPUBuffer | undefined } = {},
): Promise<{ passes: Pass[]; coarse?: GPUBuffer }> {
  const { boundary, boxSize, G, massUnit, totalUnits = 0 } = settings;
  const { cells } = mesh;
  const scheme = { ...settings, cells };
  if (boundary === "isolated") {
    const fine = (side: number) => smoothFine(scheme, refinement, side);
    return splitPasses(gpu, kernels, mesh, scheme, { fine, coarse });
  }
  const h = boxSize / cells;
  const spectrum = await runYielding(smoothSpectrum(scheme, refinement, h));
  const padded = { cells, period: cells, length: boxSize, spectrum, factor: (G * massUnit) / h ** 3 };
  return { passes: await isolatedPasses(kernels, mesh, padded, { mean: meanWords(totalUnits, cells) }) };
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
    const { mesh, copies } = besideMesh(kernels, box);
    const settings = { ...problem, ...problem.mesh };
    const { passes } = await smoothPasses(gpu, kernels, mesh, settings, { refinement, coarse });
    return new SmoothPart(mesh, copies, passes);
  }

  /** Takes the mesh's mass before it is solved. */
  encodeCopy(batch: Batch): void {
    batch.stage("levels").steps(this.copies);
  }

  encode(batch: Batch): void {
    batch.stage("levels").passes(this.passes);
  }
}
