/**
 * Potentials of the squares of the coordinates, φ(x², y², z²): disks, flattened haloes, bars in their own frame. With
 * fᵢ = −2 ∂φ/∂(xᵢ²), the acceleration is Aᵢ = fᵢ xᵢ; with the fᵢ as jets (jets.ts) along a path also
 *   Jᵢ = fᵢ vᵢ + ḟᵢ xᵢ,   Sᵢ = fᵢ aᵢ + 2ḟᵢ vᵢ + f̈ᵢ xᵢ
 */
import type { Jet } from "./jets.ts";
import type { Parameters, PotentialFormula } from "./potential.ts";

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
