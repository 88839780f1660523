/**
 * Open boundaries: convolution with the open-space Green's function on a padded mesh (HE88 sect. 6-5-4; Vico,
 * Greengard & Ferrando 2016), pruned by axis so that padding is never stored. Of n cells in a period of p points, p = 2n but
 * for the parts of a split solution (split-kernels.ts):
 *   rows      n mass words → p/2 + 1 modes                             spectrum [n][n][p/2+1]
 *   block by block of modes kx:
 *     y       n → p                                                    block [n][p][modes]
 *     z       n → p → × Ĝ → n, in one pass
 *     y       p → n
 *   rows      p/2 + 1 modes → n potentials
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
import type { BufferSlice } from "../gpu/kernel.ts";
import type { LineKernels, LineSet } from "./fft-kernel.ts";
import { COMPLEX_BYTES } from "./fft-plan.ts";
import { FIELD_GHOSTS, type MeshBuffers, type MeshSlab } from "./field.ts";
import { gradientFrequencies } from "./greens.ts";
import { blockPasses, type ModeBlock, modeBlocks, type SpectrumSlab, slabRows } from "./mode-blocks.ts";
import { forceRows } from "./spectral-gradient.ts";

/** A mesh of `cells` in a periodic one of `period`. */
export interface PaddedMesh {
  cells: number;
  period: number;
  /** Side of the periodic mesh [length]. */
  length: number;
  /** From mass units to potential, Ĝ·G·massUnit/h³, by mode: [(period/2 + 1)³]. */
  spectrum: Float64Array;
  factor: number;
}

/** The blocks of the period/2 + 1 modes for which so many bytes have room. */
export function isolatedBlocks(n: number, bytes: number, period = 2 * n): ModeBlock[] {
  return modeBlocks({ n, points: period, modes: period / 2 + 1, room: bytes });
}

/** The last slab is the smallest. */
export function lastOf(slabs: readonly MeshSlab[]): MeshSlab {
  return slabs[slabs.length - 1];
}

/** The transfer function by blocks of modes, [period/2+1][period/2+1][modes], rounded to float32. */
function octants(kernels: LineKernels, blocks: readonly ModeBlock[], padded: PaddedMesh): GPUBuffer[] {
  const { period, spectrum, factor } = padded;
  const side = period / 2 + 1;
  return blocks.map(({ first, count }) => {
    const values = new Float32Array(side ** 2 * count);
    for (let row = 0; row < side ** 2; row++) {
      const from = row * side + first;
      for (let kx = 0; kx < count; kx++) values[row * count + kx] = factor * spectrum[from + kx];
    }
    return kernels.table("isolated kernel", values, "mesh");
  });
}

/** Where the spectra and blocks of a padded mesh lie. */
interface Rooms {
  slabs: readonly SpectrumSlab[];
  scratch: BufferSlice;
  blocks: readonly ModeBlock[];
  /** gradientFrequencies of the period. */
  wavenumbers: GPUBuffer;
  /** For the spectral gradient: room for −∂φ/∂y and −∂φ/∂z, and for a second block. */
  gradient?: { alongY: readonly SpectrumSlab[]; alongZ: readonly SpectrumSlab[]; scratch: BufferSlice };
}

/** Half-transformed rows × Ĝ: along y and z, a block of modes at a time. */
export async function convolution(
  kernels: LineKernels,
  label: string,
  padded: PaddedMesh,
  { slabs, scratch, blocks, wavenumbers, gradient }: Rooms,
): Promise<Pass[]> {
  const { cells, period } = padded;
  const octant = octants(kernels, blocks, padded);
  await kernels.settle();
  const lines = { length: period, rows: false, filled: cells };
  const constants = { PERIOD: period, TABLE: 3, DERIVATIVE: false };
  const z = await kernels.kernel(`${label} z`, "convolve", lines, [inPlace, kernelSpectrum], constants);
  const derivatives = gradient && {
    z: await kernels.kernel(`${label} z, derivative`, "convolve", lines, [between, kernelSpectrum], {
      ...{ ...constants, TABLE: 4, DERIVATIVE: true },
    }),
    y: await kernels.kernel(`inverse ${label} y, derivative`, "inverse", lines, [derivative]),
  };
  return blockPasses(blocks, {
    ...{ slabs, scratch },
    forward: await kernels.kernel(`${label} y`, "forward", lines, [between]),
    inverse: await kernels.kernel(`inverse ${label} y`, "inverse", lines, [between]),
    convolve: ({ alongZ }, block) => z.on(alongZ, scratch, octant[block], wavenumbers),
    ...(gradient &&
      derivatives && {
        gradient: {
          ...{ ...gradient, wavenumbers, inverse: derivatives.y },
          convolve: ({ alongZ }, block) =>
            derivatives.z.on(alongZ, scratch, gradient.scratch, octant[block], wavenumbers),
        },
      }),
  });
}

/**
 * From deposited mass, less words of a mean, to the potential of a padded mesh, or with the spectral gradient to the force as well.
 * A period of `cells` is a periodic mesh.
 */
export async function isolatedPasses(
  kernels: LineKernels,
  mesh: MeshBuffers,
  padded: PaddedMesh,
  { spectralGradient = false, mean = [0, 0] }: { spectralGradient?: boolean; mean?: readonly [number, number] } = {},
): Promise<Pass[]> {
  const { cells: n, slabs } = mesh;
  const { period } = padded;
  const own = spectralGradient
    ? {
        spectrum: spectrumSlabs(mesh, period, (bytes) => kernels.storage("spectrum", bytes)),
        alongY: spectrumSlabs(mesh, period, (bytes) => kernels.storage("acceleration along y", bytes)),
        alongZ: spectrumSlabs(mesh, period, (bytes) => kernels.storage("acceleration along z", bytes)),
      }
    : undefined;
  const spectrum = own?.spectrum ?? spectrumSlabs(mesh, period, (_, { force }) => kernels.bindable(force));
  await kernels.settle();
  const subtracted = kernels.uniform("mean mass", mean);
  const rows = { length: period / 2, rows: true, filled: n / 2 };
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
  const rowsInverse = await kernels.kernel("inverse isolated poisson rows", "realInverse", rows, [between]);
  const wavenumbers = kernels.table("wavenumbers", gradientFrequencies(period, padded.length));
  const { field: scratch, force } = lastOf(slabs);
  const rooms = {
    ...{ slabs: spectrum, scratch, blocks: isolatedBlocks(n, scratch.size, period), wavenumbers },
    ...(own && { gradient: { ...own, scratch: kernels.bindable(force) } }),
  };
  return [
    ...slabs.map(({ field, high }, s) => rowsForward.on(toSpectrum[s], field, high, subtracted, spectrum[s].buffer)),
    ...(await convolution(kernels, "isolated poisson", padded, rooms)),
    ...(own ? await forceRows(kernels, mesh, { rows, wavenumbers, potential: spectrum, ...own }) : []),
    ...slabs.map(({ field }, s) => rowsInverse.on(fromSpectrum[s], spectrum[s].buffer, field)),
  ];
}

/** Spectra [planes][n][period/2+1] of the slabs, in buffers of so many bytes. */
function spectrumSlabs(
  { slabs, cells }: MeshBuffers,
  period: number,
  bufferOf: (bytes: number, slab: MeshSlab) => SpectrumSlab["buffer"],
): SpectrumSlab[] {
  const modes = period / 2 + 1;
  return slabs.map((slab) => {
    const { first, planes } = slab;
    const buffer = bufferOf(COMPLEX_BYTES * planes * cells * modes, slab);
    return { buffer, first, planes, before: 0, row: modes };
  });
}
