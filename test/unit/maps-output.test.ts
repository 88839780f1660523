/** maps.hdf5 of runs on the CPU: what is in it, and what becomes of it when a run is killed, stopped and resumed. */
import { cpSync, existsSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reductionsOf } from "../../src/physics/particles/host-reductions.ts";
import type { Species } from "../../src/physics/particles/state.ts";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import { shownOf } from "../../src/run/report/particle-views.ts";
import { mapGroups } from "../../src/scenario/maps.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { clumpsDeck, useFolder, useKilledRun } from "../support/decks.ts";
import { asKilled, contentsOfRun, dataSetOf, runOnCpu } from "../support/result-folder.ts";

const work = useFolder("maps");

/** [T·height·width] of the data set. */
const dataOf = async (folder: string, name: string) =>
  (await dataSetOf(join(folder, "maps.hdf5"), name)).value as Float32Array;

const DECK = clumpsDeck(
  `[[particles]]
kind = "plummer"
name = "one"
count = 40
scale = 0.6
offset = [-2.0, 0.5, 0.0]
[[particles]]
kind = "plummer"
name = "other"
count = 24
scale = 0.6
offset = [2.0, 0.0, 1.0]
[maps]
count = 8
axes = ["z", "y"]
width = 24
height = 16
span = 9.0
centre = [-1.0, 0.0, 0.5]
components = ["one"]
`,
  { softening: 0.01 },
);

it("of tracers among particles with mass are of their number, where a map shows nothing else", async () => {
  const tracers = DECK.replace("count = 24", "count = 24\nmass = 0.0").replace("[2.0, 0.0, 1.0]", "[-2.0, 0.5, 0.0]");
  writeFileSync(join(work, "tracers.toml"), tracers.replace('components = ["one"]', 'by = "component"'));
  const out = join(work, "tracers");
  const overrides = ["time.end=0.03125", "maps.count=1", "output.snapshots=1"];
  expect(await runOnCpu({ scenario: join(work, "tracers.toml"), out, overrides })).toBe(0);
  const particles = await readSnapshot(join(out, "snapshot_001.hdf5"));
  const weights = particles.masses.map((mass, id) => (id < 40 ? mass : 1 / 24));
  expect(particles.masses[40]).toBe(0);
  const view = { axis: "z", centre: [7, 8, 8.5], span: 9, width: 24, height: 16 } as const;
  for (const [name, range] of Object.entries({ one: { first: 0, count: 40 }, other: { first: 40, count: 24 } })) {
    const of = reductionsOf({ ...particles, masses: weights }, { size: 16, boundary: "isolated" });
    const [map] = await of.maps([view], [range]);
    const found = (await dataOf(out, `density_z ${name}`)).subarray(24 * 16);
    expect(found).toEqual(Float32Array.from(map, (weight) => weight / (9 / 24) ** 2));
    expect(found.some((value) => value > 0)).toBe(true);
  }
  const described = (await contentsOfRun(out))["maps.hdf5"];
  expect(JSON.stringify(described)).toContain("1/(");
});

const PIXELS = 24 * 16;
const once = useKilledRun(work, DECK);
const { killed, whole } = once;

