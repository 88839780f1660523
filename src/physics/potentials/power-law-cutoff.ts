/**
 * Power law with an exponential cut-off, ρ ∝ r^(−α) e^(−(r/r_c)²): the bulge of MWPotential2014 (Bovy 2015, section 3.5).
 * With s = (3 − α)/2 and x = (r/r_c)², γ and Γ(·, x) the incomplete gamma functions:
 *   φ = −(GM/Γ(s)) (γ(s, x)/r + Γ(s − ½, x)/r_c),  f = −GM γ(s, x)/(Γ(s) r³)
 */
import { z } from "zod";
import kernel from "../../../wgsl/physics/potentials/power-law-cutoff.wgsl";
import { kindOfValue, positive, required } from "../../foundation/deck/keys.ts";
import { spherical } from "./formula.ts";
import { gamma, gammaBesidePole, lowerGammaShare, series, upperGamma } from "./incomplete-gamma.ts";
import { ofMass } from "./jets.ts";
import { externalPotential } from "./potential.ts";

const exponent = kindOfValue(() => z.number().min(0).lt(3), "a number from 0 up and below 3", "number ≥ 0, < 3");
/** Below this x the derivatives are taken from a series, where they lose no digits. */
const SERIES_BELOW = 1;

export const powerLawCutoff = externalPotential({
  name: "power-law-cutoff",
  meaning: "Power law with an exponential cut-off, ρ ∝ r^(−α) exp(−(r/r_c)²) (Bovy 2015)",
  keys: {
    mass: required(positive, { unit: "mass", meaning: "total mass M" }),
    alpha: required(exponent, { meaning: "exponent α of the density" }),
    cutoff: required(positive, { unit: "length", meaning: "cut-off radius r_c" }),
  },
  constants: {
    order: ({ alpha }) => (3 - alpha) / 2,
    inverseGamma: ({ alpha }) => 1 / gamma((3 - alpha) / 2),
    besidePole: ({ alpha }) => gammaBesidePole(1 - alpha / 2),
  },
  formula: spherical({
    potential({ mass, alpha, cutoff }, r2) {
      const [s, x] = [(3 - alpha) / 2, r2 / (cutoff * cutoff)];
      if (x === 0) return alpha < 2 ? (-mass * gamma(s - 0.5)) / (gamma(s) * cutoff) : Number.NEGATIVE_INFINITY;
      return -mass * (lowerGammaShare(s, x) / Math.sqrt(r2) + upperGamma(s - 0.5, x) / (gamma(s) * cutoff));
    },
    strength({ mass, alpha, cutoff }, r2) {
      const [s, x] = [(3 - alpha) / 2, r2[0] / (cutoff * cutoff)];
      const unit = mass / (r2[0] * Math.sqrt(r2[0]));
      const density = ((2 * unit) / gamma(s)) * x ** s * Math.exp(-x); // 4πGρ
      if (x < SERIES_BELOW) {
        const tail = series(s, x, 0);
        const first = density * (alpha / (3 - alpha) + 1.5 * tail);
        const second = -density * ((alpha * (alpha + 2)) / (3 - alpha) + 7.5 * tail - 2 * x);
        return ofMass(r2, -0.5 * density * (1 / s + tail), first, second);
      }
      const f = -unit * lowerGammaShare(s, x);
      return ofMass(r2, f, -density - 3 * f, density * (5 + alpha + 2 * x) + 15 * f);
    },
  }),
  kernel,
});
