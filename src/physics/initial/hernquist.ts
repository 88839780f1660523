/** Hernquist sphere, M(r) = M r²/(r + a)². Source: Hernquist 1990, ApJ 356, 359, eqs 2, 3, 5. */
import type { SphericalShape } from "./profiles.ts";
import { sphericalModel } from "./spherical-model.ts";

export const hernquist = sphericalModel({
  name: "hernquist",
  meaning: "Hernquist sphere in equilibrium, ρ = M a/(2π r (r + a)³) (Hernquist 1990)",
  species: "halo",
  shape: hernquistShape,
  potential: "hernquist",
});

/** `mass` M [mass], `a` [length]. */
export function hernquistShape(mass: number, a: number): SphericalShape {
  return {
    scale: a,
    mass: (r) => mass * (r / (r + a)) ** 2,
    density: (r) => (mass * a) / (2 * Math.PI * r * (r + a) ** 3),
    depth: (r) => mass / (r + a),
    slope: (r) => -1 - (3 * r) / (r + a),
    slopeGradient: (r) => (-3 * a * r) / (r + a) ** 2,
  };
}
