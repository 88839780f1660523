/** What a report shows of a halo catalogue: counts and the mass function beside theory. */
import type { HaloCatalogue, MassFunction } from "../diagnostics/friends-of-friends-catalogue.ts";

export interface HaloSummary {
  count: number;
  /** [mass] */
  heaviest: number;
  linkingLength: number;
  minimumMembers: number;
  /** A row a bin that holds haloes: mean mass, dn/dlnM and its Poisson error; predictions where there is a cosmology. */
  massFunction: {
    mass: number;
    density: number;
    error: number;
    pressSchechter?: number;
    tinker?: number;
  }[];
}

/** dn/dlnM [1/length³] of theory at masses. */
export interface MassFunctionTheory {
  pressSchechter(mass: number): number;
  tinker(mass: number): number;
}

export function haloSummary(
  { count, masses, linkingLength, minimumMembers }: HaloCatalogue,
  bins: MassFunction,
  theory?: MassFunctionTheory,
): HaloSummary {
  const rows: HaloSummary["massFunction"] = [];
  bins.mass.forEach((mass, i) => {
    if (bins.number[i] === 0) return;
    const density = bins.density[i];
    rows.push({
      ...{ mass, density, error: density / Math.sqrt(bins.number[i]) },
      ...(theory && { pressSchechter: theory.pressSchechter(mass), tinker: theory.tinker(mass) }),
    });
  });
  return { count, heaviest: masses[0] ?? 0, linkingLength, minimumMembers, massFunction: rows };
}
