/** External potentials in float64, on the CPU: what they add to the particles' accelerations and potentials. */

import type { PotentialFormula } from "./formula.ts";
import { NONE } from "./jets.ts";
import { factorAt, type PlacedPotentials, placedAt, turnVector } from "./motion.ts";
import { convertedParameters, type ExternalPotential } from "./potential.ts";
import { potentials } from "./potentials.ts";

export interface ExternalField {
  /** [3N, xyzxyz…] [velocity/time] */
  accelerations: Float64Array;
  /** [N] [velocity²] */
  potential: Float64Array;
}

/** By parameters: fields are asked for at one place after another. */
const formulas = new WeakMap<object, { kind: string; G: number; found: ReturnType<typeof formulaOf> }>();

/** A potential's formula, its parameters with masses as G·M; `G` in deck units. Throws "usage" for an unknown kind. */
export function formulaOf(
  { kind, parameters }: Pick<ExternalPotential, "kind" | "parameters">,
  G: number,
): { formula: PotentialFormula<string>; p: Record<string, number> } {
  const known = formulas.get(parameters);
  if (known?.kind === kind && known.G === G) return known.found;
  const record = potentials.get(kind);
  const p = Object.fromEntries(convertedParameters(record, parameters, { mass: (mass) => G * mass }));
  const found = { formula: record.formula, p };
  formulas.set(parameters, { kind, G, found });
  return found;
}

/**
 * Adds acceleration and potential at `positions` [3N] [length] of all particles or some, in a periodic box at the nearest image,
 * at a time, the start by default.
 */
export function addExternalField(
  potential: ExternalPotential,
  G: number,
  positions: Float64Array,
  out: ExternalField,
  { particles, period, time = 0 }: { particles?: Uint32Array; period?: number | undefined; time?: number } = {},
): void {
  const { formula, p } = formulaOf(potential, G);
  const { centre, factor, angle, acceleration: added } = placedAt(potential, time);
  const [x, acceleration] = [new Float64Array(3), new Float64Array(3)];
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const turned = potential.turn !== undefined;
  const [g] = factor;
  const count = particles === undefined ? out.potential.length : particles.length;
  for (let n = 0; n < count; n++) {
    const i = particles === undefined ? n : particles[n];
    for (let k = 0; k < 3; k++) {
      x[k] = positions[3 * i + k] - centre[k][0];
      if (period !== undefined) x[k] -= period * Math.round(x[k] / period);
    }
    if (turned) turnVector(x, cos, -sin);
    formula.acceleration(p, x, acceleration);
    if (turned) turnVector(acceleration, cos, sin);
    let phi = formula.potential(p, x);
    for (let k = 0; k < 3; k++) {
      const more = added?.[k][0] ?? 0;
      out.accelerations[3 * i + k] += g * (acceleration[k] + more);
      phi -= more * x[k];
    }
    out.potential[i] += g * phi;
  }
}

/**
 * Writes acceleration, jerk and snap of a particle with x, v, a = `path` [9] to `out` [9]; returns the potential. `path`
 * is changed.
 */
export function externalDerivatives(
  { formula, p }: ReturnType<typeof formulaOf>,
  { centre, factor, angle, speed, acceleration }: PlacedPotentials,
  path: Float64Array,
  out: Float64Array,
): number {
  for (let k = 0; k < 9; k++) path[k] -= centre[k % 3][Math.floor(k / 3)];
  const turned = speed !== 0 || angle !== 0;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  if (turned) {
    const [x, y, vx, vy, ax, ay] = [path[0], path[1], path[3], path[4], path[6], path[7]];
    path[3] = vx + speed * y;
    path[4] = vy - speed * x;
    path[6] = ax + 2 * speed * vy - speed * speed * x;
    path[7] = ay - 2 * speed * vx - speed * speed * y;
    for (const at of [0, 3, 6]) turnVector(path, cos, -sin, at);
  }
  formula.derivatives(p, path.subarray(0, 3), path.subarray(3, 6), path.subarray(6, 9), out);
  if (turned) {
    // A vector of the frame: its derivatives outside have those of the frame.
    const [ax, ay, jx, jy] = [out[0], out[1], out[3], out[4]];
    out[3] = jx - speed * ay;
    out[4] = jy + speed * ax;
    out[6] += -2 * speed * jy - speed * speed * ax;
    out[7] += 2 * speed * jx - speed * speed * ay;
    for (const at of [0, 3, 6]) turnVector(out, cos, sin, at);
  }
  const [g, rate, second] = factor;
  let phi = formula.potential(p, path);
  for (let k = 0; k < 3; k++) {
    const more = acceleration?.[k] ?? NONE;
    for (let order = 0; order < 3; order++) out[3 * order + k] += more[order];
    phi -= more[0] * path[k];
    out[6 + k] = g * out[6 + k] + 2 * rate * out[3 + k] + second * out[k];
    out[3 + k] = g * out[3 + k] + rate * out[k];
    out[k] *= g;
  }
  return g * phi;
}

/**
 * The mass M(r) = −f r³/G [mass] that would make a spherical potential at the start, its density [mass/length³], and the
 * depth ∫_r^∞ M/r² dr [mass/length] with no mass beyond `outermost` [length]. Undefined for another symmetry.
 */
export function sphericalMass(potential: ExternalPotential, G: number, outermost: number) {
  const { formula, p } = formulaOf(potential, G);
  const { spherical } = formula;
  if (!spherical) return undefined;
  const [g] = factorAt(potential, 0);
  const mass = (r: number) => (-g * spherical.strength(p, [r * r, 0, 0])[0] * r ** 3) / G;
  const edge = spherical.potential(p, outermost ** 2);
  return {
    mass,
    density(r: number) {
      const [f, slope] = spherical.strength(p, [r * r, 2 * r, 2]); // of a particle with ṙ = 1
      return (-g * (3 * f + slope * r)) / (4 * Math.PI * G);
    },
    depth: (r: number) => (g * (edge - spherical.potential(p, r * r))) / G + mass(outermost) / outermost,
  };
}

/** Acceleration [3N] [velocity/time] and potential [N] [velocity²] of all of them at a time, the start by default. */
export function externalField(
  { G, externalPotentials }: { G: number; externalPotentials: readonly ExternalPotential[] },
  positions: Float64Array,
  time = 0,
): ExternalField {
  const out = { accelerations: new Float64Array(positions.length), potential: new Float64Array(positions.length / 3) };
  for (const potential of externalPotentials) addExternalField(potential, G, positions, out, { time });
  return out;
}
