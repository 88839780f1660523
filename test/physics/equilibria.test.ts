/** Spheres that are set up for the mesh's force keep their Lagrangian radii: docs/models.md has the figures. */
import { expect } from "vitest";
import { initialConditions } from "../../src/physics/initial/source.ts";
import { LAGRANGIAN_FRACTIONS } from "../../src/physics/particles/sums.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { itInFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";
import { radiiOf } from "../unit/initial-samples.ts";

const gpu = useGpu();
const [CELLS, COUNT] = [64, 100_000];
const TIMES = 10;
/** Of the half-mass dynamical time. */
const STEPS = 25;
/** Beyond one standard deviation of the radius in a sample. */
const LIMIT = 0.02;

/** Keys, how far it reaches [length], anisotropy radius. */
const MODELS: [keys: string, reach: number, anisotropyRadius: number][] = [
  ['kind = "plummer"\nscale = 1\ncutoff = 6', 6, 1],
  ['kind = "hernquist"\nscale = 1\ncutoff = 4', 4, 0.5],
  ['kind = "nfw"\nscale = 1\ncutoff = 5', 5, 0.8],
  ['kind = "king"\nscale = 1\nW0 = 3', 4.7, 1.5],
  ['kind = "king"\nscale = 0.3\nW0 = 6', 5.4, 0.8],
  ['kind = "isochrone"\nscale = 1\ncutoff = 10', 10, 1.5],
  ['kind = "dehnen"\nscale = 1\ngamma = 0\ncutoff = 6', 6, 1.2],
  ['kind = "dehnen"\nscale = 1\ngamma = 1.5\ncutoff = 3', 3, 0.4],
  ['kind = "einasto"\nscale = 1\ncutoff = 4', 4, 0.8],
];

/** σ(ln r) of the radius that holds the share p: √(p(1 − p)/N) d ln r/dp. */
function noise(radii: Float64Array, p: number): number {
  const at = (share: number) => Math.log(radii[Math.floor(share * radii.length)]);
  return (Math.sqrt((p * (1 - p)) / radii.length) * (at(p + 0.02) - at(p - 0.02))) / 0.04;
}

itInFull.each(
  MODELS.flatMap(([keys, reach, ra]) =>
    ["inf", ra].map((radius) => [keys.replaceAll("\n", ", "), radius, keys, reach] as const),
  ),
)(
  "%s, r_a = %s: keeps its radii for ten dynamical times",
  async (_, anisotropyRadius, keys, reach) => {
    const size = 2.2 * reach;
    const scenarioOf = (end: number, step: number) =>
      parseScenario(
        `title = "equilibrium"\nbox.size = ${size}\nmesh = { cells = ${CELLS}, softenedModels = true }\n` +
          `time = { end = ${end}, step = ${step} }\noutput = { snapshots = 0, diagnostics = ${TIMES} }\n` +
          `[[particles]]\ncount = ${COUNT}\nmass = 1\n${keys}\nanisotropyRadius = ${anisotropyRadius}\n`,
      );
    const { particles } = await initialConditions(scenarioOf(1, 0.1), { G: 1 });
    const drawn = radiiOf(particles, size).sort();
    const mass = particles.masses.reduce((sum, one) => sum + one, 0);
    const time = (Math.PI / 2) * Math.sqrt((2 * drawn[COUNT / 2] ** 3) / mass);
    const simulation = await Simulation.create(scenarioOf(TIMES * time, time / STEPS), { gpu: gpu() });
    try {
      const radii = async () => (await simulation.diagnostics()).lagrangianRadii;
      const start = await radii();
      const last: number[][] = [];
      for (let output = 1; output <= TIMES; output++) {
        await simulation.advance({ output });
        if (output > TIMES - 3) last.push(await radii());
      }
      LAGRANGIAN_FRACTIONS.forEach((fraction, i) => {
        if (fraction < 0.1) return;
        const mean = last.reduce((sum, one) => sum + one[i], 0) / last.length;
        expect(Math.abs(mean / start[i] - 1)).toBeLessThan(LIMIT + noise(drawn, fraction));
      });
    } finally {
      simulation.destroy();
    }
  },
  600_000,
);
