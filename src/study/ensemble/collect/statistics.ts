/**
 * A quantity over the members of an ensemble, of n values x₁ ≤ … ≤ x_n that are numbers:
 *   mean        m = Σ x / n
 *   deviation   s = √(Σ (x − m)² / (n − 1)), of a sample (Bessel); no number for n = 1
 *   quantile p  x at the place 1 + p (n − 1), between two values in proportion (Hyndman & Fan 1996, definition 7, which
 *               NumPy and R take too); p = 0.16, 0.5 (the median), 0.84, and 0 and 1, the least and the greatest
 */
import { quantileSorted } from "d3-array";

export interface Spread {
  /** Values that are numbers; all others are no number without any. */
  count: number;
  mean: number;
  deviation: number;
  least: number;
  q16: number;
  median: number;
  q84: number;
  greatest: number;
}

export const SPREAD = {
  count: "members with a value",
  mean: "mean",
  deviation: "standard deviation of a member, with n - 1",
  least: "least value",
  q16: "quantile 0.16",
  median: "median, quantile 0.5",
  q84: "quantile 0.84",
  greatest: "greatest value",
} as const satisfies Record<keyof Spread, string>;

export const SPREAD_NAMES = Object.keys(SPREAD) as (keyof Spread)[];

/** `values` in any order; those that are no numbers are left out. */
export function spreadOf(values: Iterable<number>): Spread {
  const sorted = Float64Array.from(values).filter(Number.isFinite).sort();
  const count = sorted.length;
  const mean = meanOf(sorted);
  // It takes typed arrays, too; its types don't say so.
  const at = (p: number) => quantileSorted(sorted as unknown as number[], p) ?? Number.NaN;
  const squares = sorted.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  return {
    ...{ count, mean, deviation: count > 1 ? Math.sqrt(squares / (count - 1)) : Number.NaN },
    ...{ least: at(0), q16: at(0.16), median: at(0.5), q84: at(0.84), greatest: at(1) },
  };
}

/** Taken from the first value, so that equal ones give themselves back. */
function meanOf(values: Float64Array): number {
  const first = values.length > 0 ? values[0] : Number.NaN;
  return first + values.reduce((sum, x) => sum + (x - first), 0) / values.length;
}

/** Means of rows [n][B], n > 0: [B]. */
export function meansOf(rows: readonly Float64Array[]): Float64Array {
  return rows[0].map((_, i) => meanOf(Float64Array.from(rows, (row) => row[i])));
}

/** Means m [B] and covariance Σ (x_i − m_i)(x_j − m_j)/(n − 1) [B·B] of rows [n][B]; no numbers for n = 1. */
export function covarianceOf(rows: readonly Float64Array[]) {
  const mean = meansOf(rows);
  const size = mean.length;
  const covariance = new Float64Array(size * size);
  for (const row of rows) {
    const off = row.map((x, i) => x - mean[i]);
    for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) covariance[i * size + j] += off[i] * off[j];
  }
  const known = rows.length > 1;
  return { mean, covariance: covariance.map((sum) => (known ? sum / (rows.length - 1) : Number.NaN)) };
}

/** C_ij/√(C_ii C_jj), [B·B]; no number where nothing varies. */
export function correlationOf(covariance: Float64Array, size: number): Float64Array {
  const deviation = Float64Array.from({ length: size }, (_, i) => Math.sqrt(covariance[i * size + i]));
  return covariance.map((value, at) => {
    const [i, j] = [Math.floor(at / size), at % size];
    if (!(deviation[i] > 0 && deviation[j] > 0)) return Number.NaN;
    return i === j ? 1 : Math.min(1, Math.max(-1, value / (deviation[i] * deviation[j])));
  });
}
