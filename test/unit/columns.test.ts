/** Diagnostics columns: one registered from outside, in the library's diagnostics and on the pages. */
import { describe, expect, it } from "vitest";
import type { DiagnosticsColumn } from "../../src/engine/diagnostics/columns/column.ts";
import { virialRatio } from "../../src/engine/diagnostics/columns/virial-ratio.ts";
import { columnHeads, numbersOf, registerColumn, rowOf } from "../../src/engine/diagnostics/columns.ts";
import { columnFigures } from "../../src/run/page/run-figures.ts";
import { unitLabels } from "../../src/run/page/units.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";

const DECK = {
  title: "A small box",
  box: { size: 1, boundary: "periodic" },
  mesh: { cells: 16 },
  particles: [{ kind: "uniform", count: 50, mass: 2, velocity: [0.1, 0.2, 0] }],
  time: { end: 0.1, step: 0.1 },
} as const;

const bulkVelocity: DiagnosticsColumn<"bulkVelocity", number[], readonly string[]> = {
  name: "bulkVelocity",
  heads: ["bulk_x", "bulk_y", "bulk_z"],
  unit: "velocity",
  meaning: "Velocity of the centre of mass",
  of: ({ sums }) => sums.momentum.map((p) => p / sums.mass),
  chart: {
    title: "Bulk velocity",
    about: "by axis",
    quantity: "Bulk velocity",
    label: "P / M",
    unit: "velocity",
    curves: ["x", "y", "z"].map((label) => ({ label, few: label === "x" })),
    only: "static clock",
  },
};

describe("a column from outside", () => {
  registerColumn(bulkVelocity);

  it("is in the diagnostics of a simulation", async () => {
    const simulation = await Simulation.create(completeScenario(DECK), { backend: "cpu" });
    const row = await simulation.diagnostics();
    simulation.destroy();
    const { bulkVelocity: found } = row as typeof row & { bulkVelocity: number[] };
    expect(found).toEqual(row.momentum.map((p) => p / row.mass));
    expect(columnHeads().slice(-4)).toEqual(["r90", "bulk_x", "bulk_y", "bulk_z"]);
    expect(numbersOf(row)).toHaveLength(columnHeads().length);
    expect(rowOf(numbersOf(row))).toMatchObject({ bulkVelocity: found, lagrangianRadii: row.lagrangianRadii });
  });

  it("is drawn where its rows have it and where it is meant", () => {
    const rows = [0, 1].map((time) => ({ time, bulkVelocity: [time, 2, 3] }));
    const about = { units: unitLabels("galactic"), boundary: "isolated" } as const;
    const alone = columnFigures({ ...about, runs: [{ rows, look: {} }], allCurves: true }).map(String);
    expect(alone).toHaveLength(1);
    expect(alone[0]).toContain("<b>Bulk velocity</b>");
    expect(alone[0]).toContain("P / M [km/s]");
    expect(alone[0].match(/class="curve /g)).toHaveLength(3);
    const several = columnFigures({
      ...about,
      runs: [
        { rows, look: {} },
        { rows, look: { dashed: true } },
      ],
    }).map(String);
    expect(several[0].match(/class="curve /g)).toHaveLength(2);
    expect(columnFigures({ ...about, runs: [{ rows, look: {} }], comoving: true })).toEqual([]);
  });

  it("can't take a name or a head that is there", () => {
    expect(() => registerColumn(bulkVelocity)).toThrow(/"bulk_x" is in diagnostics.csv already/);
    expect(() => registerColumn({ ...bulkVelocity, heads: "bulk" })).toThrow(/"bulkVelocity" is there already/);
    expect(() => registerColumn({ ...bulkVelocity, name: "time", heads: null })).toThrow(/"time" is there already/);
  });
});

describe("the virial ratio", () => {
  it("is labelled by what is plotted, the virial of Clausius and not the potential energy", () => {
    const sums = { kinetic: 2, potential: -9, virial: -8, momentum: [0, 0, 0], mass: 1 };
    expect(virialRatio.of({ sums } as unknown as Parameters<typeof virialRatio.of>[0])).toBe(0.5);
    expect(virialRatio.chart?.label).toContain("Σ m a·");
    expect(virialRatio.chart?.label).not.toContain("|V|");
  });
});
