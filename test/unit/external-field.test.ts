/** What is told of momenta and of the virial ratio of a run in external potentials: a satellite on its orbit is no error. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { virialRatio } from "../../src/engine/diagnostics/columns/virial-ratio.ts";
import { columns } from "../../src/engine/diagnostics/columns.ts";
import { ownVirialRatio } from "../../src/engine/diagnostics/galaxies.ts";
import { parseScenario, Simulation } from "../../src/index.ts";
import { fieldNote } from "../../src/run/page/concern.ts";
import { columnFigures } from "../../src/run/page/run-figures.ts";
import { unitLabels } from "../../src/run/page/units.ts";
import { keptBy } from "../../src/scenario/conserved.ts";
import { runOnCpu } from "../support/result-folder.ts";

const SATELLITE = `
[[particles]]
kind = "plummer"
name = "satellite"
galaxy = "dwarf"
count = 400
mass = 0.01
scale = 0.05
cutoff = 0.3
`;
const HOST = `
[[galaxy]]
name = "host"
[[galaxy]]
name = "dwarf"
orbit = { of = "host", pericentre = 2.0, eccentricity = 0.0, separation = 2.0 }
[[potential]]
kind = "plummer"
name = "halo"
galaxy = "host"
mass = 50
scale = 1
`;
const head = `title = "A satellite"
gravity = "direct"
direct = { steps = "shared", softening = 0.005 }
box.size = 16
time = { end = 0.1, step = 0.005 }
output = { snapshots = 1, diagnostics = 4 }
`;
const deck = (more: string, particles = SATELLITE.replace(/galaxy.*\n/, "")) => parseScenario(head + particles + more);

describe("external potentials about the centre of the box", () => {
  const plummer = '[[potential]]\nkind = "plummer"\nmass = 1\nscale = 1\n';
  const disk = '[[potential]]\nkind = "miyamoto-nagai"\nmass = 1\nscaleLength = 1\nscaleHeight = 0.2\n';
  it.each([
    ["", "none"],
    [plummer, "central"],
    [`${plummer}offset = [0, 0, 1]`, "axial"],
    [`${plummer}offset = [1, 0, 0]`, "any"],
    [`${plummer}${disk}`, "axial"],
    ['[[potential]]\nkind = "uniform-field"\ngx = 1', "any"],
    [`${plummer}path = "a.txt"`, "any"],
    [`${plummer}until = 1`, "central"],
  ])("%s are %s", (more, field) => {
    expect(keptBy(deck(more)).field).toBe(field);
  });
});

describe("a satellite on its orbit", () => {
  const work = mkdtempSync(join(tmpdir(), "gravmesh-field-"));
  const out = join(work, "run");
  const read = (name: string) => readFileSync(join(out, name), "utf8");
  const columnOf = (name: string, file = "diagnostics.csv") => {
    const [heads, ...lines] = read(file).trimEnd().split("\n");
    return lines.map((line) => Number(line.split(",")[heads.split(",").indexOf(name)]));
  };
  beforeAll(async () => {
    writeFileSync(join(work, "deck.toml"), head + HOST + SATELLITE);
    expect(await runOnCpu({ scenario: join(work, "deck.toml"), out })).toBe(0);
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  it("has the virial ratio of a satellite at rest, as a galaxy and as a whole", () => {
    // It moves at 4.2, at which 2K/|W| is some thousands.
    const [vx, vy, vz] = ["x", "y", "z"].map((axis) => columnOf(`momentum_${axis}`)[0] / 0.01);
    expect(Math.hypot(vx, vy, vz)).toBeGreaterThan(4);
    for (const ratio of [...columnOf("virial_ratio"), ...columnOf("dwarf.virial", "galaxies.csv")]) {
      expect(Math.abs(ratio - 1)).toBeLessThan(0.15);
    }
    expect(columnOf("dwarf.virial", "galaxies.csv")[2]).toBeCloseTo(columnOf("virial_ratio")[2], 5);
  });

  it("has a momentum that the field changes, which no page calls a drift", () => {
    const summary = JSON.parse(read("summary.json"));
    expect(summary).toMatchObject({ conserved: "energy", field: "central" });
    expect(summary.momentumError).toBeGreaterThan(0.2);
    const report = read("report.html");
    expect(report).toContain("changed by external potentials: no error");
    expect(report).not.toContain("drift of the total momentum");
    expect(report).toContain("Virial ratio of each");
  });
});

describe("the virial ratio", () => {
  it("is the same at any speed of the whole, and that of a model at rest as it was", async () => {
    const of = async (more: string) => {
      const simulation = await Simulation.create(
        parseScenario(`${head}${SATELLITE.replace(/galaxy.*\n/, "")}${more}\nseed = 3`),
        { backend: "cpu" },
      );
      const row = await simulation.diagnostics();
      const own = await ownVirialRatio(simulation.reductions(), [{ first: 0, count: 400 }], 16);
      simulation.destroy();
      expect(own).toBeCloseTo(row.virialRatio, 6);
      return row;
    };
    const [still, moving] = [await of(""), await of("velocity = [3, -4, 1]")];
    expect(moving.virialRatio).toBeCloseTo(still.virialRatio, 9);
    // A sample's own bulk motion is 1/N of its kinetic energy.
    expect(still.virialRatio / ((2 * still.kinetic) / Math.abs(still.virial))).toBeGreaterThan(1 - 3 / 400);
  });

  it("of a particle by itself, or of tracers, is a number", () => {
    const of = (sums: object) => virialRatio.of({ sums } as unknown as Parameters<typeof virialRatio.of>[0]);
    expect(of({ kinetic: 2, momentum: [2, 0, 0], mass: 1, virial: -1e-9 })).toBe(0);
    expect(of({ kinetic: 0, momentum: [0, 0, 0], mass: 0, virial: 0 })).toBe(0);
  });
});

describe("words for momenta", () => {
  it("are those of an error in an isolated model alone", () => {
    const rows = [0, 1].map((time) => ({ time, momentumError: time }));
    const figureIn = (field: "none" | "axial") =>
      columnFigures({ units: unitLabels("nbody"), boundary: "isolated", runs: [{ rows, look: {} }], field }).join("");
    expect(figureIn("none")).toContain("drift of the total momentum");
    expect(figureIn("axial")).toContain("changed by external potentials: no error");
    expect(figureIn("axial")).not.toContain("drift");
    expect([fieldNote("none"), fieldNote("any")]).toEqual(["", expect.stringContaining("no error")]);
    expect(columns.records.find(({ name }) => name === "momentumError")?.meaning).toContain("no error");
  });
});
