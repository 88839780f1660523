/** The float64 CPU pipeline as a backend: state, resume, escaped particles, errors. */
import { describe, expect, it } from "vitest";
import type { PipelineSettings } from "../../src/engine/mesh/settings.ts";
import { ReferencePipeline } from "../../src/engine/reference/mesh/pipeline.ts";
import { firstDifference } from "../support/compare.ts";
import { particleSet, plummerSphere, randomParticles } from "../support/particles.ts";
import { meshSettings } from "../support/point-mass.ts";

function settings(changes: Partial<PipelineSettings> = {}): PipelineSettings {
  return {
    mesh: meshSettings({ cells: 16 }),
    boundary: "isolated",
    boxSize: 8,
    G: 1,
    externalPotentials: [],
    ...changes,
  };
}

describe("reference pipeline", () => {
  it("repeats the same bits, and continues with them from saved state", async () => {
    const particles = await plummerSphere(1001, 8);
    const uninterrupted = await ReferencePipeline.create(settings(), particles);
    await uninterrupted.advance(4, 0.02);
    const saved = await uninterrupted.saveState();
    await uninterrupted.advance(4, 0.02);

    // Masses are the scenario's, not the state's.
    const elsewhere = { ...particles, positions: particles.positions.map((x) => 8 - x) };
    const resumed = await ReferencePipeline.create(settings(), elsewhere);
    await resumed.restoreState(structuredClone(saved));
    await resumed.advance(4, 0.02);
    const [a, b] = [await uninterrupted.saveState(), await resumed.saveState()];
    for (const name of ["positions", "velocities", "step"]) {
      expect(firstDifference(a.arrays[name], b.arrays[name])).toBe("same");
    }
    expect(saved.format).toBe("cpu-1");
    expect(a.arrays.step[0]).toBe(8);
  });

  it("refuses another backend's state and another particle count", async () => {
    const pipeline = await ReferencePipeline.create(settings(), randomParticles(10, 8));
    const state = await pipeline.saveState();
    await expect(pipeline.restoreState({ ...state, format: "webgpu-1" })).rejects.toThrow(
      'expected state of the CPU pipeline ("cpu-1"), found "webgpu-1"',
    );
    const other = await ReferencePipeline.create(settings(), randomParticles(9, 8));
    await expect(other.restoreState(state)).rejects.toThrow("expected 9 particles, found 10");
  });

  it("keeps a particle that leaves: it moves in the pull of the rest, is counted, never wrapped", async () => {
    const rest = await plummerSphere(500, 8);
    const positions = [...rest.positions, 7.2, 4, 4];
    const velocities = [...rest.velocities, 3, 0, 0];
    const particles = particleSet(positions, velocities, [...rest.masses, 1e-6]);
    const pipeline = await ReferencePipeline.create(settings(), particles);
    await pipeline.advance(50, 0.02);
    const { positions: x, velocities: v } = await pipeline.readParticles();
    const sums = await pipeline.sums();
    expect(sums.outside).toBeGreaterThanOrEqual(1);
    expect(x[3 * 500]).toBeGreaterThan(9.5);
    expect(x[3 * 500]).toBeLessThan(7.2 + 3);
    expect(v[3 * 500]).toBeLessThan(3);
    // ½v² − M/r at 3.2 and at 6 length units from the centre: 4.5 − 1/3.2 = ½v² − 1/r
    const r = x[3 * 500] - 4;
    expect(v[3 * 500]).toBeCloseTo(Math.sqrt(2 * (4.5 - 1 / 3.2 + 1 / r)), 1);
    const { accelerations } = await pipeline.readParticles({ accelerations: true });
    expect(accelerations?.[3 * 500]).toBeCloseTo(-1 / r ** 2, 2);
  });

  it("comes back in when it turns round", async () => {
    const particles = particleSet([4, 4, 4, 8.5, 4, 4], [0, 0, 0, -2, 0, 0], [1, 0]);
    const pipeline = await ReferencePipeline.create(settings(), particles);
    expect((await pipeline.sums()).outside).toBe(1);
    await pipeline.advance(50, 0.02);
    expect((await pipeline.sums()).outside).toBe(0);
  });

  it("names stage, step and particle when a number stops being one", async () => {
    const particles = randomParticles(100, 8);
    particles.velocities[3 * 42] = Number.NaN;
    const pipeline = await ReferencePipeline.create(settings({ boundary: "periodic" }), particles);
    await expect(pipeline.advance(2, 0.1)).rejects.toMatchObject({
      kind: "numerical",
      message: expect.stringMatching(/Stage update, step 1: expected finite numbers, found NaN at particle 42\./),
    });
  });

  it("stands an empty mesh and no particles", async () => {
    const nobody = await ReferencePipeline.create(settings(), particleSet([], []));
    await nobody.advance(2, 0.1);
    expect(await nobody.sums()).toMatchObject({ kinetic: 0, potential: 0, mass: 0, outside: 0 });
    const outside = await ReferencePipeline.create(settings(), particleSet([9, 4, 4], [1, 0, 0]));
    await outside.advance(2, 0.1);
    expect((await outside.readParticles()).positions[0]).toBeCloseTo(9.2, 12);
  });

  it("reports sums, extremes, stage times and memory", async () => {
    const particles = particleSet([3, 4, 4, 5, 4, 4], [0, 1, 0, 0, -1, 0], [1e-6, 1e-6]);
    const field = {
      kind: "plummer" as const,
      centre: [4, 4, 4] as [number, number, number],
      parameters: { mass: 1, scale: 1 },
    };
    const pipeline = await ReferencePipeline.create(settings({ externalPotentials: [field] }), particles);
    const sums = await pipeline.sums();
    expect(sums.kinetic).toBeCloseTo(1e-6, 18);
    expect(sums.potential / 1e-6).toBeCloseTo(-2 / Math.SQRT2, 4);
    expect(sums.virial / 1e-6).toBeCloseTo(-2 / Math.SQRT2 ** 3, 4);
    expect(sums.momentum).toEqual([0, 0, 0]);
    expect(sums.angularMomentum[2]).toBeCloseTo(-2e-6, 18);
    expect(sums.centreOfMass).toEqual([4, 4, 4]);
    expect(sums.lagrangianRadii).toEqual([1, 1, 1, 1, 1, 1]);
    expect((await pipeline.extremes()).speed).toBe(1);
    await pipeline.advance(3, 0.01);
    expect(pipeline.stageTimes().map(({ stage, count }) => [stage, count])).toEqual([
      ["order", 4],
      ["deposit", 4],
      ["poisson", 4],
      ["gradient", 4],
      ["update", 4],
    ]);
    const { total, particles: held, mesh, other } = pipeline.memory();
    expect(total).toBe(held + mesh + other);
    const read = await pipeline.readParticles({ potential: true });
    expect(read.potential).toHaveLength(2);
    expect(read.accelerations).toBeUndefined();
  });

  it.each(["2-point", "4-point", "spectral"] as const)("runs TSC with %s on a mesh of 3·2^k", async (gradient) => {
    for (const boundary of ["isolated", "periodic"] as const) {
      const mesh = meshSettings({ cells: 24, assignment: "tsc", gradient });
      const pipeline = await ReferencePipeline.create(settings({ mesh, boundary }), await plummerSphere(300, 8));
      const before = await pipeline.sums();
      await pipeline.advance(5, 0.01);
      const after = await pipeline.sums();
      const energy = (s: typeof before) => s.kinetic + s.potential;
      expect(Math.abs(energy(after) / energy(before) - 1)).toBeLessThan(5e-3);
    }
  });
});
