import { describe, expect, it } from "vitest";
import { DiagnosticSums } from "../../src/engine/diagnostics/energy.ts";
import { ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import { ParticleOrder } from "../../src/engine/gpu-particles/order.ts";
import { createMeshBuffers } from "../../src/engine/mesh/field.ts";
import { MeshGradient } from "../../src/engine/mesh/force/gradient.ts";
import type { Assignment } from "../../src/engine/mesh/settings.ts";
import { cellGrid } from "../../src/engine/mesh/stage.ts";
import { hostGridOf } from "../../src/engine/reference/mesh/cells.ts";
import { depositMass } from "../../src/engine/reference/mesh/deposit.ts";
import { PoissonFft } from "../../src/engine/reference/mesh/poisson-fft.ts";
import { f32, u32 } from "../../src/foundation/gpu/buffers.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { WindowLimits } from "../../src/foundation/gpu/windows.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { packImage } from "../../src/physics/particles/fixed-point.ts";
import { wholeBoxGrid } from "../../src/physics/particles/grid.ts";
import type { Sums } from "../../src/physics/particles/sums.ts";
import { lagrangianRadii, largest, sumParticles } from "../../src/physics/particles/sums.ts";
import type { ExternalPotential } from "../../src/physics/potentials/potential.ts";
import { exactState, meshSettings, placeholders, randomPositions, randomWords } from "../support/exact-particles.ts";
import { inFull } from "../support/full.ts";
import { poison, useGpu } from "../support/gpu.ts";
import { writeForce } from "../support/mesh-mass.ts";
import {
  coordinates,
  forceIsGiven,
  type ParticleStage,
  particleStage,
  randomForce,
  referenceForces,
  relativeError,
  type StageCase,
} from "../support/particle-stage.ts";
import { perParticle } from "../support/read-particles.ts";

const gpu = useGpu();

async function withStage<T>(given: StageCase, use: (stage: ParticleStage) => Promise<T>): Promise<T> {
  const stage = await particleStage(gpu(), given);
  try {
    await stage.prepare();
    return await use(stage);
  } finally {
    stage.destroy();
  }
}

/** Float64 sums of the same case, from accelerations and potentials in float64. */
function referenceSums(given: StageCase): Sums {
  const { exact, boxSize = 1 } = given;
  const count = exact.positions.length / 3;
  return sumParticles({
    ...referenceForces(given),
    positions: coordinates(exact, boxSize),
    velocities: exact.velocities,
    masses: Float64Array.from({ length: count }, (_, id) => given.massOf?.(id) ?? 1 / count),
    boxSize,
  });
}

/** What Σ |term| is at most: cancelling sums are compared with that. */
function sizes(given: StageCase): { momentum: number; angularMomentum: number; virial: number; potential: number } {
  const { exact, boxSize = 1 } = given;
  const count = exact.positions.length / 3;
  const { accelerations, meshPotential, externalPotential } = referenceForces(given);
  const x = coordinates(exact, boxSize);
  const size = { momentum: 0, angularMomentum: 0, virial: 0, potential: 0 };
  for (let id = 0; id < count; id++) {
    const m = given.massOf?.(id) ?? 1 / count;
    const length = (values: ArrayLike<number>, from = 0) =>
      Math.hypot(values[3 * id] - from, values[3 * id + 1] - from, values[3 * id + 2] - from);
    size.momentum += m * length(exact.velocities);
    size.angularMomentum += m * length(exact.velocities) * length(x, boxSize / 2);
    size.virial += m * length(accelerations) * length(x, boxSize / 2);
    size.potential += m * (Math.abs(meshPotential[id]) + Math.abs(externalPotential[id]));
  }
  return size;
}

async function checkSums(given: StageCase): Promise<void> {
  const expected = referenceSums(given);
  const size = sizes(given);
  await withStage(given, async ({ diagnostics }) => {
    const found = await diagnostics.sums();
    const { boxSize = 1 } = given;
    // Energies to 1e-7 (of the sum of the absolute terms, where they cancel), float32 terms of few particles to 3e-7.
    const few = given.exact.positions.length < 300;
    const tolerance = few ? 5e-7 : 1e-7;
    expect(Math.abs(found.kinetic / expected.kinetic - 1)).toBeLessThan(tolerance);
    expect(Math.abs(found.potential - expected.potential) / size.potential).toBeLessThan(tolerance);
    expect(found.mass / expected.mass).toBeCloseTo(1, 6);
    for (let axis = 0; axis < 3; axis++) {
      expect(Math.abs(found.momentum[axis] - expected.momentum[axis]) / size.momentum).toBeLessThan(tolerance);
      const angular = Math.abs(found.angularMomentum[axis] - expected.angularMomentum[axis]);
      expect(angular / size.angularMomentum).toBeLessThan(tolerance);
      expect(Math.abs(found.centreOfMass[axis] - expected.centreOfMass[axis]) / boxSize).toBeLessThan(2e-7);
    }
    expect(Math.abs(found.virial - expected.virial) / size.virial).toBeLessThan(2 * tolerance);
    expect(found.outside).toBe(expected.outside);
    const extremes = await diagnostics.extremes();
    expect(extremes.speed / largest(given.exact.velocities)).toBeCloseTo(1, 6);
    expect(extremes.acceleration / largest(referenceForces(given).accelerations)).toBeCloseTo(1, 5);
  });
}

const FIELDS: ExternalPotential[] = [
  { kind: "plummer", centre: [2, 2, 2], parameters: { mass: 3, scale: 0.4 } },
  { kind: "hernquist", centre: [0.1, 3.9, 2.5], parameters: { mass: 2, scale: 0.7 } },
];

describe("sums over the particles", () => {
  it.each(["ngp", "cic", "tsc"] as Assignment[])("%s, periodic, equal masses, odd counts", async (assignment) => {
    for (const count of [1, 63, 20_011]) {
      const exact = exactState(randomPositions(count, count), "periodic");
      await checkSums({ mesh: meshSettings(inFull([24], [16])[0], assignment), boundary: "periodic", exact });
    }
  });

  it.each(["ngp", "cic", "tsc"] as Assignment[])(
    "%s, isolated, unequal masses, fields, escapees",
    async (assignment) => {
      const word = randomWords(3);
      const image = () => (word() % 6 === 0 ? packImage((word() % 5) - 2, (word() % 3) - 1, 1) : 0);
      const exact = exactState(randomPositions(20_011, 7), "isolated", image);
      const massOf = (id: number) => (1 + (id % 64)) / 64;
      const mesh = meshSettings(16, assignment, "4-point");
      await checkSums({ mesh, boundary: "isolated", exact, massOf, boxSize: 4, G: 2, externalPotentials: FIELDS });
    },
  );

  it("gives 0 for particles without mass that matter to nothing", async () => {
    const exact = exactState(randomPositions(64, 2), "periodic");
    const massOf = (id: number) => (id === 0 ? 1 : 0);
    exact.velocities.fill(0, 0, 3);
    await withStage({ mesh: meshSettings(16, "cic"), boundary: "periodic", exact, massOf }, async ({ diagnostics }) => {
      const sums = await diagnostics.sums();
      expect(sums.kinetic).toBe(0);
      expect(sums.mass).toBe(1);
      expect(sums.momentum).toEqual([0, 0, 0]);
    });
  });

  it("is the same in bits whatever the order within cells, and in every repetition", async () => {
    const count = 30_001;
    const positions = randomPositions(count, 5);
    const run = async (source: (id: number) => number) => {
      const pick = <T extends Uint32Array | Float32Array>(values: T) =>
        values.map((_, i) => values[3 * source(Math.floor(i / 3)) + (i % 3)]) as T;
      const exact = exactState(positions, "periodic");
      const given = { positions: pick(exact.positions), velocities: pick(exact.velocities) };
      const stage = { mesh: meshSettings(16, "tsc"), boundary: "periodic" as Boundary, exact: given };
      return withStage({ ...stage, massOf: (id) => 1 + (source(id) % 9) }, async ({ diagnostics }) => {
        const [once, again] = [await diagnostics.sums(), await diagnostics.sums()];
        expect(again).toEqual(once);
        return once;
      });
    };
    expect(await run((id) => (id * 7919) % count)).toEqual(await run((id) => id));
  });

  it("leaves nothing of what was in the buffers before", async () => {
    const exact = exactState(randomPositions(500, 1), "periodic");
    await withStage(
      { mesh: meshSettings(16, "cic"), boundary: "periodic", exact },
      async ({ diagnostics, particles }) => {
        const clean = await diagnostics.sums();
        const { accelerations, potential } = await perParticle(gpu(), particles, diagnostics);
        const other = particles.current === 0 ? 1 : 0;
        for (const pair of [particles.positions, particles.velocities, particles.ids]) poison(gpu(), pair[other]);
        expect(await perParticle(gpu(), particles, diagnostics)).toEqual({ accelerations, potential });
        expect(await diagnostics.sums()).toEqual(clean);
      },
    );
  });

  it("names the stage when something is no number", async () => {
    const exact = exactState(randomPositions(100, 1), "periodic");
    exact.velocities[50] = Number.NaN;
    await withStage({ mesh: meshSettings(16, "cic"), boundary: "periodic", exact }, async ({ diagnostics }) => {
      await expect(diagnostics.sums()).rejects.toThrow(/stage diagnostics: expected finite velocities/);
      await expect(diagnostics.extremes()).rejects.toMatchObject({ kind: "numerical" });
    });
  });

  it("finds Lagrangian radii to 2e-3 of float64's, about a centre of mass off the box centre", async () => {
    const count = 40_000;
    const word = randomWords(8);
    const unit = () => (word() + 0.5) / 2 ** 32;
    const positions = new Uint32Array(3 * count);
    for (let id = 0; id < count; id++) {
      const r = 0.02 / Math.sqrt((0.99 * unit()) ** (-2 / 3) - 1);
      const z = 2 * unit() - 1;
      const azimuth = 2 * Math.PI * unit();
      const across = Math.sqrt(1 - z * z);
      const at = [r * across * Math.cos(azimuth), r * across * Math.sin(azimuth), r * z];
      at.forEach((x, axis) => {
        positions[3 * id + axis] = (0.55 + x) * 2 ** 32;
      });
    }
    const exact = exactState(positions, "isolated");
    await withStage(
      { mesh: meshSettings(16, "cic"), boundary: "isolated", exact, boxSize: 10 },
      async ({ diagnostics }) => {
        const sums = await diagnostics.sums();
        const masses = new Float64Array(count).fill(1 / count);
        const expected = lagrangianRadii(coordinates(exact, 10), masses, sums.centreOfMass);
        for (const [i, radius] of sums.lagrangianRadii.entries())
          expect(Math.abs(radius / expected[i] - 1)).toBeLessThan(2e-3);
      },
    );
  });
});

describe("of particles in windows and a mesh in slabs", () => {
  /** All that is to be known of particles counted into cells and a given force. */
  async function found({ mesh: settings, boundary, exact, massOf }: StageCase, windows: WindowLimits) {
    const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows });
    try {
      const set = placeholders(exact.positions.length / 3, massOf);
      const particles = await ParticleBuffers.create(context, set, { boxSize: 4, boundary });
      await particles.restore(exact);
      const mesh = createMeshBuffers(context, wholeBoxGrid(settings.cells, boundary));
      const order = await ParticleOrder.create(context, particles, mesh.starts, cellGrid(settings, mesh.grid));
      const pipeline = { mesh: settings, boundary, boxSize: 4, G: 2, externalPotentials: FIELDS };
      // Words of a monopole: where it is, in fixed point, and G M.
      const monopole = context.buffers.uniform("monopole", [...u32(2 ** 31, 3 * 2 ** 30, 2 ** 30), ...f32(3)]);
      const stage = { gpu: context, particles, mesh, settings: pipeline };
      const diagnostics = DiagnosticSums.create(stage, monopole);
      writeForce(context, mesh, randomForce(settings.cells));
      const batch = context.batch("ordering");
      order.encodeCount(batch);
      order.encodeSort(batch);
      await batch.submit();
      forceIsGiven(particles);
      const parts = { windows: particles.windows.length, slabs: mesh.slabs.length };
      const each = await perParticle(context, particles, diagnostics);
      return { parts, all: { each, extremes: await diagnostics.extremes(), sums: await diagnostics.sums() } };
    } finally {
      context.destroy();
    }
  }

  type Cut = [WindowLimits, { windows: number; slabs: number }];
  const SMALL: Cut = [
    { planes: 2, particles: 4096 },
    { windows: 5, slabs: 16 },
  ];
  const UNEVEN: Cut = [
    { planes: 10, particles: 8192 },
    { windows: 3, slabs: 4 },
  ];
  const LONG: Cut[] = [SMALL, UNEVEN, [{ planes: 10 }, { windows: 1, slabs: 4 }]];
  type Case = [Boundary, Assignment, "equal" | "unequal", Cut[]];
  const ALL: Case[] = [
    ["periodic", "cic", "equal", LONG],
    ["periodic", "tsc", "unequal", LONG],
    ["isolated", "cic", "equal", LONG],
    ["isolated", "tsc", "unequal", LONG],
  ];
  const SELECTION: Case[] = [
    ["periodic", "tsc", "equal", [UNEVEN]],
    ["isolated", "cic", "unequal", [SMALL]],
  ];

  it.each(inFull(ALL, SELECTION))("in the same bits: %s, %s, %s masses", async (boundary, assignment, masses, cuts) => {
    const word = randomWords(3);
    const image = () => (word() % 6 === 0 ? packImage((word() % 5) - 2, (word() % 3) - 1, 1) : 0);
    const exact = exactState(randomPositions(20_011, 7), boundary, image);
    const massOf = masses === "equal" ? undefined : (id: number) => (1 + (id % 64)) / 64;
    const given = { mesh: meshSettings(32, assignment), boundary, exact, ...(massOf && { massOf }) };
    const whole = await found(given, {});
    expect(whole.parts).toEqual({ windows: 1, slabs: 1 });
    for (const [windows, parts] of cuts) expect(await found(given, windows)).toEqual({ parts, all: whole.all });
  });
});

