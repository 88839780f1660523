/**
 * Open boundaries: convolution with the open-space Green's function on the doubled mesh (HE88 sect. 6-5-4; Vico,
 * Greengard & Ferrando 2016), pruned by axis so that padding is never stored.
 *   rows      n mass words → n + 1 modes                               spectrum [n][n][n+1]
 *   slab by slab of modes kx:
 *     y       n → 2n                                                   slab [n][2n][modes]
 *     z       n → 2n → × Ĝ → n, in one pass
 *     y       2n → n
 *   rows      n + 1 modes → n potentials
 * The spectrum (8 bytes a cell) lies in the force mesh, which is not yet in use, and a slab in the field, whose mass the
 * rows have taken and whose potential comes last: only the octant of Ĝ is new memory. With the spectral gradient the
 * force is output: three spectra and a second slab are its own.
 */
import between from "../../wgsl/mesh/fft-between.wgsl";
import derivative from "../../wgsl/mesh/fft-derivative.wgsl";
import inPlace from "../../wgsl/mesh/fft-in-place.wgsl";
import kernelSpectrum from "../../wgsl/mesh/poisson-kernel.wgsl";
import massBetween from "../../wgsl/mesh/poisson-mass-between.wgsl";
import type { Pass } from "../gpu/batch.ts";
import type { LineKernels, LineSet } from "./fft-kernel.ts";
import { COMPLEX_BYTES } from "./fft-plan.ts";
import { FIELD_BYTES, fieldPitch, type MeshBuffers } from "./field.ts";
import { gradientFrequencies } from "./greens.ts";
import type { PoissonSettings } from "./poisson-fft.ts";
import { forceRows } from "./spectral-gradient.ts";

/** Modes of a slab [n][2n][modes] when the n + 1 are cut into as few equal ones as the field has room for. */
export function slabModes(n: number): number {
  const most = Math.floor((FIELD_BYTES * fieldPitch(n) * n * n) / (COMPLEX_BYTES * 2 * n * n));
  return Math.ceil((n + 1) / Math.ceil((n + 1) / most));
}

/** octant: [(n+1)³] Ĝ, float64, from isolatedKernelSpectrum. */
export async function isolatedPasses(
  kernels: LineKernels,
  mesh: MeshBuffers,
  settings: PoissonSettings,
  octantBuffer: GPUBuffer,
): Promise<Pass[]> {
  const n = mesh.cells;
  const spectral = settings.spectralGradient;
  const modes = slabModes(n);
  const spectrumBytes = COMPLEX_BYTES * n * n * (n + 1);
  const slab = mesh.field; // [n][2n][modes] complex
  const own = spectral
    ? {
        spectrum: kernels.storage("spectrum", spectrumBytes),
        alongY: kernels.storage("acceleration along y", spectrumBytes),
        alongZ: kernels.storage("acceleration along z", spectrumBytes),
      }
    : undefined;
  const spectrum = own?.spectrum ?? mesh.force; // [n][n][n+1] complex
  await kernels.settle();
  const wavenumbers = kernels.table("wavenumbers", gradientFrequencies(2 * n, 2 * settings.boxSize));
  const none = kernels.uniform("no mean mass", [0, 0]);

  const strided = { length: 2 * n, rows: false, padded: true };
  const rows = { length: n, rows: true, padded: true };
  const fieldRows = { run: mesh.pitch / 2, stride: 1 };
  const spectrumRows = { run: n + 1, stride: 1 };
  const toSpectrum: LineSet = { count: n * n, lanes: 1, source: fieldRows, target: spectrumRows };
  const fromSpectrum: LineSet = { count: n * n, lanes: 1, source: spectrumRows, target: fieldRows };

  const rowsForward = await kernels.kernel("isolated poisson rows", "realForward", rows, [massBetween], { CELLS: n });
  const yForward = await kernels.kernel("isolated poisson y", "forward", strided, [between]);
  const zPotential = await kernels.kernel("isolated poisson z", "convolve", strided, [inPlace, kernelSpectrum], {
    CELLS: n,
    TABLE: 3,
    DERIVATIVE: false,
  });
  const yInverse = await kernels.kernel("inverse isolated poisson y", "inverse", strided, [between]);
  const rowsInverse = await kernels.kernel("inverse isolated poisson rows", "realInverse", rows, [between]);
  const extra = own
    ? {
        alongY: own.alongY,
        alongZ: own.alongZ,
        slab: mesh.force,
        z: await kernels.kernel("isolated poisson z, derivative", "convolve", strided, [between, kernelSpectrum], {
          CELLS: n,
          TABLE: 4,
          DERIVATIVE: true,
        }),
        y: await kernels.kernel("inverse isolated poisson y, derivative", "inverse", strided, [derivative]),
      }
    : null;

  const passes: Pass[] = [rowsForward.on(toSpectrum, mesh.field, mesh.high, none, spectrum)];
  for (let first = 0; first < n + 1; first += modes) {
    const lanes = Math.min(modes, n + 1 - first);
    const inSpectrum = { start: first, run: n * (n + 1), stride: n + 1 };
    const inSlab = { run: 2 * n * modes, stride: modes };
    const toSlab: LineSet = { count: lanes * n, lanes, source: inSpectrum, target: inSlab };
    const fromSlab: LineSet = { count: lanes * n, lanes, source: inSlab, target: inSpectrum };
    const alongZ: LineSet = {
      count: lanes * 2 * n,
      lanes,
      firstMode: first,
      source: { run: modes, stride: 2 * n * modes },
    };
    passes.push(yForward.on(toSlab, spectrum, slab));
    if (extra) passes.push(extra.z.on(alongZ, slab, extra.slab, octantBuffer, wavenumbers));
    passes.push(zPotential.on(alongZ, slab, octantBuffer, wavenumbers));
    if (extra) {
      passes.push(extra.y.on(fromSlab, slab, extra.alongY, wavenumbers));
      passes.push(yInverse.on(fromSlab, extra.slab, extra.alongZ));
    }
    passes.push(yInverse.on(fromSlab, slab, spectrum));
  }
  if (extra) {
    const { alongY, alongZ } = extra;
    const force = { rows, lines: fromSpectrum, potential: spectrum, alongY, alongZ, wavenumbers };
    passes.push(...(await forceRows(kernels, mesh, force)));
  }
  passes.push(rowsInverse.on(fromSpectrum, spectrum, mesh.field));
  return passes;
}
