/**
 * Jaffe sphere, ρ = M a/(4π r² (r + a)²), M(r) = M r/(r + a): as a program that uses the library adds a model of its own.
 * Source: Jaffe 1983, MNRAS 202, 995, eqs 1, 2.
 */
import { type SphericalShape, sphericalModel } from "../../src/index.ts";

export const jaffe = sphericalModel({
  name: "jaffe",
  meaning: "Jaffe sphere in equilibrium, ρ = M a/(4π r² (r + a)²) (Jaffe 1983)",
  species: "bulge",
  shape: jaffeShape,
});

/** `mass` M [mass], `a` [length]; the central potential is infinite. */
export function jaffeShape(mass: number, a: number): SphericalShape {
  return {
    scale: a,
    mass: (r) => (mass * r) / (r + a),
    density: (r) => (mass * a) / (4 * Math.PI * (r * (r + a)) ** 2),
    depth: (r) => (mass / a) * Math.log1p(a / r),
    slope: (r) => -2 - (2 * r) / (r + a),
    slopeGradient: (r) => (-2 * a * r) / (r + a) ** 2,
  };
}
