/** Random displacement fields for tests, and the density modes that fields hold. */

import { eachMode } from "../../src/engine/reference/lpt/displacements.ts";
import { RealFft3 } from "../../src/engine/reference/mesh/fft3.ts";
import type { DisplacementMaker, DisplacementRequest, Displacements } from "../../src/physics/initial/model.ts";

export const BOX = 100;

/** A spectrum with a turn-over, of rms contrast near 1. */
export const turningPower = (k: number) => (2e4 * k) / (1 + (k / 0.02) ** 2) ** 1.3;

export function displacementRequest(changes: Partial<DisplacementRequest> = {}): DisplacementRequest {
  return {
    ...{ perSide: 16, boxSize: BOX, seed: 12_345_678_901, order: 2, fixedAmplitudes: false, opposite: false },
    power: turningPower,
    ...changes,
  };
}

/** Displacements of all points at once; the maker's memory is given back. */
export async function allDisplacements(make: DisplacementMaker, request: DisplacementRequest): Promise<Displacements> {
  const fields = await make(request);
  try {
    return await fields.read(0, request.perSide);
  } finally {
    fields.destroy?.();
  }
}

/** P in the shells of |m|² that are listed, 0 elsewhere. */
export function shellPower(squares: readonly number[], power: number): (k: number) => number {
  return (k) => (squares.includes(Math.round(((k * BOX) / (2 * Math.PI)) ** 2)) ? power : 0);
}

/** rms of a − b over rms of b. */
export function relativeDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) throw new Error(`${a.length} values against ${b.length}`);
  let difference = 0;
  let square = 0;
  for (let i = 0; i < b.length; i++) {
    difference += (a[i] - b[i]) ** 2;
    square += b[i] ** 2;
  }
  return Math.sqrt(difference / square);
}

/** Place of mode m, m[0] ≥ 0, in a spectrum of an n³ lattice. */
export function placeOf(n: number, [x, y, z]: readonly number[]): number {
  return 2 * ((((z + n) % n) * n + ((y + n) % n)) * (n / 2 + 1) + x);
}

/**
 * Modes −i k·ψ̂ of minus the divergence of a displacement field [3n³], phases counted from the box's corner:
 * for ψ₁ those of the density. Layout of engine/reference/lpt/displacements.ts.
 */
export function divergenceModes(field: ArrayLike<number>, n: number): Float64Array {
  const fft = new RealFft3(n);
  const modes = new Float64Array(n * n * (n + 2));
  for (let axis = 0; axis < 3; axis++) {
    const spectrum = fft.forward(Float64Array.from({ length: n ** 3 }, (_, i) => field[3 * i + axis]));
    eachMode(n, (at, m) => {
      const k = (2 * Math.PI * m[axis]) / BOX / n ** 3;
      const angle = (-Math.PI * (m[0] + m[1] + m[2])) / n;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const [re, im] = [spectrum[at], spectrum[at + 1]];
      modes[at] += k * (s * re + c * im);
      modes[at + 1] -= k * (c * re - s * im);
    });
  }
  return modes;
}
