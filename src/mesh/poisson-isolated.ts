/**
 * Open boundaries: convolution with the open-space Green's function on the doubled mesh (HE88 sect. 6-5-4; Vico,
 * Greengard & Ferrando 2016), pruned by axis so that padding is never stored.
 *   rows      n mass words → n + 1 modes                               spectrum [n][n][n+1]
 *   block by block of modes kx:
 *     y       n → 2n                                                   block [n][2n][modes]
 *     z       n → 2n → × Ĝ → n, in one pass
 *     y       2n → n
 *   rows      n + 1 modes → n potentials
 * The spectrum (8 bytes a cell) lies in the force mesh, which is not yet in use, and a block in the field, whose mass the
 * rows have taken and whose potential comes last: only the octant of Ĝ is new memory, cut into the same blocks. With the
 * spectral gradient the force is output: three spectra and a second block are its own. Of a mesh in slabs each has its
 * part of the spectrum, and the last one's field holds the block.
 */
import between from "../../wgsl/mesh/fft-between.wgsl";
import derivative from "../../wgsl/mesh/fft-derivative.wgsl";
import inPlace from "../../wgsl/mesh/fft-in-place.wgsl";
import kernelSpectrum from "../../wgsl/mesh/poisson-kernel.wgsl";
import massBetween from "../../wgsl/mesh/poisson-mass-between.wgsl";
import type { Pass } from "../gpu/batch.ts";
import type { LineKernels, LineSet } from "./fft-kernel.ts";
import { COMPLEX_BYTES } from "./fft-plan.ts";
import { FIELD_GHOSTS, type MeshBuffers, type MeshSlab } from "./field.ts";
import { gradientFrequencies } from "./greens.ts";
import { blockPasses, type ModeBlock, modeBlocks, type SpectrumSlab, slabRows } from "./mode-blocks.ts";
import type { PoissonSettings } from "./poisson-solver.ts";
import { forceRows } from "./spectral-gradient.ts";

/** The blocks of the n + 1 modes for which a field of so many bytes has room. */
export function isolatedBlocks(n: number, fieldBytes: number): ModeBlock[] {
  return modeBlocks({ n, points: 2 * n, modes: n + 1, room: fieldBytes });
}

/** The blocks of a mesh. */
export function blocksOfMesh({ cells, slabs }: MeshBuffers): ModeBlock[] {
  return isolatedBlocks(cells, lastOf(slabs).field.size);
}

/** The last slab is the smallest. */
function lastOf(slabs: readonly MeshSlab[]): MeshSlab {
  return slabs[slabs.length - 1];
}

/** octant: Ĝ of the mesh's blocks, [n+1][n+1][modes] f32. */
export async function isolatedPasses(
  kernels: LineKernels,
  mesh: MeshBuffers,
  settings: PoissonSettings,
  octant: readonly GPUBuffer[],
): Promise<Pass[]> {
  const { cells: n, slabs } = mesh;
  const own = settings.spectralGradient
    ? {
        spectrum: spectrumSlabs(mesh, (bytes) => kernels.storage("spectrum", bytes)),
        alongY: spectrumSlabs(mesh, (bytes) => kernels.storage("acceleration along y", bytes)),
        alongZ: spectrumSlabs(mesh, (bytes) => kernels.storage("acceleration along z", bytes)),
      }
    : undefined;
  const spectrum = own?.spectrum ?? spectrumSlabs(mesh, (_, { force }) => kernels.bindable(force));
  await kernels.settle();
  const wavenumbers = kernels.table("wavenumbers", gradientFrequencies(2 * n, 2 * settings.boxSize));
  const none = kernels.uniform("no mean mass", [0, 0]);

  const strided = { length: 2 * n, rows: false, padded: true };
  const rows = { length: n, rows: true, padded: true };
  const inField = (slab: MeshSlab) => {
    const { planes, cut } = slab;
    return slabRows(n, { planes, before: cut ? FIELD_GHOSTS : 0, row: mesh.pitch / 2 }).source;
  };
  const toSpectrum = slabs.map((slab, s): LineSet => {
    const { source: target, ...lines } = slabRows(n, spectrum[s]);
    return { ...lines, source: inField(slab), target };
  });
  const fromSpectrum = slabs.map((slab, s): LineSet => ({ ...slabRows(n, spectrum[s]), target: inField(slab) }));

  const rowsForward = await kernels.kernel("isolated poisson rows", "realForward", rows, [massBetween], { CELLS: n });
  const zPotential = await kernels.kernel("isolated poisson z", "convolve", strided, [inPlace, kernelSpectrum], {
    CELLS: n,
    TABLE: 3,
    DERIVATIVE: false,
  });
  const rowsInverse = await kernels.kernel("inverse isolated poisson rows", "realInverse", rows, [between]);
  const derivatives = own && {
    z: await kernels.kernel("isolated poisson z, derivative", "convolve", strided, [between, kernelSpectrum], {
      CELLS: n,
      TABLE: 4,
      DERIVATIVE: true,
    }),
    y: await kernels.kernel("inverse isolated poisson y, derivative", "inverse", strided, [derivative]),
  };
  const { field: scratch, force } = lastOf(slabs);
  const other = kernels.bindable(force);
  return [
    ...slabs.map(({ field, high }, s) => rowsForward.on(toSpectrum[s], field, high, none, spectrum[s].buffer)),
    ...blockPasses(blocksOfMesh(mesh), {
      ...{ slabs: spectrum, scratch },
      forward: await kernels.kernel("isolated poisson y", "forward", strided, [between]),
      inverse: await kernels.kernel("inverse isolated poisson y", "inverse", strided, [between]),
      convolve: ({ alongZ }, block) => zPotential.on(alongZ, scratch, octant[block], wavenumbers),
      ...(own &&
        derivatives && {
          gradient: {
            ...{ alongY: own.alongY, alongZ: own.alongZ, scratch: other, wavenumbers, inverse: derivatives.y },
            convolve: ({ alongZ }, block) => derivatives.z.on(alongZ, scratch, other, octant[block], wavenumbers),
          },
        }),
    }),
    ...(own
      ? await forceRows(kernels, mesh, {
          ...{ rows, wavenumbers, potential: spectrum, alongY: own.alongY, alongZ: own.alongZ },
        })
      : []),
    ...slabs.map(({ field }, s) => rowsInverse.on(fromSpectrum[s], spectrum[s].buffer, field)),
  ];
}

/** Spectra [planes][n][n+1] of the slabs, in buffers of so many bytes. */
function spectrumSlabs(
  { slabs, cells }: MeshBuffers,
  bufferOf: (bytes: number, slab: MeshSlab) => SpectrumSlab["buffer"],
): SpectrumSlab[] {
  return slabs.map((slab) => {
    const { first, planes } = slab;
    const buffer = bufferOf(COMPLEX_BYTES * planes * cells * (cells + 1), slab);
    return { buffer, first, planes, before: 0, row: cells + 1 };
  });
}
