/** The natural cubic spline (Press et al. 2007, section 3.3), continued beyond its ends by straight lines. */

export class Spline {
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  /** Second derivatives at the knots. */
  readonly #curvature: Float64Array;

  /** `x` [n ≥ 2] strictly ascending, `y` [n]. */
  constructor(x: ArrayLike<number>, y: ArrayLike<number>) {
    this.#x = Float64Array.from(x);
    this.#y = Float64Array.from(y);
    this.#curvature = curvatures(this.#x, this.#y);
  }

  value(x: number): number {
    const n = this.#x.length;
    if (x <= this.#x[0]) return this.#y[0] + (x - this.#x[0]) * this.firstSlope;
    if (x >= this.#x[n - 1]) return this.#y[n - 1] + (x - this.#x[n - 1]) * this.lastSlope;
    let low = 0;
    let high = n - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#x[middle] > x) high = middle;
      else low = middle;
    }
    const width = this.#x[high] - this.#x[low];
    const b = (x - this.#x[low]) / width;
    const a = 1 - b;
    const bend = (a * a * a - a) * this.#curvature[low] + (b * b * b - b) * this.#curvature[high];
    return a * this.#y[low] + b * this.#y[high] + (bend * width * width) / 6;
  }

  /** dy/dx at the first knot and before it. */
  get firstSlope(): number {
    const width = this.#x[1] - this.#x[0];
    return (this.#y[1] - this.#y[0]) / width - (width * this.#curvature[1]) / 6;
  }

  /** dy/dx at the last knot and after it. */
  get lastSlope(): number {
    const n = this.#x.length;
    const width = this.#x[n - 1] - this.#x[n - 2];
    return (this.#y[n - 1] - this.#y[n - 2]) / width + (width * this.#curvature[n - 2]) / 6;
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
