/** A model and a potential from outside the source tree, evolved on the GPU and in float64: the same orbits. */
import { expect, it } from "vitest";
import { parseScenario, registerModel, registerPotential, Simulation } from "../../src/index.ts";
import { useGpu } from "../support/gpu.ts";
import { jaffe, jaffePotential } from "../support/jaffe.ts";

const gpu = useGpu();
registerModel(jaffe);
registerPotential(jaffePotential);

const deck = (gravity: string) => `title = "a live Jaffe sphere beside a rigid one"
gravity = "${gravity}"
box.size = 8
mesh.cells = 16
direct = { softening = 0.1, integrator = "hermite-6" }
time = { end = 0.125, step = 0.03125 }
[[particles]]
kind = "jaffe"
name = "halo"
rigid = true
mass = 4
scale = 1
offset = [3, 0, 0] # a step can't follow orbits through the cusp
[[particles]]
kind = "jaffe"
count = 64
mass = 1
scale = 0.5
cutoff = 1.5`;

it.each(["mesh", "direct"])("with gravity = %s", async (gravity) => {
  const scenario = parseScenario(deck(gravity));
  const run = async (options: Parameters<typeof Simulation.create>[1]) => {
    const simulation = await Simulation.create(scenario, options);
    const before = (await simulation.readParticles()).positions;
    await simulation.advance();
    const after = await simulation.readParticles();
    const energies = await simulation.diagnostics();
    simulation.destroy();
    return { before, after: after.positions, energies };
  };
  const expected = await run({ backend: "cpu" });
  const found = await run({ gpu: gpu() });
  const difference = (a: ArrayLike<number>, b: ArrayLike<number>) =>
    Math.sqrt(Array.from(a, (x, i) => (x - b[i]) ** 2).reduce((sum, x) => sum + x, 0) / a.length);
  expect(difference(expected.after, expected.before)).toBeGreaterThan(0.05);
  expect(difference(found.after, expected.after)).toBeLessThan(2e-4);
  expect(found.energies.potential / expected.energies.potential).toBeCloseTo(1, 3);
});
