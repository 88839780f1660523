/**
 * Displacement fields of a lattice in first and second order, in float64:
 *   ψ₁ = −∇φ₁,  ∇²φ₁ = δ;   ψ₂ = ∇φ₂,  ∇²φ₂ = Σ_{i>j} (φ₁,ᵢᵢ φ₁,ⱼⱼ − φ₁,ᵢⱼ²)
 * (Bouchet et al. 1995; Scoccimarro 1998, appendix D). Derivatives are spectral; products are taken at the points, without
 * dealiasing. Spectra are [n, n, n/2 + 1, 2] (z, y, x, re|im) of the modes δ_m of engine/lpt/modes.ts, whose phases count
 * from the corner of the box: the points, at (i + ½)L/n, see them turned by π(m_x + m_y + m_z)/n.
 */

import { GravmeshError } from "../../../foundation/base/errors.ts";
import type { DisplacementMaker, DisplacementRequest } from "../../../physics/initial/model.ts";
import { philox4x32 } from "../../../physics/initial/philox.ts";
import { MODE_STREAM, modeAmplitudes, modeResponses, requireDisplacements, seedKey } from "../../lpt/modes.ts";
import { signedMode } from "../../mesh/poisson/greens.ts";
import { RealFft3 } from "../mesh/fft3.ts";

const TWO_32 = 2 ** 32;
/** Pairs of axes with different indices. */
const MIXED = [
  [0, 1],
  [0, 2],
  [1, 2],
] as const;

type WaveVector = readonly [number, number, number];

/** The displacements that a request describes. Throws "usage" for one that can't be met, "memory" where there is no room. */
export const displacementsInFloat64: DisplacementMaker = async (request) => {
  const { perSide, boxSize, order } = request;
  try {
    const { first, second } = await displacementsOf(linearModes(request), perSide, boxSize, order);
    return {
      read(z, planes) {
        const part = (all: Float64Array) => all.subarray(3 * perSide ** 2 * z, 3 * perSide ** 2 * (z + planes));
        return { first: part(first), ...(second && { second: part(second) }) };
      },
    };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const message = `displacements of a lattice of ${perSide}³ points: the host has no room; try a smaller perSide`;
    throw new GravmeshError("memory", message, { cause });
  }
};

/** Spectrum of δ_m, as in engine/lpt/modes.ts. Throws "usage" for a request that can't be met. */
export function gaussianModes(request: DisplacementRequest): Float64Array {
  requireDisplacements(request);
  const { perSide: n, seed, fixedAmplitudes } = request;
  const modes = new Float64Array(n * n * (n + 2));
  const amplitudes = modeAmplitudes(request);
  const [key0, key1] = seedKey(seed);
  const words = new Uint32Array(4);
  eachMode(n, (at, m) => {
    const [x, y, z] = m;
    const drawn = x > 0 || (x === 0 && (y > 0 || (y === 0 && z > 0)));
    const s = drawn ? 1 : -1;
    words.set([s * x, s * y, s * z, MODE_STREAM]);
    philox4x32(words, key0 | 0, key1 | 0);
    const radius = amplitudes[squareOf(m)] * (fixedAmplitudes ? 1 : exponentialRoot(words[0]));
    const angle = (2 * Math.PI * words[1]) / TWO_32;
    modes[at] = radius * Math.cos(angle);
    modes[at + 1] = s * radius * Math.sin(angle);
  });
  return modes;
}

/** The same with what local non-Gaussianity adds. */
export function linearModes(request: DisplacementRequest): Float64Array {
  const { perSide: n, local } = request;
  const modes = gaussianModes(request);
  if (!local) return modes;
  const fft = new RealFft3(n);
  const M = modeResponses(request, local.response);
  const delta = centred(modes, n);
  const squares = fft.forward(fieldOf(fft, delta, false, (m) => 1 / M[squareOf(m)]).map((phi) => phi * phi));
  eachMode(n, (at, m) => {
    for (const part of [at, at + 1]) delta[part] += ((local.fNL * M[squareOf(m)]) / n ** 3) * squares[part];
  });
  return centred(delta, n, -1);
}

