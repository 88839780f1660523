/** [[level]] tables: what they become, and what is said of those that can't be. */
import { describe, expect, it } from "vitest";
import { memoryEstimate } from "../../src/scenario/estimate.ts";
import { levelSizes, levelsOf } from "../../src/scenario/level-sizes.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { scenarioNotes } from "../../src/scenario/remarks.ts";
import { resolutionOf, smallestCell } from "../../src/scenario/resolution.ts";
import { adaptivePlan } from "../../src/scenario/simulation/step-plans.ts";
import { scheduleOf } from "../../src/scenario/timetables.ts";

const DECK = `title = "Two"
[box]
size = 144.0
[mesh]
cells = 96
[[galaxy]]
name = "A"
centre = [10.0, 0.0, 0.0]
[[galaxy]]
name = "B"
centre = [-20.0, 0.0, 0.0]
[[particles]]
kind = "plummer"
name = "stars"
galaxy = "A"
count = 100
cutoff = 8.0
[[particles]]
kind = "plummer"
name = "dark"
galaxy = "A"
count = 50
cutoff = 8.0
[[particles]]
kind = "plummer"
name = "other"
galaxy = "B"
count = 10
cutoff = 8.0
[time]
end = 1.0
step = 0.1
`;
const withLevels = (levels: string) => parseScenario(`${DECK}\n${levels}`, { file: "a.toml" });
const COMPONENTS = [
  { name: "stars", species: "stars" as const, galaxy: "A", first: 0, count: 100 },
  { name: "dark", species: "stars" as const, galaxy: "A", first: 100, count: 50 },
  { name: "other", species: "stars" as const, galaxy: "B", first: 150, count: 10 },
];

