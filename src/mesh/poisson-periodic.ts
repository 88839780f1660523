/**
 * Periodic Poisson equation in five passes over the mesh's own field: rows forward (reading the deposited mass words),
 * y forward, z forward × Green's function × z inverse in one, y inverse, rows inverse. With the spectral gradient the
 * inverse half runs for φ̂ and, on two further meshes like it, for −ik_y φ̂ and −ik_z φ̂.
 */
import between from "../../wgsl/mesh/fft-between.wgsl";
import derivative from "../../wgsl/mesh/fft-derivative.wgsl";
import inPlace from "../../wgsl/mesh/fft-in-place.wgsl";
import green from "../../wgsl/mesh/poisson-green.wgsl";
import massInPlace from "../../wgsl/mesh/poisson-mass-in-place.wgsl";
import type { Pass } from "../gpu/batch.ts";
import { meshLines, paddedMeshBytes } from "./fft.ts";
import type { LineKernels } from "./fft-kernel.ts";
import type { MeshBuffers } from "./field.ts";
import { gradientFrequencies, periodicGreens } from "./greens.ts";
import type { PoissonSettings } from "./poisson-fft.ts";
import { forceRows } from "./spectral-gradient.ts";

/** Low and high word of the mean number of mass units in a cell, to the nearest unit. */
export function meanWords(totalUnits: number, cells: number): [number, number] {
  const mean = BigInt(Math.round(totalUnits / cells ** 3));
  return [Number(mean & 0xffffffffn), Number(mean >> 32n)];
}

export async function periodicPasses(
  kernels: LineKernels,
  mesh: MeshBuffers,
  settings: PoissonSettings,
): Promise<Pass[]> {
  const { cells: n, field } = mesh;
  const { boxSize, G, massUnit } = settings;
  const { x, y, z } = meshLines(n, mesh.pitch);
  const strided = { length: n, rows: false };
  const rows = { length: n / 2, rows: true };

  // φ̂ = −ρ̂ / Σ K with everything constant in the table: 4πG, mass units to density (massUnit/h³), 1/n³.
  const unit = (4 * Math.PI * G * massUnit) / boxSize ** 3;
  const laplacian = kernels.table(
    "periodic Green's function",
    periodicGreens(n, boxSize, settings.green).map((k) => k / unit),
  );
  const wavenumbers = kernels.table("wavenumbers", gradientFrequencies(n, boxSize));
  const mean = kernels.uniform("mean mass", meanWords(settings.totalUnits ?? 0, n));

  const rowsForward = await kernels.kernel("poisson rows", "realForward", rows, [massInPlace], { CELLS: n });
  const yForward = await kernels.kernel("poisson y", "forward", strided, [inPlace]);
  const zPotential = await kernels.kernel("poisson z", "convolve", strided, [inPlace, green], {
    TABLE: 3,
    DERIVATIVE: false,
  });
  const yInverse = await kernels.kernel("inverse poisson y", "inverse", strided, [inPlace]);
  const rowsInverse = await kernels.kernel("inverse poisson rows", "realInverse", rows, [inPlace]);
  const there = [rowsForward.on(x, field, mesh.high, mean), yForward.on(y, field)];
  const potential = [zPotential.on(z, field, laplacian, wavenumbers), yInverse.on(y, field)];
  const back = rowsInverse.on(x, field);
  if (!settings.spectralGradient) return [...there, ...potential, back];

  const alongY = kernels.storage("acceleration along y", paddedMeshBytes(n, mesh.pitch));
  const alongZ = kernels.storage("acceleration along z", paddedMeshBytes(n, mesh.pitch));
  await kernels.settle();
  const zDerivative = await kernels.kernel("poisson z, derivative", "convolve", strided, [between, green], {
    TABLE: 4,
    DERIVATIVE: true,
  });
  const yDerivative = await kernels.kernel("inverse poisson y, derivative", "inverse", strided, [derivative]);
  const [zPass, yPass] = potential;
  return [
    ...there,
    zDerivative.on(z, field, alongZ, laplacian, wavenumbers),
    zPass,
    yDerivative.on(y, field, alongY, wavenumbers),
    yPass,
    yInverse.on(y, alongZ),
    ...(await forceRows(kernels, mesh, { rows, lines: x, potential: field, alongY, alongZ, wavenumbers })),
    back,
  ];
}
