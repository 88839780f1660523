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
import between from "../../../../wgsl/engine/mesh/fft/fft-between.wgsl";
import kernelSpectrum from "../../../../wgsl/engine/mesh/poisson/poisson-kernel.wgsl";
import massBetween from "../../../../wgsl/engine/mesh/poisson/poisson-mass-between.wgsl";
import type { Pass } from "../../../foundation/gpu/batch.ts";
import type { LineKernels, LineSet } from "../fft/fft-kernel.ts";
import { convolution, type SpectrumSlab, slabRows, storedSpectra, type Transfer } from "../fft/mode-blocks.ts";
import { FIELD_GHOSTS, type MeshBuffers, type MeshSlab } from "../field.ts";
import { spectralForceRows } from "../force/spectral-gradient.ts";
import { gradientFrequencies } from "./greens.ts";

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

/** The last slab is the smallest. */
export function lastOf(slabs: readonly MeshSlab[]): MeshSlab {
  return slabs[slabs.length - 1];
}

/** A padded mesh's transfer function by blocks of modes, [period/2+1][period/2+1][modes], rounded to float32. */
export function paddedTransfer(kernels: LineKernels, { period, spectrum, factor }: PaddedMesh): Transfer {
  const side = period / 2 + 1;
  const table: Transfer["table"] = ({ first, count }) => {
    const values = new Float32Array(side ** 2 * count);
    for (let row = 0; row < side ** 2; row++) {
      const from = row * side + first;
      for (let kx = 0; kx < count; kx++) values[row * count + kx] = factor * spectrum[from + kx];
    }
    return kernels.table("isolated kernel", values, "mesh");
  };
  return { wgsl: kernelSpectrum, constants: { PERIOD: period }, table };
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
  const { cells: n, slabs, read } = mesh;
  const { period } = padded;
  const row = period / 2 + 1;
  const { field: scratch, force } = lastOf(slabs);
  const stored = (label: string) => storedSpectra(kernels, label, slabs, { n, row });
  const gradient = spectralGradient
    ? {
        alongY: stored("acceleration along y"),
        alongZ: stored("acceleration along z"),
        scratch: kernels.bindable(force),
      }
    : undefined;
  const inField = slabs.map(({ first, planes, cut }) => {
    return { first, planes, before: cut ? FIELD_GHOSTS : 0, row: mesh.pitch / 2 };
  });
  const spectrum = gradient
    ? stored("spectrum")
    : slabs.map(({ first, planes, force }): SpectrumSlab => {
        return { buffer: kernels.bindable(force), first, planes, before: 0, row };
      });
  await kernels.settle();
  const subtracted = kernels.uniform("mean mass", mean);
  const rows = { length: period / 2, rows: true, filled: n / 2 };
  const toSpectrum = spectrum.map((slab, s): LineSet => {
    return { ...slabRows(n, inField[s]), target: slabRows(n, slab).source };
  });
  const fromSpectrum = spectrum.map((slab, s): LineSet => {
    return { ...slabRows(n, slab, read), target: slabRows(n, inField[s], read).source };
  });
  const rowsForward = await kernels.kernel("isolated poisson rows", "realForward", rows, [massBetween], { CELLS: n });
  const rowsInverse = await kernels.kernel("inverse isolated poisson rows", "realInverse", rows, [between]);
  const wavenumbers = kernels.table("wavenumbers", gradientFrequencies(period, padded.length));
  const half = { n, period, slabs: spectrum, scratch, wavenumbers, gradient, read };
  return [
    ...slabs.map(({ field, high }, s) => rowsForward.on(toSpectrum[s], field, high, subtracted, spectrum[s].buffer)),
    ...(await convolution(kernels, "isolated poisson", half, paddedTransfer(kernels, padded))),
    ...(gradient
      ? await spectralForceRows(kernels, mesh, { rows, wavenumbers, potential: spectrum, ...gradient })
      : []),
    ...slabs.map(({ field }, s) => rowsInverse.on(fromSpectrum[s], spectrum[s].buffer, field)),
  ];
}
