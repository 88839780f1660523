/**
 * Periodic Poisson equation in five passes over the mesh's own field: rows forward (reading the deposited mass words),
 * y forward, z forward × Green's function × z inverse in one, y inverse, rows inverse. With the spectral gradient the
 * inverse half runs for φ̂ and, on two further meshes like it, for −ik_y φ̂ and −ik_z φ̂. A mesh in slabs takes the passes
 * along y and z a block of modes kx at a time, through the room of the force.
 */
import between from "../../wgsl/mesh/fft-between.wgsl";
import derivative from "../../wgsl/mesh/fft-derivative.wgsl";
import inPlace from "../../wgsl/mesh/fft-in-place.wgsl";
import green from "../../wgsl/mesh/poisson-green.wgsl";
import massInPlace from "../../wgsl/mesh/poisson-mass-in-place.wgsl";
import type { Pass } from "../gpu/batch.ts";
import { meshLines } from "./fft.ts";
import type { LineKernels } from "./fft-kernel.ts";
import { FIELD_BYTES, FIELD_GHOSTS, type MeshBuffers } from "./field.ts";
import { gradientFrequencies, periodicGreens } from "./greens.ts";
import { blockPasses, modeBlocks, type SpectrumSlab, slabRows } from "./mode-blocks.ts";
import type { PoissonSettings } from "./poisson-solver.ts";
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
  const { cells: n, slabs } = mesh;
  const { boxSize, G, massUnit } = settings;
  const rows = { length: n / 2, rows: true };

  // φ̂ = −ρ̂ / Σ K with everything constant in the table: 4πG, mass units to density (massUnit/h³), 1/n³.
  const unit = (4 * Math.PI * G * massUnit) / boxSize ** 3;
  const laplacian = kernels.table(
    "periodic Green's function",
    periodicGreens(n, boxSize, settings.green).map((k) => k / unit),
  );
  const wavenumbers = kernels.table("wavenumbers", gradientFrequencies(n, boxSize));
  const mean = kernels.uniform("mean mass", meanWords(settings.totalUnits ?? 0, n));
  const axes = settings.spectralGradient
    ? {
        alongY: derivativeSlabs(kernels, mesh, "acceleration along y"),
        alongZ: derivativeSlabs(kernels, mesh, "acceleration along z"),
      }
    : undefined;
  await kernels.settle();

  const potential: SpectrumSlab[] = slabs.map(({ field, first, planes, cut }) => {
    return { buffer: field, first, planes, before: cut ? FIELD_GHOSTS : 0, row: mesh.pitch / 2 };
  });
  const rowsForward = await kernels.kernel("poisson rows", "realForward", rows, [massInPlace], { CELLS: n });
  const rowsInverse = await kernels.kernel("inverse poisson rows", "realInverse", rows, [inPlace]);
  const across = slabs.length > 1 ? blockedPasses : wholePasses;
  return [
    ...potential.map((slab, s) => rowsForward.on(slabRows(n, slab), slab.buffer, slabs[s].high, mean)),
    ...(await across(kernels, mesh, { potential, axes, laplacian, wavenumbers })),
    ...(axes ? await forceRows(kernels, mesh, { rows, potential, ...axes, wavenumbers }) : []),
    ...potential.map((slab) => rowsInverse.on(slabRows(n, slab), slab.buffer)),
  ];
}

/** What the passes along y and z work on. */
interface Spectra {
  /** In the field. */
  potential: readonly SpectrumSlab[];
  /** For −ik_y φ̂ and −ik_z φ̂. */
  axes: { alongY: readonly SpectrumSlab[]; alongZ: readonly SpectrumSlab[] } | undefined;
  /** Tables. */
  laplacian: GPUBuffer;
  wavenumbers: GPUBuffer;
}

/** Slabs for a spectrum beside the field, without ghosts. */
function derivativeSlabs(kernels: LineKernels, { slabs, pitch, cells }: MeshBuffers, label: string): SpectrumSlab[] {
  return slabs.map(({ first, planes }) => {
    const buffer = kernels.storage(label, FIELD_BYTES * pitch * cells * planes);
    return { buffer, first, planes, before: 0, row: pitch / 2 };
  });
}

/** The z kernels: φ̂ in place, and −ik_z φ̂ from one buffer to another. */
async function zKernels(kernels: LineKernels, n: number, withDerivative: boolean) {
  const lines = { length: n, rows: false };
  const potential = await kernels.kernel("poisson z", "convolve", lines, [inPlace, green], {
    TABLE: 3,
    DERIVATIVE: false,
  });
  if (!withDerivative) return { potential };
  const sources = [between, green];
  const constants = { TABLE: 4, DERIVATIVE: true };
  return {
    potential,
    derivatives: {
      z: await kernels.kernel("poisson z, derivative", "convolve", lines, sources, constants),
      y: await kernels.kernel("inverse poisson y, derivative", "inverse", lines, [derivative]),
    },
  };
}

/** All of it in place. */
async function wholePasses(kernels: LineKernels, mesh: MeshBuffers, spectra: Spectra): Promise<Pass[]> {
  const { cells: n, field } = mesh;
  const { axes, laplacian, wavenumbers } = spectra;
  const { y, z } = meshLines(n, mesh.pitch);
  const lines = { length: n, rows: false };
  const yForward = await kernels.kernel("poisson y", "forward", lines, [inPlace]);
  const yInverse = await kernels.kernel("inverse poisson y", "inverse", lines, [inPlace]);
  const { potential, derivatives } = await zKernels(kernels, n, axes !== undefined);
  const [zPass, yPass] = [potential.on(z, field, laplacian, wavenumbers), yInverse.on(y, field)];
  if (!axes || !derivatives) return [yForward.on(y, field), zPass, yPass];
  const [alongY, alongZ] = [axes.alongY[0].buffer, axes.alongZ[0].buffer];
  return [
    yForward.on(y, field),
    derivatives.z.on(z, field, alongZ, laplacian, wavenumbers),
    zPass,
    derivatives.y.on(y, field, alongY, wavenumbers),
    yPass,
    yInverse.on(y, alongZ),
  ];
}

/** A block of modes at a time; the force of one slab holds it, that of another its derivative. */
async function blockedPasses(kernels: LineKernels, mesh: MeshBuffers, spectra: Spectra): Promise<Pass[]> {
  const { cells: n, slabs } = mesh;
  const { potential: inSlabs, axes, laplacian, wavenumbers } = spectra;
  const lines = { length: n, rows: false };
  const { potential, derivatives } = await zKernels(kernels, n, axes !== undefined);
  const [scratch, other] = [slabs[slabs.length - 1], slabs[0]].map(({ force }) => kernels.bindable(force));
  const blocks = modeBlocks({ n, points: n, modes: n / 2 + 1, room: scratch.size });
  return blockPasses(blocks, {
    ...{ slabs: inSlabs, scratch },
    forward: await kernels.kernel("poisson y", "forward", lines, [between]),
    inverse: await kernels.kernel("inverse poisson y", "inverse", lines, [between]),
    convolve: ({ alongZ }) => potential.on(alongZ, scratch, laplacian, wavenumbers),
    ...(axes &&
      derivatives && {
        gradient: {
          ...{ ...axes, scratch: other, wavenumbers, inverse: derivatives.y },
          convolve: ({ alongZ }) => derivatives.z.on(alongZ, scratch, other, laplacian, wavenumbers),
        },
      }),
  });
}
