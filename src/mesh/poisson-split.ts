/**
 * The isolated solution from two meshes, mesh.kernel = "split" (split-kernels.ts has the method):
 *   mass words → restricted along x, y, z → coarse mass → convolved on its padded mesh → coarse potential
 *   mass words → convolved on the periodic mesh of box and margin → potential, to which the coarse one is prolonged
 * Restriction, prolongation and blocks of modes have their scratch in the force mesh, which is not yet in use; the coarse mesh and
 * its spectrum are new memory.
 */
import between from "../../wgsl/mesh/fft-between.wgsl";
import prolongWgsl from "../../wgsl/mesh/split-prolong.wgsl";
import restrictWgsl from "../../wgsl/mesh/split-restrict.wgsl";
import restrictRowsWgsl from "../../wgsl/mesh/split-restrict-rows.wgsl";
import { type Pass, workgroups } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BufferRange, BufferSlice, Kernel } from "../gpu/kernel.ts";
import { rangeLimits, ranges } from "../gpu/windows.ts";
import type { LineKernels } from "./fft-kernel.ts";
import { COMPLEX_BYTES } from "./fft-plan.ts";
import { FIELD_GHOSTS, type MeshBuffers, type MeshSlab } from "./field.ts";
import { gradientFrequencies, inTurns } from "./greens.ts";
import { type SpectrumSlab, slabRows } from "./mode-blocks.ts";
import { convolution, isolatedBlocks, isolatedPasses, lastOf, type PaddedMesh } from "./poisson-isolated.ts";
import type { PoissonSettings } from "./poisson-solver.ts";
import { type SplitMesh, splitSpectra } from "./split-kernels.ts";
import { coarseCells, SPLIT_RATIO, splitPeriod } from "./split-mesh.ts";

const GROUP = 64;
const FLOAT_BYTES = 4;
/** Parts of a buffer begin at multiples of so many bytes. */
const OFFSET_STEP = 256;

/** Passes from field and high [mass units] to the potential in field [velocity²]; builds the kernels without blocking. */
export async function splitPasses(
  gpu: GpuContext,
  kernels: LineKernels,
  mesh: MeshBuffers,
  settings: PoissonSettings & SplitMesh,
): Promise<Pass[]> {
  const { cells } = mesh;
  const period = splitPeriod(cells);
  const h = settings.boxSize / cells;
  const spectra = await inTurns(splitSpectra(settings, h));
  const padded = (spectrum: Float64Array, count: number, side: number): PaddedMesh => ({
    ...{ cells: count, period, length: period * side, spectrum },
    factor: (settings.G * settings.massUnit) / side ** 3,
  });
  const n = coarseCells(cells);
  const coarse = kernels.storage("coarse mass and potential", FLOAT_BYTES * n ** 3);
  const smooth = padded(spectra.coarse, n, SPLIT_RATIO * h);
  return [
    ...(await restriction(gpu, kernels, mesh, coarse)),
    ...(await coarsePasses(gpu, kernels, smooth, { coarse, scratch: kernels.bindable(lastOf(mesh.slabs).force) })),
    ...(await isolatedPasses(kernels, mesh, padded(spectra.fine, cells, h), false)),
    ...(await prolongation(gpu, kernels, mesh, coarse)),
  ];
}

/** Restriction and prolongation of a mesh: the axes of a slab, and its results after a pass along x and along y, in its force mesh. */
function passesBetween(gpu: GpuContext, kernels: LineKernels, { cells, pitch }: MeshBuffers, coarsePoints: number) {
  const n = coarseCells(cells);
  const run = gpu.adapter.software ? coarsePoints : 1; // an axis on processors, one on GPUs, where neighbours read together
  const bound = (kernel: Kernel, runs: number, ...buffers: BufferSlice[]): Pass => {
    return { kernel: kernel.bind(...buffers), groups: workgroups(runs, GROUP) };
  };
  const ofSlab = ({ force, first, planes, cut }: MeshSlab) => {
    const rows = planes * cells;
    const alongX: BufferRange = { buffer: force, offset: 0, size: FLOAT_BYTES * rows * n };
    const offset = OFFSET_STEP * Math.ceil(alongX.size / OFFSET_STEP);
    return {
      ...{ rows, planes, alongX },
      alongY: { buffer: force, offset, size: FLOAT_BYTES * planes * n ** 2 },
      x: kernels.uniform("along x", [rows, 1, 0, cells, cut ? FIELD_GHOSTS * cells * pitch : 0, pitch]),
      y: kernels.uniform("along y", [planes, n, 0, cells, 0, cells]),
      z: kernels.uniform("along z", [1, n ** 2, first, planes, 0, planes]),
    };
  };
  return {
    n,
    constants: { CELLS: cells, COARSE: n, RUN: run },
    runs: (count: number) => Math.ceil(count / run),
    bound,
    ofSlab,
  };
}

