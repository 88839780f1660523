/**
 * Power spectrum of particles in a periodic box in float64: P(k) = V ⟨|δ_k|²⟩ in shells one fundamental wide, deconvolved by
 * the assignment window, interlaced or not (Hockney & Eastwood 1988, sect. 5-3 and 7-8; Sefusatti et al. 2016, MNRAS 460,
 * 3624). Shells are |k| = i ± ½ in units of 2π/L, i = 1 … n/2 − 1.
 */
import type { Assignment } from "../scenario/scenario.ts";
import { SUPPORT } from "./cells.ts";
import { depositMass } from "./deposit.ts";
import { RealFft3 } from "./fft3.ts";

export interface PowerSpectrumCase {
  /** [3N, xyzxyz…] box coordinates [length] */
  positions: Float64Array;
  /** [N] [mass] */
  masses: Float64Array;
  /** L [length] */
  boxSize: number;
  /** n, cells per side. */
  cells: number;
  assignment: Assignment;
  interlaced: boolean;
}

/** Mean k of each shell's modes [1/length], P [length³], modes (k and −k both), and the noise V Σm²/(Σm)² [length³]. */
export function powerSpectrum(given: PowerSpectrumCase): {
  k: Float64Array;
  power: Float64Array;
  modes: Float64Array;
  whiteNoise: number;
} {
  const { cells: n, boxSize, masses, interlaced } = given;
  const shells = n / 2 - 1;
  const k = new Float64Array(shells);
  const power = new Float64Array(shells);
  const modes = new Float64Array(shells);
  const volume = boxSize ** 3;
  const first = contrastSpectrum(given, 0);
  const second = interlaced ? contrastSpectrum(given, 0.5) : undefined;
  const half = n / 2;
  const signed = (j: number) => (j > half ? j - n : j);
  for (let jz = 0; jz < n; jz++) {
    for (let jy = 0; jy < n; jy++) {
      for (let x = 0; x <= half; x++) {
        const y = signed(jy);
        const z = signed(jz);
        const length = Math.hypot(x, y, z);
        const shell = Math.round(length) - 1;
        if (shell < 0 || shell >= shells) continue;
        const at = 2 * ((jz * n + jy) * (half + 1) + x);
        let re = first[at];
        let im = first[at + 1];
        if (second) {
          // The shift by half a cell undone.
          const angle = (Math.PI * (x + y + z)) / n;
          const [c, s] = [Math.cos(angle), Math.sin(angle)];
          re = 0.5 * (re + c * second[at] - s * second[at + 1]);
          im = 0.5 * (im + c * second[at + 1] + s * second[at]);
        }
        const window = (sinc(x / n) * sinc(y / n) * sinc(z / n)) ** SUPPORT[given.assignment];
        const weight = x === 0 ? 1 : 2; // stored for its conjugate as well
        modes[shell] += weight;
        k[shell] += weight * length;
        power[shell] += (weight * (re * re + im * im)) / window ** 2;
      }
    }
  }
  for (let shell = 0; shell < shells; shell++) {
    k[shell] *= (2 * Math.PI) / boxSize / modes[shell];
    power[shell] *= volume / n ** 6 / modes[shell];
  }
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  const squares = masses.reduce((sum, mass) => sum + mass * mass, 0);
  return { k, power, modes, whiteNoise: (volume * squares) / total ** 2 };
}

/** Transform of ρ/ρ̄ − 1 with all particles `shift` cells further along every axis. */
function contrastSpectrum(given: PowerSpectrumCase, shift: number): Float64Array {
  const { cells, boxSize, positions, masses, assignment } = given;
  const grid = { cells, boxSize, boundary: "periodic", assignment, reach: 0 } as const;
  const shifted = positions.map((x) => x + (shift * boxSize) / cells);
  const order = Uint32Array.from(masses, (_, i) => i);
  const density = depositMass(grid, shifted, masses, order);
  const mean = density.reduce((sum, value) => sum + value, 0) / cells ** 3;
  return new RealFft3(cells).forward(density.map((value) => value / mean - 1));
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}
