/** The Kepler pair: centre of mass at rest at its offset, the orbit's energy and angular momentum, masses by ratio. */
import { describe, expect, it } from "vitest";
import type { ComponentOf } from "../../src/physics/initial/models.ts";
import { sampleOf } from "./initial-samples.ts";

const pair: ComponentOf<"kepler"> = {
  kind: "kepler",
  name: "pair",
  species: "stars",
  offset: [1, -0.5, 0.25],
  velocity: [0, 0, 0],
  seed: 1,
  count: 2,
  mass: 3,
  massRatio: 0.5,
  semiMajorAxis: 2,
  eccentricity: 0.6,
};

describe("a Kepler pair", () => {
  it("has the energy, angular momentum and apocentre of its orbit", async () => {
    const G = 2;
    const { positions, velocities, masses } = await sampleOf([pair], 16, G);
    expect(Array.from(masses)).toEqual([2, 1]);
    const relative = (values: ArrayLike<number>) => [0, 1, 2].map((axis) => values[3 + axis] - values[axis]);
    const [r, v] = [relative(positions), relative(velocities)];
    const distance = Math.hypot(...r);
    expect(distance).toBeCloseTo(2 * 1.6, 12);
    const gm = G * 3;
    // Velocities are float32.
    expect(Math.hypot(...v) ** 2 / 2 - gm / distance).toBeCloseTo(-gm / 4, 6);
    expect(r[0] * v[1] - r[1] * v[0]).toBeCloseTo(Math.sqrt(gm * 2 * (1 - 0.36)), 6);
    for (let axis = 0; axis < 3; axis++) {
      expect((2 * positions[axis] + positions[3 + axis]) / 3).toBeCloseTo(8 + pair.offset[axis], 12);
      expect(2 * velocities[axis] + velocities[3 + axis]).toBeCloseTo(0, 6);
    }
  });
});
