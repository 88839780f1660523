/**
 * Dehnen's models, ρ = (3 − γ) M a/(4π r^γ (r + a)^{4−γ}), M(r) = M (r/(r + a))^{3−γ}: cores (γ = 0), Hernquist's (1),
 * Jaffe's (2). From γ = 5/2 on the potential energy is infinite, which no particles can hold.
 * Sources: Dehnen 1993, MNRAS 265, 250, eqs 1 to 3; Tremaine et al. 1994, AJ 107, 634.
 */
import { z } from "zod";
import { kindOfValue, required } from "../../foundation/deck/keys.ts";
import type { SphericalShape } from "./profiles.ts";
import { sphericalModel } from "./spherical-model.ts";

const STEEPEST = 2.5;

const innerSlope = kindOfValue(
  () => z.number().min(0).lt(STEEPEST),
  `a number from 0 up, less than ${STEEPEST}, where the potential energy becomes infinite`,
  `0 ≤ number < ${STEEPEST}`,
);

export const dehnen = sphericalModel({
  name: "dehnen",
  meaning: "Dehnen's model in equilibrium, ρ = (3 − γ) M a/(4π r^γ (r + a)^(4−γ)) (Dehnen 1993)",
  species: "bulge",
  potential: "dehnen",
  shapeKeys: {
    gamma: required(innerSlope, { meaning: "slope γ of the cusp: 0 a core, 1 Hernquist's, 2 Jaffe's" }),
  },
  shape: (mass, a, { gamma }) => dehnenShape(mass, a, gamma),
});

/** `mass` M [mass], `a` [length]. */
export function dehnenShape(mass: number, a: number, gamma: number): SphericalShape {
  return {
    scale: a,
    mass: (r) => mass * (r / (r + a)) ** (3 - gamma),
    density: (r) => ((3 - gamma) * mass * a) / (4 * Math.PI * r ** gamma * (r + a) ** (4 - gamma)),
    depth(r) {
      const well = -Math.log1p(a / r); // ln(r/(r + a))
      // (1 − e^{(2−γ) well})/(2 − γ), whose limit is −well
      return (mass / a) * (gamma === 2 ? -well : -Math.expm1((2 - gamma) * well) / (2 - gamma));
    },
    slope: (r) => -gamma - ((4 - gamma) * r) / (r + a),
    slopeGradient: (r) => (-(4 - gamma) * a * r) / (r + a) ** 2,
  };
}
