/** Particles without mass: they follow the others and no other follows them; alone they move in external potentials. */
import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend/backend.ts";
import { DirectPipeline } from "../../src/engine/direct/pipeline.ts";
import type { DirectPipelineSettings } from "../../src/engine/direct/settings.ts";
import { directDefaults } from "../../src/engine/direct/settings.ts";
import type { PipelineSettings } from "../../src/engine/mesh/settings.ts";
import { MeshPipeline } from "../../src/engine/pipeline/pipeline.ts";
import { ReferenceDirect } from "../../src/engine/reference/direct/pipeline.ts";
import { ReferencePipeline } from "../../src/engine/reference/mesh/pipeline.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import type { ExternalPotential } from "../../src/physics/potentials/potential.ts";
import { useGpu } from "../support/gpu.ts";
import { particleSet, plummerSphere } from "../support/particles.ts";
import { pipelineSettings } from "../support/pipeline.ts";
import { sequence } from "../support/scenario-fixture.ts";

const gpu = useGpu();
const BOX = 10;
const STEP = 1 / 64;

const onMesh = (rest: Partial<PipelineSettings> = {}) => pipelineSettings({ cells: 16 }, "isolated", BOX, rest);
const direct: DirectPipelineSettings = {
  ...{ boxSize: BOX, G: 1, externalPotentials: [], step: STEP },
  direct: { ...directDefaults, softening: 0.1, integrator: "hermite-4", steps: "shared" },
};

/** `count` more particles, without mass, of a component of their own. */
function withTracers(set: ParticleSet, count: number): ParticleSet {
  const tracers = tracersAlone(count);
  const join = (a: ArrayLike<number>, b: ArrayLike<number>) => [...Array.from(a), ...Array.from(b)];
  const all = particleSet(
    join(set.positions, tracers.positions),
    join(set.velocities, tracers.velocities),
    join(set.masses, tracers.masses),
  );
  all.components = [...set.components, { name: "tracers", species: "disk", first: set.count, count }];
  return all;
}

/** On all sides of the centre, some of them outside the mesh. */
function tracersAlone(count: number): ParticleSet {
  const random = sequence(5);
  const positions = Array.from({ length: 3 * count }, () => BOX * random());
  const velocities = Array.from({ length: 3 * count }, () => 0.6 * (random() - 0.5));
  return particleSet(positions, velocities, new Array(count).fill(0));
}

async function stepped(pipeline: Backend | Promise<Backend>, steps: number) {
  const made = await pipeline;
  try {
    const before = await made.sums();
    await made.advance(steps, STEP);
    const [sums, particles] = [await made.sums(), await made.readParticles()];
    return { before, sums, particles, counters: made.counters?.() ?? {} };
  } finally {
    made.destroy();
  }
}

describe("tracers among particles with mass", () => {
  it("change no bit of the others' motion, and sums leave them out", async () => {
    const massive = await plummerSphere(1000, BOX);
    const all = withTracers(massive, 300);
    const ways: [string, (set: ParticleSet) => Backend | Promise<Backend>][] = [
      ["the mesh on the GPU", (set) => MeshPipeline.create(gpu(), onMesh(), set)],
      ["the mesh in float64", (set) => ReferencePipeline.create(onMesh(), set)],
      ["the direct sum in float64", (set) => new ReferenceDirect(direct, set)],
    ];
    for (const [name, make] of ways) {
      const [alone, among] = [await stepped(make(massive), 8), await stepped(make(all), 8)];
      expect(among.particles.positions.subarray(0, 3000), name).toEqual(alone.particles.positions);
      expect(among.particles.velocities.subarray(0, 3000), name).toEqual(alone.particles.velocities);
      expect(among.particles.masses.subarray(1000)).toEqual(new Float64Array(300));
      for (const key of ["mass", "kinetic", "potential", "virial"] as const) {
        expect(among.sums[key] / alone.sums[key], `${name}, ${key}`).toBeCloseTo(1, 6);
      }
      among.sums.lagrangianRadii.forEach((radius, i) => {
        expect(radius).toBeCloseTo(alone.sums.lagrangianRadii[i], 6);
      });
      // They are attracted: none goes straight on.
      const { positions, velocities } = all;
      for (let k = 3000; k < 3900; k++) {
        const straight = positions[k] + 8 * STEP * velocities[k];
        expect(Math.abs(among.particles.positions[k] - straight)).toBeLessThan(0.2);
        if (k % 3 === 0) expect(among.particles.positions[k]).not.toBe(straight);
      }
    }
  });

  it("are no sources of a direct sum, wherever they are listed: no bit of the others changes, and nobody sums over them", async () => {
    const massive = await plummerSphere(300, BOX);
    const behind = withTracers(massive, 100);
    // A permutation that keeps the order of those with mass, and takes a tracer as the first and after every third.
    const places = Uint32Array.from({ length: 400 }, (_, i) => (i % 4 === 0 ? 300 + i / 4 : i - 1 - Math.floor(i / 4)));
    const between = particleSet(
      Array.from({ length: 1200 }, (_, k) => behind.positions[3 * places[Math.floor(k / 3)] + (k % 3)]),
      Array.from({ length: 1200 }, (_, k) => behind.velocities[3 * places[Math.floor(k / 3)] + (k % 3)]),
      Array.from(places, (place) => behind.masses[place]),
    );
    const block: DirectPipelineSettings = {
      ...direct,
      direct: { ...direct.direct, integrator: "hermite-6", steps: "block" },
    };
    const inRounds = { interactionsPerSubmission: 2 ** 15 };
    /** With the forces on all that are counted before the first step. */
    const ways: [string, (set: ParticleSet) => Backend | Promise<Backend>, number][] = [
      ["shared steps on the GPU", (set) => DirectPipeline.create(gpu(), direct, set), 0],
      ["block steps in rounds on the GPU", (set) => DirectPipeline.create(gpu(), block, set, inRounds), 0],
      ["block steps in float64", (set) => new ReferenceDirect(block, set), 2 * 400],
    ];
    for (const [name, make, first] of ways) {
      const [alone, after, amid] = [
        await stepped(make(massive), 4),
        await stepped(make(behind), 4),
        await stepped(make(between), 4),
      ];
      const placed = new Float64Array(1200);
      const { positions } = amid.particles;
      places.forEach((place, i) => void placed.set(positions.subarray(3 * i, 3 * i + 3), 3 * place));
      expect(after.particles.positions.subarray(0, 900), name).toEqual(alone.particles.positions);
      expect(placed, name).toEqual(after.particles.positions);
      for (const { sums, counters } of [after, amid]) {
        expect(sums.mass).toBeCloseTo(1, 12);
        expect(sums.potential / alone.sums.potential, name).toBeCloseTo(1, 12);
        expect(counters.interactions, name).toBe(300 * (counters["particle steps"] + first));
      }
    }
  });
});

