/**
 * Three-dimensional transform of real meshes in float64, n = 2^k or 3·2^k per side:
 *   X_k = Σ_j x_j e^{−2πi k·j/n},   x_j = n^{−3} Σ_k X_k e^{+2πi k·j/n}.
 * Real input leaves n/2 + 1 independent modes along x. On a doubled mesh only one octant of the input is not
 * zero and only one octant of the output is wanted: `filled` < n skips the lines that are zero or unwanted.
 */
import ndarray from "ndarray";
import { GravmeshError } from "../../../foundation/base/errors.ts";
import { LineFft } from "../../mesh/fft/line-fft.ts";

/** Complex numbers as an array view [.., .., .., 2]; the transform runs along the third axis. */
type ComplexView = ndarray.NdArray<Float64Array>;

/** Changes the transformed line of n complex numbers (modes of z, interleaved) at modes (kx, ky), in place. */
export type LineFilter = (line: Float64Array, kx: number, ky: number) => void;

/** Lines handled together: as many as share a cache line when they lie side by side. */
const BLOCK = 4;

export class RealFft3 {
  /** n/2 + 1 modes along x. */
  readonly half: number;
  private readonly line: LineFft;
  private readonly inputs: Float64Array[];
  private readonly outputs: Float64Array[];
  /** [filled, n, n/2+1, 2] of `convolve`, kept from call to call. */
  private work: Float64Array | null = null;

  constructor(
    readonly n: number,
    /** Cells per side that hold input and are wanted as output. */
    readonly filled: number = n,
  ) {
    if (n % 2 !== 0 || filled % 2 !== 0 || filled > n) {
      throw new GravmeshError("usage", `3-D transform: expected even sizes with filled ≤ n, found ${filled} and ${n}.`);
    }
    this.half = n / 2 + 1;
    this.line = new LineFft(n);
    this.inputs = Array.from({ length: BLOCK }, () => new Float64Array(2 * n));
    this.outputs = Array.from({ length: BLOCK }, () => new Float64Array(2 * n));
  }

  /** [n, n, n/2+1, 2] (z, y, x, re|im) spectrum of `values` [filled³, x fastest]. */
  forward(values: Float64Array): Float64Array {
    const { n, half, filled } = this;
    const data = new Float64Array(2 * n * n * half);
    const spectrum = this.view(data, n);
    this.rowsForward(values, data);
    const y = spectrum.transpose(0, 2, 1, 3).hi(filled, half, n, 2);
    this.transformLines(y.hi(filled, half, filled, 2), y, false);
    const z = spectrum.transpose(1, 2, 0, 3);
    this.transformLines(z.hi(n, half, filled, 2), z, false);
    return data;
  }

  /** [filled³] values of a spectrum in the layout of `forward`, which is used up as work space. */
  inverse(data: Float64Array): Float64Array {
    const { n, half, filled } = this;
    const spectrum = this.view(data, n);
    const z = spectrum.transpose(1, 2, 0, 3);
    this.transformLines(z, z.hi(n, half, filled, 2), true);
    const y = spectrum.transpose(0, 2, 1, 3).hi(filled, half, n, 2);
    this.transformLines(y, y.hi(filled, half, filled, 2), true);
    const values = new Float64Array(filled ** 3);
    this.rowsInverse(data, values, 1 / n ** 3);
    return values;
  }

  /**
   * Forward transform, `filter` on every line of modes along z, and the UNNORMALISED inverse, with forward and
   * inverse along z joined, so that memory is [filled, n, n/2+1] complex numbers, kept for the next call.
   */
  convolve(values: Float64Array, filter: LineFilter): Float64Array {
    const { n, half, filled } = this;
    this.work ??= new Float64Array(2 * filled * n * half);
    const data = this.work;
    const work = this.view(data, filled);
    this.rowsForward(values, data);
    const y = work.transpose(0, 2, 1, 3);
    this.transformLines(y.hi(filled, half, filled, 2), y, false);
    const z = work.transpose(1, 2, 0, 3);
    this.transformLines(z, z, false, filter);
    this.transformLines(y, y.hi(filled, half, filled, 2), true);
    const result = new Float64Array(filled ** 3);
    this.rowsInverse(data, result, 1);
    return result;
  }

  private view(data: Float64Array, planes: number): ComplexView {
    return ndarray(data, [planes, this.n, this.half, 2]);
  }

