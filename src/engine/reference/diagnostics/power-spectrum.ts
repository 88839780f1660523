/**
 * Power spectrum of particles in a periodic box in float64: P(k) = V ⟨|δ_k|²⟩ in shells one fundamental wide, deconvolved by
 * the assignment window, interlaced or not (Hockney & Eastwood 1988, sect. 5-3 and 7-8; Sefusatti et al. 2016, MNRAS 460,
 * 3624). Shells are |k| = i ± ½ in units of 2π/L, i = 1 … n/2 − 1.
 */

import { assignments } from "../../../physics/particles/assignments.ts";
import { boundaries } from "../../../physics/particles/grid.ts";
import type { Assignment } from "../../mesh/settings.ts";
import type { HostGrid } from "../mesh/cells.ts";
import { depositMass } from "../mesh/deposit.ts";
import { RealFft3 } from "../mesh/fft3.ts";

/** Both meshes lie this far beside the box's corner [cells]: engine/diagnostics/power-spectrum-bins.ts says why. */
const OFF_LATTICE = 0.5 * (0.5 - 1 / Math.sqrt(12));

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
  const { cells: n, boxSize, masses, interlaced } = given;
  const shells = n / 2 - 1;
  const fundamental = (2 * Math.PI) / boxSize;
  const k = new Float64Array(shells);
  const power = new Float64Array(shells);
  const modes = new Float64Array(shells);
  const shotNoise = new Float64Array(shells);
  const noise = aliasedNoise(given);
  const volume = boxSize ** 3;
  const first = contrastSpectrum(given, OFF_LATTICE);
  const second = interlaced ? contrastSpectrum(given, OFF_LATTICE + 0.5) : undefined;
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
        const window = (sinc(x / n) * sinc(y / n) * sinc(z / n)) ** assignments[given.assignment].order;
        const weight = x === 0 ? 1 : 2; // stored for its conjugate as well
        modes[shell] += weight;
        k[shell] += weight * length;
        power[shell] += (weight * (re * re + im * im)) / window ** 2;
        shotNoise[shell] += weight * noise(Math.abs(x), Math.abs(y), Math.abs(z));
      }
    }
  }
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  const squares = masses.reduce((sum, mass) => sum + mass * mass, 0);
  for (let shell = 0; shell < shells; shell++) {
    k[shell] *= fundamental / modes[shell];
    power[shell] *= volume / n ** 6 / modes[shell];
    shotNoise[shell] *= (volume * squares) / total ** 2 / modes[shell];
  }
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

/** Transform of ρ/ρ̄ − 1 with all particles `shift` cells further along every axis. */
export function contrastSpectrum(given: PowerSpectrumCase, shift: number): Float64Array {
  const { cells, boxSize, positions, masses, assignment } = given;
  const grid: HostGrid = {
    cells,
    corner: [0, 0, 0],
    side: boxSize,
    boundary: boundaries.periodic,
    assignment,
    reach: 0,
  };
  const shifted = positions.map((x) => x + (shift * boxSize) / cells);
  const order = Uint32Array.from(masses, (_, i) => i);
  const density = depositMass(grid, shifted, masses, order);
  const mean = density.reduce((sum, value) => sum + value, 0) / cells ** 3;
  return new RealFft3(cells).forward(density.map((value) => value / mean - 1));
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}
