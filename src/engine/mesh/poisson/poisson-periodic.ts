/**
 * Periodic Poisson equation in five passes: rows forward in the mesh's own field (reading the deposited mass words), y
 * forward, z forward × Green's function × z inverse in one, y inverse, rows inverse. Between the passes along y the modes
 * lie in the room of the force, a block of modes kx at a time where the mesh lies in slabs. With the spectral gradient the
 * inverse half runs for φ̂ and, on two further meshes like it, for −ik_y φ̂ and −ik_z φ̂.
 */
import inPlace from "../../../../wgsl/engine/mesh/fft/fft-in-place.wgsl";
import green from "../../../../wgsl/engine/mesh/poisson/poisson-green.wgsl";
import massInPlace from "../../../../wgsl/engine/mesh/poisson/poisson-mass-in-place.wgsl";
import type { Pass } from "../../../foundation/gpu/batch.ts";
import type { BufferRange } from "../../../foundation/gpu/kernel.ts";
import type { LineKernels } from "../fft/fft-kernel.ts";
import { convolution, type SpectrumSlab, slabRows, storedSpectra } from "../fft/mode-blocks.ts";
import { FIELD_GHOSTS, type MeshBuffers } from "../field.ts";
import { spectralForceRows } from "../force/spectral-gradient.ts";
import { responseLength } from "../neutrino-force.ts";
import { gradientFrequencies, periodicGreens } from "./greens.ts";
import type { PoissonSettings } from "./poisson-solver.ts";

/** Low and high word of the mean number of mass units in a cell, to the nearest unit. */
export function meanWords(totalUnits: number, cells: number): [number, number] {
  const mean = BigInt(Math.round(totalUnits / cells ** 3));
  return [Number(mean & 0xffffffffn), Number(mean >> 32n)];
}

export async function periodicPasses(
  kernels: LineKernels,
  mesh: MeshBuffers,
  settings: PoissonSettings,
): Promise<{ passes: Pass[]; laplacian: GPUBuffer }> {
  const { cells: n, slabs } = mesh;
  const { boxSize, G, massUnit, neutrinos = false } = settings;
  const rows = { length: n / 2, rows: true };

  // φ̂ = −ρ̂ / Σ K with everything constant in the table: 4πG, mass units to density (massUnit/h³), 1/n³.
  const unit = (4 * Math.PI * G * massUnit) / boxSize ** 3;
  const K = periodicGreens(n, boxSize, settings.green).map((k) => k / unit);
  const factors = new Float64Array(neutrinos ? responseLength(n) : 0).fill(1);
  const laplacian = kernels.table("periodic Green's function", Float64Array.of(...K, ...factors));
  const wavenumbers = kernels.table("wavenumbers", gradientFrequencies(n, boxSize));
  const mean = kernels.uniform("mean mass", meanWords(settings.totalUnits ?? 0, n));
  const row = mesh.pitch / 2;
  const spectral = settings.gradient === "spectral";
  const [scratch, second] = scratchRooms(kernels, mesh, spectral);
  const gradient = spectral
    ? {
        alongY: storedSpectra(kernels, "acceleration along y", slabs, { n, row }),
        alongZ: storedSpectra(kernels, "acceleration along z", slabs, { n, row }),
        scratch: second,
      }
    : undefined;
  await kernels.settle();

  const potential: SpectrumSlab[] = slabs.map(({ field, first, planes, cut }) => {
    return { buffer: field, first, planes, before: cut ? FIELD_GHOSTS : 0, row };
  });
  const rowsForward = await kernels.kernel("poisson rows", "realForward", rows, [massInPlace], { CELLS: n });
  const rowsInverse = await kernels.kernel("inverse poisson rows", "realInverse", rows, [inPlace]);
  const spectrum = { n, period: n, slabs: potential, scratch, wavenumbers, gradient };
  const transfer = { wgsl: green, constants: { NEUTRINOS: neutrinos }, table: () => laplacian };
  const passes = [
    ...potential.map((slab, s) => rowsForward.on(slabRows(n, slab), slab.buffer, slabs[s].high, mean)),
    ...(await convolution(kernels, "poisson", spectrum, transfer)),
    ...(gradient ? await spectralForceRows(kernels, mesh, { rows, potential, ...gradient, wavenumbers }) : []),
    ...potential.map((slab) => rowsInverse.on(slabRows(n, slab), slab.buffer)),
  ];
  return { passes, laplacian };
}

/** Room for a block, and where that is wanted for a second: the force of two slabs, or halves of the only one's. */
function scratchRooms(kernels: LineKernels, { slabs }: MeshBuffers, two: boolean): BufferRange[] {
  const [first, last] = [slabs[0].force, slabs[slabs.length - 1].force].map((force) => kernels.bindable(force));
  if (slabs.length > 1 || !two) return [last, first];
  const half = first.size - (first.size % 512);
  return [0, 1].map((k) => ({ buffer: first.buffer, offset: (k * half) / 2, size: half / 2 }));
}