  /** Rows along x, two real ones to a complex transform: A_k = (Z_k + Z*_{n−k})/2, B_k = (Z_k − Z*_{n−k})/2i. */
  private rowsForward(values: Float64Array, data: Float64Array): void {
    const { n, half, filled } = this;
    const input = this.inputs[0].fill(0);
    const out = this.outputs[0];
    for (let z = 0; z < filled; z++) {
      for (let y = 0; y < filled; y += 2) {
        const row = (z * filled + y) * filled;
        for (let x = 0; x < filled; x++) {
          input[2 * x] = values[row + x];
          input[2 * x + 1] = values[row + filled + x];
        }
        this.line.forward(out, input);
        let a = 2 * (z * n + y) * half;
        let b = a + 2 * half;
        for (let k = 0; k < half; k++, a += 2, b += 2) {
          const i = 2 * k;
          const j = k === 0 ? 0 : 2 * (n - k);
          data[a] = 0.5 * (out[i] + out[j]);
          data[a + 1] = 0.5 * (out[i + 1] - out[j + 1]);
          data[b] = 0.5 * (out[i + 1] + out[j + 1]);
          data[b + 1] = 0.5 * (out[j] - out[i]);
        }
      }
    }
  }

  /** The reverse: Z = A + iB over all n modes, whose inverse transform holds the two rows as re and im. */
  private rowsInverse(data: Float64Array, values: Float64Array, scale: number): void {
    const { n, half, filled } = this;
    const input = this.inputs[0];
    const out = this.outputs[0];
    for (let z = 0; z < filled; z++) {
      for (let y = 0; y < filled; y += 2) {
        let a = 2 * (z * n + y) * half;
        let b = a + 2 * half;
        for (let k = 0; k < half; k++, a += 2, b += 2) {
          const i = 2 * k;
          const j = k === 0 ? 0 : 2 * (n - k);
          // Real and imaginary parts swapped: see LineFft on the inverse. The conjugate modes go first, so that
          // k = 0 and k = n/2, which are their own conjugates, end up with the right value.
          input[j] = data[b] - data[a + 1];
          input[j + 1] = data[a] + data[b + 1];
          input[i] = data[a + 1] + data[b];
          input[i + 1] = data[a] - data[b + 1];
        }
        this.line.forward(out, input);
        const row = (z * filled + y) * filled;
        for (let x = 0; x < filled; x++) {
          values[row + x] = scale * out[2 * x + 1];
          values[row + filled + x] = scale * out[2 * x];
        }
      }
    }
  }

  /**
   * Transforms all lines along the third axis of `from` [a, b, length, 2] into `to` [a, b, length, 2]; missing
   * input is zero, unwanted output dropped; they may share memory. With a filter: forward, filter, inverse.
   */
  private transformLines(from: ComplexView, to: ComplexView, inverse: boolean, filter?: LineFilter): void {
    const { n, inputs, outputs } = this;
    const [countA, countB] = from.shape;
    const lengthIn = from.shape[2];
    const lengthOut = to.shape[2];
    const source = from.data;
    const target = to.data;
    const [fromA, fromB, fromLine] = from.stride;
    const [toA, toB, toLine] = to.stride;
    const swapIn = inverse ? 1 : 0;
    for (const input of inputs) input.fill(0);
    for (let a = 0; a < countA; a++) {
      for (let b = 0; b < countB; b += BLOCK) {
        const lines = Math.min(BLOCK, countB - b);
        const start = from.offset + a * fromA + b * fromB;
        for (let j = 0; j < lengthIn; j++) {
          for (let q = 0, s = start + j * fromLine; q < lines; q++, s += fromB) {
            const input = inputs[q];
            input[2 * j + swapIn] = source[s];
            input[2 * j + 1 - swapIn] = source[s + 1];
          }
        }
        let swapOut = swapIn;
        for (let q = 0; q < lines; q++) {
          this.line.forward(outputs[q], inputs[q]);
          if (filter === undefined) continue;
          filter(outputs[q], b + q, a);
          swapPairs(outputs[q]);
          this.line.forward(inputs[q], outputs[q]);
          swapOut = 1;
        }
        const results = filter === undefined ? outputs : inputs;
        const end = to.offset + a * toA + b * toB;
        for (let j = 0; j < lengthOut; j++) {
          for (let q = 0, t = end + j * toLine; q < lines; q++, t += toB) {
            const result = results[q];
            target[t] = result[2 * j + swapOut];
            target[t + 1] = result[2 * j + 1 - swapOut];
          }
        }
        // A filter leaves its results in the input lines, past what the next block overwrites.
        if (filter !== undefined && lengthIn < n) for (const input of inputs) input.fill(0, 2 * lengthIn);
      }
    }
  }
}

function swapPairs(line: Float64Array): void {
  for (let i = 0; i < line.length; i += 2) {
    const re = line[i];
    line[i] = line[i + 1];
    line[i + 1] = re;
  }
}
