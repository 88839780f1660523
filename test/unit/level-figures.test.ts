/** What summary.json tells of each level. */
import { expect, it } from "vitest";
import { levelFigures, levelWarnings } from "../../src/run/level-events.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";

const DECK = `title = "Four"
[box]
size = 32.0
[mesh]
cells = 32
[[particles]]
kind = "plummer"
count = 4
cutoff = 4.0
[[level]]
refinement = 2
cells = 48
[time]
end = 1.0
step = 0.1
`;

it("a level has the share of the particles that are in its core", async () => {
  const positions = [16, 16, 16, 19, 16, 13, 16, 20, 16, 25, 25, 25];
  const scenario = parseScenario(DECK, { file: "a.toml" });
  const simulation = await Simulation.create(scenario, { backend: "cpu", particles: { positions, masses: 0.25 } });
  const [level, ...others] = await levelFigures(simulation);
  simulation.destroy();
  expect(others).toEqual([]);
  // To each side 48/4 cells of the box less 5 · 1.25 + 0.5 + (3 + 1)/2.
  const { bytes, share, followed, ...size } = level;
  expect(size).toMatchObject({ around: null, within: null, cells: 48, refinement: 2, h: 0.5, coreHalfWidth: 3.25 });
  expect([share, followed]).toEqual([0.5, null]);
  // Two words of mass a cell at least.
  expect(bytes).toBeGreaterThan(8 * 48 ** 3);
});

it("a level that acts on nothing, or has lost what it is around, is warned of", () => {
  const level = { name: "A", around: "A", within: null, cells: 64, refinement: 2, h: 1, coreHalfWidth: 4, bytes: 1 };
  expect(levelWarnings([{ ...level, share: 0.1, followed: 0.2 }], [0.9])).toEqual([]);
  expect(levelWarnings([{ ...level, share: 0, followed: 0 }])).toEqual([
    expect.stringContaining("acts on no particle"),
  ]);
  const inner = { ...level, name: "B", within: "A" };
  expect(
    levelWarnings([
      { ...level, share: 0, followed: 1 },
      { ...inner, share: 1, followed: 1 },
    ]),
  ).toEqual([]);
  const [lost] = levelWarnings([{ ...level, share: 0.01, followed: 0.08 }], [0.9]);
  expect(lost).toContain('level "A" has lost A: its core holds 8 % of it, and held 90 % at the start');
});
