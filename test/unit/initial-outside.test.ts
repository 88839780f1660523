/** Particles that a file or a program has somewhere else than the mesh: refused, or moved onto it where the deck says so. */
import { describe, expect, it } from "vitest";
import type { ComponentOf } from "../../src/physics/initial/models.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { Simulation, type SimulationOptions } from "../../src/scenario/simulation/simulation.ts";
import { sequence } from "../support/scenario-fixture.ts";
import { sampleOf, uniform } from "./initial-samples.ts";

const SIZE = 16;
const COUNT = 500;

/** A cloud of 8 about `centre`, moving along x, in box coordinates. */
function cloud(centre: number, mass = 1): ParticleSet {
  const random = sequence(3);
  return {
    count: COUNT,
    positions: Float64Array.from({ length: 3 * COUNT }, () => centre + 8 * (random() - 0.5)),
    velocities: Float32Array.from({ length: 3 * COUNT }, (_, k) => (k % 3 === 0 ? 0.25 : 0)),
    masses: new Float64Array(COUNT).fill(mass / COUNT),
    components: [{ name: "stars", species: "stars", first: 0, count: COUNT }],
  };
}

const deckOf = (changes: Record<string, unknown> = {}, file: Partial<ComponentOf<"snapshot">> = {}) =>
  completeScenario({
    ...{ title: "A cloud", box: { size: SIZE }, mesh: { cells: 16 }, time: { end: 0.1, step: 0.05 } },
    particles: [{ kind: "snapshot", file: "cloud.csv", ...file }],
    ...changes,
  });

const loading = (set: ParticleSet): SimulationOptions => ({
  ...{ backend: "cpu" as const },
  loadSnapshot: async () => ({ ...set, boxSize: 0, time: 0 }),
});

async function refusal(scenario = deckOf(), options: SimulationOptions = loading(cloud(0))): Promise<string> {
  const error = await Simulation.create(scenario, options).then(
    (simulation) => simulation.destroy(),
    (thrown) => thrown,
  );
  if (error) expect(error).toMatchObject({ name: "GravmeshError", kind: "input" });
  return error?.message ?? "none";
}

describe("a run whose mass begins outside its isolated mesh", () => {
  it("is refused with the share, the centre and what to try", async () => {
    expect(await refusal()).toMatch(
      /found (8|9)\d(\.\d)? % of it outside.* centre of mass is at \[-?0\.\d+, .*\], that of the mesh at \[8, 8, 8\]\. .*set centre = true, or offset = \[[78]\.\d+, [78]\.\d+, [78]\.\d+\], in \[\[particles\]\] snapshot; is the unit/,
    );
  });

  it("is told of a larger box where that is what it lacks, and of all files where there are several", async () => {
    const large = cloud(0);
    for (let k = 0; k < large.positions.length; k++) large.positions[k] = 8 + 10 * large.positions[k];
    expect(await refusal(deckOf(), loading(large))).toMatch(/To have it inside, take a box\.size of about 1[56]0; is/);
    const two = [
      { kind: "snapshot", file: "a" },
      { kind: "snapshot", file: "b" },
    ];
    expect(await refusal(deckOf({ particles: two }))).toMatch(/add \[.*\] to the offset of every component/);
  });

  it("is refused of a program's particles as well, unless they are of a run that goes on", async () => {
    const options = { backend: "cpu" as const, particles: cloud(0) };
    expect(await refusal(deckOf(), options)).toMatch(/add \[.*\] to the positions, which are box coordinates;/);
    expect(await refusal(deckOf(), { ...options, time: 0.05 })).toBe("none");
  });

  it("isn't refused with half of it inside, of tracers, in a direct sum, or beside more mass on the mesh", async () => {
    expect(await refusal(deckOf(), loading(cloud(8)))).toBe("none");
    const half = cloud(8);
    half.positions.fill(-3, 0, 3 * (COUNT / 2));
    expect(await refusal(deckOf(), loading(half))).toBe("none");
    half.positions.fill(-3, 0, 3 * (COUNT / 2 + 1));
    expect(await refusal(deckOf(), loading(half))).toMatch(/found 50\.2 %/);
    const potential = [{ kind: "logarithmic", speed: 1, core: 1 }];
    expect(await refusal(deckOf({ potential }), loading(cloud(0, 0)))).toBe("none");
    expect(await refusal(deckOf({ gravity: "direct" }))).toBe("none");
    const host = { kind: "plummer", count: 100, mass: 2, scale: 1, cutoff: 6 };
    expect(await refusal(deckOf({ particles: [host, { kind: "snapshot", file: "cloud.csv" }] }))).toBe("none");
  });

  it("doesn't count what is rigid: that is no mass on the mesh", async () => {
    const host = { kind: "plummer", rigid: true, mass: 100, scale: 1 };
    expect(await refusal(deckOf({ particles: [host, { kind: "snapshot", file: "cloud.csv" }] }))).toMatch(
      /(8|9)\d(\.\d)? %/,
    );
  });
});

describe("centre = true", () => {
  const at = async (file: Partial<ComponentOf<"snapshot">>, changes: Record<string, unknown> = {}, set = cloud(0)) => {
    const simulation = await Simulation.create(deckOf(changes, file), loading(set));
    const { positions, velocities, masses } = await simulation.readParticles();
    simulation.destroy();
    const weight = masses.every((one) => one === 0) ? masses.map(() => 1) : masses;
    const total = weight.reduce((sum, one) => sum + one, 0);
    const mean = (of: ArrayLike<number>) =>
      [0, 1, 2].map((k) => weight.reduce((sum, one, i) => sum + (one * of[3 * i + k]) / total, 0));
    return { centre: mean(positions), velocity: mean(velocities) };
  };
  const close = (found: number[], expected: number[]) => {
    for (let k = 0; k < 3; k++) expect(found[k]).toBeCloseTo(expected[k], 6);
  };

  it("moves the centre of mass to that of the box, the offset added, and leaves the bulk motion", async () => {
    const moved = await at({ centre: true });
    close(moved.centre, [8, 8, 8]);
    close(moved.velocity, [0.25, 0, 0]);
    close((await at({ centre: true, offset: [1, 0, -2] })).centre, [9, 8, 6]);
    const uneven = cloud(300);
    uneven.masses.fill(1, 0, 100);
    close((await at({ centre: true }, {}, uneven)).centre, [8, 8, 8]);
    const potential = [{ kind: "logarithmic", speed: 1, core: 1 }];
    close((await at({ centre: true }, { potential }, cloud(0, 0))).centre, [8, 8, 8]);
  });

  it("moves it to that of its galaxy", async () => {
    const galaxy = [{ name: "A", centre: [0, 2, 0], velocity: [0, 0, 0.5] }];
    const moved = await at({ centre: true, galaxy: "A" }, { galaxy });
    close(moved.centre, [8, 10, 8]);
    close(moved.velocity, [0.25, 0, 0.5]);
  });

  it("is no key of a periodic box", () => {
    expect(() => deckOf({ box: { size: SIZE, boundary: "periodic" } }, { centre: true })).toThrow(
      /particles\[0\]\.centre: expected false in a box with boundary = "periodic".* offset/,
    );
  });
});

it("models are about the centre of the box as they are", async () => {
  const { positions } = await sampleOf([uniform({ side: 4 })]);
  expect(Math.min(...positions)).toBeGreaterThanOrEqual(6);
  expect(Math.max(...positions)).toBeLessThanOrEqual(10);
});