describe("maps of a run", () => {
  it("are the projected density of the components, at maps.count times and the start", async () => {
    expect(Object.keys(once.contents["maps.hdf5"] as object)).toEqual(["Time", "density_y", "density_z"]);
    const times = await dataOf(whole, "Time");
    expect(Array.from(times)).toEqual(Array.from({ length: 9 }, (_, i) => i / 32));
    expect((once.contents["maps.hdf5"] as Record<string, unknown>).density_y).toMatchObject({
      shape: [9, 16, 24],
      ...{ axis: "y", right: "x", up: "z", components: "one" },
      extent: Float64Array.of(2.5, 11.5, 5.5, 11.5),
    });
    for (const [index, frame] of [
      [0, 0],
      [1, 4],
      [2, 8],
    ]) {
      const particles = await readSnapshot(join(whole, `snapshot_00${index}.hdf5`));
      const view = { centre: [7, 8, 8.5], span: 9, width: 24, height: 16 } as const;
      const ranges = [{ first: 0, count: 40 }];
      const axes = ["z", "y"] as const;
      const masses = await reductionsOf(particles, { size: 16, boundary: "isolated" }).maps(
        axes.map((axis) => ({ axis, ...view })),
        ranges,
      );
      for (const [i, axis] of axes.entries()) {
        const found = (await dataOf(whole, `density_${axis}`)).subarray(frame * PIXELS, (frame + 1) * PIXELS);
        expect(Array.from(found)).toEqual(Array.from(masses[i], (mass) => Math.fround(mass / (9 / 24) ** 2)));
        expect(found.reduce((sum, value) => sum + value, 0) * (9 / 24) ** 2).toBeCloseTo(1, 1);
      }
    }
  });

  it("of a run that was killed and resumed are those of one that wasn't", async () => {
    expect(killed.length).toBeGreaterThan(4);
    for (const folder of [killed[1], killed[3]]) {
      const before = await dataOf(folder, "density_z");
      expect(Number.isFinite(before[0])).toBe(true);
      expect(before.at(-1)).toBeNaN();
      expect(await runOnCpu({ resume: folder })).toBe(0);
      expect(await contentsOfRun(folder)).toEqual(once.contents);
    }
  });

  it("that are missing or cut short are named before the first step", async () => {
    const [missing, short] = ["missing", "short"].map((name) => {
      const folder = join(work, name);
      cpSync(killed[2], folder, { recursive: true });
      return folder;
    });
    rmSync(join(missing, "maps.hdf5"));
    await expect(runOnCpu({ resume: missing })).rejects.toThrow(/maps\.hdf5 is missing/);
    truncateSync(join(short, "maps.hdf5"), 5000);
    await expect(runOnCpu({ resume: short })).rejects.toThrow(/maps\.hdf5 can't be gone on with/);
  });
});

describe("maps at listed times", () => {
  it("begin when the first is due, also in a run that was killed before", async () => {
    const listed = { scenario: join(work, "deck.toml"), overrides: ["maps.times=[0.125, 0.1875]"] };
    const folder = join(work, "listed");
    const early: string[] = [];
    const watch: Parameters<typeof runOnCpu>[1] = ({ event }) => {
      if (event === "checkpoint") early.push(asKilled(folder, join(work, `early-${early.length}`)));
    };
    expect(await runOnCpu({ ...listed, out: folder }, watch)).toBe(0);
    expect(Array.from(await dataOf(folder, "Time"))).toEqual([0.125, 0.1875]);
    const frames = await dataOf(folder, "density_z");
    expect(frames).toEqual(
      Float32Array.of(
        ...(await dataOf(whole, "density_z")).subarray(4 * PIXELS, 5 * PIXELS),
        ...(await dataOf(whole, "density_z")).subarray(6 * PIXELS, 7 * PIXELS),
      ),
    );
    const before = early[0];
    expect(existsSync(join(before, "maps.hdf5"))).toBe(false);
    expect(await runOnCpu({ resume: before })).toBe(0);
    expect(await dataOf(before, "density_z")).toEqual(frames);
    // Of two that are still to come another time.
    const between = early.slice(1).find((one) => existsSync(join(one, "maps.hdf5")))!;
    expect(await runOnCpu({ resume: between, overrides: ["maps.times=[0.125, 0.21875]"] })).toBe(0);
    expect(Array.from(await dataOf(between, "Time"))).toEqual([0.125, 0.21875]);
    expect((await dataOf(between, "density_z")).subarray(0, PIXELS)).toEqual(frames.subarray(0, PIXELS));
  });
});

describe("a deck's maps", () => {
  const deck = (maps: object) => ({
    ...{ title: "t", box: { size: 10 }, mesh: { cells: 16 as const }, time: { end: 1, step: 0.1 } },
    particles: [{ kind: "plummer" as const, count: 10, scale: 1 }],
    maps,
  });

  it("are of the whole box from the front, square, unless said otherwise", () => {
    const { maps } = completeScenario(deck({ count: 3, width: 100 }));
    expect(maps).toEqual({
      phantom: false,
      count: 3,
      times: [],
      axes: ["z"],
      width: 100,
      height: 100,
      span: 10,
      centre: [0, 0, 0],
      by: "all",
      components: [],
    });
  });

  it("leave the haloes out that would veil a disk, as the report does, unless they are asked for", () => {
    const one = (name: string, species: Species, first: number) => ({ name, species, first, count: 5 });
    const present = [one("a", "halo", 0), one("b", "disk", 5), one("c", "bulge", 10)];
    const of = (maps: object, components = present) =>
      mapGroups(completeScenario(deck({ count: 3, ...maps })).maps, components).map((group) => group.components);
    expect(of({})).toEqual([["b", "c"]]);
    expect(mapGroups(completeScenario(deck({})).maps, present)[0].ranges).toEqual(shownOf(present).ranges);
    expect(of({}, [present[0], present[2]])).toEqual([["a", "c"]]);
    expect(of({ components: ["halo", "disk"] })).toEqual([["a", "b"]]);
    expect(of({ by: "species" })).toEqual([["a"], ["b"], ["c"]]);
  });

  it.each([
    [{ span: 10.5 }, /maps\.span/],
    [{ span: 10, width: 10, height: 20 }, /maps\.span/],
    [{ axes: [] }, /maps\.axes/],
    [{ axes: ["z", "z"] }, /maps\.axes/],
    [{ components: ["bulb"] }, /maps\.components[\s\S]*bulb/],
    [{ width: 0 }, /maps\.width/],
  ])("can't be %o", (maps, message) => {
    expect(() => completeScenario(deck({ count: 3, ...maps }) as never)).toThrow(message);
  });
});
