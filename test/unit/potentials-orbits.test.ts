/** Orbits in each external potential that ships keep their energy to the integrator's order: halve the step, and look. */
import { describe, expect, it } from "vitest";
import { completeScenario, type DeckPotential, Simulation } from "../../src/index.ts";
import { potentialKinds } from "../../src/physics/potentials/potentials.ts";
import { tableOf } from "../support/axisymmetric.ts";

const POTENTIALS: DeckPotential[] = [
  { kind: "point-mass", mass: 2, softening: 0.2 },
  { kind: "plummer", mass: 2, scale: 0.75 },
  { kind: "hernquist", mass: 2, scale: 0.75 },
  { kind: "isochrone", mass: 2, scale: 0.75 },
  { kind: "nfw", mass: 6, scale: 2 },
  { kind: "dehnen", mass: 2, scale: 0.75, gamma: 1.5 },
  { kind: "power-law-cutoff", mass: 2, alpha: 1.8, cutoff: 1.9 },
  { kind: "miyamoto-nagai", mass: 2, scaleLength: 0.75, scaleHeight: 0.3 },
  { kind: "logarithmic", speed: 1, core: 0.6, flattening: 0.8, elongation: 0.9 },
  { kind: "dehnen-bar", strength: 0.1, speed: 1, reference: 2, radius: 8 }, // jumps at its radius
  { kind: "long-murali-bar", mass: 2, halfLength: 1, width: 0.3, height: 0.3 },
  { kind: "MWPotential2014", radius: 2, speed: 1 },
  { kind: "shell", mass: 6, inner: 0, outer: 8, innerSlope: 0, outerSlope: 1.2 },
  { kind: "spherical-table", radii: [6, 20], masses: [4, 6] }, // within one shell
  { kind: "axisymmetric-table", ...tableOf((R, z) => -2 / Math.hypot(R, 0.75 + Math.hypot(z, 0.3))) },
];

/** Largest energy error of an orbit. */
async function errorOf(potential: DeckPotential, integrator: "leapfrog" | "hermite-4", step: number): Promise<number> {
  const scenario = completeScenario({
    ...{ title: "an orbit", gravity: "direct", box: { size: 16 }, mesh: { cells: 16 } },
    ...{ direct: { steps: "shared", integrator }, time: { end: 4, step }, potential: [potential] },
    particles: [
      { kind: "uniform", count: 1, mass: 1e-9, side: 0.2, offset: [1.3, 0.4, 0.2], velocity: [0.2, 0.9, 0.3] },
    ],
  });
  const simulation = await Simulation.create(scenario, { backend: "cpu" });
  let worst = 0;
  for (const until of [1.2, 2.4, 4]) {
    await simulation.advance({ until });
    worst = Math.max(worst, Math.abs((await simulation.diagnostics()).relativeEnergyError));
  }
  simulation.destroy();
  return worst;
}

describe.each(POTENTIALS)("an orbit in $kind", (potential) => {
  // Hermite takes the force as leapfrog does, and its derivative.
  it.each<["leapfrog" | "hermite-4", number]>([["hermite-4", 4]])(
    "keeps its energy with %s to the order %d",
    async (integrator, order) => {
      const [once, halved] = [await errorOf(potential, integrator, 0.04), await errorOf(potential, integrator, 0.02)];
      expect(once).toBeLessThan(order === 2 ? 6e-3 : 1e-4);
      expect(Math.abs(Math.log2(once / halved) - order)).toBeLessThan(0.4);
    },
  );
});

it("all kinds are tried, but for one whose orbits are exact", () => {
  const tried = new Set<string>(POTENTIALS.map(({ kind }) => kind));
  expect(potentialKinds.names.filter((name) => !tried.has(name))).toEqual(["uniform-field"]);
});
