/**
 * The mean density within a halo's radius, by definition: so many times the critical density, or that of matter, or what
 * the collapse of a uniform sphere leads to (Bryan & Norman 1998, ApJ 495, 80, eq 6),
 *   Δc = 18π² + 82x − 39x² in a flat space, 18π² + 60x − 32x² without dark energy,   x = Ωm(a) − 1
 */
import type { Background } from "./background.ts";
import { criticalDensity } from "./constants.ts";

export const HALO_DEFINITIONS = ["vir", "200m", "200c", "500c"] as const;
export type HaloDefinition = (typeof HALO_DEFINITIONS)[number];

/** In units of the mean density of matter at the scale factor a. */
export function meanOverdensity(definition: HaloDefinition, background: Background, a: number): number {
  const { matter, neutrinos } = background.fractions(a);
  if (definition === "200m") return 200;
  if (definition !== "vir") return Number.parseInt(definition, 10) / matter;
  const x = matter + neutrinos - 1;
  const open = background.today.darkEnergy === 0;
  return (18 * Math.PI ** 2 + (open ? 60 * x - 32 * x * x : 82 * x - 39 * x * x)) / matter;
}

/** Comoving mean density of matter [mass/length³], G of the caller's unit system. */
export function matterDensity(background: Background, G: number): number {
  return background.today.matter * criticalDensity(G);
}
