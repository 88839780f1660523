/**
 * Modes of a density in a periodic box in float64,
 *   δ_k = n⁻³ Σ_cells δ e^{−ik·x}/W(k),   δ = ρ/ρ̄ − 1,   W(k) = Π sinc(πk_i/n)^p
 * (Hockney & Eastwood 1988, sect. 5-3), interlaced or not: with modes A of one mesh and B of another half a cell away,
 * δ_k = ½(A + e^{iπ(k_x+k_y+k_z)/n} B), which cancels images an odd number of meshes away (Sefusatti et al. 2016, MNRAS
 * 460, 3624, eqs 17-18). What is measured of modes (spectra, multipoles, triangles, correlations) starts here.
 */
import { assignments } from "../../../physics/particles/assignments.ts";
import { boundaries } from "../../../physics/particles/grid.ts";
import type { ModeBins } from "../../diagnostics/power-spectrum-bins.ts";
import type { Assignment } from "../../mesh/settings.ts";
import type { HostGrid } from "../mesh/cells.ts";
import { addMass } from "../mesh/deposit.ts";
import { RealFft3 } from "../mesh/fft3.ts";

export interface ModeMesh {
  /** L [length] */
  boxSize: number;
  /** n, cells per side. */
  cells: number;
  assignment: Assignment;
  interlaced: boolean;
}

export interface DensityModes {
  /** n and L [length] of the mesh. */
  cells: number;
  boxSize: number;
  /** [n, n, n/2+1, 2] (z, y, x, re|im) δ_k; modes with |k| ≥ n/2 aren't deconvolved rightly and not to be used. */
  values: Float64Array;
  /** V Σw²/(Σw)² [length³], power that discreteness adds to each mode, and V² Σw³/(Σw)³ [length⁶]. */
  noise: number;
  noiseOfThree: number;
}

/** Both meshes lie this far beside the box's corner [cells]: engine/diagnostics/power-spectrum-bins.ts says why. */
const OFF_LATTICE = 0.5 * (0.5 - 1 / Math.sqrt(12));

/** A periodic grid that lies `shift` cells before the box's corner. */
export function periodicGrid({ cells, boxSize, assignment }: Omit<ModeMesh, "interlaced">, shift = 0): HostGrid {
  const corner = -(shift * boxSize) / cells;
  const about = { side: boxSize, boundary: boundaries.periodic, reach: 0 };
  return { cells, corner: [corner, corner, corner], assignment, ...about };
}

/** Takes particles block after block; the sums run in their order. */
export class ModeDeposit {
  readonly #meshes: { grid: HostGrid; density: Float64Array }[];
  readonly #sums = [0, 0, 0];

  constructor(private readonly mesh: ModeMesh) {
    const shifts = mesh.interlaced ? [OFF_LATTICE, OFF_LATTICE + 0.5] : [OFF_LATTICE];
    this.#meshes = shifts.map((shift) => ({
      grid: periodicGrid(mesh, shift),
      density: new Float64Array(mesh.cells ** 3),
    }));
  }

  /** `positions` [3c, box coordinates], `weights` [c], of those from `from` on before `to`. */
  add(positions: Float64Array, weights: Float64Array, from = 0, to = weights.length): void {
    const order = Uint32Array.from({ length: to - from }, (_, i) => from + i);
    for (const { grid, density } of this.#meshes) addMass(grid, positions, weights, order, density);
    for (const i of order) for (let p = 0; p < 3; p++) this.#sums[p] += weights[i] ** (p + 1);
  }

  /** Ends the deposit, whose meshes are used up. */
  modes(): DensityModes {
    const { cells: n, boxSize, assignment } = this.mesh;
    const fft = new RealFft3(n);
    const [values, second] = this.#meshes.splice(0).map(({ density }) => {
      const mean = density.reduce((sum, value) => sum + value, 0) / n ** 3;
      for (let i = 0; i < density.length; i++) density[i] = (density[i] / mean - 1) / n ** 3;
      return fft.forward(density);
    });
    const inverse = Float64Array.from(
      { length: n },
      (_, j) => sinc(signed(j, n) / n) ** -assignments[assignment].order,
    );
    const phases = Float64Array.from({ length: 4 * n }, (_, j) => Math.cos((Math.PI * j) / n));
    for (let jz = 0, at = 0; jz < n; jz++) {
      for (let jy = 0; jy < n; jy++) {
        const [row, factor] = [signed(jy, n) + signed(jz, n) + 2 * n, inverse[jy] * inverse[jz]];
        for (let x = 0; x <= n / 2; x++, at += 2) {
          const w = factor * inverse[x];
          let [re, im] = [values[at], values[at + 1]];
          if (second) {
            // The shift by half a cell undone; sin x = cos(x − π/2).
            const [c, s] = [phases[row + x], phases[(row + x + 3.5 * n) % (2 * n)]];
            re = 0.5 * (re + c * second[at] - s * second[at + 1]);
            im = 0.5 * (im + c * second[at + 1] + s * second[at]);
          }
          values[at] = w * re;
          values[at + 1] = w * im;
        }
      }
    }
    const [one, two, three] = this.#sums;
    const volume = boxSize ** 3;
    return {
      ...{ cells: n, boxSize, values },
      noise: (volume * two) / one ** 2,
      noiseOfThree: (volume ** 2 * three) / one ** 3,
    };
  }
}

/** The wavenumber of index j along an axis of n cells [2π/L]. */
export const signed = (j: number, n: number): number => (j > n / 2 ? j - n : j);

/**
 * [columns][bins] means over the modes of bins by |k|²; `fill` puts the value of the stored mode (x, y, z) of index `at`,
 * |k|² = `square`, into `out`. A mode counts for its conjugate, which isn't stored, as well.
 */
export function meansOfModes(
  n: number,
  bins: Pick<ModeBins, "binOf" | "modes">,
  columns: number,
  fill: (out: Float64Array, at: number, mode: readonly number[], square: number) => void,
): Float64Array[] {
  const sums = Array.from({ length: columns }, () => new Float64Array(bins.modes.length));
  const out = new Float64Array(columns);
  const mode = [0, 0, 0];
  for (let jz = 0; jz < n; jz++) {
    mode[2] = signed(jz, n);
    for (let jy = 0; jy < n; jy++) {
      mode[1] = signed(jy, n);
      for (let x = 0; x < n / 2; x++) {
        const square = x * x + mode[1] ** 2 + mode[2] ** 2;
        // NO_BIN, and squares beyond the table, are of no bin.
        const bin = bins.binOf[square];
        if (!(bin < bins.modes.length)) continue;
        mode[0] = x;
        fill(out, 2 * ((jz * n + jy) * (n / 2 + 1) + x), mode, square);
        const weight = x === 0 ? 1 : 2;
        for (let c = 0; c < columns; c++) sums[c][bin] += weight * out[c];
      }
    }
  }
  for (const sum of sums) for (let bin = 0; bin < sum.length; bin++) sum[bin] /= bins.modes[bin];
  return sums;
}

export function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}
