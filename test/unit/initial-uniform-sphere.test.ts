/** The uniform sphere, and rigid spheres as the potentials that their kinds name. */
import { describe, expect, it } from "vitest";
import { initialConditions, parseScenario } from "../../src/index.ts";
import { dehnenShape } from "../../src/physics/initial/dehnen.ts";
import { isochroneShape } from "../../src/physics/initial/isochrone.ts";
import { nfwShape } from "../../src/physics/initial/nfw.ts";
import { externalField } from "../../src/physics/potentials/external.ts";
import { KS_LIMIT, kolmogorovSmirnov, radiiOf } from "./initial-samples.ts";

const SIZE = 8;
const deck = (tables: string) =>
  parseScenario(`title = "t"\nbox.size = ${SIZE}\nmesh.cells = 16\ntime = { end = 1, step = 0.1 }\n${tables}`);
const sphere = (more: string) =>
  deck(`[[particles]]\nkind = "uniform-sphere"\ncount = 30_000\nmass = 3\nradius = 2\n${more}`);

describe("uniform-sphere", () => {
  it("fills its volume evenly, at rest", async () => {
    const { particles } = await initialConditions(sphere("centre = false"), { G: 2 });
    expect(kolmogorovSmirnov(radiiOf(particles, SIZE), (r) => (r / 2) ** 3)).toBeLessThan(KS_LIMIT);
    expect(particles.velocities.every((v) => v === 0)).toBe(true);
  });

  it("has the virial ratio that is asked for: 2K = Q · 3GM²/5R", async () => {
    const { particles } = await initialConditions(sphere("virialRatio = 0.3"), { G: 2 });
    const twiceKinetic = (3 / particles.count) * Array.from(particles.velocities).reduce((sum, v) => sum + v * v, 0);
    const binding = (3 * 2 * 3 ** 2) / (5 * 2);
    expect(Math.abs(twiceKinetic / binding / 0.3 - 1)).toBeLessThan(4 * Math.sqrt(2 / (3 * particles.count)));
  });

  it("has to fit the box", () => {
    expect(() => sphere("offset = [2.5, 0, 0]")).toThrow(/particles\[0\]\.radius: expected at most.*found 2\./);
  });
});

describe("a rigid sphere", () => {
  it.each([
    ["nfw", "", nfwShape(3, 0.7)],
    ["isochrone", "", isochroneShape(3, 0.7)],
    ["dehnen", "gamma = 1.3", dehnenShape(3, 0.7, 1.3)],
  ])("of kind %s has the field of the same live one without a cut-off", async (kind, keys, shape) => {
    const rigid = `[[particles]]\nkind = "${kind}"\nmass = 3\nscale = 0.7\nrigid = true\n${keys}\n`;
    const uniform = '[[particles]]\nkind = "uniform"\ncount = 20\nmass = 1\n';
    const { externalPotentials, particles } = await initialConditions(deck(rigid + uniform), { G: 2 });
    const { accelerations } = externalField({ G: 2, externalPotentials }, particles.positions);
    for (let i = 0; i < 20; i++) {
      const d = [0, 1, 2].map((axis) => particles.positions[3 * i + axis] - SIZE / 2);
      const r = Math.hypot(...d);
      d.forEach((x, axis) => {
        expect(accelerations[3 * i + axis] / ((-2 * shape.mass(r) * x) / r ** 3)).toBeCloseTo(1, 10);
      });
    }
  });
});
