/**
 * One-dimensional complex Fourier transform in float64, sizes 2^k and 3·2^k, through fft.js.
 * X_k = Σ_j x_j e^{−2πi jk/n}, not normalised.
 *
 * fft.js takes powers of two: a length of 3·2^k is split by j mod 3 (decimation in time, radix 3). Swapping real and
 * imaginary parts on the way in and out turns the forward transform into the unnormalised inverse.
 */
import FFT from "fft.js";
import { GravmeshError } from "../base/errors.ts";

/** Is n a length that the transforms take: 2^k or 3·2^k, at least 2? */
export function isTransformLength(n: number): boolean {
  if (!Number.isInteger(n) || n < 2) return false;
  let m = n;
  while (m % 2 === 0) m /= 2;
  return m === 1 || (m === 3 && n > 3);
}

const SIN_60 = Math.sqrt(3) / 2;

/** A plan for lines of n complex numbers, interleaved re, im. */
export class LineFft {
  private readonly fft: FFT;
  private readonly radix3: {
    parts: Float64Array[];
    spectra: Float64Array[];
    /** [2m] e^{−2πi k/n}, interleaved, and its square. */
    twiddle: Float64Array;
    twiddle2: Float64Array;
  } | null = null;

  constructor(readonly n: number) {
    if (!isTransformLength(n)) {
      throw new GravmeshError("usage", `Fourier transform: expected a length 2^k or 3·2^k, found ${n}.`);
    }
    if ((n & (n - 1)) === 0) {
      this.fft = new FFT(n);
      return;
    }
    const m = n / 3;
    this.fft = new FFT(m);
    const line = () => new Float64Array(2 * m);
    const twiddle = line();
    const twiddle2 = line();
    for (let k = 0; k < m; k++) {
      const angle = (-2 * Math.PI * k) / n;
      twiddle[2 * k] = Math.cos(angle);
      twiddle[2 * k + 1] = Math.sin(angle);
      twiddle2[2 * k] = Math.cos(2 * angle);
      twiddle2[2 * k + 1] = Math.sin(2 * angle);
    }
    this.radix3 = { parts: [line(), line(), line()], spectra: [line(), line(), line()], twiddle, twiddle2 };
  }

  /** `out` [2n] ← transform of `input` [2n]; the two must be different arrays. */
  forward(out: Float64Array, input: Float64Array): void {
    if (this.radix3 === null) {
      this.fft.transform(out, input);
      return;
    }
    const { parts, spectra, twiddle, twiddle2 } = this.radix3;
    const m = this.n / 3;
    for (let r = 0; r < 3; r++) {
      const part = parts[r];
      for (let j = 0, i = 2 * r; j < 2 * m; j += 2, i += 6) {
        part[j] = input[i];
        part[j + 1] = input[i + 1];
      }
      this.fft.transform(spectra[r], part);
    }
    const [a, b, c] = spectra;
    for (let k = 0; k < 2 * m; k += 2) {
      const br = b[k] * twiddle[k] - b[k + 1] * twiddle[k + 1];
      const bi = b[k] * twiddle[k + 1] + b[k + 1] * twiddle[k];
      const cr = c[k] * twiddle2[k] - c[k + 1] * twiddle2[k + 1];
      const ci = c[k] * twiddle2[k + 1] + c[k + 1] * twiddle2[k];
      const sumR = br + cr;
      const sumI = bi + ci;
      // e^{∓2πi/3} = −½ ∓ i sin 60°
      const midR = a[k] - 0.5 * sumR;
      const midI = a[k + 1] - 0.5 * sumI;
      const difR = SIN_60 * (br - cr);
      const difI = SIN_60 * (bi - ci);
      out[k] = a[k] + sumR;
      out[k + 1] = a[k + 1] + sumI;
      out[k + 2 * m] = midR + difI;
      out[k + 2 * m + 1] = midI - difR;
      out[k + 4 * m] = midR - difI;
      out[k + 4 * m + 1] = midI + difR;
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
