/**
 * Isochrone sphere (Hénon 1959; Binney & Tremaine 2008, eqs 2.47 and 2.48), with s = √(r² + b²):
 *   φ = −GM/(b + s),  f = −GM/(s (b + s)²)
 */
import kernel from "../../wgsl/potentials/isochrone.wgsl";
import { positive, required } from "../deck/keys.ts";
import { spherical } from "./formula.ts";
import { externalPotential } from "./potential.ts";
import { ratesOfSlope } from "./rates.ts";

export const isochrone = externalPotential({
  name: "isochrone",
  meaning: "Isochrone sphere, φ = −GM/(b + √(r² + b²)) (Hénon 1959)",
  keys: {
    mass: required(positive, { unit: "mass", meaning: "total mass M" }),
    scale: required(positive, { unit: "length", meaning: "scale radius b" }),
  },
  formula: spherical({
    potential: ({ mass, scale }, r2) => -mass / (scale + Math.sqrt(r2 + scale * scale)),
    strength({ mass, scale }, r2) {
      const s = Math.sqrt(r2 + scale * scale);
      return -mass / (s * (scale + s) ** 2);
    },
    rates({ mass, scale }, r2, u, w) {
      const s2 = r2 + scale * scale;
      const s = Math.sqrt(s2);
      const q = s / (scale + s);
      return ratesOfSlope(-mass / (s * (scale + s) ** 2), -1 - 2 * q, -2 * q * (1 - q), { s2, u, w });
    },
  }),
  kernel,
});
