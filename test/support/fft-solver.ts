/** An FFT Poisson solver on a mesh of its own, and what its results are held against. */
import { expect } from "vitest";
import type { FftShape } from "../../src/engine/mesh/fft/fft-plan.ts";
import { PoissonFft } from "../../src/engine/mesh/poisson/poisson-fft.ts";
import type { PoissonSettings } from "../../src/engine/mesh/poisson/poisson-solver.ts";
import { meshGradient } from "../../src/engine/reference/mesh/gradient.ts";
import type { PoissonFft as ReferenceFft } from "../../src/engine/reference/mesh/poisson-fft.ts";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import { meshWithMass, readField, readForce, relativeErrors, releaseMesh } from "./mesh-mass.ts";

export const FFT_SHAPES: readonly FftShape[] = ["line", "workgroup"];

/** Errors over the rms, and over the largest value, of the result. Measured, periodic: 1.5e-7 to 2.4e-7, and 2e-7 to 3e-7. */
const ROUNDING = { rms: 5e-7, worst: 1e-6 };

/** [n³] density [mass/length³] of `units` of mass in each cell. */
export function density(units: Float64Array, n: number, { boxSize, massUnit }: PoissonSettings): Float64Array {
  return units.map((count) => count * massUnit * (n / boxSize) ** 3);
}

/** [n³] potential and [4n³] force of `units` of mass in each cell of a mesh. */
export async function solvedByFft(
  gpu: GpuContext,
  n: number,
  units: Float64Array,
  settings: PoissonSettings,
  layout: { pitch?: number } = {},
) {
  const mesh = meshWithMass(gpu, n, units, layout);
  const solver = await PoissonFft.create(gpu, mesh, settings);
  await solver.encode(gpu.batch("test")).submit();
  const potential = await readField(gpu, mesh);
  const force = await readForce(gpu, mesh);
  const { memory, shape } = solver;
  solver.destroy();
  releaseMesh(gpu, mesh);
  return { potential, force, memory, shape };
}

export function expectClose(found: ArrayLike<number>, expected: ArrayLike<number>): void {
  const { rms, worst } = relativeErrors(found, expected);
  expect(rms).toBeLessThan(ROUNDING.rms);
  expect(worst).toBeLessThan(ROUNDING.worst);
}

/** That the potential and each component of its spectral gradient are those of `reference`. */
export async function expectSpectralGradient(
  gpu: GpuContext,
  n: number,
  units: Float64Array,
  settings: PoissonSettings,
  reference: ReferenceFft,
): Promise<void> {
  const spectral = { ...settings, gradient: "spectral" as const };
  const { potential, force } = await solvedByFft(gpu, n, units, spectral);
  const rho = density(units, n, spectral);
  const phi = reference.potential(rho);
  expectClose(potential, phi);
  const expected = meshGradient({ gradient: "spectral", h: spectral.boxSize / n }, reference, rho, phi);
  for (let component = 0; component < 4; component++) {
    const take = (_: number, i: number) => i % 4 === component;
    expectClose(force.filter(take), expected.filter(take));
  }
}
