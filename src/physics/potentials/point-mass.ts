/** Point mass, softened as the pairs of a direct sum: φ = −GM/√(r² + ε²), f = −GM/(r² + ε²)^{3/2}; none at its own place. */
import kernel from "../../../wgsl/physics/potentials/point-mass.wgsl";
import { nonNegative, optional, positive, required } from "../../foundation/deck/keys.ts";
import { spherical } from "./formula.ts";
import { softened } from "./plummer.ts";
import { externalPotential } from "./potential.ts";

export const pointMass = externalPotential({
  name: "point-mass",
  meaning: "Point mass, φ = −GM/√(r² + ε²)",
  keys: {
    mass: required(positive, { unit: "mass", meaning: "mass M" }),
    softening: optional(nonNegative, 0, { unit: "length", meaning: "softening length ε" }),
  },
  formula: spherical({
    potential({ mass, softening }, r2) {
      const square = r2 + softening * softening;
      return square === 0 ? 0 : -mass / Math.sqrt(square);
    },
    strength: ({ mass, softening }, r2) => softened(mass, softening, r2),
  }),
  kernel,
});
