/**
 * Green's functions of ∇²φ = 4πGρ as float64 tables, for the host side of every FFT Poisson solver.
 *
 * Periodic (HE88 ch. 6): φ̂ = −4πG ρ̂ / (Kx + Ky + Kz) with K = k² (`exact`) or (2 sin(kh/2)/h)²
 * (`discrete`, the 7-point Laplacian), and 0 at k = 0.
 * Isolated: convolution on the doubled mesh, φ̂ = G·Ĝ·ρ̂, with
 *  - `truncated`: the transform of −1/r cut off at R, −8π (sin(kR/2)/k)² and −2πR² at k = 0 (Vico, Greengard
 *    & Ferrando 2016, J. Comput. Phys. 323, eq. 9), sampled on a mesh of 4n, taken to real space, cropped to
 *    2n. Exact to rounding for a density that the mesh resolves.
 *  - `cell-integrated`: −1/r between cell centres, and the mean of −1/r over the cell at the origin
 *    (HE88 sect. 6-5-4).
 */

import { EvenTransform } from "../fft/line-fft.ts";
import type { GreenFunction, IsolatedKernel } from "../settings.ts";

/** Of one convolution on the doubled mesh. */
export type PaddedKernel = Exclude<IsolatedKernel, "split">;

/** Mean of 1/r over a cell about its own centre, times h: 3 ln((√3+1)/(√3−1)) − π/2 = 2.380077. */
export const CELL_MEAN_OF_INVERSE_RADIUS = 3 * Math.log((Math.sqrt(3) + 1) / (Math.sqrt(3) - 1)) - Math.PI / 2;

/** Truncation radius over the box side: between √3, the longest separation, and 3, where a copy on the 4n mesh reaches in. */
const TRUNCATION_RADIUS = (Math.sqrt(3) + 3) / 2;

/** Signed mode number of index i of an n-point transform: 0 … n/2−1, −n/2 … −1. */
export function signedMode(i: number, n: number): number {
  return i < n / 2 ? i : i - n;
}

/** [n] wavenumbers k_i = 2π·mode/length [1/length], in transform order. */
export function fftFrequencies(n: number, length: number): Float64Array {
  return Float64Array.from({ length: n }, (_, i) => (2 * Math.PI * signedMode(i, n)) / length);
}

/** [n] wavenumbers of a spectral derivative: as fftFrequencies, with 0 at the Nyquist mode. */
export function gradientFrequencies(n: number, length: number): Float64Array {
  const k = fftFrequencies(n, length);
  k[n / 2] = 0;
  return k;
}

/** [n] one axis' share K_i of the negated Laplacian's eigenvalue [1/length²], in transform order. */
export function periodicGreens(n: number, boxSize: number, kind: GreenFunction): Float64Array {
  const h = boxSize / n;
  return fftFrequencies(n, boxSize).map((k) => (kind === "exact" ? k * k : ((2 * Math.sin((k * h) / 2)) / h) ** 2));
}

/**
 * Transfer function Ĝ of the open-space convolution on the doubled mesh: real and even in each axis, so the
 * octant [(n+1)³], x fastest, index of mode i is min(i, 2n−i).
 * φ̂ = G·Ĝ·ρ̂ with plain, unnormalised transforms of size 2n both ways: h³ of the cell volume and 1/(2n)³ of the
 * inverse are inside. n: cells of the box per side; h: cell side [length]; Ĝ in [length²].
 * Takes about a second at n = 128, ten at 256: to be made inTurns.
 */
export function isolatedKernelSteps(n: number, h: number, kind: PaddedKernel): Generator<void, Float64Array> {
  const truncated = kind === "truncated";
  return evenSpectrum({
    half: n,
    inputs: truncated ? 2 * n + 1 : n + 1,
    values: truncated
      ? truncatedByMode(n)
      : bySquaredDistance(n, (r) => (r === 0 ? -CELL_MEAN_OF_INVERSE_RADIUS : -1 / r)),
    map: truncated ? modesToDoubledMesh(n) : offsetsToModes(n),
    scale: h * h,
  });
}

/** The result of steps that give way to the event loop every 50 ms. */
export async function runYielding<T>(steps: Generator<void, T>): Promise<T> {
  let since = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - since > 50) {
      await new Promise((resolve) => setTimeout(resolve));
      since = performance.now();
    }
  }
}

/** A linear map of one axis' even sequence, `inputs` values to half + 1; two sequences at a time. */
type AxisMap = (source: Float64Array, a: number, b: number, stride: number) => Float64Array;

