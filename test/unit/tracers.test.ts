/** Masses of 0: what particles count with, what a snapshot keeps, what is refused, what a report shows. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { initialConditions } from "../../src/initial/index.ts";
import { readSnapshot, writeSnapshot } from "../../src/io/snapshot.node.ts";
import { reductionsOf } from "../../src/particles/host-reductions.ts";
import { ParticleMasses } from "../../src/particles/masses.ts";
import { integerMasses } from "../../src/particles/upload.ts";
import { reportSnapshot, reportView } from "../../src/run/report/particle-views.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
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
