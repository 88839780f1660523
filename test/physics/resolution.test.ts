/** What is told of a component before a run, against what its cells then do: radii after ten half-mass dynamical times. */
import { expect, it } from "vitest";
import { completeScenario } from "../../src/scenario/parse.ts";
import { resolutionOf } from "../../src/scenario/resolution.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";

// (π/2) √(2 r_h³) with r_h = 1.26 of what is inside the cut-off.
const TIME = 3.15;

it.each(["cpu", "webgpu"] as const)("a Plummer sphere of 1.2 cells expands as told: %s", async (backend) => {
  const scenario = completeScenario({
    ...{ title: "t", box: { size: 13.2 }, mesh: { cells: 16 } },
    particles: [{ kind: "plummer", name: "ball", count: 4000, mass: 1, scale: 1, cutoff: 6 }],
    time: { end: 10 * TIME, step: TIME / 20, maxEnergyError: Number.POSITIVE_INFINITY },
    output: { diagnostics: 10 },
  });
  const simulation = await Simulation.create(scenario, { backend });
  const radii = async () => (await simulation.diagnostics()).lagrangianRadii;
  const start = await radii();
  let end = [0, 0, 0, 0];
  for (let output = 1; output < simulation.outputs.length; output++) {
    await simulation.advance({ output });
    const now = await radii();
    if (output > 7) end = end.map((sum, k) => sum + now[k] / 3);
  }
  simulation.destroy();
  const told = resolutionOf(scenario).map(({ change }) => change);
  // 0.42 and 0.36 of larger samples.
  expect(Math.abs(end[1] / start[1] - 1 - told[0])).toBeLessThan(0.1);
  expect(Math.abs(end[3] / start[3] - 1 - told[1])).toBeLessThan(0.06);
});
