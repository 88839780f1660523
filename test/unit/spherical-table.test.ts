/** Potentials from tables of the mass within r. */
import { expect, it } from "vitest";
import { initialConditions, parseScenario } from "../../src/index.ts";
import { externalField } from "../../src/physics/potentials/external.ts";
import { smallDeck } from "../support/decks.ts";

const FEW = '[[particles]]\nkind = "uniform"\ncount = 10\nmass = 1e-9\nside = 0.5\n';
const fieldOf = async (tables: string, places: number[]) => {
  const scenario = parseScenario(smallDeck(FEW + tables, { size: 40 }));
  const { externalPotentials } = await initialConditions(scenario, { G: 1 });
  return externalField(
    { G: 1, externalPotentials },
    Float64Array.from(places, (x) => 20 + x),
  );
};

it.each([
  ["plummer", (r: number) => (1 + 1 / r ** 2) ** -1.5],
  ["hernquist", (r: number) => (r / (r + 1)) ** 2],
])("with 60 radii from 0.02 to 100 have the field of the model, %s", async (kind, within) => {
  const radii = Array.from({ length: 60 }, (_, i) => 0.02 * 5000 ** (i / 59));
  const masses = radii.map((r) => within(r));
  const places = [0.01, 0.05, 0.3, 1, 3, 10, 17].flatMap((r) => [0.6 * r, -0.48 * r, 0.64 * r]);
  const table = `[[potential]]\nkind = "spherical-table"\nradii = [${radii}]\nmasses = [${masses}]\n`;
  const model = `[[potential]]\nkind = "${kind}"\nmass = 1\nscale = 1\n`;
  const [found, expected] = [await fieldOf(table, places), await fieldOf(model, places)];
  const size = (a: Float64Array, i: number) => Math.hypot(a[3 * i], a[3 * i + 1], a[3 * i + 2]);
  // Inside the first radius the slope is that of a spline's end.
  const most = [3e-2, 1e-3, 3e-5, 3e-5, 3e-5, 3e-5, 3e-5];
  most.forEach((error, i) => {
    expect(Math.abs(size(found.accelerations, i) / size(expected.accelerations, i) - 1)).toBeLessThan(error);
  });
  // no mass beyond the last radius
  const lacking = (1 - masses[59]) / 100;
  for (const [i, phi] of expected.potential.entries()) {
    expect(Math.abs(found.potential[i] - phi)).toBeLessThan(2 * lacking);
  }
});

it.each([
  ["radii = [1, 1]\nmasses = [1, 2]", "potential[0].radii: expected 2 to 500 ascending radii above 0, found [1, 1]"],
  ["radii = [1, 2]\nmasses = [2, 1]", "potential[0].masses: expected 2 masses above 0, as many as radii"],
  ["radii = [1, 2]\nmasses = [2]", "potential[0].masses: expected 2 masses"],
])("are refused: %s", (keys, message) => {
  const text = smallDeck(`${FEW}[[potential]]\nkind = "spherical-table"\n${keys}\n`);
  expect(() => parseScenario(text)).toThrow(message);
});

it("don't go with Hermite 6, whose snap jumps between the shells", () => {
  const table = '[[potential]]\nkind = "spherical-table"\nradii = [1, 2]\nmasses = [1, 2]\n';
  const text = smallDeck(FEW + table, { top: 'gravity = "direct"\ndirect.integrator = "hermite-6"' });
  expect(() => parseScenario(text)).toThrow("one whose snap doesn't jump");
  const shell = '[[potential]]\nkind = "shell"\nmass = 1\ninner = 2\nouter = 1\n';
  expect(() => parseScenario(smallDeck(FEW + shell))).toThrow("expected an outer radius above inner = 2, found 1");
});
