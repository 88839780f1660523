/**
 * Bins of wavenumber, their modes, and what discreteness adds to them: the geometry of a power spectrum, float64.
 *
 * Wavenumbers here are in units of the fundamental 2π/L: a mode is (x, y, z), integers below n/2 in size, with
 * |k|² = x² + y² + z² < (n/2)². So no mode lies on a Nyquist plane, where a real mesh can't tell k from −k.
 *
 * Discrete particles add white noise V Σm²/(Σm)², aliases of which the mesh folds back (Jing 2005, ApJ 620, 559, eq. 20).
 * After deconvolution a mode holds it times Σ_i W²(k + n i)/W²(k), over all integer vectors i, or over those of even sum
 * when the mesh is interlaced. With s = sin(πk/n), c = cos(πk/n), per axis:
 *   Σ_i sinc^2p       = 1,  1 − 2s²/3,       1 − s² + 2s⁴/15           p = 1, 2, 3 (NGP, CIC, TSC)
 *   Σ_i (−1)^i sinc^2p = c,  c (1 − s²/6),    c (1 − s²/2 + s⁴/120)
 * the second line from derivatives of Σ (−1)^i/(x+i)² = π² cos πx / sin² πx; even sums are half of the sum of both.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { assignments } from "../../physics/particles/assignments.ts";
import type { Assignment } from "../mesh/settings.ts";

export type BinSpacing =
  /** Shells |k| = i ± ½ fundamentals, i = 1 … n/2 − 1. */
  | { kind: "linear" }
  /** So many bins a decade from the fundamental up to the Nyquist wavenumber; bins without modes are left out. */
  | { kind: "logarithmic"; perDecade: number };

export interface ModeBins {
  /** [(n/2)²] bin of a mode by |k|²; NO_BIN for none. */
  binOf: Uint32Array<ArrayBuffer>;
  /** [bins] modes, k and −k both. */
  modes: Float64Array;
  /** [bins] mean |k| of the modes [2π/L]. */
  k: Float64Array;
  /** [bins] edges [2π/L]: low ≤ |k| < high. */
  low: Float64Array;
  high: Float64Array;
  /** [bins] mean of the aliased white noise over its value V Σm²/(Σm)². */
  noise: Float64Array;
}

export interface ModeSettings {
  /** n, cells per side. */
  cells: number;
  assignment: Assignment;
  interlaced: boolean;
  bins: BinSpacing;
}

/**
 * Both meshes lie this far beside the box's corner [cells], ½(½ − 1/√12). A lattice commensurate with them, barely
 * displaced, has harmonics that fall on aliases of even order, which interlacing leaves: on the lattice's own places they
 * add (π²/40)(k/k_Nyquist)² to TSC's spectrum. Their sum, ∝ ⅙ − s + s² a distance s/2 beside it, vanishes here.
 */
export const OFF_LATTICE = 0.5 * (0.5 - 1 / Math.sqrt(12));
export const NO_BIN = 0xffffffff;
/** By which spectra take particles where nothing else is asked for. */
export const SPECTRUM_ASSIGNMENT = "tsc" satisfies Assignment;

/** Throws "usage" for a spacing without sense. */
export function modeBins(settings: ModeSettings): ModeBins {
  const { cells: n } = settings;
  const half = n / 2;
  const edges = edgesOf(settings.bins, half);
  const tallies = edges.slice(1).map(() => ({ modes: 0, k: 0, noise: 0 }));
  const fineBin = new Int32Array(half * half).fill(-1);
  for (let bin = 0; bin + 1 < edges.length; bin++) {
    const first = Math.ceil(edges[bin] ** 2);
    fineBin.fill(bin, first, Math.min(half * half, Math.ceil(edges[bin + 1] ** 2)));
  }
  const alias = aliasTables(settings);
  forEachOctantMode(half, (x, y, z, multiplicity) => {
    const square = x * x + y * y + z * z;
    const bin = fineBin[square];
    if (bin < 0) return;
    const tally = tallies[bin];
    tally.modes += multiplicity;
    tally.k += multiplicity * Math.sqrt(square);
    tally.noise += multiplicity * alias(x, y, z);
  });
  const kept = tallies.map((_, bin) => bin).filter((bin) => tallies[bin].modes > 0);
  const place = new Map(kept.map((bin, index) => [bin, index]));
  const column = (value: (bin: number) => number) => Float64Array.from(kept, value);
  return {
    binOf: Uint32Array.from(fineBin, (bin) => place.get(bin) ?? NO_BIN),
    modes: column((bin) => tallies[bin].modes),
    k: column((bin) => tallies[bin].k / tallies[bin].modes),
    low: column((bin) => edges[bin]),
    high: column((bin) => edges[bin + 1]),
    noise: column((bin) => tallies[bin].noise / tallies[bin].modes),
  };
}

