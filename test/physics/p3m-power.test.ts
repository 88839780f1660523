/** The power of a small box by P³M: that of the same particles moved by Ewald sums, of which one mesh loses a third. */
import { expect, it } from "vitest";
import { powerSpectrum } from "../../src/engine/reference/diagnostics/power-spectrum.ts";
import { unitSystem } from "../../src/foundation/deck/units.ts";
import { Background } from "../../src/physics/cosmology/background.ts";
import { ComovingClock, stepEdges } from "../../src/physics/cosmology/steps.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import type { Deck } from "../../src/scenario/scenario.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { EwaldSum } from "../../src/study/validate/ewald-sum.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const [SIZE, STEPS, START, END, SOFTENING] = [40, 12, 0.05, 0.5, 0.25];

function box(gravity: "mesh" | "p3m") {
  const scenario = completeScenario({
    ...{ title: "a box", gravity, units: { system: "cosmological" }, box: { size: SIZE, boundary: "periodic" } },
    ...{ mesh: { cells: 24, assignment: "tsc" }, ...(gravity === "p3m" && { p3m: { softening: SOFTENING } }) },
    particles: [{ kind: "lattice", perSide: 16, fixedAmplitudes: true }],
    time: { clock: "comoving", start: START, end: END, step: Math.log(END / START) / STEPS, spacing: "log-a" },
    output: { snapshots: 1 },
  } as unknown as Deck);
  return Simulation.create(scenario, { gpu: gpu() });
}

it("is that of Ewald sums with the same steps up to twice the particles' Nyquist wavenumber", async () => {
  const simulation = await box("p3m");
  const { scenario } = simulation;
  const { positions: x, velocities, masses } = await simulation.readParticles();
  const powerOf = (positions: Float64Array) =>
    powerSpectrum({ positions, masses, boxSize: SIZE, cells: 32, assignment: "tsc", interlaced: false }).power;
  const powerAtEnd = async (one: Simulation) => {
    await one.advance();
    const { positions } = await one.readParticles();
    one.destroy();
    return powerOf(positions);
  };
  const [p3m, mesh] = [await powerAtEnd(simulation), await powerAtEnd(await box("mesh"))];

  const p = Float64Array.from(velocities);
  const clock = new ComovingClock(new Background(scenario.cosmology!), scenario.time);
  const { openings, drifts, closings } = clock.steps(stepEdges(START, END, STEPS, "log-a"));
  for (let step = 0; step <= STEPS; step++) {
    const sum = await EwaldSum.create(
      { positions: x, masses, G: unitSystem("cosmological").G, size: SIZE },
      {},
      "quick",
    );
    const a = await sum.accelerations(Array.from(masses.keys()), SOFTENING);
    const kick = (closings[step - 1] ?? 0) + (openings[step] ?? 0);
    for (const i of x.keys()) {
      p[i] += kick * a[i];
      x[i] = (x[i] + (drifts[step] ?? 0) * p[i] + SIZE) % SIZE;
    }
  }
  for (const [i, exact] of powerOf(x).entries()) {
    expect(Math.abs(p3m[i] / exact - 1)).toBeLessThan(0.01);
    if (i > 0) expect(mesh[i] / exact).toBeLessThan(0.95);
  }
});
