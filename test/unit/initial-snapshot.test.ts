/** A snapshot as initial conditions: its names and species, and whether it belongs to the deck that names it. */
import { describe, expect, it } from "vitest";
import { matterOf } from "../../src/physics/cosmology/settings.ts";
import { latticeShift } from "../../src/physics/initial/lattice-phase.ts";
import type { LoadedSnapshot } from "../../src/physics/initial/model.ts";
import type { ComponentOf } from "../../src/physics/initial/models.ts";
import { initialConditions } from "../../src/physics/initial/source.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import { fromFile, plummer, scenarioOf } from "./initial-samples.ts";

const component = fromFile;

const loaded = (changes: Partial<LoadedSnapshot> = {}): LoadedSnapshot => ({
  count: 3,
  positions: Float64Array.of(1, 1, 1, 2, 2, 2, 3, 3, 3),
  velocities: new Float32Array(9),
  masses: Float64Array.of(1, 2, 3),
  components: [
    { name: "halo", species: "halo", first: 0, count: 1 },
    { name: "thin disk", species: "disk", first: 1, count: 2 },
  ],
  ...{ boxSize: 16, time: 0, comoving: false },
  ...changes,
});

/** The particles of a deck, or the message of what was refused. */
async function outcome(scenario: Scenario, file: LoadedSnapshot): Promise<ParticleSet | string> {
  const made = initialConditions(scenario, { G: 1, loadSnapshot: async () => file });
  return made.then(
    ({ particles }) => particles,
    (error) => {
      expect(error).toMatchObject({ name: "GravmeshError", kind: "input" });
      return error.message;
    },
  );
}

describe("the components of a snapshot", () => {
  const named = async (changes: Partial<ComponentOf<"snapshot">>, file = loaded()) => {
    const found = (await outcome(scenarioOf([component(changes)]), file)) as ParticleSet;
    return found.components.map(({ name, species, first, count }) => `${name}: ${species} ${first}+${count}`);
  };

  it("keep the file's names and species where the deck has none", async () => {
    expect(await named({})).toEqual(["halo: halo 0+1", "thin disk: disk 1+2"]);
    expect(await named({ name: "snapshot-2" })).toEqual(["halo: halo 0+1", "thin disk: disk 1+2"]);
  });

  it("take the deck's name before their own, and its species", async () => {
    expect(await named({ name: "M31" })).toEqual(["M31 halo: halo 0+1", "M31 thin disk: disk 1+2"]);
    expect(await named({ name: "M31", species: "bulge" })).toEqual(["M31 halo: bulge 0+1", "M31 thin disk: bulge 1+2"]);
    const one = loaded({ components: [{ name: "halo", species: "halo", first: 0, count: 3 }] });
    expect(await named({ name: "M31" }, one)).toEqual(["M31: halo 0+3"]);
    expect(await named({ name: "M31", species: "gas" }, one)).toEqual(["M31: gas 0+3"]);
  });
});

