/**
 * Formulas of external potentials in float64, for a particle at x from the centre that moves with v and is accelerated by
 * a, by everything. Potentials φ(x², y², z²) are those of disks, flattened haloes, bars in their own frame. With fᵢ = −2
 * ∂φ/∂(xᵢ²), as jets (jets.ts) along the path, acceleration, jerk and snap are
 *   Aᵢ = fᵢ xᵢ,   Jᵢ = fᵢ vᵢ + ḟᵢ xᵢ,   Sᵢ = fᵢ aᵢ + 2ḟᵢ vᵢ + f̈ᵢ xᵢ;
 * in a spherical potential all three fᵢ are f = −φ′/r.
 */
import { type Jet, NONE, sum } from "./jets.ts";

/** Values of the record's keys; masses as G·M [length · velocity²]. */
export type Parameters<K extends string> = Readonly<Record<K, number>>;

export interface SphericalFormula<K extends string> {
  /** φ at r² [velocity²]. */
  potential(p: Parameters<K>, r2: number): number;
  /** f [1/time²], of r²; not finite at a centre where the force has a size but no direction, and is taken for none. */
  strength(p: Parameters<K>, r2: Jet): Jet;
}

/** A potential of any symmetry; vectors are [3], from the centre. */
export interface PotentialFormula<K extends string> {
  /** φ [velocity²]. */
  potential(p: Parameters<K>, x: Float64Array): number;
  /** Writes A [velocity/time]. */
  acceleration(p: Parameters<K>, x: Float64Array, out: Float64Array): void;
  /** Writes A, J and S into `out` [9]. */
  derivatives(p: Parameters<K>, x: Float64Array, v: Float64Array, a: Float64Array, out: Float64Array): void;
  /** Where there is one: components in equilibrium count the mass that it stands for. */
  spherical?: SphericalFormula<K>;
  /** The formula in the squares of the coordinates, where there is one. */
  symmetric?: SymmetricFormula<K>;
  /** Whether it is the same in all directions about the z axis. */
  round?(p: Parameters<K>): boolean;
}

export type Jets = readonly [x: Jet, y: Jet, z: Jet];

export interface SymmetricFormula<K extends string> {
  /** φ where the squares of the coordinates are these [velocity²]. */
  potential(p: Parameters<K>, x2: number, y2: number, z2: number): number;
  /** fᵢ [1/time²], of the squares; not finite at a centre where a force has no direction, and is taken for none. */
  strengths(p: Parameters<K>, squares: Jets): Jets;
  /** Whether it is the same in all directions about the z axis. */
  round(p: Parameters<K>): boolean;
}

const squareOf = (x: number, v: number, a: number): Jet => [x * x, 2 * x * v, 2 * (v * v + x * a)];

export function spherical<K extends string>(formula: SphericalFormula<K>): PotentialFormula<K> {
  const ofSquares = symmetric<K>({
    round: () => true,
    potential: (p, x2, y2, z2) => formula.potential(p, x2 + y2 + z2),
    strengths(p, [x2, y2, z2]) {
      const f = formula.strength(p, sum(sum(x2, y2), z2));
      return [f, f, f];
    },
  });
  return { ...ofSquares, spherical: formula };
}

export function symmetric<K extends string>(formula: SymmetricFormula<K>): PotentialFormula<K> {
  const strengths = (p: Parameters<K>, squares: Jets) =>
    formula.strengths(p, squares).map((f) => (Number.isFinite(f[0]) ? f : NONE));
  return {
    symmetric: formula,
    round: (p) => formula.round(p),
    potential: (p, x) => formula.potential(p, x[0] * x[0], x[1] * x[1], x[2] * x[2]),
    acceleration(p, x, out) {
      const square = (k: number) => squareOf(x[k], 0, 0);
      strengths(p, [square(0), square(1), square(2)]).forEach(([f], k) => {
        out[k] = f * x[k];
      });
    },
    derivatives(p, x, v, a, out) {
      const square = (k: number) => squareOf(x[k], v[k], a[k]);
      strengths(p, [square(0), square(1), square(2)]).forEach(([f, rate, secondRate], k) => {
        out[k] = f * x[k];
        out[3 + k] = f * v[k] + rate * x[k];
        out[6 + k] = f * a[k] + 2 * rate * v[k] + secondRate * x[k];
      });
    },
  };
}
