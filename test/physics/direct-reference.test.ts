/** Integrators of direct summation in float64: Kepler's orbit at fixed steps, and block steps on a Plummer sphere. */
import { describe, expect, it } from "vitest";
import type { IntegratorName } from "../../src/engine/direct/integrators.ts";
import { ReferenceDirect } from "../../src/engine/reference/direct/pipeline.ts";
import {
  directPipelineSettings,
  exactDirect,
  exactPhaseSpace,
  keplerPair,
  type PhaseSpace,
  standardPlummer,
  totalEnergy,
} from "../support/direct-reference.ts";
import { inFull } from "../support/full.ts";

/** Of two bodies of mass 1/2, G = 1. */
function pairEnergy({ positions: x, velocities: v }: PhaseSpace): number {
  const kinetic = 0.25 * v.reduce((sum, component) => sum + component ** 2, 0);
  return kinetic - 0.25 / Math.hypot(x[0] - x[3], x[1] - x[4], x[2] - x[5]);
}

/** Position error of the pair's separation and largest |ΔE/E| over 10 orbits, e = 0.5, from apocentre. */
async function keplerErrors(
  integrator: IntegratorName,
  stepsPerOrbit: number,
): Promise<{ position: number; energy: number }> {
  const step = (2 * Math.PI) / stepsPerOrbit;
  const backend = await exactDirect(directPipelineSettings({ integrator, steps: "shared" }, step), keplerPair(0.5));
  const initial = pairEnergy(await exactPhaseSpace(backend));
  let energy = 0;
  for (let n = 0; n < 10 * stepsPerOrbit; n++) {
    await backend.advance(1, step);
    energy = Math.max(energy, Math.abs(pairEnergy(await exactPhaseSpace(backend)) / initial - 1));
  }
  const { positions: x } = await exactPhaseSpace(backend);
  return { position: Math.hypot(x[0] - x[3] - 1.5, x[1] - x[4], x[2] - x[5]), energy };
}

describe("Kepler's orbit, e = 0.5, 10 orbits at 256 and 512 steps an orbit", () => {
  it.each([
    { integrator: "leapfrog" as const, positions: [3.4e-2, 8.6e-3], energies: [1.6e-3, 4.0e-4], slope: 1.95 },
    { integrator: "hermite-4" as const, positions: [6.3e-4, 2.7e-5], energies: [1.8e-5, 7.2e-7], slope: 3.9 },
    { integrator: "hermite-6" as const, positions: [1.1e-6, 1.1e-8], energies: [3.9e-8, 3.8e-10], slope: 5.9 },
  ])("$integrator has its order, and the errors of docs/accuracy.md", async ({ integrator, ...expected }) => {
    const errors = [await keplerErrors(integrator, 256), await keplerErrors(integrator, 512)];
    const slope = (key: "position" | "energy") => Math.log2(errors[0][key] / errors[1][key]);
    expect(slope("position")).toBeGreaterThan(expected.slope);
    expect(slope("energy")).toBeGreaterThan(expected.slope);
    errors.forEach(({ position, energy }, i) => {
      expect(position / expected.positions[i]).toBeCloseTo(1, 1);
      expect(energy / expected.energies[i]).toBeCloseTo(1, 1);
    });
  });
});

/** One time unit of a Plummer sphere in standard units, ε = 1/256, largest step 1/8. */
async function plummerUnit(integrator: IntegratorName, count: number, seed: number) {
  const step = 1 / 8;
  const settings = directPipelineSettings({ integrator, softening: 1 / 256 }, step);
  const backend = new ReferenceDirect(settings, await standardPlummer(count, seed, 1 / 256));
  const initial = await totalEnergy(backend);
  await backend.advance(8, step);
  const { blocks, "particle steps": steps } = backend.counters();
  return { blocks, active: steps / blocks, energy: Math.abs((await totalEnergy(backend)) / initial - 1) };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function requireWithin(value: number, [least, most]: number[], margin: number): void {
  expect(value).toBeGreaterThan(least * (1 - margin));
  expect(value).toBeLessThan(most * (1 + margin));
}

describe("block steps (Portegies Zwart+ 2007, section 4)", () => {
  // The number of blocks follows the closest pairs of the sample: medians over seeds 1, 2, …
  const expectations = [
    { count: 256, seeds: 3, blocks: [2076, 2281], active: [21, 21], energy: 2e-8 },
    { count: 512, seeds: 1, blocks: [3111, 3349], active: [33, 34], energy: 2e-8 },
    { count: 1024, seeds: 1, blocks: [4345, 4517], active: [52, 55], energy: 2e-8 },
  ];
  it.each(inFull(expectations, expectations.slice(0, 2)))(
    "Hermite 4 takes the blocks of docs/accuracy.md, N = $count",
    async (expected) => {
      const runs: Awaited<ReturnType<typeof plummerUnit>>[] = [];
      for (let seed = 1; seed <= expected.seeds; seed++)
        runs.push(await plummerUnit("hermite-4", expected.count, seed));
      requireWithin(median(runs.map(({ blocks }) => blocks)), expected.blocks, 0.15);
      requireWithin(median(runs.map(({ active }) => active)), expected.active, 0.15);
      expect(median(runs.map(({ energy }) => energy))).toBeLessThan(expected.energy);
      // Eq. 14: 0.20 N^0.81.
      const fit = 0.2 * expected.count ** 0.81;
      requireWithin(median(runs.map(({ active }) => active)), [fit, fit], 0.2);
    },
  );

  it.each(inFull([256, 512], [256]))("Hermite 6 keeps the energy to 3e-11, N = %d", async (count) => {
    expect((await plummerUnit("hermite-6", count, 1)).energy).toBeLessThan(3e-11);
  });
});
