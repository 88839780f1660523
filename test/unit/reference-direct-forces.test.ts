/** Direct forces in float64 against formulas of two bodies, and each derivative against differences of the one below. */
import { describe, expect, it } from "vitest";
import type { ForceOrder } from "../../src/engine/direct/bodies.ts";
import { SOFTENING_KERNELS } from "../../src/engine/direct/softening.ts";
import { directForces } from "../../src/engine/reference/direct/forces.ts";
import { sequence } from "../support/scenario-fixture.ts";

const ORDERS: ForceOrder[] = ["acceleration", "jerk", "snap"];

function randomBodies(count: number, seed: number, firstId = 0) {
  const random = sequence(seed);
  const vectors = () => Float64Array.from({ length: 3 * count }, () => random() - 0.5);
  return {
    count,
    positions: vectors(),
    velocities: vectors(),
    accelerations: vectors(),
    masses: Float64Array.from({ length: count }, () => (0.5 + random()) / count),
    ids: Uint32Array.from({ length: count }, (_, i) => firstId + i),
  };
}

type Bodies = ReturnType<typeof randomBodies>;

/** Bodies after `t` on parabolas: x + vt + at²/2. */
function moved(bodies: Bodies, t: number): Bodies {
  const { positions: x, velocities: v, accelerations: a } = bodies;
  return {
    ...bodies,
    positions: x.map((xi, i) => xi + v[i] * t + (a[i] * t * t) / 2),
    velocities: v.map((vi, i) => vi + a[i] * t),
  };
}

/** Largest |found − expected| over the largest |expected|. */
function error(found: Float64Array, expected: Float64Array): number {
  const size = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return found.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i])), 0) / size;
}

