/**
 * Direct summation on the GPU as a whole: convergence on a Kepler orbit, blocks and energy of a Plummer sphere, the
 * floors of both precisions.
 */
import { describe, expect, it } from "vitest";
import type { IntegratorName } from "../../src/engine/direct/integrators.ts";
import type { DirectPipelineSettings, Precision } from "../../src/engine/direct/settings.ts";
import { ReferenceDirect } from "../../src/engine/reference/direct/pipeline.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { BOX, directSettings, energy, withDirect } from "../support/direct-pipeline.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";
import { particleSet, plummerSphere } from "../support/particles.ts";

const gpu = useGpu();

/** Energy error relative to |E₀| after each of `samples` largest steps, and what was counted. */
function energyErrors(settings: DirectPipelineSettings, set: ParticleSet, samples: number, stepsPerSample = 1) {
  return withDirect(gpu(), settings, set, async (pipeline) => {
    const start = await energy(pipeline);
    const errors: number[] = [];
    for (let sample = 0; sample < samples; sample++) {
      await pipeline.advance(stepsPerSample, settings.step);
      errors.push((await energy(pipeline)) / start - 1);
    }
    return { errors, counters: pipeline.counters() };
  });
}

const rms = (values: number[]) => Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length);

describe("a Kepler orbit of e = 0.5, ten times round in steps of equal length", () => {
  const eccentricity = 0.5;
  const apocentre = 1 + eccentricity;
  const speed = Math.fround(Math.sqrt((1 - eccentricity) / apocentre) / 2);
  const half = BOX / 2;
  const pair = particleSet(
    [half - apocentre / 2, half, half, half + apocentre / 2, half, half],
    [0, -speed, 0, 0, speed, 0],
    [0.5, 0.5],
  );
  const semiMajorAxis = -0.5 / ((2 * speed) ** 2 / 2 - 1 / apocentre);
  const period = 2 * Math.PI * Math.sqrt(semiMajorAxis ** 3);
  const orbits = 10;

  /** Distance of the bodies from where they began, after whole orbits. */
  async function positionError(integrator: IntegratorName, stepsPerOrbit: number): Promise<number> {
    const settings = directSettings({ integrator, steps: "shared", softening: 0 }, { step: period / stepsPerOrbit });
    return withDirect(gpu(), settings, pair, async (pipeline) => {
      await pipeline.advance(orbits * stepsPerOrbit, settings.step);
      const { positions } = await pipeline.readParticles();
      return 2 * Math.hypot(...[0, 1, 2].map((axis) => positions[axis] - pair.positions[axis]));
    });
  }

  // Position errors of docs/integrators.md's table at the second number of steps.
  it.each([
    ["leapfrog", 128, 256, 1.95, 3.4e-2],
    ["hermite-4", 128, 256, 3.9, 6.3e-4],
    ["hermite-6", 64, 128, 5.9, 1.2e-4],
  ] as const)("%s converges at its order", async (integrator, coarse, fine, slope, error) => {
    const errors = [await positionError(integrator, coarse), await positionError(integrator, fine)];
    expect(Math.log2(errors[0] / errors[1])).toBeGreaterThan(slope);
    expect(errors[1] / error).toBeGreaterThan(0.9);
    expect(errors[1] / error).toBeLessThan(1.1);
  });

  it("ends on the floor of float32 forces with Hermite 6 and short steps", async () => {
    const error = await positionError("hermite-6", 512); // 1.1e-8 in float64
    expect(error).toBeLessThan(3e-5);
    expect(error).toBeGreaterThan(1e-7);
  });
});

describe("block steps of a Plummer sphere over a time unit, Hermite 4 (Portegies Zwart+ 2007, section 4)", () => {
  const published = [
    [256, 2076, 2281, 21, 21],
    [512, 3111, 3349, 33, 34],
    [1024, 4345, 4517, 52, 55],
  ];
  it.each(inFull(published, published.slice(0, 2)))("%i particles", async (count, fewest, most, smallest, largest) => {
    const set = await plummerSphere(count, BOX, 3);
    const { errors, counters } = await energyErrors(directSettings(), set, 1, 8);
    const { blocks, "particle steps": steps } = counters;
    expect(blocks).toBeGreaterThan(0.85 * fewest);
    expect(blocks).toBeLessThan(1.15 * most);
    expect(steps / blocks).toBeGreaterThan(0.85 * smallest);
    expect(steps / blocks).toBeLessThan(1.15 * largest);
    expect(Math.abs(errors[0])).toBeLessThan(3e-8);
    // The mean block of their eq. 14.
    expect(steps / blocks / (0.2 * count ** 0.81)).toBeGreaterThan(0.8);
    expect(steps / blocks / (0.2 * count ** 0.81)).toBeLessThan(1.2);
  });
});

