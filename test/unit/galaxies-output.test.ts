/** galaxies.csv and maps that follow a galaxy, of runs on the CPU: what is in them, resumed, and begun from a snapshot. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { galaxyState } from "../../src/engine/diagnostics/galaxies.ts";
import { reductionsOf } from "../../src/physics/particles/host-reductions.ts";
import { type Hdf5Dataset, loadHdf5 } from "../../src/run/io/hdf5.node.ts";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import { galaxyHeads } from "../../src/run/outputs/galaxies.ts";
import { pixelsPerUnit } from "../support/chart.ts";
import { clumpsDeck, useFolder, useKilledRun } from "../support/decks.ts";
import { contentsOfRun, runOnCpu } from "../support/result-folder.ts";

const work = useFolder("galaxies");

const DECK = clumpsDeck(`[[galaxy]]
name = "one"
[[galaxy]]
name = "other"
orbit = { of = "one", pericentre = 1.0, separation = 4.0, field = "points" }
[[particles]]
kind = "plummer"
name = "core"
galaxy = "one"
count = 90
scale = 0.5
[[particles]]
kind = "plummer"
name = "envelope"
galaxy = "one"
species = "halo"
count = 60
mass = 0.5
scale = 0.8
[[particles]]
kind = "plummer"
name = "clump"
galaxy = "other"
count = 80
mass = 0.5
scale = 0.4
[maps]
count = 2
width = 8
span = 4.0
centre = "other"
components = ["other"]
`);

const box = { size: 16, boundary: "isolated" } as const;
const once = useKilledRun(work, DECK);
const { killed, whole } = once;

/** The columns of a galaxies.csv, or components.csv, by their heads. */
function columnsOf(folder: string, file = "galaxies.csv"): Record<string, number[]> {
  const [head, ...lines] = readFileSync(join(folder, file), "utf8").trimEnd().split("\n");
  return Object.fromEntries(head.split(",").map((name, k) => [name, lines.map((line) => Number(line.split(",")[k]))]));
}

