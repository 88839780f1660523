/**
 * One-dimensional complex Fourier transform in float64, of lengths whose only factors are 2, 3 and 5, through fft.js.
 * X_k = Σ_j x_j e^{−2πi jk/n}, not normalised.
 *
 * fft.js takes powers of two. A length of 3m or 5m is split into the sub-sequences j mod 3 or 5, each of them transformed,
 * and combined with twiddles (decimation in time).
 * The inverse needs no code of its own: swapping real and imaginary parts on the way in and on the way
 * out turns the forward transform into the unnormalised inverse.
 */
import FFT from "fft.js";
import { GravmeshError } from "../../../foundation/base/errors.ts";

/** Is n an even length without prime factors above 5? */
export function isTransformLength(n: number): boolean {
  if (!Number.isInteger(n) || n < 2 || n % 2 !== 0) return false;
  return [2, 3, 5].reduce(withoutFactor, n) === 1;
}

function withoutFactor(n: number, factor: number): number {
  let m = n;
  while (m % factor === 0) m /= factor;
  return m;
}

/** A plan for lines of n complex numbers, interleaved re, im. */
export class LineFft {
  private readonly whole: { transform(out: Float64Array, input: Float64Array): void };

  constructor(readonly n: number) {
    if (!isTransformLength(n)) {
      throw new GravmeshError("usage", `Fourier transform: expected an even length of factors 2, 3, 5, found ${n}.`);
    }
    const radix = [3, 5].find((factor) => n % factor === 0);
    this.whole = radix ? new SplitLine(n, radix) : new FFT(n);
  }

  /** `out` [2n] ← transform of `input` [2n]; the two must be different arrays. */
  forward(out: Float64Array, input: Float64Array): void {
    this.whole.transform(out, input);
  }
}

/** cos and sin of 2πj/radix for 0 ≤ j < radix. */
const TURNS: Record<number, { cos: number[]; sin: number[] }> = {
  3: turns([-1 / 2], [Math.sqrt(3) / 2]),
  5: turns(
    [(Math.sqrt(5) - 1) / 4, (-Math.sqrt(5) - 1) / 4],
    [Math.sqrt(10 + 2 * Math.sqrt(5)) / 4, Math.sqrt(10 - 2 * Math.sqrt(5)) / 4],
  ),
};

function turns(cos: number[], sin: number[]) {
  return { cos: [1, ...cos, ...cos.toReversed()], sin: [0, ...sin, ...sin.map((s) => -s).toReversed()] };
}

/** Lines of 3m or 5m points: X_{k+qm} = Σ_r e^{−2πi qr/radix} e^{−2πi kr/n} S_r[k], S_r of the points j with j mod radix = r. */
class SplitLine {
  private readonly sub: LineFft;
  private readonly part: Float64Array;
  private readonly spectra: Float64Array[];
  /** [2n] e^{−2πi j/n} */
  private readonly twiddles: Float64Array;

  constructor(
    n: number,
    private readonly radix: number,
  ) {
    const m = n / radix;
    this.sub = new LineFft(m);
    this.part = new Float64Array(2 * m);
    this.spectra = Array.from({ length: radix }, () => new Float64Array(2 * m));
    this.twiddles = new Float64Array(2 * n);
    for (let j = 0; j < n; j++) {
      const angle = (-2 * Math.PI * j) / n;
      this.twiddles[2 * j] = Math.cos(angle);
      this.twiddles[2 * j + 1] = Math.sin(angle);
    }
  }

  transform(out: Float64Array, input: Float64Array): void {
    const { radix, spectra, part } = this;
    for (let r = 0; r < radix; r++) {
      for (let j = 0, i = 2 * r; j < part.length; j += 2, i += 2 * radix) {
        part[j] = input[i];
        part[j + 1] = input[i + 1];
      }
      this.sub.forward(spectra[r], part);
      if (r > 0) this.twiddle(spectra[r], r);
    }
    for (let q = 0; q < radix; q++) this.join(out, q);
  }

  /** S_r[k] e^{−2πi kr/n} */
  private twiddle(spectrum: Float64Array, r: number): void {
    const { twiddles } = this;
    for (let k = 0, t = 0; k < spectrum.length; k += 2, t += 2 * r) {
      const re = spectrum[k];
      const im = spectrum[k + 1];
      spectrum[k] = re * twiddles[t] - im * twiddles[t + 1];
      spectrum[k + 1] = re * twiddles[t + 1] + im * twiddles[t];
    }
  }

  /** X_{k+qm}: sums of pairs r, radix − r by cosines, their differences by sines. */
  private join(out: Float64Array, q: number): void {
    const { radix, spectra } = this;
    const { cos, sin } = TURNS[radix];
    const { length } = spectra[0];
    const start = q * length;
    out.set(spectra[0], start);
    for (let r = 1; 2 * r < radix; r++) {
      const [a, b, c] = [spectra[r], spectra[radix - r], cos[(q * r) % radix]];
      for (let k = 0; k < length; k++) out[start + k] += c * (a[k] + b[k]);
    }
    for (let r = 1; 2 * r < radix; r++) {
      const [a, b, s] = [spectra[r], spectra[radix - r], sin[(q * r) % radix]];
      for (let k = 0; k < length; k += 2) {
        out[start + k] += s * (a[k + 1] - b[k + 1]);
        out[start + k + 1] -= s * (a[k] - b[k]);
      }
    }
  }
}

/**
 * Transform of a real even sequence of period p, given and returned by its first p/2 + 1 values:
 * E_k = a_0 + (−1)^k a_{p/2} + 2 Σ_{0<j<p/2} a_j cos(2π jk/p). Two sequences ride on one complex transform.
 */
export class EvenTransform {
  readonly half: number;
  private readonly fft: LineFft;
  private readonly line: Float64Array;
  private readonly spectrum: Float64Array;

  constructor(period: number) {
    this.half = period / 2;
    this.fft = new LineFft(period);
    this.line = new Float64Array(2 * period);
    this.spectrum = new Float64Array(2 * period);
  }

  /**
   * Reads sequences at `a` and `b` (offsets into `source`, `count` values each, the rest taken as zero) with
   * the given stride and returns the spectrum [2·period]: even slots belong to a, odd ones to b.
   */
  transform(source: Float64Array, a: number, b: number, stride: number, count: number): Float64Array {
    const { line, half } = this;
    const period = 2 * half;
    if (count <= half) line.fill(0);
    for (let j = 0, ia = a, ib = b; j < count; j++, ia += stride, ib += stride) {
      const va = source[ia];
      const vb = source[ib];
      line[2 * j] = va;
      line[2 * j + 1] = vb;
      if (j > 0) {
        line[2 * (period - j)] = va;
        line[2 * (period - j) + 1] = vb;
      }
    }
    this.fft.forward(this.spectrum, line);
    return this.spectrum;
  }
}
