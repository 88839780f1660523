/** Light cones of runs: linear growth along the cone, and bits that depend on nothing but the deck. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Crossing, LightCone, OPENINGS } from "../../src/engine/diagnostics/light-cone.ts";
import { endService } from "../../src/engine/ranked/rank-channel.ts";
import { serve } from "../../src/engine/ranked/service.ts";
import { Background } from "../../src/physics/cosmology/background.ts";
import { ComovingClock } from "../../src/physics/cosmology/steps.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import { type AdvanceOptions, Simulation, type SimulationOptions } from "../../src/scenario/simulation/simulation.ts";
import { useGpu } from "../support/gpu.ts";
import { ranksTogether } from "../support/ranks.ts";

const gpu = useGpu();

/** Gives the crossings of the rest of a run. */
async function watched(simulation: Simulation, farthest: number, take: (one: Crossing) => void) {
  const { box, cosmology, time } = simulation.scenario;
  const settings = { boxSize: box.size, observer: [10, 20, 30] as const, opening: OPENINGS.sky(), margin: 0, farthest };
  const cone = new LightCone(settings, new ComovingClock(new Background(cosmology), time), simulation.particleCount);
  await cone.begin(simulation.time, simulation.readBlocks());
  await simulation.watchSteps("cone", (timeOf) => ({
    every: 1,
    onHost: (step, _, blocks) => cone.advance(timeOf(step), blocks!(), take),
  }));
}

const deck = (more: object): Scenario =>
  completeScenario({
    ...{
      title: "cone",
      units: { system: "cosmological" },
      box: { size: 100, boundary: "periodic" },
      mesh: { cells: 32 },
    },
    cosmology: { h: 0.7, omegaM: 0.3 },
    particles: [{ kind: "lattice", perSide: 16, seed: 1 }],
    time: { clock: "comoving", start: 0.1, end: 1, step: 0.1 },
    output: { snapshots: 2, diagnostics: 2 },
    ...more,
  });

it("a plane wave's density on the cone grows as linear theory says", async () => {
  const crossing = 5;
  const scenario = deck({
    mesh: { cells: 64, assignment: "cic", green: "discrete", gradient: "2-point" },
    cosmology: { h: 0.7, omegaM: 1, omegaB: 0 },
    particles: [{ kind: "plane-wave", perSide: 16, waves: 1, crossing }],
    time: { clock: "comoving", start: 0.1, end: 1, step: 0.05 },
  });
  const { size } = scenario.box;
  const background = new Background(scenario.cosmology);
  // About multiples of the side a shell between two distances has the same area at every x within the nearer one.
  const shells = [
    [200, 300],
    [300, 400],
    [400, 500],
    [500, 560],
  ].map(([near, far]) => ({ near, far, sum: 0, a: 0, count: 0 }));
  const simulation = await Simulation.create(scenario, { gpu: gpu() });
  try {
    await watched(simulation, 560, ({ position, r, a }) => {
      const shell = shells.find(({ near, far }) => r >= near && r < far);
      if (!shell || Math.abs(position[0]) >= size * Math.floor(shell.near / size)) return;
      shell.sum += 2 * Math.cos((2 * Math.PI * (position[0] + 10)) / size);
      shell.a += a;
      shell.count++;
    });
    await simulation.advance();
  } finally {
    await simulation.destroy();
  }
  for (const { near, far, sum, a, count } of shells) {
    // D = a/crossing; the first harmonic of a wave of Zel'dovich's is 2 J₁(D) = D (1 − D²/8).
    const D = a / count / crossing;
    expect(background.scaleFactorAt(far)).toBeLessThan(a / count);
    expect(background.scaleFactorAt(near)).toBeGreaterThan(a / count);
    expect(Math.abs(Math.abs(sum / count) / (D * (1 - (D * D) / 8)) - 1)).toBeLessThan(0.01);
  }
});

describe("the bits of a light cone", () => {
  const scenario = deck({});
  async function bits(options: SimulationOptions, advance: AdvanceOptions = {}, stopAt?: number): Promise<string> {
    const hash = createHash("sha256");
    let count = 0;
    const take = ({ id, position, velocity, r, a }: Crossing) => {
      hash.update(Float64Array.of(id, ...position, ...velocity, r, a));
      count++;
    };
    let simulation = await Simulation.create(scenario, options);
    try {
      await watched(simulation, 250, take);
      if (stopAt !== undefined) {
        await simulation.advance({ most: stopAt });
        const checkpoint = await simulation.checkpoint();
        await simulation.destroy();
        simulation = await Simulation.resume(scenario, { ...checkpoint }, options);
        await watched(simulation, 250, take);
      }
      while (!simulation.done) await simulation.advance(advance);
    } finally {
      await simulation.destroy();
    }
    expect(count).toBeGreaterThan(200_000);
    return hash.digest("hex");
  }

  it("are the same twice, in short submissions, step by step, resumed, and on two ranks", async () => {
    const whole = await bits({ gpu: gpu() });
    expect(await bits({ gpu: gpu() }, { submission: 1e-3 })).toBe(whole);
    expect(await bits({ gpu: gpu() }, { most: 1 })).toBe(whole);
    expect(await bits({ gpu: gpu() }, {}, 7)).toBe(whole);
    const [first, other] = ranksTogether(2);
    const served = serve(other, { acquire: async () => gpu() });
    expect(await bits({ gpu: gpu(), ranks: first })).toBe(whole);
    expect(await endService(first)).toBe(true);
    await served;
  });

  it("are the same twice and resumed on the CPU", async () => {
    const whole = await bits({ backend: "cpu" });
    expect(await bits({ backend: "cpu" }, {}, 8)).toBe(whole);
  });
});
