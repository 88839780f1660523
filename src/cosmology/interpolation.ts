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
    const { x, y } = this;
    const n = x.length;
    if (at <= x[0]) return y[0] + (at - x[0]) * this.firstSlope;
    if (at >= x[n - 1]) return y[n - 1] + (at - x[n - 1]) * this.lastSlope;
    const high = bisectRight(x, at);
    const low = high - 1;
    const width = x[high] - x[low];
    const b = (at - x[low]) / width;
    const a = 1 - b;
    const bend = (a * a * a - a) * this.#curvature[low] + (b * b * b - b) * this.#curvature[high];
    return a * y[low] + b * y[high] + (bend * width * width) / 6;
  }

  /** y, dy/dx and d²y/dx². */
  jet(at: number): readonly [value: number, slope: number, curvature: number] {
    const { x, y } = this;
    const n = x.length;
    if (at <= x[0]) return [this.value(at), this.firstSlope, 0];
    if (at >= x[n - 1]) return [this.value(at), this.lastSlope, 0];
    const high = bisectRight(x, at);
    const low = high - 1;
    const width = x[high] - x[low];
    const b = (at - x[low]) / width;
    const a = 1 - b;
    const [first, second] = [this.#curvature[low], this.#curvature[high]];
    const bend = (3 * b * b - 1) * second - (3 * a * a - 1) * first;
    return [this.value(at), (y[high] - y[low]) / width + (bend * width) / 6, a * first + b * second];
  }

  /** dy/dx at the first knot and before it. */
  get firstSlope(): number {
    const { x, y } = this;
    const width = x[1] - x[0];
    return (y[1] - y[0]) / width - (width * this.#curvature[1]) / 6;
  }

  /** dy/dx at the last knot and after it. */
  get lastSlope(): number {
    const { x, y } = this;
    const n = x.length;
    const width = x[n - 1] - x[n - 2];
    return (y[n - 1] - y[n - 2]) / width + (width * this.#curvature[n - 2]) / 6;
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
