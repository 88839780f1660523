/** Masses of 0: what particles count with, what a snapshot keeps, what is refused, what a report shows. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { integerMasses } from "../../src/engine/gpu-particles/upload.ts";
import { initialConditions } from "../../src/physics/initial/source.ts";
import { reductionsOf } from "../../src/physics/particles/host-reductions.ts";
import { ParticleMasses } from "../../src/physics/particles/masses.ts";
import { readSnapshot, writeSnapshot } from "../../src/run/io/snapshot.node.ts";
import { reportSnapshot, reportView } from "../../src/run/report/particle-views.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { scenarioNotes } from "../../src/scenario/remarks.ts";
import { fixtureParticles, fixtureScenario } from "../support/scenario-fixture.ts";

describe("weights", () => {
  it("are the masses, and equal shares where there are none", () => {
    const mixed = new ParticleMasses([
      { first: 0, count: 2, mass: 0 },
      { first: 2, count: 2, mass: 3 },
    ]);
    expect(mixed.weights).toBe(mixed);
    const units = integerMasses(mixed);
    expect(units).toMatchObject({ heaviest: 3, equal: false, massless: false, total: 2n * 2n ** 22n });
    const none = new ParticleMasses([
      { first: 0, count: 3, mass: 0 },
      { first: 3, count: 1, mass: new Float64Array(1) },
    ]);
    expect(none.weights.toArray()).toEqual(new Float64Array(4).fill(0.25));
    expect(integerMasses(none)).toMatchObject({ heaviest: 0.25, equal: true, massless: true, total: 4n * 2n ** 22n });
  });
});

describe("a snapshot", () => {
  it("keeps masses of 0, of one type and of all", async () => {
    const dir = mkdtempSync(join(tmpdir(), "gravmesh-tracers-"));
    try {
      for (const alone of [false, true]) {
        const particles = fixtureParticles();
        particles.masses.fill(0, alone ? 0 : 5, alone ? 12 : 9); // the disk, or all
        const file = join(dir, `${alone}.hdf5`);
        await writeSnapshot(file, particles, { scenario: fixtureScenario(), time: 0 });
        const read = await readSnapshot(file);
        expect(read.masses).toEqual(particles.masses);
        expect(read.components).toEqual(particles.components);
      }
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

const deck = (potential: { kind: "plummer"; name: string; mass: number; scale: number }[]) => ({
  title: "tracers",
  box: { size: 10 },
  mesh: { cells: 16 },
  particles: [{ kind: "uniform" as const, name: "cloud", count: 50, mass: 0, side: 4 }],
  potential,
  time: { end: 1, step: 0.1 },
});

describe("a deck of tracers", () => {
  const potential = [{ kind: "plummer" as const, name: "field", mass: 1, scale: 1 }];

  it("needs something that attracts them", async () => {
    const { particles } = await initialConditions(completeScenario(deck(potential)), { G: 1 });
    expect(particles.masses).toEqual(new Float64Array(50));
    await expect(initialConditions(completeScenario(deck([])), { G: 1 })).rejects.toThrow(
      /expected particles with mass, found 50 whose masses are all 0\. Tracers need something that attracts them/,
    );
  });
});

describe("a report", () => {
  it("shows what has mass: tracers among others are neither in its pictures nor in the choice of its view", async () => {
    const particles = fixtureParticles();
    particles.masses.fill(0, 5, 9);
    const reductions = reductionsOf(particles, { size: 16, boundary: "isolated" });
    const view = await reportView(reductions, fixtureScenario());
    expect(view).toMatchObject({ disk: false, shown: "all particles" });
    const { faceOn } = await reportSnapshot(reductions, 0, view);
    expect(faceOn.values.some((value) => value > 0)).toBe(true);
  });
});

describe("models of tracers", () => {
  it("are no matter where they are cut off, unlike those with mass", () => {
    const both = completeScenario({
      ...{ title: "t", box: { size: 8 }, mesh: { cells: 64 }, time: { end: 1, step: 0.1 } },
      particles: [1, 0].map((mass) => ({
        kind: "hernquist",
        name: `m${mass}`,
        count: 10,
        mass,
        scale: 0.5,
        cutoff: 2,
      })),
    });
    const remarks = scenarioNotes(both).filter((remark) => remark.includes("fades out"));
    expect(remarks).toEqual([expect.stringMatching(/^m1 fades out towards cutoff = 2/)]);
  });

  const sphere = (name: string, mass: number, more: object = {}) => ({
    ...{ kind: "plummer" as const, name, mass, count: 4000, scale: 0.5, cutoff: 4 },
    ...more,
  });
  type Component = ReturnType<typeof sphere>;
  const drawn = async (particles: (Component | object)[], more: object = {}) => {
    const scenario = completeScenario({ ...deck([]), particles: particles as Component[], ...more });
    return (await initialConditions(scenario, { G: 1 })).particles;
  };
  const meanSquare = (velocities: ArrayLike<number>) =>
    Array.from(velocities).reduce((sum, v) => sum + v * v, 0) / (velocities.length / 3);

  it("are in equilibrium with what has mass, of which no bit changes", async () => {
    const alone = await drawn([sphere("stars", 1)]);
    const both = await drawn([sphere("stars", 1), sphere("tracers", 0, { seed: 9 })]);
    expect(both.positions.subarray(0, 12000)).toEqual(alone.positions);
    expect(both.velocities.subarray(0, 12000)).toEqual(alone.velocities);
    expect(both.masses.subarray(4000)).toEqual(new Float64Array(4000));
    // Of the same density in the same field they move alike: the mean square of 4000 is known to 2 %.
    const [stars, tracers] = [both.velocities.subarray(0, 12000), both.velocities.subarray(12000)];
    expect(meanSquare(tracers) / meanSquare(stars)).toBeCloseTo(1, 1);
    const radius = (set: Float64Array) => {
      const squares = Array.from({ length: 4000 }, (_, i) =>
        [0, 1, 2].reduce((r, k) => r + (set[3 * i + k] - 5) ** 2, 0),
      );
      return Math.sqrt(squares.sort((a, b) => a - b)[2000]);
    };
    const [own, others] = [both.positions.subarray(0, 12000), both.positions.subarray(12000)];
    expect(Math.abs(radius(others) / radius(own) - 1)).toBeLessThan(0.06);
  });

  it("need something about their centre", async () => {
    const elsewhere = [sphere("stars", 1, { offset: [1, 0, 0], cutoff: 3 }), sphere("tracers", 0)];
    await expect(drawn(elsewhere)).rejects.toThrow(
      /component "tracers": expected something with mass about its centre/,
    );
  });

  it("rotate as a disk of given dispersion, for which Toomre's Q means nothing", async () => {
    const halo = { kind: "hernquist" as const, name: "halo", mass: 1, scale: 1, rigid: true };
    const disk = {
      kind: "exponential-disk" as const,
      name: "disk",
      count: 4000,
      mass: 0,
      scaleLength: 0.5,
      scaleHeight: 0.05,
    };
    await expect(drawn([disk, halo])).rejects.toThrow(/sigma: expected a dispersion above 0 with mass = 0/);
    const { positions, velocities } = await drawn([{ ...disk, sigma: 0.03 }, halo]);
    // v² = M(R)/R = R/(R + 1)² about 2.5 scale lengths, less an asymmetric drift of a few σ²/v
    const found: number[] = [];
    for (let i = 0; i < 4000; i++) {
      const [x, y] = [positions[3 * i] - 5, positions[3 * i + 1] - 5];
      const R = Math.hypot(x, y);
      if (Math.abs(R - 1.25) < 0.1) found.push((x * velocities[3 * i + 1] - y * velocities[3 * i]) / R);
    }
    const mean = found.reduce((sum, v) => sum + v, 0) / found.length;
    expect(mean / Math.sqrt(1.25 / 2.25 ** 2)).toBeGreaterThan(0.95);
    expect(mean / Math.sqrt(1.25 / 2.25 ** 2)).toBeLessThan(1.01);
  });
});
