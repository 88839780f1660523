/**
 * Densities in the project's cosmological units, 10¹⁰ M☉/h and Mpc/h, in which h drops out.
 *   ρc = 3 H0²/(8πG) = 27.7536627… · 10¹⁰ M☉/h (Mpc/h)⁻³
 * G comes from the caller's unit system [Mpc/h (km/s)² / 10¹⁰ M☉/h].
 */
import type { Background } from "./background.ts";
import { HUBBLE } from "./constants.ts";

/** Critical density today [10¹⁰ M☉/h / (Mpc/h)³]. */
export function criticalDensity(G: number): number {
  return (3 * HUBBLE * HUBBLE) / (8 * Math.PI * G);
}

/** Comoving mean density of matter, the same at all times [10¹⁰ M☉/h / (Mpc/h)³]. */
export function meanMatterDensity(background: Background, G: number): number {
  return background.today.matter * criticalDensity(G);
}
