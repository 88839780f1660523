/** The bundled antennae, made small, through the built bin: galaxies in the csv, the snapshots, the maps and the report. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gravmesh, useWorkFolder } from "../support/cli.ts";
import { describeHdf5 } from "../support/hdf5-description.ts";

const work = useWorkFolder();
const counts = [0, 1, 2, 3].map((index) => `particles.${index}.count=${index % 2 === 0 ? 800 : 400}`);
const small = [
  ...[
    "mesh.cells=32",
    ...[0, 1, 2, 3].flatMap((l) => [`level.${l}.refinement=2`, `level.${l}.cells=48`, `level.${l}.substeps=1`]),
    "time.end=0.012",
    "output.snapshots=1",
    "output.diagnostics=3",
    ...counts,
  ],
  ...["maps.count=1", "maps.centre=NGC 4039", 'maps.components=["NGC 4039"]', "maps.span=40", "maps.width=20"],
];

describe("two galaxies on the command line", () => {
  it("stand on their orbit, and every output knows them", async () => {
    const args = ["run", "antennae", ...small, 'galaxy."NGC 4039".orbit.separation=50', "--out", "out"];
    const { code, stderr } = await gravmesh(work(), args);
    expect([code, stderr.replace(/^(warning|note): .*\n/gm, "")]).toEqual([0, ""]);
    const [head, ...rows] = readFileSync(join(work(), "out/galaxies.csv"), "utf8").trim().split("\n");
    expect(rows).toHaveLength(4);
    const value = (row: number, name: string) => Number(rows[row].split(",")[head.split(",").indexOf(name)]);
    // Of an ellipse of two points, to the noise of 120 particles in each core.
    expect(Math.abs(value(0, "NGC 4038:NGC 4039.separation") - 50)).toBeLessThan(2);
    expect(value(3, "NGC 4038:NGC 4039.separation")).toBeLessThan(value(0, "NGC 4038:NGC 4039.separation"));
    expect(value(0, "NGC 4038.x") + value(0, "NGC 4039.x")).toBeCloseTo(144, -0.5);

    const snapshot = describeHdf5(join(work(), "out/snapshot_001.hdf5"));
    expect(snapshot["PartType2/GalaxyIDs"]).toMatchObject({
      shape: [1600],
      sum: 800 * 3,
      first: [1, 1, 1],
      last: [2, 2, 2],
    });
    expect(snapshot["PartType1/GalaxyIDs"]).toMatchObject({ shape: [800], sum: 400 * 3 });
    const maps = describeHdf5(join(work(), "out/maps.hdf5"));
    expect(maps.Centre.shape).toEqual([2, 3]);
    expect(maps.Centre.first![0]).toBeCloseTo(value(0, "NGC 4039.x"), 4);
    expect(maps.density_z.attributes.components.value).toBe("disk 2, halo 2");
    const report = readFileSync(join(work(), "out/report.html"), "utf8");
    for (const title of ["Separation", "Paths", "Mass that stays", "Half-mass radii", "Rotation curve: NGC 4038"])
      expect(report).toContain(`<b>${title}</b>`);
    expect(report).toContain("<b>NGC 4039, disk particles</b>");
    expect(report).toContain("<b>Density profile by species: NGC 4039</b>");
  });

  it("have a momentum of which the terminal says that the field changes it", async () => {
    const deck = `title = "On an orbit"
gravity = "direct"
box.size = 16
time = { end = 0.01, step = 0.01 }
[[particles]]
kind = "plummer"
count = 20
scale = 0.1
offset = [2, 0, 0]
velocity = [0, 1, 0]
[[potential]]
kind = "point-mass"
mass = 2
`;
    writeFileSync(join(work(), "orbit.toml"), deck);
    const { stdout } = await gravmesh(work(), ["run", "orbit.toml", "--backend", "cpu", "--out", "orbit"]);
    expect(stdout).toMatch(/\n +change of momentum +[\d.e-]+ of √\(2KM\), by external potentials: no error\n/);
    expect(stdout).not.toContain("momentum error");
  });

  it("have their orbit told by a dry run, and which of the two it is", async () => {
    const dry = (...args: string[]) =>
      gravmesh(work(), ["run", "antennae", ...small, "time.end=0.004", "--dry-run", "--backend", "cpu", ...args]);
    const row = (field: string) => new RegExp(`NGC 4039 about NGC 4038 +${field} +60 +16 +0\\.8 +0\\.\\d+\\n`);
    expect((await dry()).stdout).toMatch(row("that of points"));
    expect((await dry('galaxy."NGC 4039".orbit.field=actual')).stdout).toMatch(row("the actual field"));
  });

  it("are refused where they can't be placed, with the key", async () => {
    const { code, stderr } = await gravmesh(work(), ["run", "antennae", "galaxy.1.orbit.separation=10", "--out", "no"]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      "galaxy[1].orbit.separation: expected a separation from the pericentre 16 to the apocentre 144",
    );
  });
});
