/** What is made of the sums over a run's particles: totals, and how far conserved quantities have drifted. */
import type { Sums } from "../particles/sums.ts";

export interface Diagnostics extends Sums {
  time: number;
  step: number;
  /** kinetic + potential. */
  total: number;
  /** (E − E₀)/|E₀|; on the comoving clock the residual of the Layzer–Irvine equation over |aW|. */
  relativeEnergyError: number;
  /** |P − P₀| / √(2 K₀ M): momentum gained, in units of a typical one. */
  momentumError: number;
  /** 2K/|virial|: 1 in equilibrium. */
  virialRatio: number;
}

/** What sums over the particles don't tell. */
export interface DriftContext {
  time: number;
  step: number;
  /** In the energy equation; on the comoving clock not the sums' own. */
  energies: { kinetic: number; potential: number };
  /** Where there is another measure of it than the drift of the sums' total. */
  relativeEnergyError?: number;
}

/** Diagnostics of a moment from the sums then and at the start. */
export function driftOf(sums: Sums, initial: Sums, context: DriftContext): Diagnostics {
  const { time, step, energies } = context;
  const { kinetic, potential } = energies;
  const total = kinetic + potential;
  const initialTotal = initial.kinetic + initial.potential;
  const gained = Math.hypot(...sums.momentum.map((p, axis) => p - initial.momentum[axis]));
  const typical = Math.sqrt(2 * Math.max(initial.kinetic, sums.kinetic) * sums.mass);
  const drift = initialTotal === 0 ? 0 : (total - initialTotal) / Math.abs(initialTotal);
  return {
    ...sums,
    kinetic,
    potential,
    time,
    step,
    total,
    relativeEnergyError: context.relativeEnergyError ?? drift,
    momentumError: typical === 0 ? 0 : gained / typical,
    virialRatio: (2 * sums.kinetic) / Math.abs(sums.virial),
  };
}
