/**
 * Densities of two variants in a periodic box, by wavenumber: the ratio of their power and how far they go together,
 *   P/P₁ = Σ|δ|² / Σ|δ₁|²      r = Σ Re(δ δ₁*) / √(Σ|δ|² Σ|δ₁|²)
 * over the modes in bins of half an octave, cloud in cell on one mesh for both, whose window falls out of either.
 */

import { modeBins } from "../../engine/diagnostics/power-spectrum-bins.ts";
import { type DensityModes, ModeDeposit } from "../../engine/reference/diagnostics/density-modes.ts";
import { crossSpectrum } from "../../engine/reference/diagnostics/mode-statistics.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import type { SpectraCompared } from "./record.ts";

/** The mesh of the densities at most [cells per side]. */
const MOST_CELLS = 128;
/** Half octaves; a little more of them, so that rounding leaves whole wavenumbers above an edge. */
const PER_DECADE = 2 * Math.log2(10) * (1 + 1e-12);
const ALIKE = 0.01;

export function modesOf({ positions, masses }: ParticleSet, boxSize: number, meshCells: number): DensityModes {
  const cells = Math.min(MOST_CELLS, meshCells);
  const deposit = new ModeDeposit({ boxSize, cells, assignment: "cic", interlaced: false });
  deposit.add(positions, masses);
  return deposit.modes();
}

export function compareSpectra(own: DensityModes, first: DensityModes): SpectraCompared {
  const bins = modeBins({
    ...{ cells: own.cells, assignment: "cic", interlaced: false },
    bins: { kind: "logarithmic", perDecade: PER_DECADE },
  });
  const k = Array.from(bins.k, (length) => (2 * Math.PI * length) / own.boxSize);
  const power = crossSpectrum(own, first, bins);
  const ratio = Array.from(power.first, (value, bin) => value / power.second[bin]);
  const correlation = Array.from(power.both, (both, bin) => both / Math.sqrt(power.first[bin] * power.second[bin]));
  const upTo = (isFine: (bin: number) => boolean) => {
    const end = k.findIndex((_, bin) => !isFine(bin));
    return k[(end < 0 ? k.length : end) - 1] ?? null;
  };
  return {
    ...{ k, ratio, correlation },
    alikeTo: upTo((bin) => Math.abs(ratio[bin] - 1) <= ALIKE),
    correlatedTo: upTo((bin) => correlation[bin] >= 1 - ALIKE),
  };
}
