/**
 * Power spectrum of particles in a periodic box in float64: P(k) = V ⟨|δ_k|²⟩ in shells one fundamental wide, deconvolved by
 * the assignment window, interlaced or not (Hockney & Eastwood 1988, sect. 5-3 and 7-8; Sefusatti et al. 2016, MNRAS 460,
 * 3624). Shells are |k| = i ± ½ in units of 2π/L, i = 1 … n/2 − 1.
 */

import { assignments } from "../../../physics/particles/assignments.ts";
import { ModeDeposit, type ModeMesh, meansOfModes, sinc } from "./density-modes.ts";

export interface PowerSpectrumCase extends ModeMesh {
  /** [3N, xyzxyz…] box coordinates [length] */
  positions: Float64Array;
  /** [N] [mass] */
  masses: Float64Array;
}

/** The spectrum, shot noise included: entries as in Spectrum of src/engine/diagnostics/power-spectrum.ts. */
export function powerSpectrum(given: PowerSpectrumCase): {
  k: Float64Array;
  low: Float64Array;
  high: Float64Array;
  power: Float64Array;
  modes: Float64Array;
  shotNoise: Float64Array;
  shotNoiseSubtracted: false;
  nyquist: number;
} {
  const { cells: n, boxSize } = given;
  const shells = n / 2 - 1;
  const fundamental = (2 * Math.PI) / boxSize;
  const aliased = aliasedNoise(given);
  const deposit = new ModeDeposit(given);
  deposit.add(given.positions, given.masses);
  const { values, noise } = deposit.modes();
  const binOf = Uint32Array.from({ length: (n / 2) ** 2 }, (_, square) => Math.round(Math.sqrt(square)) - 1);
  const sums = meansOfModes(n, { binOf, modes: new Float64Array(shells).fill(1) }, 4, (out, i, mode, square) => {
    out[0] = 1;
    out[1] = Math.sqrt(square);
    out[2] = values[i] ** 2 + values[i + 1] ** 2;
    out[3] = aliased(...(mode.map(Math.abs) as [number, number, number]));
  });
  const modes = sums[0];
  const [k, power, shotNoise] = [fundamental, boxSize ** 3, noise].map((unit, column) =>
    sums[column + 1].map((sum, shell) => (unit * sum) / modes[shell]),
  );
  return {
    k,
    low: k.map((_, shell) => fundamental * (shell + 0.5)),
    high: k.map((_, shell) => fundamental * (shell + 1.5)),
    power,
    modes,
    shotNoise,
    shotNoiseSubtracted: false,
    nyquist: (fundamental * n) / 2,
  };
}

/** Images summed on either side; NGP, whose sum converges slowest, is short by 2e-4 at most. */
const IMAGES = 1000;

/** White noise of a mode, its aliases with it, over the window: Σ W²(k + n i)/W²(k), over even Σi when interlaced. */
function aliasedNoise({
  cells,
  assignment,
  interlaced,
}: PowerSpectrumCase): (x: number, y: number, z: number) => number {
  const sums = Array.from({ length: cells / 2 }, (_, k) => {
    const parity = [0, 0];
    for (let i = -IMAGES; i <= IMAGES; i++) {
      parity[Math.abs(i) % 2] += Math.abs(sinc(k / cells + i) / sinc(k / cells)) ** (2 * assignments[assignment].order);
    }
    return { even: parity[0], odd: parity[1] };
  });
  return (x, y, z) => {
    const [a, b, c] = [sums[x], sums[y], sums[z]];
    if (!interlaced) return (a.even + a.odd) * (b.even + b.odd) * (c.even + c.odd);
    return a.even * (b.even * c.even + b.odd * c.odd) + a.odd * (b.odd * c.even + b.even * c.odd);
  };
}
