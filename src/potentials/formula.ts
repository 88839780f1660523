/**
 * Formulas of external potentials in float64. A particle at x from the centre moves with v and is accelerated by a, by
 * everything and not the potential alone. About a spherical potential it has, with f = −φ′/r, u = x·v = rṙ and
 * w = u̇ = v² + x·a,
 *   acceleration A = f x,   jerk J = f v + ḟ x,   snap S = f a + 2ḟ v + f̈ x.
 * Potentials of the squares of the coordinates, φ(x², y², z²), are those of disks, flattened haloes, bars in their own frame.
 * With fᵢ = −2 ∂φ/∂(xᵢ²), the acceleration is Aᵢ = fᵢ xᵢ; with the fᵢ as jets (jets.ts) along a path also
 *   Jᵢ = fᵢ vᵢ + ḟᵢ xᵢ,   Sᵢ = fᵢ aᵢ + 2ḟᵢ vᵢ + f̈ᵢ xᵢ
 */
import type { Jet } from "./jets.ts";

/** Values of the record's keys; masses as G·M [length · velocity²]. */
export type Parameters<K extends string> = Readonly<Record<K, number>>;

export interface SphericalFormula<K extends string> {
  /** φ at r² [velocity²]. */
  potential(p: Parameters<K>, r2: number): number;
  /** f at r² [1/time²]; 0 at a centre where the force has a size but no direction. */
  strength(p: Parameters<K>, r2: number): number;
  /** f, ḟ and f̈; see above for u and w. */
  rates(p: Parameters<K>, r2: number, u: number, w: number): readonly [f: number, rate: number, secondRate: number];
}

/** Of any symmetry; vectors are [3], from the centre. */
export interface PotentialFormula<K extends string> {
  /** φ [velocity²]. */
  potential(p: Parameters<K>, x: Float64Array): number;
  /** Writes A [velocity/time]. */
  acceleration(p: Parameters<K>, x: Float64Array, out: Float64Array): void;
  /** Writes A, J and S into `out` [9]. */
  derivatives(p: Parameters<K>, x: Float64Array, v: Float64Array, a: Float64Array, out: Float64Array): void;
  /** Where there is one: components in equilibrium count the mass that it stands for. */
  spherical?: SphericalFormula<K>;
  /** Of the squares of the coordinates. */
  symmetric?: SymmetricFormula<K>;
  /** Whether it is the same in all directions about the z axis; as a rule it is where it is spherical. */
  round?(p: Parameters<K>): boolean;
}

/** One for each axis. */
export type Jets = readonly [x: Jet, y: Jet, z: Jet];

export interface SymmetricFormula<K extends string> {
  /** φ where the squares of the coordinates are these [velocity²]. */
  potential(p: Parameters<K>, x2: number, y2: number, z2: number): number;
  /** fᵢ [1/time²], of the squares; 0 at a centre where a force has no direction. */
  strengths(p: Parameters<K>, squares: Jets): Jets;
  /** Whether it is the same in all directions about the z axis. */
  round(p: Parameters<K>): boolean;
}

/** x² of a path. */
export const squareOf = (x: number, v: number, a: number): Jet => [x * x, 2 * x * v, 2 * (v * v + x * a)];

/** The vectors of a spherical formula. */
export function spherical<K extends string>(formula: SphericalFormula<K>): PotentialFormula<K> {
  return {
    spherical: formula,
    potential: (p, x) => formula.potential(p, dot(x, x)),
    acceleration(p, x, out) {
      const f = formula.strength(p, dot(x, x));
      for (let k = 0; k < 3; k++) out[k] = f * x[k];
    },
    derivatives(p, x, v, a, out) {
      const [f, rate, secondRate] = formula.rates(p, dot(x, x), dot(x, v), dot(v, v) + dot(x, a));
      for (let k = 0; k < 3; k++) {
        out[k] = f * x[k];
        out[3 + k] = f * v[k] + rate * x[k];
        out[6 + k] = f * a[k] + 2 * rate * v[k] + secondRate * x[k];
      }
    },
  };
}

/** The vectors of a symmetric formula. */
export function symmetric<K extends string>(formula: SymmetricFormula<K>): PotentialFormula<K> {
  return {
    symmetric: formula,
    round: (p) => formula.round(p),
    potential: (p, x) => formula.potential(p, x[0] * x[0], x[1] * x[1], x[2] * x[2]),
    acceleration(p, x, out) {
      const strengths = formula.strengths(p, [
        [x[0] * x[0], 0, 0],
        [x[1] * x[1], 0, 0],
        [x[2] * x[2], 0, 0],
      ]);
      for (let k = 0; k < 3; k++) out[k] = strengths[k][0] * x[k];
    },
    derivatives(p, x, v, a, out) {
      const strengths = formula.strengths(p, [
        squareOf(x[0], v[0], a[0]),
        squareOf(x[1], v[1], a[1]),
        squareOf(x[2], v[2], a[2]),
      ]);
      for (let k = 0; k < 3; k++) {
        const [f, rate, secondRate] = strengths[k];
        out[k] = f * x[k];
        out[3 + k] = f * v[k] + rate * x[k];
        out[6 + k] = f * a[k] + 2 * rate * v[k] + secondRate * x[k];
      }
    },
  };
}

function dot(p: Float64Array, q: Float64Array): number {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}