/** Displacements [length], [3·n³, xyzxyz…], of a field with the modes δ_m; n even. Nyquist planes and m = 0 are ignored. */
export async function displacementsOf(
  modes: Float64Array,
  n: number,
  boxSize: number,
  order: 1 | 2,
): Promise<{ first: Float64Array; second?: Float64Array }> {
  const fft = new RealFft3(n);
  const unit = boxSize / (2 * Math.PI);
  const delta = centred(modes, n);
  // ψ̂₁ = i k_j δ/k², ψ̂₂ = −i k_j S/k².
  const gradient = (spectrum: Float64Array, scale: number) =>
    interleaved(n, (axis) => fieldOf(fft, spectrum, true, (m) => (scale * m[axis]) / squareOf(m)));
  const first = await gradient(delta, unit);
  if (order === 1) return { first };
  const second = (i: number, j: number) => fieldOf(fft, delta, false, (m) => (m[i] * m[j]) / squareOf(m));

  const along = second(0, 0);
  const other = second(1, 1);
  const source = along.map((value, i) => value * other[i]);
  for (let i = 0; i < source.length; i++) along[i] += other[i];
  await eventLoop();
  second(2, 2).forEach((value, i) => {
    source[i] += along[i] * value;
  });
  for (const [i, j] of MIXED) {
    await eventLoop();
    second(i, j).forEach((value, at) => {
      source[at] -= value * value;
    });
  }
  return { first, second: await gradient(fft.forward(source), -unit / n ** 3) };
}

/** √(−ln u), u = (word + ½)/2³²; near u = 1 from 1 − u. */
function exponentialRoot(word: number): number {
  return Math.sqrt(-Math.log1p(-(TWO_32 - word - 0.5) / TWO_32));
}

/** The modes as seen from the point (½, ½, ½)·L/n, or, with −1, back from the corner. */
function centred(modes: Float64Array, n: number, way = 1): Float64Array {
  const turned = new Float64Array(modes.length);
  eachMode(n, (at, [x, y, z]) => {
    const angle = (way * Math.PI * (x + y + z)) / n;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    turned[at] = c * modes[at] - s * modes[at + 1];
    turned[at + 1] = s * modes[at] + c * modes[at + 1];
  });
  return turned;
}

/** [n³] Σ_m f(m) X_m e^{2πi m·j/n}, with i f in place of f where it is imaginary. */
function fieldOf(fft: RealFft3, X: Float64Array, imaginary: boolean, f: (m: WaveVector) => number): Float64Array {
  const { n } = fft;
  const product = new Float64Array(X.length);
  eachMode(n, (at, m) => {
    const factor = n ** 3 * f(m); // the inverse transform is normalised
    product[at] = factor * (imaginary ? -X[at + 1] : X[at]);
    product[at + 1] = factor * (imaginary ? X[at] : X[at + 1]);
  });
  return fft.inverse(product);
}

/** [3n³] from three components. */
async function interleaved(n: number, component: (axis: number) => Float64Array): Promise<Float64Array> {
  const result = new Float64Array(3 * n ** 3);
  for (let axis = 0; axis < 3; axis++) {
    await eventLoop();
    component(axis).forEach((value, i) => {
      result[3 * i + axis] = value;
    });
  }
  return result;
}

/** Places of the modes that a lattice has, and their wave vectors (one array, changed from call to call). */
export function eachMode(n: number, visit: (at: number, m: WaveVector) => void): void {
  const half = n / 2;
  const m: [number, number, number] = [0, 0, 0];
  for (let jz = 0; jz < n; jz++) {
    if (jz === half) continue;
    m[2] = signedMode(jz, n);
    for (let jy = 0; jy < n; jy++) {
      if (jy === half) continue;
      m[1] = signedMode(jy, n);
      const row = 2 * (jz * n + jy) * (half + 1);
      for (let x = jz === 0 && jy === 0 ? 1 : 0; x < half; x++) {
        m[0] = x;
        visit(row + 2 * x, m);
      }
    }
  }
}

function squareOf([x, y, z]: WaveVector): number {
  return x * x + y * y + z * z;
}

function eventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