describe("Hermite 6 in double-single", () => {
  it("keeps the energy of 512 particles to 1e-9 over a time unit", async () => {
    const set = await plummerSphere(512, BOX);
    const { errors, counters } = await energyErrors(directSettings({ integrator: "hermite-6" }), set, 1, 8);
    expect(Math.abs(errors[0])).toBeLessThan(1e-9);
    // Neither do the steps run away.
    expect(counters.blocks).toBeLessThan(7500);
  });
});

describe("the energy error against ν (Portegies Zwart+ 2007, figure 2)", () => {
  it("falls with ν down to a floor, in single sooner than in double-single", async () => {
    const set = await plummerSphere(256, BOX);
    const over = async (precision: Precision, halvings: number) => {
      const settings = directSettings({ precision, nu: 0.1 / 2 ** halvings }, { step: 1 / 32 });
      const { errors, counters } = await energyErrors(settings, set, 8);
      return { error: rms(errors), blocks: counters.blocks };
    };
    const single = [await over("single", 0), await over("single", 4), await over("single", 8)];
    const pairs = [await over("double-single", 0), await over("double-single", 8)];
    // Where the integrator limits the error, it goes with a power of ν, and the precision doesn't matter.
    expect(single[0].error / single[1].error).toBeGreaterThan(30);
    expect(single[0].error / pairs[0].error).toBeCloseTo(1, 0);
    // A sixteenth of ν halves the steps twice: on the floor that helps no more.
    expect(single[2].error).toBeGreaterThan(0.3 * single[1].error);
    expect(single[2].error).toBeGreaterThan(1e-10);
    expect(single[2].error).toBeLessThan(1e-7);
    expect(pairs[1].error).toBeLessThan(0.6 * single[2].error);
    // And the noise doesn't shorten the steps: they go with √ν.
    expect(single[2].blocks / single[1].blocks).toBeLessThan(5);
  });
});

describe("leapfrog", () => {
  const count = 128;
  const errorsOf = async (steps: "shared" | "adaptive" | "block", step: number, nu: number) => {
    const set = await plummerSphere(count, BOX, 4);
    const settings = directSettings({ integrator: "leapfrog", steps, softening: 1 / 32, nu }, { step });
    const samples = 8;
    const { errors, counters } = await energyErrors(settings, set, samples, Math.round(1 / samples / step));
    const reference = new ReferenceDirect(settings, set);
    const start = await energy(reference);
    await reference.advance(Math.round(1 / step), step);
    return { error: errors[samples - 1], expected: (await energy(reference)) / start - 1, errors, counters };
  };

  it("with shared steps has float64's energy error, which goes with the step's square", async () => {
    const coarse = await errorsOf("shared", 1 / 128, 1);
    const fine = await errorsOf("shared", 1 / 256, 1);
    for (const { error, expected } of [coarse, fine]) expect(Math.abs(error / expected - 1)).toBeLessThan(0.05);
    const ratio = rms(coarse.errors) / rms(fine.errors);
    expect(ratio).toBeGreaterThan(3);
    expect(ratio).toBeLessThan(6);
  });

  it("with adaptive and block steps does as well as in float64, with fewer steps of particles in blocks", async () => {
    const adaptive = await errorsOf("adaptive", 1 / 64, 0.002);
    const block = await errorsOf("block", 1 / 64, 0.002);
    expect(Math.abs(adaptive.error / adaptive.expected - 1)).toBeLessThan(0.1);
    expect(Math.abs(block.error / block.expected - 1)).toBeLessThan(0.1);
    expect(Math.abs(block.error)).toBeLessThan(3e-4);
    expect(adaptive.counters["particle steps"]).toBe(count * adaptive.counters.blocks);
    expect(block.counters["particle steps"]).toBeLessThan(0.7 * adaptive.counters["particle steps"]);
  });
});
