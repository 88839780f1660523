/**
 * Random modes of a density field in a periodic box, the same for every lattice that has them:
 *   δ(x) = Σ_m δ_m e^{2πi m·x/L},   ⟨|δ_m|²⟩ = P(2π|m|/L)/L³,   δ_{−m} = δ*_m
 *   δ_m = ±√(P/L³) √(−ln u) e^{2πi t},   u = (w₀ + ½)/2³²,   t = w₁/2³²   (Box & Muller 1958)
 * w: words of Philox4x32-10 under the seed as key, at the counter (m_x, m_y, m_z, MODE_STREAM), for the half of the m
 * whose first component that isn't 0 is positive. Fixed amplitudes have 1 in place of √(−ln u), opposite phases the minus
 * sign (Angulo & Pontzen 2016). A lattice of n per side has the modes with all |m_i| < n/2: its Nyquist planes, where a
 * mode and its alias can't be told apart, are empty. Shared with the float64 twin; no GPU in here.
 *
 * With local non-Gaussianity δ = M (φ + f_NL (φ² − ⟨φ²⟩)): φ_m = δ_m/M of the Gaussian modes, squared at the lattice's points.
 */

import { GravmeshError } from "../../foundation/base/errors.ts";
import { isMeshSize, nearestMeshSizes } from "../../foundation/deck/mesh-sizes.ts";
import type { DisplacementRequest } from "../../physics/initial/model.ts";

/** Last word of the counters: particles' own random numbers have 0 there. */
export const MODE_STREAM = 1;

const TWO_32 = 2 ** 32;

/** Throws "usage" unless fields can be made: perSide 2^k or 3·2^k from 16 up, boxSize > 0, seed an integer from 0 to 2^53 − 1. */
export function requireDisplacements({ perSide, boxSize, seed }: DisplacementRequest): void {
  if (!isMeshSize(perSide)) {
    throw wrong("perSide = 2^k or 3·2^k from 16 up", `${perSide}; try ${nearestMeshSizes(perSide).join(" or ")}`);
  }
  if (!(boxSize > 0 && Number.isFinite(boxSize))) throw wrong("boxSize above 0", `${boxSize}`);
  if (!(Number.isSafeInteger(seed) && seed >= 0)) throw wrong("a seed from 0 to 2^53 − 1", `${seed}`);
}

function wrong(expected: string, found: string): GravmeshError {
  return new GravmeshError("usage", `displacements of a lattice: expected ${expected}, found ${found}`);
}

/** The two words of a seed: Philox's key. */
export function seedKey(seed: number): [number, number] {
  return [seed % TWO_32, Math.floor(seed / TWO_32)];
}

/** M = δ/Φ by |m|² [3(n/2 − 1)² + 1], 1 at 0. Throws "usage" unless it is finite and above 0. */
export function modeResponses(
  { perSide, boxSize }: DisplacementRequest,
  response: (k: number) => number,
): Float64Array {
  return Float64Array.from({ length: 3 * (perSide / 2 - 1) ** 2 + 1 }, (_, square) => {
    const k = (2 * Math.PI * Math.sqrt(square)) / boxSize;
    const M = square === 0 ? 1 : response(k);
    if (!(M > 0 && Number.isFinite(M))) {
      throw wrong("with fNL a transfer function above 0 up to the lattice's own wavenumbers", `${M} at k = ${k}`);
    }
    return M;
  });
}

/** ±√(P/L³) by |m|² [3(n/2 − 1)² + 1], 0 at 0, minus for opposite phases. Throws "usage" unless P is finite and ≥ 0. */
export function modeAmplitudes({ perSide, boxSize, power, opposite }: DisplacementRequest): Float64Array {
  const amplitudes = new Float64Array(3 * (perSide / 2 - 1) ** 2 + 1);
  const sign = opposite ? -1 : 1;
  for (let square = 1; square < amplitudes.length; square++) {
    const k = (2 * Math.PI * Math.sqrt(square)) / boxSize;
    const P = power(k);
    if (!(P >= 0 && Number.isFinite(P))) {
      throw wrong("a power spectrum of finite values from 0 up", `${P} at k = ${k}`);
    }
    amplitudes[square] = sign * Math.sqrt(P / boxSize ** 3);
  }
  return amplitudes;
}
