/**
 * What the mesh has of a pair's force in P³M (Hockney & Eastwood 1988, ch. 8), which the sum over near pairs takes away: that of
 * two Gaussians of split s, in units of Gm, with x = r/2s
 *   f(r) = [erf x − (2x/√π) e^{−x²}]/r³,  −φ(r) = erf(x)/r
 * Both are smooth in r² and become polynomials for the kernel.
 */
import { erfc } from "../../foundation/base/erfc.ts";

const TWO_OVER_ROOT_PI = 2 / Math.sqrt(Math.PI);
const SERIES_BELOW = 0.25;
const SERIES_TERMS = 16;

/** f [1/length³] and depth −φ [1/length] at r² [length²] for a split [length]. */
export function longRangeLaw(square: number, split: number): { f: number; depth: number } {
  const alpha = 1 / (2 * split);
  const x2 = alpha * alpha * square;
  if (x2 >= SERIES_BELOW) {
    const x = Math.sqrt(x2);
    const r = Math.sqrt(square);
    const erf = 1 - erfc(x);
    return { f: (erf - TWO_OVER_ROOT_PI * x * Math.exp(-x2)) / (square * r), depth: erf / r };
  }
  // Terms (−x²)ⁿ/n!: the two of f cancel to the leading order.
  let [f, depth, power] = [0, 0, 1];
  for (let n = 0; n < SERIES_TERMS; n++) {
    depth += power / (2 * n + 1);
    f += (2 * power) / (2 * n + 3);
    power *= -x2 / (n + 1);
  }
  return { f: alpha ** 3 * TWO_OVER_ROOT_PI * f, depth: alpha * TWO_OVER_ROOT_PI * depth };
}

/** Terms with which polynomials are good to 5e-6 of Newton's force and potential at the reach of five splits. */
export const TERMS = 10;

/** [TERMS] Coefficients of powers of t = 2r²/reach² − 1 for a function of r² up to reach², from the zeros of a Chebyshev polynomial. */
export function polynomialInSquare(law: (square: number) => number, reach: number): number[] {
  const angles = Array.from({ length: TERMS }, (_, k) => (Math.PI * (k + 0.5)) / TERMS);
  const values = angles.map((angle) => law((reach ** 2 * (1 + Math.cos(angle))) / 2));
  const sum = new Array<number>(TERMS).fill(0);
  let [before, now] = [[0], [1]]; // powers of T_{k−1} and T_k
  for (let k = 0; k < TERMS; k++) {
    const share = angles.reduce((total, angle, i) => total + values[i] * Math.cos(k * angle), 0);
    for (const [power, c] of now.entries()) sum[power] += (c * share * (k === 0 ? 1 : 2)) / TERMS;
    const next = [0, ...now.map((c) => (k === 0 ? 1 : 2) * c)].map(
      (c, power) => c - (k === 0 ? 0 : (before[power] ?? 0)),
    );
    [before, now] = [now, next];
  }
  return sum;
}
