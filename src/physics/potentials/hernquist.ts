/** Hernquist sphere (Hernquist 1990, eqs 5 and 3): φ = −GM/(r + a), f = −GM/(r (r + a)²) */
import kernel from "../../../wgsl/physics/potentials/hernquist.wgsl";
import { positive, required } from "../../foundation/deck/keys.ts";
import { spherical } from "./formula.ts";
import { product, quotient, root, shifted } from "./jets.ts";
import { externalPotential } from "./potential.ts";

export const hernquist = externalPotential({
  name: "hernquist",
  meaning: "Hernquist sphere, φ = −GM/(r + a) (Hernquist 1990)",
  keys: {
    mass: required(positive, { unit: "mass", meaning: "total mass M" }),
    scale: required(positive, { unit: "length", meaning: "scale radius a" }),
  },
  formula: spherical({
    potential: ({ mass, scale }, r2) => -mass / (Math.sqrt(r2) + scale),
    strength({ mass, scale }, r2) {
      const r = root(r2);
      const outer = shifted(r, scale);
      return quotient(-mass, product(r, product(outer, outer)));
    },
  }),
  kernel,
});
