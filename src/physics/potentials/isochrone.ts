/**
 * Isochrone sphere (Hénon 1959; Binney & Tremaine 2008, eqs 2.47 and 2.48), with s = √(r² + b²):
 *   φ = −GM/(b + s),  f = −GM/(s (b + s)²)
 */
import kernel from "../../../wgsl/physics/potentials/isochrone.wgsl";
import { positive, required } from "../../foundation/deck/keys.ts";
import { spherical } from "./formula.ts";
import { product, quotient, root, shifted } from "./jets.ts";
import { externalPotential } from "./potential.ts";

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
      const s = root(shifted(r2, scale * scale));
      const outer = shifted(s, scale);
      return quotient(-mass, product(s, product(outer, outer)));
    },
  }),
  kernel,
});
