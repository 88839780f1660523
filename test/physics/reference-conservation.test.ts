/** Self-force, momentum, energy and the order of the leapfrog in the float64 pipeline (docs/accuracy.md). */
import { describe, expect, it } from "vitest";
import type { Assignment, GradientScheme, PipelineSettings } from "../../src/engine/mesh/settings.ts";
import { ReferencePipeline } from "../../src/engine/reference/mesh/pipeline.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { particleSet, plummerSphere, randomParticles } from "../support/particles.ts";
import { meshSettings } from "../support/point-mass.ts";
import { sequence } from "../support/scenario-fixture.ts";

const CASES: [Boundary, Assignment, GradientScheme][] = [
  ["periodic", "ngp", "2-point"],
  ["periodic", "cic", "2-point"],
  ["periodic", "cic", "4-point"],
  ["periodic", "tsc", "4-point"],
  ["periodic", "tsc", "spectral"],
  ["isolated", "ngp", "4-point"],
  ["isolated", "cic", "4-point"],
  ["isolated", "tsc", "2-point"],
];

function settings(
  cells: number,
  boundary: Boundary,
  assignment: Assignment,
  gradient: GradientScheme,
): PipelineSettings {
  return {
    mesh: meshSettings({ cells, assignment, gradient }),
    boundary,
    boxSize: 1,
    G: 1,
    externalPotentials: [],
  };
}

/** Positions and velocities in full precision. */
async function phaseSpace(pipeline: ReferencePipeline): Promise<{ positions: Float64Array; velocities: Float64Array }> {
  const { positions, velocities } = (await pipeline.saveState()).arrays;
  return { positions: Float64Array.from(positions), velocities: Float64Array.from(velocities) };
}

async function accelerations(pipeline: ReferencePipeline): Promise<Float64Array> {
  // Float32 read-back would hide the last digits: a kick from rest shows the acceleration in float64.
  const before = (await phaseSpace(pipeline)).velocities;
  await pipeline.advance(1, 1e-30);
  const after = (await phaseSpace(pipeline)).velocities;
  return Float64Array.from(after, (v, i) => (v - before[i]) / 1e-30);
}

describe.each(CASES)("%s, %s, %s", (boundary, assignment, gradient) => {
  it("a lone particle feels no force", async () => {
    const random = sequence(3);
    const h = 1 / 16;
    for (let trial = 0; trial < 4; trial++) {
      const at = [random(), random(), random()].map((x) => 0.3 + 0.4 * x);
      const particles = particleSet(at, [0, 0, 0]);
      const pipeline = await ReferencePipeline.create(settings(16, boundary, assignment, gradient), particles);
      // In units of Gm/h², the pull at a distance of a cell.
      expect(Math.hypot(...(await accelerations(pipeline))) * h * h).toBeLessThan(1e-14);
    }
  });

  it("the forces on all particles cancel", async () => {
    const particles = randomParticles(2000, 1);
    if (boundary === "isolated")
      for (let i = 0; i < 6000; i++) particles.positions[i] = 0.25 + 0.5 * particles.positions[i];
    const pipeline = await ReferencePipeline.create(settings(32, boundary, assignment, gradient), particles);
    const a = await accelerations(pipeline);
    const sum = [0, 0, 0];
    let size = 0;
    for (let i = 0; i < 2000; i++) {
      for (let axis = 0; axis < 3; axis++) sum[axis] += particles.masses[i] * a[3 * i + axis];
      size += particles.masses[i] * Math.hypot(a[3 * i], a[3 * i + 1], a[3 * i + 2]);
    }
    expect(Math.hypot(...sum) / size).toBeLessThan(1e-14);
  });
});