describe("[[level]] tables", () => {
  it("follow all particles of a galaxy, or of a component, and nest around the same", () => {
    const scenario = withLevels(
      '[[level]]\naround = "A"\n[[level]]\naround = "other"\nrefinement = 2\n[[level]]\naround = "A"\n[[level]]\noffset = [30.0, 0.0, 0.0]',
    );
    const usual = { parent: undefined, refinement: 4, cells: 128, substeps: 1 };
    const ofA = { ...usual, follows: [{ first: 0, count: 150 }], place: [82, 72, 72] };
    expect(levelsOf(scenario, COMPONENTS)).toEqual([
      { ...ofA, name: "A" },
      { ...usual, name: "other", refinement: 2, follows: [{ first: 150, count: 10 }], place: [52, 72, 72] },
      { ...ofA, name: "A 2", parent: 0 },
      { ...usual, name: "level", follows: [], place: [102, 72, 72] },
    ]);
    const [first, , inner] = levelSizes(scenario);
    expect([first.h, inner.h]).toEqual([1.5 / 4, 1.5 / 16]);
    expect(first.core / 1.5).toBeCloseTo(16 - 6.25 - 0.5 - 1, 10);
    expect(resolutionOf(scenario)).toMatchObject([
      ...[
        { name: "stars", key: "r10", spacing: 1.5 / 16 },
        { name: "stars", key: "r50", spacing: 1.5 / 16 },
      ],
      ...[{ name: "dark", spacing: 1.5 / 16 }, { name: "dark" }, { name: "other", spacing: 0.75 }, { name: "other" }],
    ]);
    expect(smallestCell(scenario)).toBe(1.5 / 16);
    expect(scenarioNotes(scenario)).toEqual(
      expect.arrayContaining([
        'level "A", 128³ cells of 0.375: its core reaches 12.4 to each side, 21 times scale of stars, 21 times scale of dark',
        'level "level", 128³ cells of 0.375: its core reaches 12.4 to each side',
      ]),
    );
  });

  it("refuse models that are set up for the box's cells, whose force their cores don't have", () => {
    const softened = DECK.replace("cells = 96", "cells = 96\nsoftenedModels = true");
    expect(() => parseScenario(`${softened}\n[[level]]\naround = "A"`, { file: "a.toml" })).toThrow(
      /mesh\.softenedModels: expected false with \[\[level\]\] tables, found true\. .*another \[\[level\]\]/,
    );
  });

  it("are numbered, however many are around the same", () => {
    const { level } = withLevels('[[level]]\naround = "A"\n'.repeat(3));
    expect(level.map(({ name }) => name)).toEqual(["A", "A 2", "A 3"]);
  });

  it("are as large as the box has room for, and count in what a run holds", () => {
    const small = parseScenario(`${DECK.replace("cells = 96", "cells = 32")}\n[[level]]\naround = "A"`, {});
    expect(small.level[0].cells).toBe(96);
    const without = memoryEstimate(parseScenario(DECK, {})).mesh;
    const found = memoryEstimate(withLevels('[[level]]\naround = "A"')).mesh - without;
    expect(found / 128 ** 3).toBeGreaterThan(20);
    expect(found / 128 ** 3).toBeLessThan(32);
    const [plain, stepping] = ["", "substeps = 2"].map((keys) => withLevels(`[[level]]\naround = "A"\n${keys}`));
    expect(memoryEstimate(stepping).particles - memoryEstimate(plain).particles).toBe(160 * 16);
  });

  it("are called after what they are around, in overrides too", () => {
    const deck = `${DECK}\n[[level]]\naround = "A"\n[[level]]\naround = "A"\n[[level]]`;
    const named = (overrides: string[]) =>
      parseScenario(deck, { overrides }).level.map(({ name, cells }) => [name, cells]);
    expect(named(["level.A 2.cells=96", "level.level.cells=96"])).toEqual([
      ["A", 128],
      ["A 2", 96],
      ["level", 96],
    ]);
    expect(() => named(["level.B.cells=96"])).toThrow(/no level "B": .*A/);
  });

  it("with substeps leave adaptive steps as long as they stand, and the box", async () => {
    const steps = [1, 2, 16].map(async (substeps) => {
      const level = `[[level]]\naround = "A"\nsubsteps = ${substeps}`;
      const scenario = parseScenario(`${DECK}\n${level}`, { overrides: ["time.step=adaptive"] });
      const place = { step: 0, time: 0, output: 0, tick: 0 };
      const timetable = { scenario, schedule: scheduleOf(scenario), comoving: undefined };
      const plan = await adaptivePlan(timetable, place, async () => ({ acceleration: 0, speed: 1e4 }));
      return plan.next().factors.drifts[0];
    });
    const [one, two, sixteen] = await Promise.all(steps);
    // Cells are a quarter of the box's.
    expect([two / one, sixteen / one]).toEqual([2, 4]);
  });

  it.each([
    [
      '[[level]]\naround = "C"',
      /level\[0\]\.around: expected the name of a galaxy or component \(A, B, stars, dark, other\), found "C"/,
    ],
    [
      '[[level]]\naround = "A"\noffset = [1.0, 0.0, 0.0]',
      /level\[0\]\.offset: expected no offset of a level that is around something/,
    ],
    ['[[level]]\naround = "A"\nrefinement = 3', /level\[0\]\.refinement: expected 2 or 4, found 3/],
    ['[[level]]\naround = "A"\ncells = 100', /level\[0\]\.cells: expected 2\^k or 3\*2\^k cells/],
    [
      '[[level]]\naround = "A"\ncells = 64',
      /level\[0\]\.cells: expected more than \d+ cells, which leave a core, found 64/,
    ],
    [
      '[[level]]\naround = "A"\ncells = 512',
      /level\[0\]\.cells: expected at most 368 cells, which the box has room for, found 512/,
    ],
    [
      '[[level]]\naround = "A"\n[[level]]\naround = "A"\ncells = 512',
      /level\[1\]\.cells: expected a core that lies in that of "A"/,
    ],
    [
      '[[level]]\naround = "A"\nsubsteps = 2\n[[level]]\naround = "B"',
      /level\[1\]\.substeps: expected 2, as level\[0\] takes, found 1/,
    ],
    [
      '[[level]]\naround = "A"\n[mond]\nformulation = "qumond"\na0 = 1.0',
      /mond\.formulation: expected "none" with \[\[level\]\] tables/,
    ],
    ['[[level]]\naround = "A"\nwidth = 3', /unknown key level\[0\]\.width/],
  ])("%s is refused", (levels, message) => {
    expect(() => withLevels(levels)).toThrow(message);
  });

  it.each([
    ["gravity=direct", /gravity: expected "mesh" with \[\[level\]\] tables/],
    ["mesh.gradient=spectral", /mesh\.gradient: expected differences with \[\[level\]\] tables/],
    ["mesh.deposit=host", /mesh\.deposit: expected a deposit on the device/],
  ])("are refused with %s", (override, message) => {
    expect(() => parseScenario(`${DECK}\n[[level]]\naround = "A"`, { overrides: [override] })).toThrow(message);
  });
});
