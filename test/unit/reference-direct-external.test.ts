/** Rigid spheres as external fields of direct summation: each derivative against differences of the one below. */
import { describe, expect, it } from "vitest";
import { emptyForces } from "../../src/engine/direct/bodies.ts";
import { addExternalForces } from "../../src/engine/reference/direct/external.ts";
import { addExternalField } from "../../src/physics/potentials/external.ts";
import type { ExternalPotential } from "../../src/physics/potentials/potential.ts";

const KINDS = ["plummer", "hernquist"] as const;

function body(positions: number[], velocities: number[], accelerations: number[]) {
  return {
    count: positions.length / 3,
    positions: Float64Array.from(positions),
    velocities: Float64Array.from(velocities),
    accelerations: Float64Array.from(accelerations),
    masses: new Float64Array(positions.length / 3),
    ids: new Uint32Array(positions.length / 3),
  };
}

function field(kind: ExternalPotential["kind"]) {
  return { kind, centre: [0.25, -0.5, 1] as [number, number, number], parameters: { mass: 3, scale: 0.75 } };
}

/** Forces of mass 3 with G = 1 on one body. */
function forcesOn(kind: ExternalPotential["kind"], bodies: ReturnType<typeof body>) {
  const out = emptyForces("snap", bodies.count);
  const potentials = new Float64Array(bodies.count);
  const rows = Uint32Array.from({ length: bodies.count }, (_, i) => i);
  const potential = field(kind);
  addExternalForces({
    ...{ order: "snap", potential, G: 1, bodies, out, rows, first: 0, last: bodies.count, potentials },
  });
  return { ...out, external: potentials };
}

describe.each(KINDS)("%s sphere", (kind) => {
  const [x, v, a, j] = [
    [1, 0.5, -0.25],
    [0.5, -1, 0.75],
    [2, 0.25, -1],
    [-0.5, 1, 3],
  ];
  /** The body on a path with these derivatives. */
  const at = (t: number) =>
    body(
      x.map((x0, k) => x0 + t * (v[k] + (t / 2) * (a[k] + (t / 3) * j[k]))),
      v.map((v0, k) => v0 + t * (a[k] + (t / 2) * j[k])),
      a.map((a0, k) => a0 + t * j[k]),
    );

  it("has jerk and snap that are the derivatives of the acceleration along the path", () => {
    const h = 1e-4;
    const [before, now, after] = [-h, 0, h].map((t) => forcesOn(kind, at(t)));
    for (let k = 0; k < 3; k++) {
      expect(now.jerks![k]).toBeCloseTo((after.accelerations[k] - before.accelerations[k]) / (2 * h), 6);
      expect(now.snaps![k]).toBeCloseTo((after.jerks![k] - before.jerks![k]) / (2 * h), 6);
    }
  });

  it("has the acceleration and potential of the mesh's field", () => {
    const bodies = body([1, 0.5, -0.25, 0.25, -0.5, 1.125], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]);
    const out = { accelerations: new Float64Array(6), potential: new Float64Array(2) };
    addExternalField(field(kind), 1, bodies.positions, out);
    const found = forcesOn(kind, bodies);
    for (let k = 0; k < 6; k++) expect(found.accelerations[k]).toBeCloseTo(out.accelerations[k], 14);
    for (let i = 0; i < 2; i++) expect(found.external[i]).toBeCloseTo(out.potential[i], 14);
  });

  it("has finite forces at the centre, and no acceleration there", () => {
    const { accelerations, jerks, snaps, external } = forcesOn(kind, body(field(kind).centre, [1, 2, 3], [0, 1, 0]));
    expect([...accelerations].map(Math.abs)).toEqual([0, 0, 0]);
    expect([...jerks!, ...snaps!].every(Number.isFinite)).toBe(true);
    expect(external[0]).toBeCloseTo(-3 / 0.75, 14);
  });

  it("adds to the listed rows only, and leaves what a lower order doesn't have", () => {
    const bodies = body([1, 0, 0, 2, 0, 0, 3, 0, 0], new Array(9).fill(1), new Array(9).fill(1));
    const all = forcesOn(kind, bodies);
    const out = emptyForces("snap", 2);
    out.accelerations.fill(10);
    const potential = field(kind);
    const rows = Uint32Array.of(0, 2);
    addExternalForces({ order: "acceleration", potential, G: 1, bodies, out, rows, first: 1, last: 2 });
    expect([...out.accelerations]).toEqual([10, 10, 10, ...all.accelerations.subarray(6).map((value) => 10 + value)]);
    expect([...out.jerks!, ...out.snaps!, ...out.potentials].every((value) => value === 0)).toBe(true);
  });
});
