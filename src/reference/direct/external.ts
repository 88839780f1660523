/**
 * Acceleration, jerk and snap in the field of a rigid sphere, for a particle at x from its centre that moves with v and
 * is accelerated by a (by everything, not the field alone):
 *   A = f(r) x,  J = f v + f′ṙ x,  S = f a + 2f′ṙ v + (f″ṙ² + f′r̈) x,   ṙ = x·v/r,  r̈ = (v² + x·a − ṙ²)/r
 *   Plummer 1911    f = −GM/(r² + b²)^{3/2}: the field of a softened body at rest, without a singular point
 *   Hernquist 1990  f = −GM/(r(r + b)²): at the centre the force has a size but no direction, and is taken as none
 */
import type { ForceArrays, ForceOrder } from "../../direct/bodies.ts";
import type { ExternalField } from "../../particles/state.ts";
import type { Bodies } from "./forces.ts";

/**
 * Adds a field's forces on rows `rows[first … last)` of `bodies` to the same entries of `out`, and its potential, when
 * asked for, to those of `potentials` [velocity²]: the field counts fully, the pairs half. `centre` is in the bodies'
 * coordinates, `gm` is G·mass.
 */
export function addFieldForces(
  order: ForceOrder,
  field: Pick<ExternalField, "kind" | "centre" | "scale">,
  gm: number,
  bodies: Bodies,
  out: ForceArrays,
  rows: Uint32Array,
  first: number,
  last: number,
  potentials?: Float64Array,
): void {
  const { kind, centre, scale } = field;
  const { positions, velocities, accelerations } = bodies;
  const [x, v, a] = [new Float64Array(3), new Float64Array(3), new Float64Array(3)];
  for (let slot = first; slot < last; slot++) {
    const i = 3 * rows[slot];
    for (let k = 0; k < 3; k++) {
      x[k] = positions[i + k] - centre[k];
      if (order !== "acceleration") v[k] = velocities[i + k];
      if (order === "snap") a[k] = accelerations[i + k];
    }
    const r2 = dot(x, x);
    if (potentials)
      potentials[slot] -= gm / (kind === "plummer" ? Math.sqrt(r2 + scale * scale) : Math.sqrt(r2) + scale);
    if (kind === "hernquist" && r2 === 0) continue;
    // f and, with u = x·v = rṙ and w = u̇ = v² + x·a, its first two time derivatives.
    const { f, rate, secondRate } = (kind === "plummer" ? plummer : hernquist)(
      gm,
      scale,
      r2,
      dot(x, v),
      dot(v, v) + dot(x, a),
    );
    for (let k = 0, at = 3 * slot; k < 3; k++, at++) {
      out.accelerations[at] += f * x[k];
      if (order !== "acceleration") out.jerks![at] += f * v[k] + rate * x[k];
      if (order === "snap") out.snaps![at] += f * a[k] + 2 * rate * v[k] + secondRate * x[k];
    }
  }
}

interface Strength {
  f: number;
  /** df/dt along the orbit. */
  rate: number;
  secondRate: number;
}

function plummer(gm: number, scale: number, r2: number, u: number, w: number): Strength {
  const square = r2 + scale * scale;
  const alpha = u / square;
  const f = -gm / (square * Math.sqrt(square));
  // dα/dt = w/ρ² − 2α²
  return { f, rate: -3 * alpha * f, secondRate: f * (15 * alpha * alpha - (3 * w) / square) };
}

function hernquist(gm: number, scale: number, r2: number, u: number, w: number): Strength {
  const r = Math.sqrt(r2);
  const outer = r + scale;
  const f = -gm / (r * outer * outer);
  const slope = (gm * (3 * r + scale)) / (r2 * outer ** 3);
  const curvature = (-gm * (12 * r2 + 8 * scale * r + 2 * scale * scale)) / (r2 * r * outer ** 4);
  const speed = u / r;
  return { f, rate: slope * speed, secondRate: curvature * speed * speed + (slope * (w - speed * speed)) / r };
}

function dot(p: Float64Array, q: Float64Array): number {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}
