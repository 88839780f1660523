/**
 * Einasto's profile, ln(ρ/ρ₋₂) = −(2/α) [(r/a)^α − 1], a = r₋₂, where the slope is −2; α = 1/n. With s = (2/α)(r/a)^α and
 * P, Q the regularised incomplete gamma functions,
 *   M(r) = M P(3/α, s),   Ψ(r) = M(r)/r + (M/a) (2/α)^{1/α} Γ(2/α)/Γ(3/α) Q(2/α, s).
 * Sources: Einasto 1965; Retana-Montenegro et al. 2012, A&A 540, A70, eqs 2, 10, 19.
 */
import { z } from "zod";
import { kindOfValue, optional, positive, required } from "../../foundation/deck/keys.ts";
import { logGamma, lowerGammaShare } from "../potentials/incomplete-gamma.ts";
import { profileMass } from "./keys.ts";
import type { SphericalShape } from "./profiles.ts";
import { sphericalModel } from "./spherical-model.ts";

/** α from n = 20 to n = 1, an exponential sphere. */
const shapeIndex = kindOfValue(() => z.number().min(0.05).max(1), "a number from 0.05 to 1", "0.05 ≤ number ≤ 1");

export const einasto = sphericalModel({
  name: "einasto",
  meaning: "Einasto's profile in equilibrium, ln ρ = const − (2/α)(r/a)^α (Einasto 1965)",
  species: "halo",
  keys: {
    mass: profileMass,
    scale: required(positive, { unit: "length", meaning: "a, where the slope is −2" }),
  },
  shapeKeys: { alpha: optional(shapeIndex, 0.17, { meaning: "α = 1/n: how fast the slope changes, −2 (r/a)^α" }) },
  shape: (mass, a, { alpha }) => einastoShape(mass, a, alpha),
});

/** `mass` M [mass] to infinity, `a` = r₋₂ [length]. */
function einastoShape(mass: number, a: number, alpha: number): SphericalShape {
  const power = (r: number) => (r / a) ** alpha;
  const [ofMass, ofDepth] = [3 / alpha, 2 / alpha];
  // M = 4π ρ₋₂ e^{2/α} a³ (α/2)^{3/α} Γ(3/α)/α
  const central = (mass * alpha * Math.exp(ofMass * Math.log(2 / alpha) - logGamma(ofMass))) / (4 * Math.PI * a ** 3);
  const outer = (mass / a) * Math.exp(Math.log(2 / alpha) / alpha + logGamma(ofDepth) - logGamma(ofMass));
  const enclosed = (r: number) => mass * lowerGammaShare(ofMass, (2 / alpha) * power(r));
  return {
    scale: a,
    mass: enclosed,
    density: (r) => central * Math.exp((-2 / alpha) * power(r)),
    depth: (r) => (r === 0 ? 0 : enclosed(r) / r) + outer * (1 - lowerGammaShare(ofDepth, (2 / alpha) * power(r))),
    slope: (r) => -2 * power(r),
    slopeGradient: (r) => -2 * alpha * power(r),
  };
}
