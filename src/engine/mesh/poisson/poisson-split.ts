/**
 * The isolated solution from two meshes, mesh.kernel = "split" (split-kernels.ts has the method):
 *   mass words → restricted along x, y, z → coarse mass → convolved on its padded mesh → coarse potential
 *   mass words → convolved on the periodic mesh of box and margin → potential, to which the coarse one is prolonged
 * Restriction, prolongation and blocks of modes have their scratch in the force mesh, which is not yet in use; the coarse mesh and
 * its spectrum are new memory.
 */
import otherBuffer from "../../../../wgsl/engine/mesh/fft/fft-between.wgsl";
import type { Pass } from "../../../foundation/gpu/batch.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { BufferRange } from "../../../foundation/gpu/kernel.ts";
import { rangeLimits, ranges } from "../../../foundation/gpu/windows.ts";
import type { LineKernels } from "../fft/fft-kernel.ts";
import { COMPLEX_BYTES } from "../fft/fft-plan.ts";
import { convolution, type SpectrumSlab, slabRows, storedSpectra } from "../fft/mode-blocks.ts";
import type { MeshBuffers } from "../field.ts";
import { BetweenMeshes } from "../levels/between-meshes.ts";
import { gradientFrequencies, runYielding } from "./greens.ts";
import { isolatedPasses, lastOf, type PaddedMesh, paddedTransfer } from "./poisson-isolated.ts";
import type { PoissonSettings } from "./poisson-solver.ts";
import { coarseSpectrum, fineSpectrum, type SplitMesh } from "./split-kernels.ts";
import { coarseCells, SPLIT, splitPeriod } from "./split-mesh.ts";

const FLOAT_BYTES = 4;

/** Another kernel for the fine mesh, and the coarse potential where a solution for the same mass has it already. */
interface OtherParts {
  fine?: (h: number) => Generator<void, Float64Array>;
  coarse?: GPUBuffer | undefined;
}

/**
 * Passes from field and high [mass units] to the potential in field [velocity²], and the coarse potential that they leave; kernels are
 * built without blocking.
 */
export async function splitPasses(
  gpu: GpuContext,
  kernels: LineKernels,
  mesh: MeshBuffers,
  settings: PoissonSettings & SplitMesh,
  { fine = (h) => fineSpectrum(settings, h), coarse: known }: OtherParts = {},
): Promise<{ passes: Pass[]; coarse: GPUBuffer }> {
  const { cells } = mesh;
  const period = splitPeriod(cells);
  const h = settings.boxSize / cells;
  const padded = (spectrum: Float64Array, count: number, side: number): PaddedMesh => ({
    ...{ cells: count, period, length: period * side, spectrum },
    factor: (settings.G * settings.massUnit) / side ** 3,
  });
  const n = coarseCells(cells);
  const coarse = known ?? kernels.storage("coarse mass and potential", FLOAT_BYTES * n ** 3);
  const between = await BetweenMeshes.create(gpu, kernels, mesh, { coarse, by: SPLIT });
  const passes: Pass[] = [];
  if (!known) {
    const smooth = padded(await runYielding(coarseSpectrum(settings, h)), n, SPLIT.ratio * h);
    const scratch = kernels.bindable(lastOf(mesh.slabs).force);
    passes.push(...between.restriction(), ...(await coarsePasses(gpu, kernels, smooth, { coarse, scratch })));
  }
  const short = padded(await runYielding(fine(h)), cells, h);
  passes.push(...(await isolatedPasses(kernels, mesh, short)), ...between.prolongation());
  return { passes, coarse };
}

/** Coarse mass → coarse potential, in place. */
async function coarsePasses(
  gpu: GpuContext,
  kernels: LineKernels,
  padded: PaddedMesh,
  { coarse, scratch }: { coarse: GPUBuffer; scratch: BufferRange },
): Promise<Pass[]> {
  const { cells: n, period, length } = padded;
  const row = period / 2 + 1;
  const { binding, windows } = rangeLimits(gpu);
  const most = Math.min(Math.floor(binding / (COMPLEX_BYTES * n * row)), windows?.planes ?? n);
  const cuts = ranges(n, most).map(({ first, count: planes }) => ({ first, planes }));
  const slabs = storedSpectra(kernels, "coarse spectrum", cuts, { n, row });
  const wavenumbers = kernels.table("coarse wavenumbers", gradientFrequencies(period, length));
  const lines = { length: period / 2, rows: true, filled: n / 2 };
  const forward = await kernels.kernel("coarse poisson rows", "realForward", lines, [otherBuffer]);
  const inverse = await kernels.kernel("inverse coarse poisson rows", "realInverse", lines, [otherBuffer]);
  const spectrum = { n, period, slabs, scratch, wavenumbers };
  const inCoarse = (slab: SpectrumSlab) => slabRows(n, { ...slab, before: slab.first, row: n / 2 }).source;
  const convolved = await convolution(kernels, "coarse poisson", spectrum, paddedTransfer(kernels, padded));
  return [
    ...slabs.map((slab) => {
      const { source: target, ...rows } = slabRows(n, slab);
      return forward.on({ ...rows, source: inCoarse(slab), target }, coarse, slab.buffer);
    }),
    ...convolved,
    ...slabs.map((slab) => inverse.on({ ...slabRows(n, slab), target: inCoarse(slab) }, slab.buffer, coarse)),
  ];
}
