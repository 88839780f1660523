/** A sphere in equilibrium keeps its Lagrangian radii where the mesh resolves them: docs/models.md has figures of all. */
import { expect } from "vitest";
import { initialConditions } from "../../src/initial/index.ts";
import { LAGRANGIAN_FRACTIONS } from "../../src/particles/sums.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/simulation.ts";
import { itInFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";
import { radiiOf } from "../unit/initial-samples.ts";

const gpu = useGpu();
const [CUTOFF, CELLS] = [6, 128];
const SIZE = 2.2 * CUTOFF;
const TIMES = 10;
/** Of the half-mass dynamical time. */
const STEPS = 25;

const scenarioOf = (count: number, end: number, step: number) =>
  completeScenario({
    title: "equilibrium",
    box: { size: SIZE },
    mesh: { cells: CELLS },
    particles: [{ kind: "plummer", count, mass: 1, scale: 1, cutoff: CUTOFF }],
    time: { end, step },
    output: { snapshots: 0, diagnostics: TIMES },
  });

itInFull(
  "a Plummer sphere whose 10 % radius is five cells keeps its radii to 2 % for ten dynamical times",
  async () => {
    const { particles } = await initialConditions(scenarioOf(5000, 1, 0.1), { G: 1 });
    const half = radiiOf(particles, SIZE).sort()[particles.count / 2];
    const time = (Math.PI / 2) * Math.sqrt((2 * half ** 3) / 1);
    const simulation = await Simulation.create(scenarioOf(100_000, TIMES * time, time / STEPS), { gpu: gpu() });
    try {
      const radii = async () => (await simulation.diagnostics()).lagrangianRadii;
      const start = await radii();
      expect((start[LAGRANGIAN_FRACTIONS.indexOf(0.1)] * CELLS) / SIZE).toBeGreaterThan(4.9);
      const last: number[][] = [];
      for (let output = 1; output <= TIMES; output++) {
        await simulation.advance({ output });
        if (output > TIMES - 3) last.push(await radii());
      }
      LAGRANGIAN_FRACTIONS.forEach((fraction, i) => {
        // The closed form ends sharply, and its edge moves.
        if (fraction < 0.1 || fraction > 0.75) return;
        const mean = last.reduce((sum, one) => sum + one[i], 0) / last.length;
        expect(Math.abs(mean / start[i] - 1)).toBeLessThan(0.02);
      });
    } finally {
      simulation.destroy();
    }
  },
  1_800_000,
);
