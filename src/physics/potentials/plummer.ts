/** Plummer sphere (Plummer 1911), a softened body at rest: φ = −GM/√(r² + a²), f = −GM/(r² + a²)^{3/2} */
import kernel from "../../../wgsl/physics/potentials/plummer.wgsl";
import { positive, required } from "../../foundation/deck/keys.ts";
import { spherical } from "./formula.ts";
import { type Jet, product, quotient, root, shifted } from "./jets.ts";
import { externalPotential } from "./potential.ts";

/** f of a mass that is softened by `scale`. */
export function softened(mass: number, scale: number, r2: Jet): Jet {
  const square = shifted(r2, scale * scale);
  return quotient(-mass, product(square, root(square)));
}

export const plummer = externalPotential({
  name: "plummer",
  meaning: "Plummer sphere, φ = −GM/√(r² + a²) (Plummer 1911)",
  keys: {
    mass: required(positive, { unit: "mass", meaning: "total mass M" }),
    scale: required(positive, { unit: "length", meaning: "Plummer radius a" }),
  },
  formula: spherical({
    potential: ({ mass, scale }, r2) => -mass / Math.sqrt(r2 + scale * scale),
    strength: ({ mass, scale }, r2) => softened(mass, scale, r2),
  }),
  kernel,
});
