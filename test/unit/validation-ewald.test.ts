/** Ewald's sum over many particles against the field of a single one, term by term (ewald.ts). */
import { describe, expect, it } from "vitest";
import { ewaldField } from "../../src/engine/diagnostics/ewald.ts";
import { pairLaw } from "../../src/engine/direct/softening.ts";
import { EwaldSum } from "../../src/study/validate/ewald-sum.ts";
import { sequence } from "../support/scenario-fixture.ts";

const G = 2.5;
const SIZE = 7;
/** Pull of a unit mass at half a box, isolated: the scale of the errors. */
const AT_HALF_A_BOX = G / (SIZE / 2) ** 2;

function randomParticles(count: number, seed: number) {
  const random = sequence(seed);
  const positions = Float64Array.from({ length: 3 * count }, () => SIZE * random());
  const masses = Float64Array.from({ length: count }, () => (0.5 + random()) / count);
  return { positions, masses, G, size: SIZE };
}

/** By the field of each source. */
function slowly({ positions, masses }: ReturnType<typeof randomParticles>, row: number): number[] {
  const total = [0, 0, 0];
  masses.forEach((mass, j) => {
    if (j === row) return;
    const d = [0, 1, 2].map((k) => (positions[3 * row + k] - positions[3 * j + k]) / SIZE);
    const { acceleration } = ewaldField(d[0], d[1], d[2]);
    for (let k = 0; k < 3; k++) total[k] += (G * mass * acceleration[k]) / SIZE ** 2;
  });
  return total;
}

describe("Ewald's sum", () => {
  it("is the field of a point mass to 1e-5 of its pull at half a box, near and far", async () => {
    const random = sequence(5);
    const around = Array.from({ length: 400 }, () => [0, 0, 0].map(() => random() - 0.5));
    // The faces, edges and corners of the nearest-image cell, where the pair sum ends; the sphere of its reach; near.
    const special = [
      ".5 0 0, .4999999 1e-7 0, .5 .5 0, .5 .5 .5, .4999 .3 .1, .3 .4 0, .2999 .4 0, .29 .29 .29, .25 0 0",
      "1e-3 2e-3 -1e-3, .06 .03 .01",
    ].flatMap((list) => list.split(", ").map((d) => d.split(" ").map(Number)));
    const near = around.map((d) => d.map((x) => 0.15 * x));
    const displacements = [...around, ...near, ...special];
    const positions = Float64Array.from([[0, 0, 0], ...displacements].flat(), (d) => SIZE * (((d + 0.9) % 1) + 0));
    const masses = new Float64Array(displacements.length + 1);
    masses[0] = 1;
    const sum = await EwaldSum.create({ positions, masses, G, size: SIZE });
    const found = await sum.accelerations(
      displacements.map((_, i) => i + 1),
      0,
    );
    const errors = displacements.map(([x, y, z], i) => {
      const exact = ewaldField(x, y, z).acceleration.map((a) => (G * a) / SIZE ** 2);
      const error = Math.hypot(...exact.map((a, k) => found[3 * i + k] - a));
      return error / Math.max(AT_HALF_A_BOX, Math.hypot(...exact));
    });
    expect(errors.length).toBe(811);
    expect(Math.max(...errors)).toBeLessThan(1e-5);
    const quick = await EwaldSum.create({ positions, masses, G, size: SIZE }, {}, "quick");
    const rows = displacements.map((_, i) => i + 1);
    const apart = (await quick.accelerations(rows, 0)).map((a, i) => Math.abs(a - found[i]));
    expect(Math.max(...apart) / AT_HALF_A_BOX).toBeLessThan(2e-3);
    expect(Math.hypot(...apart) / Math.sqrt(rows.length) / AT_HALF_A_BOX).toBeLessThan(5e-4);
  });

  it("adds up over particles of any mass", async () => {
    const particles = randomParticles(60, 11);
    const sum = await EwaldSum.create(particles);
    const rows = [0, 7, 59];
    const found = await sum.accelerations(rows, 0);
    rows.forEach((row, i) => {
      const exact = slowly(particles, row);
      exact.forEach((a, k) => {
        expect(Math.abs(found[3 * i + k] - a)).toBeLessThan(1e-5 * AT_HALF_A_BOX);
      });
    });
  });

  it("softens the nearest image as Plummer does", async () => {
    const positions = Float64Array.from([1, 1, 1, 1.01, 1, 1]);
    const sum = await EwaldSum.create({ positions, masses: [1, 1], G: 1, size: 1e3 });
    const [softened] = await sum.accelerations([0], 0.02);
    expect(softened).toBeCloseTo(0.01 / (0.01 ** 2 + 0.02 ** 2) ** 1.5, 4);
  });

  it("or as the spline does, which is Newton's beyond 2.8 softenings", async () => {
    const positions = Float64Array.from([1, 1, 1, 1.01, 1, 1]);
    const sum = await EwaldSum.create({ positions, masses: [1, 1], G: 1, size: 1e3 });
    const along = async (softening: number) =>
      (await sum.accelerations([0], { softening, softeningKernel: "spline" }))[0];
    expect(await along(0.01 / 2.81)).toBeCloseTo(1e4, 4);
    const softening = { softening: 0.02, softeningKernel: "spline" } as const;
    expect(await along(0.02)).toBeCloseTo(0.01 * pairLaw(1e-4, softening).f, 4);
  });

  it("exerts nothing on a body by its own images, nor between bodies in one place", async () => {
    const sum = await EwaldSum.create({ positions: [1, 2, 3, 1, 2, 3], masses: [1, 2], G, size: SIZE });
    for (const component of await sum.accelerations([0, 1], 0)) expect(Math.abs(component)).toBeLessThan(1e-12);
  });

  it("stops when told to", async () => {
    const control = new AbortController();
    const sum = await EwaldSum.create(randomParticles(10, 3));
    control.abort();
    await expect(sum.accelerations([0], 0, { signal: control.signal })).rejects.toThrow(/signal ended it/);
  });
});
