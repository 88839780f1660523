/**
 * Dehnen sphere (Dehnen 1993, eqs 1 and 2; Tremaine+ 1994) of central slope γ: Jaffe at γ = 2, Hernquist at 1:
 *   ρ = (3 − γ) M a/(4π r^γ (r + a)^{4−γ}),  φ = (GM/a) (q^{2−γ} − 1)/(2 − γ),  f = −GM q^{3−γ}/r³,  q = r/(r + a)
 * From γ = 2 on the potential is infinite at the centre.
 */
import { z } from "zod";
import kernel from "../../../wgsl/physics/potentials/dehnen.wgsl";
import { kindOfValue, positive, required } from "../../foundation/deck/keys.ts";
import { spherical } from "./formula.ts";
import { inverse, power, product, quotient, root, shifted } from "./jets.ts";
import { externalPotential } from "./potential.ts";

const cuspSlope = kindOfValue(() => z.number().min(0).lt(3), "a number from 0 up and below 3", "number ≥ 0, < 3");

export const dehnen = externalPotential({
  name: "dehnen",
  meaning: "Dehnen sphere of central slope γ, φ = (GM/a) ((r/(r + a))^(2−γ) − 1)/(2 − γ) (Dehnen 1993)",
  keys: {
    mass: required(positive, { unit: "mass", meaning: "total mass M" }),
    scale: required(positive, { unit: "length", meaning: "scale radius a" }),
    gamma: required(cuspSlope, { meaning: "slope γ of the density at the centre, ρ ∝ r^(−γ): 1 Hernquist, 2 Jaffe" }),
  },
  constants: { enclosed: ({ gamma }) => 3 - gamma },
  formula: spherical({
    potential({ mass, scale, gamma }, r2) {
      const logarithm = -Math.log1p(scale / Math.sqrt(r2)); // ln q
      if (r2 === 0) return gamma < 2 ? -mass / (scale * (2 - gamma)) : Number.NEGATIVE_INFINITY;
      const n = 2 - gamma;
      return (mass / scale) * (n === 0 ? logarithm : Math.expm1(n * logarithm) / n);
    },
    strength({ mass, scale, gamma }, r2) {
      const r = root(r2);
      const q = product(r, inverse(shifted(r, scale)));
      return product(power(q, 3 - gamma), quotient(-mass, product(r2, r)));
    },
  }),
  kernel,
});