describe("acceleration and potential of each particle", () => {
  it.each(["ngp", "cic", "tsc"] as Assignment[])("%s, in id order, agree with float64", async (assignment) => {
    const exact = exactState(randomPositions(10_007, 4), "periodic");
    const mesh = meshSettings(24, assignment);
    const given: StageCase = { mesh, boundary: "periodic", exact, boxSize: 4, externalPotentials: FIELDS };
    const { accelerations, meshPotential, externalPotential } = referenceForces(given);
    await withStage(given, async ({ diagnostics, particles }) => {
      const found = await perParticle(gpu(), particles, diagnostics);
      expect(relativeError(found.accelerations, accelerations)).toBeLessThan(1e-6);
      const potential = meshPotential.map((phi, id) => phi + externalPotential[id]);
      expect(relativeError(found.potential, potential)).toBeLessThan(1e-6);
    });
  });
});

describe("momentum", () => {
  /** Accelerations of particles by their own mesh: density and potential in float64, the rest on the GPU. */
  async function ownForces(given: StageCase & { boundary: "periodic" }): Promise<Float32Array> {
    const { mesh, exact } = given;
    const count = exact.positions.length / 3;
    const masses = Float64Array.from({ length: count }, (_, id) => given.massOf?.(id) ?? 1 / count);
    const all = Uint32Array.from({ length: count }, (_, id) => id);
    const density = depositMass(hostGridOf(mesh, "periodic", 1), coordinates(exact), masses, all);
    const potential = PoissonFft.periodic(mesh.cells, 1, 1, "discrete").potential(density);
    return withStage(given, async ({ prepare, particles, mesh: buffers, diagnostics }) => {
      await prepare();
      const n = mesh.cells;
      const rows = new Float32Array(buffers.pitch * n * n);
      for (let row = 0; row < n * n; row++)
        rows.set(Float32Array.from(potential.subarray(row * n, (row + 1) * n)), row * buffers.pitch);
      gpu().device.queue.writeBuffer(buffers.field, 0, rows);
      const settings = { gradient: "4-point", boundary: "periodic", boxSize: 1 } as const;
      const gradient = await MeshGradient.create(gpu(), buffers, settings);
      await gradient.encode(gpu().batch("gradient")).submit();
      gradient.destroy();
      return (await perParticle(gpu(), particles, diagnostics)).accelerations;
    });
  }

  it.each(["ngp", "cic", "tsc"] as Assignment[])("%s: of many particles is conserved to 1e-6", async (assignment) => {
    const count = 20_000;
    const exact = exactState(randomPositions(count, 21), "periodic");
    const massOf = (id: number) => 1 + (id % 5);
    const a = await ownForces({ mesh: meshSettings(32, assignment, "4-point"), boundary: "periodic", exact, massOf });
    const total = [0, 0, 0];
    let size = 0;
    for (let id = 0; id < count; id++) {
      for (let axis = 0; axis < 3; axis++) total[axis] += massOf(id) * a[3 * id + axis];
      size += massOf(id) * Math.hypot(a[3 * id], a[3 * id + 1], a[3 * id + 2]);
    }
    expect(Math.hypot(...total) / size).toBeLessThan(1e-6);
  });

  it.each(["ngp", "cic", "tsc"] as Assignment[])("%s: a lone particle doesn't pull itself", async (assignment) => {
    const n = 32;
    for (const seed of [1, 2, 3, 4, 5]) {
      const exact = exactState(randomPositions(1, seed), "periodic");
      const a = await ownForces({ mesh: meshSettings(n, assignment, "4-point"), boundary: "periodic", exact });
      // In units of G m / h².
      expect(Math.hypot(...a) / n ** 2).toBeLessThan(1e-6);
    }
  });
});
