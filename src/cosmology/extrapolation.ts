/**
 * One step of an ordinary differential equation y' = f(x, y) by extrapolation of the modified midpoint rule (Gragg,
 * Bulirsch & Stoer): Hairer, Nørsett & Wanner 1993, section II.9, eqs 9.10 and 9.13. Six columns make order 12, so
 * a step of a sixteenth in ln a is right to rounding for anything smooth in ln a.
 */

/** Writes dy/dx into `slope`. */
export type Derivative = (x: number, y: Float64Array, slope: Float64Array) => void;

/** Substeps of the columns. */
const SUBSTEPS = [2, 4, 6, 8, 10, 12];

/** y(x + step) from y(x). */
export function extrapolatedStep(f: Derivative, x: number, y: Float64Array, step: number): Float64Array {
  const size = y.length;
  const first = new Float64Array(size);
  f(x, y, first);
  const slope = new Float64Array(size);
  const columns: Float64Array[] = [];
  for (const [row, n] of SUBSTEPS.entries()) {
    const h = step / n;
    let previous: Float64Array = y.slice();
    let current = y.map((value, i) => value + h * first[i]);
    for (let m = 1; m < n; m++) {
      f(x + m * h, current, slope);
      const next = previous.map((value, i) => value + 2 * h * slope[i]);
      previous = current;
      current = next;
    }
    f(x + step, current, slope);
    columns[row] = current.map((value, i) => 0.5 * (value + previous[i] + h * slope[i]));
    for (let column = row - 1; column >= 0; column--) {
      const ratio = (n / SUBSTEPS[column]) ** 2 - 1;
      columns[column] = columns[column].map(
        (value, i) => columns[column + 1][i] + (columns[column + 1][i] - value) / ratio,
      );
    }
  }
  return columns[0];
}