/** Mass words of every slab → [coarse³] mass: along x and y slab by slab, along z a slab's share after another's. */
async function restriction(
  gpu: GpuContext,
  kernels: LineKernels,
  mesh: MeshBuffers,
  coarse: GPUBuffer,
): Promise<Pass[]> {
  const { n, constants, runs, bound, ofSlab } = passesBetween(gpu, kernels, mesh, coarseCells(mesh.cells));
  const [first, next] = await Promise.all([
    gpu.kernel({ label: "restrict rows", sources: [restrictRowsWgsl], entry: "restrictRows", constants }),
    gpu.kernel({ label: "restrict", sources: [restrictWgsl], entry: "restrictAxis", constants }),
  ]);
  const mean = kernels.uniform("no mean mass", [0, 0]);
  return mesh.slabs.flatMap((slab) => {
    const { rows, planes, alongX, alongY, x, y, z } = ofSlab(slab);
    return [
      bound(first, rows * runs(n), slab.field, slab.high, alongX, x, mean),
      bound(next, planes * n * runs(n), alongX, alongY, y),
      bound(next, n ** 2 * runs(n), alongY, coarse, z),
    ];
  });
}

/** Coarse mass → coarse potential, in place. */
async function coarsePasses(
  gpu: GpuContext,
  kernels: LineKernels,
  padded: PaddedMesh,
  { coarse, scratch }: { coarse: GPUBuffer; scratch: BufferRange },
): Promise<Pass[]> {
  const { cells: n, period, length } = padded;
  const modes = period / 2 + 1;
  const { binding, windows } = rangeLimits(gpu);
  const plane = COMPLEX_BYTES * n * modes;
  const most = Math.min(Math.floor(binding / plane), windows?.planes ?? n);
  const slabs = ranges(n, most).map(({ first, count: planes }): SpectrumSlab => {
    const buffer = kernels.storage("coarse spectrum", plane * planes);
    return { buffer, first, planes, before: 0, row: modes };
  });
  const wavenumbers = kernels.table("coarse wavenumbers", gradientFrequencies(period, length));
  const lines = { length: period / 2, rows: true, filled: n / 2 };
  const forward = await kernels.kernel("coarse poisson rows", "realForward", lines, [between]);
  const inverse = await kernels.kernel("inverse coarse poisson rows", "realInverse", lines, [between]);
  const rooms = { slabs, scratch, blocks: isolatedBlocks(n, scratch.size, period), wavenumbers };
  const inCoarse = ({ first, planes }: SpectrumSlab) => ({
    ...slabRows(n, { planes, before: 0, row: n / 2 }).source,
    start: (first * n * n) / 2,
  });
  const convolved = await convolution(kernels, "coarse poisson", padded, rooms);
  return [
    ...slabs.map((slab) => {
      const { source: target, ...rows } = slabRows(n, slab);
      return forward.on({ ...rows, source: inCoarse(slab), target }, coarse, slab.buffer);
    }),
    ...convolved,
    ...slabs.map((slab) => inverse.on({ ...slabRows(n, slab), target: inCoarse(slab) }, slab.buffer, coarse)),
  ];
}

/** Coarse potential, added to the cells' own. */
async function prolongation(
  gpu: GpuContext,
  kernels: LineKernels,
  mesh: MeshBuffers,
  coarse: GPUBuffer,
): Promise<Pass[]> {
  const pairs = mesh.cells / 2;
  const { n, constants, runs, bound, ofSlab } = passesBetween(gpu, kernels, mesh, pairs);
  const [next, last] = await Promise.all(
    [false, true].map((ADDS) =>
      gpu.kernel({
        ...{ label: "prolong", sources: [prolongWgsl], entry: "prolongAxis", constants: { ...constants, ADDS } },
      }),
    ),
  );
  return mesh.slabs.flatMap((slab) => {
    const { rows, planes, alongX, alongY, x, y, z } = ofSlab(slab);
    return [
      bound(next, n ** 2 * runs(planes / 2), coarse, alongY, z),
      bound(next, planes * n * runs(pairs), alongY, alongX, y),
      bound(last, rows * runs(pairs), alongX, slab.field, x),
    ];
  });
}
