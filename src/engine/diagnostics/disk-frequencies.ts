/**
 * Frequencies of circular and nearly circular orbits in rings, from the force at the particles, and Toomre's Q:
 *   Ω² = ⟨−R a_R⟩/R²,   κ² = 4Ω² + dΩ²/d ln R,   Q = σ_R κ / (3.36 G Σ)
 * (Binney & Tremaine 2008, eq 3.80 and 6.71). Differences are taken between the rings on either side.
 */
import type { Rings } from "../../physics/particles/reductions.ts";

export interface DiskFrequencies {
  /** [B] [1/time]; NaN where there is no particle or no force inward. */
  omega: number[];
  /** [B] [1/time]; NaN where κ² < 0, too. */
  kappa: number[];
  /** [B] */
  toomreQ: number[];
}

/** Root mean square radius of an even ring, which is where its Ω belongs [length]. */
export function ringRadii(edges: readonly number[]): number[] {
  return edges.slice(1).map((outer, i) => Math.sqrt((outer ** 2 + edges[i] ** 2) / 2));
}

export function diskFrequencies(rings: Rings, edges: readonly number[], G: number): DiskFrequencies {
  const radii = ringRadii(edges);
  const square = radii.map((R, i) => (rings.inward?.[i] ?? Number.NaN) / R ** 2);
  const kappa = radii.map((_, i) => {
    const [before, after] = [Math.max(0, i - 1), Math.min(radii.length - 1, i + 1)];
    const slope = (square[after] - square[before]) / Math.log(radii[after] / radii[before]);
    return Math.sqrt(4 * square[i] + slope);
  });
  const surface = surfaceDensities(rings.mass, edges);
  const radial = rings.square.radial.map((v2, i) => Math.sqrt(Math.max(0, v2 - rings.velocity.radial[i] ** 2)));
  return {
    omega: square.map(Math.sqrt),
    kappa,
    toomreQ: kappa.map((k, i) => (radial[i] * k) / (3.36 * G * surface[i])),
  };
}

/** Mass of each ring over its area [mass/length²]. */
export function surfaceDensities(mass: readonly number[], edges: readonly number[]): number[] {
  return mass.map((m, i) => m / (Math.PI * (edges[i + 1] ** 2 - edges[i] ** 2)));
}
