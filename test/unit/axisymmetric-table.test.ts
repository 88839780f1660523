/** Potentials from tables of φ(R, z). */
import { expect, it } from "vitest";
import { initialConditions, parseScenario } from "../../src/index.ts";
import { meanMass } from "../../src/physics/initial/monopole.ts";
import { externalField } from "../../src/physics/potentials/external.ts";
import type { CompositePart } from "../../src/physics/potentials/potential.ts";
import { scenarioNotes } from "../../src/scenario/remarks.ts";
import { MILKY_WAY_PARTS, milkyWay, tableOf } from "../support/axisymmetric.ts";
import { smallDeck } from "../support/decks.ts";

const SIZE = 60;
const deckOf = (table: object) => {
  const keys = Object.entries(table).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  const few = '[[particles]]\nkind = "uniform"\ncount = 10\nmass = 1e-9\nside = 0.5\n';
  return parseScenario(smallDeck(`${few}[[potential]]\nkind = "axisymmetric-table"\n${keys.join("")}`, { size: SIZE }));
};
const halo = (R: number, z: number) => 0.5 * Math.log(1 + R * R + (z / 0.8) ** 2);

it.each([
  ["MWPotential2014", milkyWay],
  ["a flattened logarithmic halo", halo],
])("have the force of the model between their points: %s", async (_, phi) => {
  const scenario = deckOf(tableOf(phi));
  const { externalPotentials } = await initialConditions(scenario, { G: 1 });
  expect(externalPotentials.length).toBeLessThanOrEqual(40);
  const places = Array.from({ length: 200 }, (_, i) => [0.15 * 500 ** (i / 199), (i * 0.618) % 1]);
  const errors = places.map(([r, share]) => {
    const [R, z, h] = [r * Math.cos(1.57 * share), -r * Math.sin(1.57 * share), 1e-4 * r];
    const at = [R * 0.6, R * 0.8, z].map((x) => SIZE / 2 + x);
    const { accelerations } = externalField({ G: 1, externalPotentials }, Float64Array.from(at));
    const planar = (phi(R - h, z) - phi(R + h, z)) / (2 * h);
    const force = [planar * 0.6, planar * 0.8, (phi(R, z - h) - phi(R, z + h)) / (2 * h)];
    return Math.hypot(...force.map((f, k) => f - accelerations[k])) / Math.hypot(...force);
  });
  expect(Math.sqrt(errors.reduce((sum, e) => sum + e * e, 0) / errors.length)).toBeLessThan(0.004);
  expect(Math.max(...errors)).toBeLessThan(0.02);
  expect(scenarioNotes(scenario).join()).toMatch(
    /: \d+ Miyamoto–Nagai disks are fitted .* R = 100, z = 100, with errors/,
  );
});

it("have the mass of the model for components in equilibrium, disks of negative mass among them", async () => {
  const { externalPotentials } = await initialConditions(deckOf(tableOf(milkyWay)), { G: 1 });
  expect(externalPotentials.some(({ parameters }) => parameters.mass < 0)).toBe(true);
  const massOf = (parts: readonly CompositePart[], r: number) =>
    parts.reduce((sum, part) => sum + meanMass({ ...part, centre: [0, 0, 0] }, 1, 1e4)!.mass(r), 0);
  for (const r of [0.5, 3, 20]) {
    expect(Math.abs(massOf(externalPotentials, r) / massOf(MILKY_WAY_PARTS, r) - 1)).toBeLessThan(0.005);
  }
});

it("take fewer disks for a larger tolerance", () => {
  const counts = [0.03, 0.003].map((tolerance) =>
    Number(/(\d+) Miyamoto/.exec(scenarioNotes(deckOf({ ...tableOf(halo), tolerance })).join())![1]),
  );
  expect(counts[0]).toBeLessThan(counts[1]);
});

const eight = [0, 1, 2, 3, 4, 5, 6, 7];
const small = { radii: eight, heights: eight, potentials: eight.flatMap((R) => eight.map((z) => halo(R, z))) };
it.each([
  [{ radii: [0, 2, 1] }, "potential[0].radii: expected 8 to 64 ascending radii from 0 up, found [0, 2, 1]"],
  [{ heights: [1] }, "potential[0].heights: expected 8 to 64 ascending heights from 0 up, found [1]"],
  [{ potentials: [-1, 2] }, "potential[0].potentials: expected 8 × 8 numbers, one for each radius and height, found 2"],
  [
    { potentials: small.potentials.map((_, i) => (i * i) % 17) },
    "potential[0].potentials: expected a table to which 40 disks fit with an error of the force of tolerance = 0.002 of it, found 0.",
  ],
  [{ potentials: small.potentials.map(() => 1) }, "potential[0].potentials: expected a table to which 40 disks fit"],
])("are refused: %j", (wrong, message) => {
  expect(() => deckOf(small)).not.toThrow();
  expect(() => deckOf({ ...small, ...wrong })).toThrow(message);
});