describe("tracers alone in an external potential", () => {
  const externalPotentials: ExternalPotential[] = [
    { kind: "plummer", centre: [5, 5, 5], parameters: { mass: 1, scale: 0.7 } },
  ];
  const settings = onMesh({ externalPotentials });

  it("move the same by every way, with energies per unit mass that are conserved", async () => {
    const tracers = tracersAlone(500);
    const directly = { ...direct, externalPotentials };
    const exact = await stepped(new ReferenceDirect(directly, tracers), 64);
    const found = {
      "the mesh on the GPU": await stepped(MeshPipeline.create(gpu(), settings, tracers), 64),
      "the mesh in float64": await stepped(ReferencePipeline.create(settings, tracers), 64),
      "the direct sum on the GPU": await stepped(DirectPipeline.create(gpu(), directly, tracers), 64),
    };
    const mean = (of: (x: number[], v: number[]) => number) => {
      const at = (array: ArrayLike<number>, i: number) => [array[3 * i], array[3 * i + 1], array[3 * i + 2]];
      let sum = 0;
      for (let i = 0; i < 500; i++) sum += of(at(tracers.positions, i), at(tracers.velocities, i)) / 500;
      return sum;
    };
    const square = (vector: number[]) => vector.reduce((sum, x) => sum + x * x, 0);
    const kinetic = mean((_, v) => square(v) / 2);
    const potential = mean((x) => -1 / Math.sqrt(square(x.map((one) => one - 5)) + 0.49));
    for (const [name, { before, sums, particles }] of Object.entries({ ...found, exact })) {
      expect(before.mass, name).toBeCloseTo(1, 6);
      expect(before.kinetic / kinetic).toBeCloseTo(1, 5);
      expect(before.potential / potential).toBeCloseTo(1, 5);
      const [first, last] = [before, sums].map((one) => one.kinetic + one.potential);
      expect(Math.abs(last / first - 1), name).toBeLessThan(1e-4);
      expect(Object.values(sums).flat().every(Number.isFinite), name).toBe(true);
      expect(particles.masses.every((mass) => mass === 0)).toBe(true);
      const errors = exact.particles.positions.map((x, k) => Math.abs(particles.positions[k] - x));
      expect(Math.max(...errors), name).toBeLessThan(2e-3);
    }
    const [onGpu, inFloat64] = [found["the mesh on the GPU"], found["the mesh in float64"]];
    inFloat64.particles.positions.forEach((x, k) => {
      expect(Math.abs(onGpu.particles.positions[k] - x)).toBeLessThan(2e-6);
    });
  });

  it("don't pay for a mesh: neither deposit nor solver is made", async () => {
    const pipeline = await MeshPipeline.create(gpu(), settings, tracersAlone(100));
    try {
      await pipeline.advance(2, STEP);
      const state = await pipeline.saveState();
      await pipeline.restoreState(state);
      await pipeline.advance(2, STEP);
      expect(pipeline.stageTimes().map(({ stage }) => stage)).not.toContain("poisson");
    } finally {
      pipeline.destroy();
    }
  });
});
