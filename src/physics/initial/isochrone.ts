/**
 * Isochrone, Ψ = M/(b + s), s² = r² + b²: ρ = M b (b + 2s)/(4π (b + s)² s³), M(r) = M r³/(s (b + s)²).
 * Source: Hénon 1959, Ann. Astrophys. 22, 126; Binney & Tremaine 2008, eqs 2.47 to 2.49.
 */
import { positive, required } from "../../foundation/deck/keys.ts";
import { profileMass } from "./keys.ts";
import type { SphericalShape } from "./profiles.ts";
import { sphericalModel } from "./spherical-model.ts";

export const isochrone = sphericalModel({
  name: "isochrone",
  meaning: "Hénon's isochrone in equilibrium, φ = −GM/(b + √(r² + b²)) (Hénon 1959)",
  species: "stars",
  potential: "isochrone",
  keys: { mass: profileMass, scale: required(positive, { unit: "length", meaning: "scale radius b" }) },
  shape: isochroneShape,
});

/** `mass` M [mass], `b` [length]. */
export function isochroneShape(mass: number, b: number): SphericalShape {
  const root = (r: number) => Math.sqrt(r * r + b * b);
  return {
    scale: b,
    mass(r) {
      const s = root(r);
      return (mass * r ** 3) / (s * (b + s) ** 2);
    },
    density(r) {
      const s = root(r);
      return (mass * b * (b + 2 * s)) / (4 * Math.PI * (b + s) ** 2 * s ** 3);
    },
    depth: (r) => mass / (b + root(r)),
    // d ln ρ/ds · ds/d ln r
    slope(r) {
      const s = root(r);
      return (2 / (b + 2 * s) - 2 / (b + s) - 3 / s) * ((r * r) / s);
    },
    slopeGradient(r) {
      const s = root(r);
      const rate = (r * r) / s;
      const slope = 2 / (b + 2 * s) - 2 / (b + s) - 3 / s;
      const curvature = -4 / (b + 2 * s) ** 2 + 2 / (b + s) ** 2 + 3 / s ** 2;
      return rate * (curvature * rate + slope * (1 + (b / s) ** 2));
    },
  };
}
