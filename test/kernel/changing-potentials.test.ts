/** External potentials that turn, grow, decay and move, on the GPU against float64, late in a run as at its start. */
import { describe, expect, it } from "vitest";
import { ReferenceDirect } from "../../src/engine/reference/direct/pipeline.ts";
import { completeScenario, type ExternalPotential, Simulation } from "../../src/index.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { packImage } from "../../src/physics/particles/fixed-point.ts";
import { directSettings, withDirect } from "../support/direct-pipeline.ts";
import { exactState, meshSettings, randomPositions } from "../support/exact-particles.ts";
import { useGpu } from "../support/gpu.ts";
import { particleStage, referenceForces, relativeError, type StageCase } from "../support/particle-stage.ts";
import { particleSet } from "../support/particles.ts";
import { perParticle, readExact } from "../support/read-particles.ts";
import { sequence } from "../support/scenario-fixture.ts";

const gpu = useGpu();

/** About x on each axis. */
const changingAbout = (x: number): ExternalPotential[] => [
  {
    ...{ kind: "long-murali-bar", centre: [x, x, x], turn: { speed: 1.7, phase: 0.4 }, grow: [0, 200] },
    parameters: { mass: 2, halfLength: 1, width: 0.3, height: 0.2 },
  },
  {
    ...{ kind: "plummer", centre: [x + 0.5, x, x], parameters: { mass: 1, scale: 0.5 } },
    path: {
      times: [0, 30, 90, 130],
      points: [
        [0, 0, 0],
        [0.4, 0.3, 0],
        [-0.5, 0.4, 0.2],
        [0, 0.6, 0.1],
      ],
    },
  },
  {
    ...{ kind: "miyamoto-nagai", centre: [x, x - 0.3, x], decay: [20, 80] },
    parameters: { mass: 1, scaleLength: 0.6, scaleHeight: 0.2 },
  },
  { kind: "hernquist", centre: [x, x, x + 0.2], parameters: { mass: 1, scale: 0.6 }, until: 50 },
  {
    ...{ kind: "uniform-field", centre: [x, x, x], parameters: { gx: 0.1, gy: 0, gz: -0.2 } },
    acceleration: {
      times: [0, 50, 130],
      points: [
        [0.1, 0, 0],
        [0.3, -0.2, 0],
        [-0.1, 0.4, 0.1],
      ],
    },
  },
];

describe("on the mesh", () => {
  it.each(["periodic", "isolated"] as Boundary[])("kicks and sums are those of their time, %s", async (boundary) => {
    const exact = exactState(randomPositions(2003, 12), boundary, (id) => (id % 5 === 0 ? packImage(1, -2, 0) : 0));
    const mesh = meshSettings(16, "cic");
    const given: StageCase = { mesh, boundary, exact, boxSize: 4, G: 1.5, externalPotentials: changingAbout(2) };
    const stage = await particleStage(gpu(), given);
    try {
      await stage.prepare();
      const { velocities: before } = await readExact(gpu(), stage.particles);
      let expected = Float64Array.from(before);
      for (const time of [10, 100.3]) {
        const { accelerations, meshPotential, externalPotential } = referenceForces({ ...given, time });
        stage.diagnostics.time = time;
        const found = await perParticle(gpu(), stage.particles, stage.diagnostics);
        expect(relativeError(found.accelerations, accelerations)).toBeLessThan(1e-6);
        const potential = meshPotential.map((phi, id) => phi + externalPotential[id]);
        expect(relativeError(found.potential, potential)).toBeLessThan(1e-6);
        expected = expected.map((v, i) => v + 0.25 * accelerations[i]);
      }
      // Two kicks of one submission, each at its own time.
      const batch = gpu().batch("kicks");
      for (const time of [10, 100.3]) {
        stage.leapfrog.encodeKick(batch, 0.25, time);
      }
      await batch.submit();
      expect(relativeError((await readExact(gpu(), stage.particles)).velocities, expected)).toBeLessThan(1e-6);
    } finally {
      stage.destroy();
    }
  });
});

describe("in a direct sum", () => {
  it.each(["leapfrog", "hermite-4", "hermite-6"] as const)("orbits are those of float64, %s", async (integrator) => {
    const random = sequence(3);
    const count = 40;
    const settings = directSettings(
      { integrator, steps: "shared", softening: 0.1 },
      { boxSize: 40, externalPotentials: changingAbout(20), step: 1 / 32 },
    );
    const positions = Array.from({ length: 3 * count }, () => 20 + 3 * (random() - 0.5));
    const velocities = Array.from({ length: 3 * count }, () => random() - 0.5);
    const set = particleSet(positions, velocities, new Array(count).fill(1e-9));
    const steps = 32;
    const twin = new ReferenceDirect(settings, set);
    await twin.advance(steps, settings.step);
    const expected = await twin.readParticles();
    await withDirect(gpu(), settings, set, async (pipeline) => {
      await pipeline.advance(steps, settings.step);
      const found = await pipeline.readParticles();
      expect(relativeError(found.velocities, expected.velocities)).toBeLessThan(2e-6);
      const [one, other] = [await pipeline.sums(), await twin.sums()];
      expect(Math.abs(one.potential / other.potential - 1)).toBeLessThan(1e-6);
    });
  });
});

describe("a run that is stopped", () => {
  const scenario = (gravity: "mesh" | "direct") =>
    completeScenario({
      ...{ title: "stopped", gravity, box: { size: 8 }, mesh: { cells: 16 } },
      time: { end: 1, step: gravity === "mesh" ? "adaptive" : 1 / 16, maxStep: 1 / 16 },
      direct: { softening: 0.05 },
      output: { snapshots: 1, diagnostics: 2 },
      particles: [{ kind: "uniform", count: 50, mass: 0.1, side: 2 }],
      potential: [
        {
          ...{ kind: "logarithmic", speed: 1, core: 0.3, elongation: 0.8, patternSpeed: 2, phase: 20 },
          ...{ grow: { to: 0.8 }, decay: { from: 0.5, time: 1 }, reflex: true },
        },
        {
          ...{ kind: "plummer", mass: 0.2, scale: 0.3, offset: [1, 0, 0] },
          orbit: { velocity: [0, 1, 0], coulombLogarithm: 2, dispersion: 0.7 },
        },
      ],
    });

  it.each(
    (["mesh", "direct"] as const).flatMap((gravity) =>
      (["webgpu", "cpu"] as const).map((backend) => ({ gravity, backend })),
    ),
  )("goes on to the same bits: $gravity, $backend", async ({ gravity, backend }) => {
    const options = backend === "cpu" ? { backend } : { gpu: gpu() };
    const whole = await Simulation.create(scenario(gravity), options);
    const parts = await Simulation.create(scenario(gravity), options);
    await whole.advance();
    const stop = new AbortController();
    await expect(
      parts.advance({ signal: stop.signal, onProgress: ({ step }) => step >= 3 && stop.abort() }),
    ).rejects.toThrow(/stopped/);
    const resumed = await Simulation.resume(scenario(gravity), await parts.checkpoint(), options);
    expect((await resumed.diagnostics()).total).toBe((await parts.diagnostics()).total);
    await resumed.advance();
    const [found, expected] = [await resumed.readParticles(), await whole.readParticles()];
    expect(found.positions).toEqual(expected.positions);
    expect(found.velocities).toEqual(expected.velocities);
    expect((await resumed.diagnostics()).total).toBe((await whole.diagnostics()).total);
    for (const one of [whole, parts, resumed]) one.destroy();
  });
});