describe("a snapshot in a deck", () => {
  const isolated = scenarioOf([component()]);

  it("of particles that no isolated run could hold is refused", async () => {
    const far = loaded({ positions: Float64Array.of(1, 1, 1, 2, -1e308, 2, 3, 3, 3) });
    expect(await outcome(isolated, far)).toMatch(
      /component "snapshot": expected positions at most 511 boxes of 16 away, found particle 1 at y = -1e\+308/,
    );
    const near = loaded({ positions: Float64Array.of(1, 1, 1, 2, -8000, 2, 3, 3, 3) });
    expect(await outcome(isolated, near)).toMatchObject({ count: 3 });
  });

  it("of a periodic box may have drifted out a little, and not be in another unit", async () => {
    const periodic = scenarioOf([component()], 16, "periodic");
    const huge = loaded({ positions: Float64Array.of(1, 1, 1, 2, 2, 1e308, 3, 3, 3) });
    expect(await outcome(periodic, huge)).toMatch(
      /found 1 outside, the first being particle 1 at \(2, 2, 1e\+308\)\. Check the unit of lengths in the file\.$/,
    );
    const drifted = await outcome(periodic, loaded({ positions: Float64Array.of(-0.1, 1, 1, 2, 2, 16, 3, 3, 3) }));
    expect((drifted as ParticleSet).positions[0]).toBeCloseTo(15.9, 12);
  });

  it("whose masses, lengths or speeds leave nothing finite is refused, and so is a model's", async () => {
    const massless = loaded({ masses: new Float64Array(3) });
    expect(await outcome(isolated, massless)).toMatch(
      /expected particles with mass, found 3 whose masses are all 0\. Tracers need something.* Are the masses in the file\?$/,
    );
    for (const mass of [1e300, 1e-300, 1e308]) {
      expect(await outcome(isolated, loaded({ masses: Float64Array.of(mass, mass, mass) }))).toMatch(
        /expected G · mass \/ box\.size from 1e-30 to 1e\+?30, found .* Check the units/,
      );
    }
    expect(await outcome(scenarioOf([plummer({ count: 5, mass: 1e40 })]), loaded())).toMatch(/for the mass 1e\+40/);
    const fast = loaded({ velocities: Float32Array.of(0, 0, 0, 0, 0, 1e30, 0, 0, 0) });
    expect(await outcome(isolated, fast)).toMatch(/speeds up to 1e\+18, found particle 1 with velocity z = 1/);
  });
});

describe("a comoving snapshot", () => {
  const scenario = (changes: Partial<ComponentOf<"snapshot">> = {}) => {
    const deck = scenarioOf([component(changes)], 100, "periodic");
    return {
      ...deck,
      units: { system: "cosmological" as const },
      time: { ...deck.time, clock: "comoving" as const, start: 0.02 },
    };
  };
  const share = matterOf(0.3, 100) / 6;
  const cosmic = (changes: Partial<LoadedSnapshot> = {}) =>
    loaded({
      ...{ time: 0.02, boxSize: 100, comoving: true, cosmology: { omegaM: 0.3, darkEnergy: 0.7, h: 0.7 } },
      ...{ masses: Float64Array.of(share, 2 * share, 3 * share), ...changes },
    });

  it("that fits is read, rounding apart, and so is one that says nothing of its background", async () => {
    expect(await outcome(scenario(), cosmic())).toMatchObject({ count: 3 });
    const rounded = { time: 0.0200001, boxSize: 100.001, cosmology: { omegaM: 0.30001, darkEnergy: 0.7, h: 0.7001 } };
    expect(await outcome(scenario(), cosmic(rounded))).toMatchObject({ count: 3 });
    expect(await outcome(scenario(), cosmic({ cosmology: {}, comoving: undefined }))).toMatchObject({ count: 3 });
  });

  it("that doesn't is refused, with every value of both and what to set", async () => {
    const other = { time: 0.0156, boxSize: 50, cosmology: { omegaM: 0.25, darkEnergy: 0.7, h: 0.68 } };
    const deck = scenario();
    deck.cosmology.darkEnergy = 0.75;
    expect(await outcome(deck, cosmic(other))).toBe(
      'old.hdf5 (component "snapshot"): it doesn\'t fit the deck: the scale factor is 0.0156 in the file, time.start 0.02; ' +
        "the box is 50 in the file, box.size 100; Ωm is 0.25 in the file, cosmology.omegaM 0.3; " +
        "dark energy is 0.7 in the file, cosmology.darkEnergy 0.75; h is 0.68 in the file, cosmology.h 0.7. " +
        'If the file has other units, say them beside file as units = { length = "Mpc/h", mass = "1e10 Msun/h", velocity = "km/s" }. ' +
        "Take another snapshot, or the file's own values: time.start=0.0156 box.size=50 cosmology.omegaM=0.25 " +
        'cosmology.darkEnergy=0.7 cosmology.h=0.68; header = "deck" beside file has the deck\'s count',
    );
    for (const [changes, message] of [
      [{ time: 0.0156 }, /the scale factor is 0\.0156 in the file, time\.start 0\.02\. /],
      // Dark energy that makes space flat follows.
      [
        { cosmology: { omegaM: 0.25, darkEnergy: 0.75 } },
        /fit the deck: Ωm is 0\.25 in the file, cosmology\.omegaM 0\.3\. /,
      ],
      [{ boxSize: 200 }, /the box is 200 in the file, box\.size 100\. /],
      [{ cosmology: { h: 0.67 } }, /h is 0\.67 in the file, cosmology\.h 0\.7\. /],
    ] as const) {
      expect(await outcome(scenario(), cosmic(changes))).toMatch(message);
    }
  });

  it("that holds half of the matter is refused, with both", async () => {
    const half = cosmic({ masses: Float64Array.of(share, share, share) });
    expect(await outcome(scenario(), half)).toMatch(
      /expected the matter of cosmology\.omegaM = 0\.3 in a box of 100 Mpc\/h, 8326100 · 1e10 Msun\/h in all, found 4163050, 0\.5 of it.*omegaM = 0\.15\./,
    );
  });

  it("isn't taken for a static one, nor the other way round", async () => {
    expect(await outcome(scenarioOf([component()], 100, "periodic"), cosmic())).toMatch(
      /the snapshot is of an expanding box \(a = 0\.02\), the deck has time\.clock = "static"\. Set time\.clock = "comoving"/,
    );
    expect(await outcome(scenario(), cosmic({ comoving: false }))).toMatch(
      /the snapshot is of a static run \(ComovingIntegrationOn = 0\), the deck has time\.clock = "comoving"/,
    );
  });

  it("may be shifted as a whole by the offset, through the sides of the box", async () => {
    const found = (await outcome(scenario({ offset: [0.5, 0.5, 98.5] }), cosmic())) as ParticleSet;
    expect([...found.positions]).toEqual([1.5, 1.5, 99.5, 2.5, 2.5, 0.5, 3.5, 3.5, 1.5]);
  });
});

