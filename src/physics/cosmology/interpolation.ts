/** The natural cubic spline (Press et al. 2007, section 3.3), continued beyond its ends by straight lines. */
import { bisectRight } from "d3-array";

export class Spline {
  /** Second derivatives at the knots. */
  readonly #curvature: Float64Array;

  /** `x` [n ≥ 2] strictly ascending, `y` [n]. */
  constructor(
    private readonly x: Float64Array,
    private readonly y: Float64Array,
  ) {
    this.#curvature = curvatures(x, y);
  }

  value(at: number): number {
    return this.jet(at)[0];
  }

  /** y, dy/dx and d²y/dx². */
  jet(at: number): readonly [value: number, slope: number, curvature: number] {
    const { x, y } = this;
    const n = x.length;
    const end = at <= x[0] ? 0 : at >= x[n - 1] ? n - 1 : undefined;
    const high = end === undefined ? bisectRight(x, at) : Math.max(1, end);
    const low = high - 1;
    const width = x[high] - x[low];
    const rise = (y[high] - y[low]) / width;
    const [first, second] = [this.#curvature[low], this.#curvature[high]];
    if (end !== undefined) {
      const slope = end === 0 ? rise - (width * second) / 6 : rise + (width * first) / 6;
      return [y[end] + (at - x[end]) * slope, slope, 0];
    }
    const b = (at - x[low]) / width;
    const a = 1 - b;
    const bend = (a * a * a - a) * first + (b * b * b - b) * second;
    const bendSlope = (3 * b * b - 1) * second - (3 * a * a - 1) * first;
    return [
      a * y[low] + b * y[high] + (bend * width * width) / 6,
      rise + (bendSlope * width) / 6,
      a * first + b * second,
    ];
  }
}

/** Tridiagonal system for the second derivatives, which vanish at both ends. */
function curvatures(x: Float64Array, y: Float64Array): Float64Array {
  const n = x.length;
  const result = new Float64Array(n);
  const work = new Float64Array(n);
  for (let i = 1; i < n - 1; i++) {
    const share = (x[i] - x[i - 1]) / (x[i + 1] - x[i - 1]);
    const pivot = share * result[i - 1] + 2;
    const bend = (y[i + 1] - y[i]) / (x[i + 1] - x[i]) - (y[i] - y[i - 1]) / (x[i] - x[i - 1]);
    result[i] = (share - 1) / pivot;
    work[i] = ((6 * bend) / (x[i + 1] - x[i - 1]) - share * work[i - 1]) / pivot;
  }
  for (let i = n - 2; i > 0; i--) result[i] = result[i] * result[i + 1] + work[i];
  return result;
}