describe("leapfrog", () => {
  /** A particle of no mass on an eccentric orbit in a rigid Plummer field: nothing but the integrator. */
  async function orbit(steps: number): Promise<{ x: number[]; energy: number }> {
    const field = {
      kind: "plummer" as const,
      centre: [0.5, 0.5, 0.5] as [number, number, number],
      parameters: { mass: 1, scale: 0.1 },
    };
    const run = { ...settings(16, "isolated", "cic", "2-point"), externalPotentials: [field] };
    const pipeline = await ReferencePipeline.create(run, particleSet([0.75, 0.5, 0.5], [0, 1, 0.5], [0]));
    await pipeline.advance(steps, 2 / steps);
    const { positions, velocities } = await phaseSpace(pipeline);
    const r2 = positions.reduce((sum, x) => sum + (x - 0.5) ** 2, 0);
    const v2 = velocities.reduce((sum, v) => sum + v * v, 0);
    return { x: Array.from(positions), energy: v2 / 2 - 1 / Math.sqrt(r2 + 0.01) };
  }

  it("is of second order in position and energy", async () => {
    const runs = [await orbit(100), await orbit(200), await orbit(400)];
    const exact = -1 / Math.sqrt(0.0725) + 0.625;
    const shift = (i: number) => Math.hypot(...runs[i].x.map((x, axis) => x - runs[i + 1].x[axis]));
    expect(Math.log2(shift(0) / shift(1))).toBeGreaterThan(1.95);
    expect(Math.log2(shift(0) / shift(1))).toBeLessThan(2.1);
    expect(Math.log2((runs[0].energy - exact) / (runs[1].energy - exact))).toBeGreaterThan(1.9);
  });

  it("runs back to where it came from", async () => {
    const particles = await plummerSphere(500, 8);
    const run = { ...settings(24, "isolated", "tsc", "4-point"), boxSize: 8 };
    const pipeline = await ReferencePipeline.create(run, particles);
    await pipeline.advance(20, 0.02);
    await pipeline.advance(20, -0.02);
    const { positions } = await phaseSpace(pipeline);
    const most = positions.reduce((m, x, i) => Math.max(m, Math.abs(x - particles.positions[i])), 0);
    expect(most).toBeLessThan(1e-11);
  });
});

describe("Plummer sphere, isolated", () => {
  const energies = async (particles: ParticleSet, steps: number) => {
    const run = { ...settings(48, "isolated", "tsc", "4-point"), boxSize: 10 };
    const pipeline = await ReferencePipeline.create(run, particles);
    const first = await pipeline.sums();
    let most = 0;
    for (let done = 0; done < steps; done += steps / 4) {
      await pipeline.advance(steps / 4, 1 / steps);
      const { kinetic, potential } = await pipeline.sums();
      const initial = first.kinetic + first.potential;
      most = Math.max(most, Math.abs((kinetic + potential - initial) / initial));
    }
    return { most, first, last: await pipeline.sums(), positions: (await phaseSpace(pipeline)).positions };
  };

  it("keeps energy, momentum and virial equilibrium over a time unit, at second order in the step", async () => {
    const particles = await plummerSphere(5000, 10);
    const runs = [await energies(particles, 16), await energies(particles, 32), await energies(particles, 64)];
    const shift = (i: number) => {
      const [a, b] = [runs[i].positions, runs[i + 1].positions];
      return Math.sqrt(a.reduce((sum, x, j) => sum + (x - b[j]) ** 2, 0) / a.length);
    };
    const { first, last } = runs[2];
    expect(runs[2].most).toBeLessThan(1e-3);
    // What the mesh costs is the same in all three runs; the step's share quarters.
    const [coarse, middle, fine] = runs.map(({ most }) => most);
    expect(Math.log2((coarse - middle) / (middle - fine))).toBeGreaterThan(1.8);
    expect(Math.log2(shift(0) / shift(1))).toBeGreaterThan(1.8);
    expect(Math.hypot(...last.momentum.map((p, axis) => p - first.momentum[axis]))).toBeLessThan(1e-4);
    // Cells of a third of the Plummer radius soften the core: a few per cent less pull than it needs.
    expect(Math.abs((2 * last.kinetic) / Math.abs(last.virial) - 1)).toBeLessThan(0.08);
  });
});