/** Ascending edges [2π/L]. */
function edgesOf(bins: BinSpacing, half: number): number[] {
  if (bins.kind === "linear") return Array.from({ length: half }, (_, i) => i + 0.5);
  const { perDecade } = bins;
  if (!(perDecade > 0 && Number.isFinite(perDecade))) {
    throw new GravmeshError("usage", `power spectrum: expected a positive number of bins a decade, found ${perDecade}`);
  }
  const edges = [1];
  for (let i = 1; edges[i - 1] < half; i++) edges.push(Math.min(half, 10 ** (i / perDecade)));
  return edges;
}

/** [bins] mean of f(|k|) over the modes of each bin of a spectrum, as its power is: `f` of k [1/length]; NaN without modes. */
export function meanOverModes(
  { low, high, nyquist }: { low: Float64Array; high: Float64Array; nyquist: number },
  boxSize: number,
  f: (k: number) => number,
): Float64Array {
  const fundamental = (2 * Math.PI) / boxSize;
  const half = Math.round(nyquist / fundamental);
  const multiplicities = new Float64Array(half * half);
  forEachOctantMode(half, (x, y, z, multiplicity) => {
    multiplicities[x * x + y * y + z * z] += multiplicity;
  });
  const [sums, modes] = [new Float64Array(low.length), new Float64Array(low.length)];
  let bin = 0;
  for (const [square, multiplicity] of multiplicities.entries()) {
    while (square >= (high[bin] / fundamental) ** 2) bin++;
    if (multiplicity === 0 || !(square >= (low[bin] / fundamental) ** 2)) continue;
    sums[bin] += multiplicity * f(fundamental * Math.sqrt(square));
    modes[bin] += multiplicity;
  }
  return sums.map((sum, one) => sum / modes[one]);
}

/** Calls `visit` for every 0 ≤ x ≤ y ≤ z with 0 < |k|² < half², and how many modes its permutations and signs make. */
function forEachOctantMode(half: number, visit: (x: number, y: number, z: number, multiplicity: number) => void): void {
  for (let z = 1; z < half; z++) {
    for (let y = 0; y <= z; y++) {
      if (y * y + z * z >= half * half) break;
      const last = Math.min(y, Math.ceil(Math.sqrt(half * half - y * y - z * z)) - 1);
      for (let x = 0; x <= last; x++) {
        const orders = x === y && y === z ? 1 : x === y || y === z ? 3 : 6;
        const signs = (x > 0 ? 2 : 1) * (y > 0 ? 2 : 1) * 2;
        visit(x, y, z, orders * signs);
      }
    }
  }
}

/** Aliased white noise of a mode over the unaliased. */
function aliasTables({ cells: n, assignment, interlaced }: ModeSettings): (x: number, y: number, z: number) => number {
  const all = new Float64Array(n / 2);
  const alternating = new Float64Array(n / 2);
  for (let k = 0; k < n / 2; k++) {
    const s2 = Math.sin((Math.PI * k) / n) ** 2;
    const c = Math.cos((Math.PI * k) / n);
    const deconvolution = inverseWindow(k, n, assignment);
    const even = { ngp: 1, cic: 1 - (2 / 3) * s2, tsc: 1 - s2 + (2 / 15) * s2 ** 2 }[assignment];
    const odd = { ngp: c, cic: c * (1 - s2 / 6), tsc: c * (1 - s2 / 2 + s2 ** 2 / 120) }[assignment];
    all[k] = even * deconvolution;
    alternating[k] = odd * deconvolution;
  }
  if (!interlaced) return (x, y, z) => all[x] * all[y] * all[z];
  return (x, y, z) => 0.5 * (all[x] * all[y] * all[z] + alternating[x] * alternating[y] * alternating[z]);
}

/** 1/W² on one axis: sinc(πk/n)^(−2p). */
export function inverseWindow(k: number, n: number, assignment: Assignment): number {
  const x = (Math.PI * k) / n;
  return k === 0 ? 1 : (x / Math.sin(x)) ** (2 * assignments[assignment].order);
}