describe("the lattice that particles began from", () => {
  const cells = 8;
  /** Particles about the points (i + place) of a lattice in a box of 1. */
  const lattice = (perSide: number, place: readonly number[], spread: number) =>
    Float64Array.from({ length: 3 * perSide ** 3 }, (_, k) => {
      const i = Math.floor(k / 3);
      const cell = [i % perSide, Math.floor(i / perSide) % perSide, Math.floor(i / perSide ** 2)][k % 3];
      // Golden-ratio steps: even, and the same every time.
      const aside = spread * (((k * 0.6180339887498949) % 1) - 0.5);
      return ((((cell + place[k % 3] + aside) / perSide) % 1) + 1) % 1;
    });

  it("is found by its place in the mesh's cells, with the shift to ours", () => {
    const shifted = (place: number[], spread = 0.5) =>
      latticeShift(lattice(8, place, spread), 1, cells)?.map((x) => Number((x * cells).toFixed(2)));
    expect(shifted([0.5, 0.5, 0.5])).toBeUndefined();
    expect(shifted([0.45, 0.55, 0.5])).toBeUndefined();
    expect(shifted([0, 0, 0])?.map(Math.abs)).toEqual([0.5, 0.5, 0.5]);
    expect(shifted([0.25, 0.5, 0.75])).toEqual([0.25, 0, -0.25]);
  });

  it("is none where particles have left it, or where it meets the mesh alike in any place", () => {
    expect(latticeShift(lattice(8, [0, 0, 0], 1), 1, cells)).toBeUndefined();
    expect(latticeShift(lattice(8, [0, 0, 0], 0.5), 1, 12)).toBeUndefined();
    expect(latticeShift(lattice(8, [0, 0, 0], 0.5).subarray(3), 1, cells)).toBeUndefined();
    // Of half as many points a side, ours lie on the faces of cells, and so do these.
    expect(latticeShift(lattice(4, [0, 0, 0], 0.2), 1, cells)).toBeUndefined();
    expect(latticeShift(lattice(4, [0.25, 0.25, 0.25], 0.2), 1, cells)).toBeDefined();
  });
});
