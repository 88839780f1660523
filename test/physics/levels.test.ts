/**
 * A Plummer sphere with its level crosses a periodic box at 20 times its velocity dispersion, 14 times in ten dynamical times
 * (`npm run test:long`; in `npm run test:rest` in two), and is what it is at rest.
 */
import { expect, it } from "vitest";
import { parseScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const COUNT = 16_000;
const [SIZE, CELLS, REFINEMENT] = [18, 32, 2];
/** Side of the level's cells [length]. */
const H = SIZE / CELLS / REFINEMENT;
/** Of the half mass of a Plummer sphere of G = M = a = 1, π/2 √(2 r³/GM): Binney & Tremaine (2008) 2.3.1 and 2.2.2. */
const DYNAMICAL_TIME = (Math.PI / 2) * Math.sqrt(2 * (2 ** (2 / 3) - 1) ** -1.5);
const [TIMES] = inFull([10], [2]);
const STEPS = 30;
/** Along one axis in its middle, √(GM/6a). */
const DISPERSION = 6 ** -0.5;
const DIRECTION = [1, 0.37, 0.21];
const SHARES = [0.1, 0.25, 0.5, 0.75, 0.9];

const AXES = [0, 1, 2] as const;
const size = (vector: readonly number[]) => Math.hypot(...vector);

/** About the line that it set out on: centres, radii that hold SHARES of the mass, energy without the bulk motion. */
async function crossing(speed: number) {
  const velocity = DIRECTION.map((d) => (d / size(DIRECTION)) * speed);
  const scenario = parseScenario(
    `title = "crossing"\nbox = { size = ${SIZE}, boundary = "periodic" }\nmesh.cells = ${CELLS}\n` +
      `time = { end = ${TIMES * DYNAMICAL_TIME}, step = ${DYNAMICAL_TIME / STEPS} }\n` +
      `output = { snapshots = 0, diagnostics = ${TIMES} }\n[[particles]]\nkind = "plummer"\nname = "sphere"\n` +
      `count = ${COUNT}\nmass = 1\nscale = 1\ncutoff = 4.5\nvelocity = [${velocity}]\n` +
      `[[level]]\naround = "sphere"\nrefinement = ${REFINEMENT}\ncells = 64\n`,
  );
  const simulation = await Simulation.create(scenario, { gpu: gpu() });
  // Places on the line, followed from output to output, in which nothing moves by half a box against the sphere.
  const places = Float64Array.from((await simulation.readParticles()).positions);
  const all = [];
  try {
    for (let output = 0; output <= TIMES; output++) {
      if (output > 0) await simulation.advance({ output });
      const { positions, velocities, potential } = await simulation.readParticles({ potential: true });
      const centre = [0, 0, 0];
      const mean = [0, 0, 0];
      for (let at = 0; at < 3 * COUNT; at++) {
        const moved = positions[at] - velocity[at % 3] * simulation.time - places[at];
        places[at] += moved - SIZE * Math.round(moved / SIZE);
        centre[at % 3] += places[at] / COUNT;
        mean[at % 3] += velocities[at] / COUNT;
      }
      let energy = 0;
      const radii = new Float64Array(COUNT);
      for (let i = 0; i < COUNT; i++) {
        const squares = AXES.map((axis) => (velocities[3 * i + axis] - mean[axis]) ** 2);
        energy += (squares[0] + squares[1] + squares[2] + potential![i]) / 2 / COUNT;
        radii[i] = size(AXES.map((axis) => places[3 * i + axis] - centre[axis]));
      }
      radii.sort();
      all.push({ centre, energy, radii: SHARES.map((share) => radii[Math.floor(share * COUNT)]), mean });
    }
  } finally {
    simulation.destroy();
  }
  const [{ centre, energy, mean }] = all;
  const drift = velocity.map((v, axis) => mean[axis] - v);
  return all.map((one, k) => ({
    off: size(AXES.map((axis) => one.centre[axis] - centre[axis] - drift[axis] * k * DYNAMICAL_TIME)) / H,
    energy: one.energy / energy - 1,
    radii: one.radii,
  }));
}

it("a sphere with its level crosses the box as if it were at rest", async () => {
  const rest = await crossing(0);
  const moving = await crossing(20 * DISPERSION);
  for (const { off, energy } of moving) {
    expect(off).toBeLessThan(0.02);
    expect(Math.abs(energy)).toBeLessThan(1e-3);
  }
  for (const [i, share] of SHARES.entries()) {
    for (const [k, { radii }] of moving.entries()) {
      expect(Math.abs(radii[i] / rest[k].radii[i] - 1), `radius of ${share}`).toBeLessThan(0.015);
    }
  }
});
