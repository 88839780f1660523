/**
 * Direct summation in float64: acceleration, potential, jerk and snap of a set of sources at a set of targets.
 *   r = x_source − x_target, v and a likewise, ρ² = r² + ε², α = r·v/ρ², β = (v² + r·a)/ρ² + α²
 *   φ = −Σ Gm/ρ,  A = Gm r/ρ³,  J = Gm v/ρ³ − 3αA,  S = Gm a/ρ³ − 6αJ − 3βA
 * (Portegies Zwart+ 2007, eq. 1; Nitadori & Makino 2008, eqs. 10–12.)
 * A pair of equal ids exerts nothing, nor does a pair at no distance when ε = 0. The oracle of the GPU's force kernels.
 */

import { GravmeshError } from "../../../foundation/base/errors.ts";
import { type BodyArrays, emptyForces, type ForceArrays, type ForceOrder } from "../../direct/bodies.ts";
import { type PairLaw, type Softening, splineLaw, splineRadius } from "../../direct/softening.ts";

export interface DirectForcesOptions extends Softening {
  order: ForceOrder;
  targets: BodyArrays;
  /** Masses are G·m. */
  sources: BodyArrays;
}

/** Forces by target. Throws "usage" when the order needs velocities or accelerations that a set lacks. */
export function directForces({ order, targets, sources, ...softening }: DirectForcesOptions): ForceArrays {
  const out = emptyForces(order, targets.count);
  const bodies = { targets: complete(order, targets, "targets"), sources: complete(order, sources, "sources") };
  sumForces({ order, ...softening, ...bodies, out });
  return out;
}

/** A body set with velocities and accelerations: empty where the order needs none. */
export interface Bodies extends BodyArrays {
  velocities: Float64Array;
  accelerations: Float64Array;
}

const NONE = new Float64Array(0);

function complete(order: ForceOrder, arrays: BodyArrays, name: string): Bodies {
  const vectors = (key: "velocities" | "accelerations", wanted: boolean): Float64Array => {
    if (!wanted) return NONE;
    const given = arrays[key];
    if (given && given.length >= 3 * arrays.count) return given;
    const found = given === undefined ? "none" : `${given.length} numbers`;
    const expected = `expected ${key} [3·${arrays.count}] of the ${name}, found ${found}`;
    throw new GravmeshError("usage", `direct forces with ${order}: ${expected}; pass them, or ask for a lower order`);
  };
  return {
    ...arrays,
    velocities: vectors("velocities", order !== "acceleration"),
    accelerations: vectors("accelerations", order === "snap"),
  };
}

export interface ForceSum extends Softening {
  order: ForceOrder;
  targets: Bodies;
  sources: Bodies;
  /** Entries `first … last − 1` are overwritten; all by default. */
  out: ForceArrays;
  first?: number;
  last?: number;
  /** Target rows by entry; the entry's own number without a list. */
  rows?: Uint32Array | undefined;
}

const law: PairLaw = { depth: 0, f: 0, q: 0, b: 0 };

/** Forces of the sources on the targets. */
export function sumForces(sum: ForceSum): void {
  const { targets, rows, first = 0, last = rows?.length ?? targets.count } = sum;
  for (let slot = first; slot < last; slot++) forceAt(sum, rows === undefined ? slot : rows[slot], slot);
}

function forceAt({ order, targets, sources, out, ...softened }: ForceSum, row: number, slot: number): void {
  const [withJerk, withSnap] = [order !== "acceleration", order === "snap"];
  const radius = splineRadius(softened);
  const eps2 = radius > 0 ? 0 : softened.softening ** 2;
  const { positions: x, velocities: v, accelerations: a, masses, ids, count } = sources;
  const id = targets.ids[row];
  const i = 3 * row;
  const [tx, ty, tz] = [targets.positions[i], targets.positions[i + 1], targets.positions[i + 2]];
  const [tvx, tvy, tvz] = [targets.velocities[i], targets.velocities[i + 1], targets.velocities[i + 2]];
  const [tax, tay, taz] = [targets.accelerations[i], targets.accelerations[i + 1], targets.accelerations[i + 2]];
  let [ax, ay, az, potential] = [0, 0, 0, 0];
  let [jx, jy, jz] = [0, 0, 0];
  let [sx, sy, sz] = [0, 0, 0];
  for (let s = 0, j = 0; s < count; s++, j += 3) {
    const rx = x[j] - tx;
    const ry = x[j + 1] - ty;
    const rz = x[j + 2] - tz;
    const r2 = rx * rx + ry * ry + rz * rz + eps2;
    if ((r2 === 0 && radius === 0) || ids[s] === id) continue;
    const near = r2 < radius * radius;
    if (near) splineLaw(r2, radius, law);
    const inverse = near ? law.depth : 1 / Math.sqrt(r2);
    const inverse2 = near ? law.q : inverse * inverse;
    const gmr = masses[s] * inverse;
    const gmr3 = near ? masses[s] * law.f : gmr * inverse2;
    potential -= gmr;
    ax += gmr3 * rx;
    ay += gmr3 * ry;
    az += gmr3 * rz;
    if (!withJerk) continue;
    const vx = v[j] - tvx;
    const vy = v[j + 1] - tvy;
    const vz = v[j + 2] - tvz;
    const rv = rx * vx + ry * vy + rz * vz;
    // Rounded as each order always was, so that runs keep their bits.
    const alpha3 = withSnap ? 3 * (rv * inverse2) : 3 * rv * inverse2;
    // Jerk and snap in units of Gm/ρ³.
    const kx = vx - alpha3 * rx;
    const ky = vy - alpha3 * ry;
    const kz = vz - alpha3 * rz;
    jx += gmr3 * kx;
    jy += gmr3 * ky;
    jz += gmr3 * kz;
    if (!withSnap) continue;
    const dax = a[j] - tax;
    const day = a[j + 1] - tay;
    const daz = a[j + 2] - taz;
    const alpha = rv * inverse2;
    const speed2 = vx * vx + vy * vy + vz * vz;
    const bend = near ? law.b * rv * rv : alpha * alpha;
    const beta = (speed2 + rx * dax + ry * day + rz * daz) * inverse2 + bend;
    sx += gmr3 * (dax - 6 * alpha * kx - 3 * beta * rx);
    sy += gmr3 * (day - 6 * alpha * ky - 3 * beta * ry);
    sz += gmr3 * (daz - 6 * alpha * kz - 3 * beta * rz);
  }
  out.potentials[slot] = potential;
  setVector(out.accelerations, slot, ax, ay, az);
  if (withJerk) setVector(out.jerks!, slot, jx, jy, jz);
  if (withSnap) setVector(out.snaps!, slot, sx, sy, sz);
}

function setVector(vectors: Float64Array, slot: number, x: number, y: number, z: number): void {
  vectors[3 * slot] = x;
  vectors[3 * slot + 1] = y;
  vectors[3 * slot + 2] = z;
}
