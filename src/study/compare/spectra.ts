/**
 * Densities of two variants in a periodic box, by wavenumber: the ratio of their power and how far they go together,
 *   P/P₁ = Σ|δ|² / Σ|δ₁|²      r = Σ Re(δ δ₁*) / √(Σ|δ|² Σ|δ₁|²)
 * over the modes in bins of half an octave, cloud in cell on one mesh for both, whose window falls out of either.
 */

import { contrastSpectrum } from "../../engine/reference/diagnostics/power-spectrum.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import type { SpectraCompared } from "./record.ts";

/** The mesh of the densities at most [cells per side]. */
const MOST_CELLS = 128;
const BINS_PER_OCTAVE = 2;
const ALIKE = 0.01;

export interface Modes {
  cells: number;
  boxSize: number;
  /** [n, n, n/2+1, 2] (z, y, x, re|im) of ρ/ρ̄ − 1. */
  contrast: Float64Array;
}

export function modesOf({ positions, masses }: ParticleSet, boxSize: number, meshCells: number): Modes {
  const cells = Math.min(MOST_CELLS, meshCells);
  const given = { positions, masses, boxSize, cells, assignment: "cic", interlaced: false } as const;
  return { cells, boxSize, contrast: contrastSpectrum(given, 0) };
}

export function compareSpectra(
  { contrast: own, cells: n, boxSize }: Modes,
  { contrast: first }: Modes,
): SpectraCompared {
  const half = n / 2;
  const bins = Array.from({ length: Math.ceil(BINS_PER_OCTAVE * Math.log2(half)) }, () => ({
    ...{ modes: 0, k: 0, own: 0, first: 0, both: 0 },
  }));
  const signed = (j: number) => (j > half ? j - n : j);
  for (let row = 0; row < n * n; row++) {
    const [y, z] = [signed(row % n), signed(Math.floor(row / n))];
    for (let x = 0; x <= half; x++) {
      const length = Math.hypot(x, y, z);
      if (length < 1 || length >= half) continue;
      const bin = bins[Math.floor(BINS_PER_OCTAVE * Math.log2(length) + 1e-9)];
      const [re, im] = [2 * (row * (half + 1) + x), 2 * (row * (half + 1) + x) + 1];
      const weight = x === 0 ? 1 : 2; // stored for its conjugate as well
      bin.modes += weight;
      bin.k += weight * length;
      bin.own += weight * (own[re] ** 2 + own[im] ** 2);
      bin.first += weight * (first[re] ** 2 + first[im] ** 2);
      bin.both += weight * (own[re] * first[re] + own[im] * first[im]);
    }
  }
  const k = bins.map((bin) => (2 * Math.PI * bin.k) / (bin.modes * boxSize));
  const ratio = bins.map((bin) => bin.own / bin.first);
  const correlation = bins.map((bin) => bin.both / Math.sqrt(bin.own * bin.first));
  const upTo = (isFine: (bin: number) => boolean) => {
    const end = bins.findIndex((_, bin) => !isFine(bin));
    return k[(end < 0 ? bins.length : end) - 1] ?? null;
  };
  return {
    ...{ k, ratio, correlation },
    alikeTo: upTo((bin) => Math.abs(ratio[bin] - 1) <= ALIKE),
    correlatedTo: upTo((bin) => correlation[bin] >= 1 - ALIKE),
  };
}
