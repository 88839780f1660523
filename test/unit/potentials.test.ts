/** The external potentials that ship, in float64: each derivative against differences of the one below, and known values. */
import { describe, expect, it } from "vitest";
import { externalDerivatives, externalField, formulaOf } from "../../src/potentials/external.ts";
import { placedAt } from "../../src/potentials/motion.ts";
import type { ExternalPotential } from "../../src/potentials/potential.ts";
import { potentials } from "../../src/potentials/potentials.ts";
import { CHANGES, PARAMETERS } from "../support/potential-cases.ts";

const CENTRE: [number, number, number] = [0.25, -0.5, 1];

const START = [
  [1, 0.5, -0.25],
  [0.5, -1, 0.75],
  [2, 0.25, -1],
  [-0.5, 1, 3],
];

/** A, J, S at a time of a path that is a cubic. */
function along(potential: ExternalPotential, t: number): Float64Array {
  const [x, v, a, j] = START;
  const path = Float64Array.from([
    ...x.map((x0, k) => x0 + t * (v[k] + (t / 2) * (a[k] + (t / 3) * j[k]))),
    ...v.map((v0, k) => v0 + t * (a[k] + (t / 2) * j[k])),
    ...a.map((a0, k) => a0 + t * j[k]),
  ]);
  const out = new Float64Array(9);
  externalDerivatives(formulaOf(potential, 2), placedAt(potential, t), path, out);
  return out;
}

/** Difference quotients of fourth order. */
const slope = (at: (h: number) => number, h: number) => (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);

describe.each(PARAMETERS)("%s %o", (kind, parameters) => {
  const potential: ExternalPotential = { kind, centre: CENTRE, parameters };
  const at = (x: readonly number[]) => {
    const field = externalField({ G: 2, externalPotentials: [potential] }, Float64Array.from(x));
    return { acceleration: field.accelerations, potential: field.potential[0] };
  };

  it.each([1e-3, 0.3, 1, 10])("has a force that is minus the gradient of its potential, %d from the centre", (r) => {
    const place = [0.6, -0.48, 0.64].map((n, k) => CENTRE[k] + r * n);
    const { acceleration } = at(place);
    const size = Math.hypot(...acceleration);
    for (let axis = 0; axis < 3; axis++) {
      const found = slope((h) => at(place.map((x, k) => (k === axis ? x + h : x))).potential, 1e-3 * r);
      expect(Math.abs(found + acceleration[axis])).toBeLessThan(1e-9 * size + 1e-11 / r);
    }
  });

  it.each(CHANGES)("has jerk and snap that are derivatives along a path, %s", (_, changes) => {
    const changed = { ...potential, ...changes };
    const now = along(changed, 0);
    for (let k = 0; k < 6; k++) {
      const size = Math.hypot(...now.subarray(3 + 3 * Math.floor(k / 3), 6 + 3 * Math.floor(k / 3)));
      const error = (h: number) => Math.abs(slope((t) => along(changed, t)[k], h) - now[3 + k]);
      expect(error(1e-3)).toBeLessThan(2e-7 * (size + 1));
      // Of fourth order: a wrong term would stay as it is.
      if (error(0.01) > 1e-9 * (size + 1)) expect(error(0.005)).toBeLessThan(error(0.01) / 8);
    }
  });

  it("has the acceleration of its derivatives", () => {
    const found = along(potential, 0);
    const { acceleration } = at(START[0]);
    const size = Math.hypot(...acceleration);
    for (let k = 0; k < 3; k++) expect(Math.abs(found[k] - acceleration[k])).toBeLessThan(1e-13 * size);
  });

  it("is finite everywhere, its derivatives too, but for infinite depth", () => {
    const { acceleration } = at(CENTRE);
    expect([...acceleration].every(Number.isFinite)).toBe(true);
    const out = new Float64Array(9);
    const path = Float64Array.from([...CENTRE, 1, 2, 3, 0, 1, 0]);
    externalDerivatives(formulaOf(potential, 2), placedAt(potential, 0), path, out);
    expect([...out].every(Number.isFinite)).toBe(true);
    expect([...at(CENTRE.map((x) => x + 1e5)).acceleration].every(Number.isFinite)).toBe(true);
  });
});

describe("the kinds that ship", () => {
  it("are all tried here", () => {
    const tried = new Set(PARAMETERS.map(([kind]) => kind));
    expect(potentials.names.filter((name) => !tried.has(name))).toEqual([]);
  });
});