interface EvenKernel {
  /** Half the period of the mesh, in cells. */
  half: number;
  /** Values of an axis that are mapped; odd. */
  inputs: number;
  /** The kernel by x² + y² + z² of the inputs' indices. */
  values: Float64Array;
  map: AxisMap;
  scale: number;
}

/**
 * The octant [(half+1)³] of a kernel that is symmetric in the three axes, each of which is mapped alike: planes of constant z are
 * generated, mapped along x and y, and only the triangle x ≤ y is kept for the map along z:
 * about (inputs)·half²/2 float64 of memory.
 */
export function* evenSpectrum({ half, inputs, values, map, scale }: EvenKernel): Generator<void, Float64Array> {
  const m = half + 1;
  const triangle = (m * (m + 1)) / 2;
  const kept = new Float64Array(triangle * inputs);
  const plane = new Float64Array(inputs * (inputs + 1));
  const columns = new Float64Array(m * (inputs + 1));
  for (let z = 0; z < inputs; z++) {
    for (let y = 0; y < inputs; y++) {
      const zy = z * z + y * y;
      for (let x = 0; x < inputs; x++) plane[y * inputs + x] = values[zy + x * x];
    }
    // inputs is odd: the last pair's second sequence is the spare row, never used.
    for (let y = 0; y < inputs; y += 2) {
      const out = map(plane, y * inputs, (y + 1) * inputs, 1);
      for (let x = 0; x < m; x++) {
        columns[x * inputs + y] = out[2 * x];
        if (y + 1 < inputs) columns[x * inputs + y + 1] = out[2 * x + 1];
      }
    }
    for (let x = 0; x < m; x += 2) {
      const second = Math.min(x + 1, m - 1);
      const out = map(columns, x * inputs, second * inputs, 1);
      for (let y = x; y < m; y++) kept[((y * (y + 1)) / 2 + x) * inputs + z] = out[2 * y];
      for (let y = second; y < m; y++) kept[((y * (y + 1)) / 2 + second) * inputs + z] = out[2 * y + 1];
    }
    yield;
  }

  const spectrum = new Float64Array(m * m * m);
  for (let y = 0; y < m; y++) {
    for (let x = 0; x <= y; x += 2) {
      const second = Math.min(x + 1, y);
      const row = (y * (y + 1)) / 2;
      const out = map(kept, (row + x) * inputs, (row + second) * inputs, 1);
      for (let z = 0; z < m; z++) {
        spectrum[(z * m + y) * m + x] = spectrum[(z * m + x) * m + y] = scale * out[2 * z];
        spectrum[(z * m + y) * m + second] = spectrum[(z * m + second) * m + y] = scale * out[2 * z + 1];
      }
    }
    yield;
  }
  return spectrum;
}

/** Transform of the truncated kernel on the 4n mesh with h = 1, by squared mode number 0 … 3(2n)². */
function truncatedByMode(n: number): Float64Array {
  const radius = TRUNCATION_RADIUS * n;
  const values = new Float64Array(3 * (2 * n) ** 2 + 1);
  values[0] = -2 * Math.PI * radius * radius;
  for (let s = 1; s < values.length; s++) {
    const k = ((2 * Math.PI) / (4 * n)) * Math.sqrt(s);
    values[s] = -8 * Math.PI * (Math.sin((k * radius) / 2) / k) ** 2;
  }
  return values;
}

/** A kernel with h = 1 by squared distance 0 … 3n². */
export function bySquaredDistance(n: number, kernel: (r: number) => number): Float64Array {
  return Float64Array.from({ length: 3 * n * n + 1 }, (_, s) => kernel(Math.sqrt(s)));
}

/** Modes of the 4n mesh → offsets 0 … n → modes of the 2n mesh, with 1/(4n) and 1/(2n) applied. */
function modesToDoubledMesh(n: number): AxisMap {
  const inverse = new EvenTransform(4 * n);
  const forward = new EvenTransform(2 * n);
  const cropped = new Float64Array(2 * (n + 1));
  const scale = 1 / (8 * n * n);
  return (source, a, b, stride) => {
    const full = inverse.transform(source, a, b, stride, 2 * n + 1);
    for (let j = 0; j < cropped.length; j++) cropped[j] = scale * full[j];
    return forward.transform(cropped, 0, 1, 2, n + 1);
  };
}

/** Offsets 0 … half → modes of a mesh of 2·half, with 1/(2·half) applied. */
export function offsetsToModes(half: number): AxisMap {
  const forward = new EvenTransform(2 * half);
  return (source, a, b, stride) => {
    const out = forward.transform(source, a, b, stride, half + 1);
    for (let j = 0; j < out.length; j++) out[j] /= 2 * half;
    return out;
  };
}
