/**
 * NFW halo, ρ = M/(4π r (r + a)²), M(r) = M [ln(1 + x) − x/(1 + x)], x = r/a. The mass grows without end: M = 4πρ_s a³
 * is what is inside 5.305 a. Source: Navarro, Frenk & White 1996, ApJ 462, 563, eq 3.
 */
import { positive, required } from "../../foundation/deck/keys.ts";
import type { SphericalShape } from "./profiles.ts";
import { sphericalModel } from "./spherical-model.ts";

export const nfw = sphericalModel({
  name: "nfw",
  meaning: "NFW halo in equilibrium, ρ = M/(4π r (r + a)²) (Navarro, Frenk & White 1996)",
  species: "halo",
  potential: "nfw",
  keys: {
    mass: required(positive, {
      unit: "mass",
      meaning: "M = 4πρ_s a³, inside 5.305 a: M200/[ln(1 + c) − c/(1 + c)]; live particles hold what the cutoff leaves",
    }),
    scale: required(positive, { unit: "length", meaning: "scale radius a, where the slope is −2" }),
  },
  shape: nfwShape,
});

/** `mass` M = 4πρ_s a³ [mass], `a` [length]. */
export function nfwShape(mass: number, a: number): SphericalShape {
  return {
    scale: a,
    mass: (r) => mass * enclosed(r / a),
    density: (r) => mass / (4 * Math.PI * r * (r + a) ** 2),
    depth: (r) => (r === 0 ? mass / a : (mass * Math.log1p(r / a)) / r),
    slope: (r) => -1 - (2 * r) / (r + a),
    slopeGradient: (r) => (-2 * a * r) / (r + a) ** 2,
  };
}

/** ln(1 + x) − x/(1 + x); the two differ by little where x is small. */
function enclosed(x: number): number {
  if (x > 1e-3) return Math.log1p(x) - x / (1 + x);
  return x * x * (1 / 2 - x * (2 / 3 - x * (3 / 4 - x * (4 / 5 - (x * 5) / 6))));
}