describe("galaxies.csv", () => {
  it("has the state of each galaxy about its density centre, and how far they are apart", async () => {
    const found = columnsOf(whole);
    expect(Object.keys(found)).toEqual(galaxyHeads(["one", "other"]));
    expect(found.time).toEqual([0, 0.0625, 0.125, 0.1875, 0.25]);
    const ranges = { one: [{ first: 0, count: 150 }], other: [{ first: 150, count: 80 }] };
    const centres: Record<string, readonly number[]> = {};
    for (const [index, row] of [
      [0, 0],
      [1, 2],
      [2, 4],
    ]) {
      const particles = await readSnapshot(join(whole, `snapshot_00${index}.hdf5`));
      expect(particles.components.map(({ galaxy }) => galaxy)).toEqual(["one", "one", "other"]);
      for (const name of ["one", "other"] as const) {
        const radii = [found[`${name}.r50`][0], found[`${name}.r90`][0]];
        const state = await galaxyState(reductionsOf(particles, box), ranges[name], 16 * Math.sqrt(3), radii);
        centres[name] = state.centre;
        const expected = [...state.centre, ...state.velocity, ...state.radii, ...state.within];
        const heads = ["x", "y", "z", "vx", "vy", "vz", "r10", "r50", "r90", "m50", "m90"];
        for (const [k, head] of heads.entries()) expect(found[`${name}.${head}`][row]).toBeCloseTo(expected[k], 6);
      }
      const separation = Math.hypot(...centres.one.map((x, k) => x - centres.other[k]));
      expect(found["one:other.separation"][row]).toBeCloseTo(separation, 6);
    }
    // The orbit as set up, to the noise of a few dozen particles in a core.
    expect(Math.abs(found["one:other.separation"][0] - 4)).toBeLessThan(0.3);
    expect(found["one:other.separation"][4]).toBeLessThan(found["one:other.separation"][0] - 0.1);
    for (const ratio of [...found["one.virial"], ...found["other.virial"]])
      expect(Math.abs(ratio - 1)).toBeLessThan(0.5);
    expect([found["one.m50"][0], found["one.m90"][0]]).toEqual([0.75, 1.35]);
  });

  it("has the same of each component in components.csv, and in summary.json at the start and the end", async () => {
    const found = columnsOf(whole, "components.csv");
    const names = (await readSnapshot(join(whole, "snapshot_000.hdf5"))).components;
    expect(Object.keys(found)).toEqual(
      galaxyHeads(
        names.map(({ name }) => name),
        [],
      ),
    );
    const { components } = JSON.parse(readFileSync(join(whole, "summary.json"), "utf8"));
    for (const [row, index] of [0, 2, 4].entries()) {
      const particles = await readSnapshot(join(whole, `snapshot_00${row}.hdf5`));
      for (const [k, range] of particles.components.entries()) {
        const at = (what: string, i = index) => found[`${range.name}.${what}`][i];
        // Looked for where the row before has it.
        const [x, y, z] = ["x", "y", "z"].map((what) => at(what, Math.max(0, index - 1)));
        const about = row > 0 ? { centre: [x, y, z] as const, radius: at("r90", index - 1) } : undefined;
        const { radii } = await galaxyState(reductionsOf(particles, box), [range], 16 * Math.sqrt(3), [], about);
        const [r10, r50, r90] = ["r10", "r50", "r90"].map((what) => at(what));
        for (const [i, r] of [r10, r50, r90].entries()) expect(r / radii[i]).toBeCloseTo(1, 5);
        const virial = found[`${range.name}.virial`][index];
        if (row !== 1) expect(components[k][row ? "last" : "first"]).toEqual({ r10, r50, r90, virial });
      }
    }
    expect(readFileSync(join(whole, "report.html"), "utf8")).toContain("<b>Lagrangian radii by component</b>");
  });

  it("is of galaxies whose orbit is in summary.json as it was set up", () => {
    const { encounters } = JSON.parse(readFileSync(join(whole, "summary.json"), "utf8"));
    // A parabola of 1.5 + 0.5: from r = q(1 + D²) inwards it takes √(2q³/GM) (D + D³/3) (Barker's equation).
    const D = Math.sqrt(4 / 1 - 1);
    expect(encounters).toEqual([
      {
        ...{ name: "other", of: "one", pericentre: 1, eccentricity: 1, separation: 4, field: "points", held: false },
        masses: [expect.closeTo(0.5, 12), expect.closeTo(1.5, 12)],
        untilPericentre: expect.closeTo(Math.sqrt(2 / 2) * (D + D ** 3 / 3), 6),
      },
    ]);
  });

  it("is drawn in the report with paths of equal scales across and up", () => {
    const html = readFileSync(join(whole, "report.html"), "utf8");
    const [, svg] = /<b>Paths<\/b>.*?(<svg.*?<\/svg>)/s.exec(html.slice(html.indexOf("<h2>Galaxies")))!;
    const found = columnsOf(whole);
    const points = found["one.x"].map((x, row) => [x, found["one.y"][row]] as const);
    const [across, up] = pixelsPerUnit(svg, points);
    // Coordinates are written to a hundredth of a pixel.
    expect(Math.abs(up / across - 1)).toBeLessThan(0.01);
  });

  it("and the maps of a run that was killed and resumed are those of one that wasn't", async () => {
    expect(killed.length).toBeGreaterThan(3);
    expect(await runOnCpu({ resume: killed[2] })).toBe(0);
    expect(await contentsOfRun(killed[2])).toEqual(once.contents);
  });

  it("is written by a run that starts from a snapshot, whose particles know their galaxies", async () => {
    const deck = `title = "Later"
gravity = "direct"
[box]
size = 16.0
[[particles]]
kind = "snapshot"
file = "whole/snapshot_002.hdf5"
[time]
end = 0.015625
step = 0.015625
[direct]
softening = 0.05
`;
    writeFileSync(join(work, "later.toml"), deck);
    const out = join(work, "later");
    expect(await runOnCpu({ scenario: join(work, "later.toml"), out })).toBe(0);
    const [found, before] = [columnsOf(out), columnsOf(whole)];
    for (const head of ["one.x", "other.vy", "one:other.separation"]) expect(found[head][0]).toBe(before[head][4]);
  });

  it("isn't there without galaxies", async () => {
    const deck = DECK.replace(/\[\[galaxy\]\][^[]*/g, "")
      .replaceAll(/galaxy = .*\n/g, "")
      .replace(/\[maps\][\s\S]*/, "");
    writeFileSync(join(work, "none.toml"), deck.replace("end = 0.25", "end = 0.015625"));
    expect(await runOnCpu({ scenario: join(work, "none.toml"), out: join(work, "none") })).toBe(0);
    expect(() => columnsOf(join(work, "none"))).toThrow(/ENOENT/);
  });
});

describe("maps that follow a galaxy", () => {
  it("are about its density centre, which is beside them", async () => {
    const hdf5 = await loadHdf5();
    const file = new hdf5.File(join(whole, "maps.hdf5"), "r");
    const data = (name: string) => file.get(name) as Hdf5Dataset;
    const centres = Array.from(data("Centre").value as Float64Array);
    const pixels = Array.from(data("density_z").value as Float32Array);
    const { follows, components, extent } = data("density_z").attrs;
    expect([follows.value, components.value, extent.value]).toEqual(["other", "clump", Float64Array.of(-2, 2, -2, 2)]);
    file.close();
    const found = columnsOf(whole);
    for (const [frame, row] of [
      [0, 0],
      [1, 2],
      [2, 4],
    ]) {
      for (const [k, axis] of ["x", "y", "z"].entries())
        expect(centres[3 * frame + k]).toBeCloseTo(found[`other.${axis}`][row], 6);
      const particles = await readSnapshot(join(whole, `snapshot_00${frame}.hdf5`));
      const [x, y, z] = centres.slice(3 * frame, 3 * frame + 3);
      const view = { axis: "z", centre: [x, y, z], span: 4, width: 8, height: 8 } as const;
      const [map] = await reductionsOf(particles, box).maps([view], [{ first: 150, count: 80 }]);
      expect(pixels.slice(64 * frame, 64 * frame + 64)).toEqual(Array.from(map, (mass) => Math.fround(mass / 0.25)));
    }
  });

  it("need one that there is", async () => {
    const wrong = (from: string, to: string) => {
      writeFileSync(join(work, "wrong.toml"), DECK.replace(from, to));
      return runOnCpu({ scenario: join(work, "wrong.toml"), out: join(work, "wrong") });
    };
    await expect(wrong('centre = "other"', 'centre = "third"')).rejects.toThrow(
      /maps\.centre: expected three numbers \[x, y, z\], or the name of a galaxy \(one, other\), found "third"/,
    );
    await expect(wrong('components = ["other"]', 'components = ["third"]')).rejects.toThrow(
      /or galaxies \(one, other\)/,
    );
  });
});