describe("direct forces in float64", () => {
  it.each(ORDERS)("gives the pull of one body on another (%s)", (order) => {
    const body = (id: number, x: number, mass: number) => ({
      count: 1,
      positions: Float64Array.of(x, 2, 3),
      velocities: new Float64Array(3),
      accelerations: new Float64Array(3),
      masses: Float64Array.of(mass),
      ids: Uint32Array.of(id),
    });
    const forces = directForces({ order, softening: 3, targets: body(5, 1, 7), sources: body(6, 5, 2) });
    // r = 4, ε = 3: ρ = 5.
    expect([...forces.accelerations]).toEqual([expect.closeTo((2 * 4) / 125, 15), 0, 0]);
    expect([...forces.potentials]).toEqual([expect.closeTo(-2 / 5, 15)]);
    expect(forces.jerks?.every((j) => j === 0)).toBe(order === "acceleration" ? undefined : true);
    expect(forces.snaps?.length).toBe(order === "snap" ? 3 : undefined);
  });

  // GADGET-2's polynomials (Springel, Yoshida & White 2001, appendix).
  it.each([0, 0.3, 0.7, 1.39, 1.41, 2.1, 2.79, 2.8, 5])("has the pull of a cubic spline at %d ε", (r) => {
    const body = (x: number, id: number) => ({
      count: 1,
      positions: Float64Array.of(x, 0, 0),
      ids: Uint32Array.of(id),
    });
    const [target, source] = [body(0, 0), body(0.1 * r, 1)].map((one) => ({ ...one, masses: Float64Array.of(1) }));
    const softened = { softening: 0.1, softeningKernel: "spline" } as const;
    const forces = directForces({ order: "acceleration", ...softened, targets: target, sources: source });
    const [h, u] = [0.28, r / 2.8];
    const inner = [
      10.666666666667 + u * u * (32 * u - 38.4),
      -2.8 + u * u * (5.333333333333 + u * u * (6.4 * u - 9.6)),
    ];
    const outer = [
      21.333333333333 - 48 * u + 38.4 * u * u - 10.666666666667 * u ** 3 - 0.066666666667 / u ** 3,
      -3.2 + 0.066666666667 / u + u * u * (10.666666666667 + u * (-16 + u * (9.6 - 2.133333333333 * u))),
    ];
    const [force, potential] = u < 0.5 ? inner : u < 1 ? outer : [1 / u ** 3, -1 / u];
    expect(forces.accelerations[0]).toBeCloseTo((force * u) / h ** 2, 9);
    expect(forces.potentials[0]).toBeCloseTo(potential / h, 9);
  });

  it("agrees between the orders", () => {
    const [targets, sources] = [randomBodies(5, 1), randomBodies(33, 2, 3)];
    const [first, second, third] = ORDERS.map((order) => directForces({ order, softening: 0.1, targets, sources }));
    expect([...second.accelerations]).toEqual([...first.accelerations]);
    expect([...third.accelerations]).toEqual([...first.accelerations]);
    expect([...third.potentials]).toEqual([...first.potentials]);
    expect(error(third.jerks!, second.jerks!)).toBeLessThan(1e-14);
  });

  it.each([
    [0, "plummer"],
    [0.2, "plummer"],
    [0.2, "spline"],
  ] as const)(
    "has jerk and snap that are the derivatives of the acceleration, ε = %d, %s",
    (softening, softeningKernel) => {
      const [targets, sources] = [randomBodies(7, 3), randomBodies(40, 4, 100)];
      const h = 1e-4;
      const at = (t: number) => {
        const then = { targets: moved(targets, t), sources: moved(sources, t) };
        return directForces({ order: "snap", softening, softeningKernel, ...then });
      };
      const [before, now, after] = [at(-h), at(0), at(h)];
      const slope = (key: "accelerations" | "jerks") => after[key]!.map((a, i) => (a - before[key]![i]) / (2 * h));
      expect(error(now.jerks!, slope("accelerations"))).toBeLessThan(1e-5);
      expect(error(now.snaps!, slope("jerks"))).toBeLessThan(1e-5);
    },
  );

  it.each(SOFTENING_KERNELS)(
    "has an acceleration that is minus the gradient of the potential, %s",
    (softeningKernel) => {
      const [targets, sources] = [randomBodies(7, 5), randomBodies(40, 6, 100)];
      const h = 1e-5;
      const options = { order: "acceleration", softening: 0.2, softeningKernel } as const;
      const { accelerations } = directForces({ ...options, targets, sources });
      for (let axis = 0; axis < 3; axis++) {
        const potentials = [h, -h].map((shift) => {
          const positions = targets.positions.map((x, i) => (i % 3 === axis ? x + shift : x));
          return directForces({ ...options, targets: { ...targets, positions }, sources }).potentials;
        });
        const slope = potentials[1].map((phi, i) => (phi - potentials[0][i]) / (2 * h));
        const expected = slope.map((_, i) => accelerations[3 * i + axis]);
        expect(error(slope, expected)).toBeLessThan(1e-7);
      }
    },
  );

  it.each(ORDERS)("leaves out equal ids, and pairs at no distance without softening (%s)", (order) => {
    const targets = randomBodies(1, 7, 4);
    const sources = randomBodies(10, 8);
    const without = { ...randomBodies(10, 8), masses: sources.masses.map((m, i) => (i === 4 ? 0 : m)) };
    const options = { order, softening: 0.1, targets };
    expect(directForces({ ...options, sources })).toEqual(directForces({ ...options, sources: without }));

    sources.positions.set(targets.positions, 3 * 6);
    without.masses[6] = 0;
    const coincident = directForces({ order, softening: 0, targets, sources });
    expect(coincident).toEqual(directForces({ order, softening: 0, targets, sources: without }));
    expect(coincident.potentials[0]).toBeLessThan(0);
    // With softening a body at no distance deepens the potential and doesn't pull.
    const soft = directForces({ ...options, sources });
    const softWithout = directForces({ ...options, sources: without });
    expect([...soft.accelerations]).toEqual([...softWithout.accelerations]);
    expect(soft.potentials[0] - softWithout.potentials[0]).toBeCloseTo(-sources.masses[6] / 0.1, 13);
  });

  it("conserves momentum: Σ m a = 0, and its derivatives", () => {
    const bodies = randomBodies(257, 9);
    const forces = directForces({ order: "snap", softening: 1 / 64, targets: bodies, sources: bodies });
    for (const vectors of [forces.accelerations, forces.jerks!, forces.snaps!]) {
      const net = [0, 0, 0];
      let size = 0;
      for (let i = 0; i < vectors.length; i++) {
        const term = bodies.masses[Math.floor(i / 3)] * vectors[i];
        net[i % 3] += term;
        size += Math.abs(term);
      }
      expect(Math.hypot(...net) / size).toBeLessThan(1e-14);
    }
  });

  it("asks for the velocities and accelerations that an order needs", () => {
    const bodies = randomBodies(3, 10);
    const { velocities: _v, ...still } = bodies;
    const { accelerations: _a, ...coasting } = bodies;
    const options = { softening: 0, sources: bodies };
    expect(() => directForces({ order: "jerk", targets: still, ...options })).toThrow(
      "direct forces with jerk: expected velocities [3·3] of the targets, found none",
    );
    expect(() => directForces({ order: "snap", targets: coasting, ...options })).toThrow("expected accelerations");
  });

  it("is empty without targets, and zero without sources", () => {
    const [none, some] = [randomBodies(0, 1), randomBodies(2, 1)];
    const empty = directForces({ order: "snap", softening: 0, targets: none, sources: some });
    expect(empty.accelerations.length + empty.potentials.length).toBe(0);
    const alone = directForces({ order: "snap", softening: 0, targets: some, sources: none });
    expect([...alone.accelerations, ...alone.potentials, ...alone.jerks!, ...alone.snaps!].every((x) => x === 0)).toBe(
      true,
    );
  });
});
