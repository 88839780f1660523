/**
 * Plummer sphere (Plummer 1911), the field of a softened body at rest:
 *   φ = −GM/√(r² + a²),  f = −GM/(r² + a²)^{3/2}
 */
import kernel from "../../wgsl/potentials/plummer.wgsl";
import { positive, required } from "../deck/keys.ts";
import { spherical } from "./formula.ts";
import { externalPotential } from "./potential.ts";

export const plummer = externalPotential({
  name: "plummer",
  meaning: "Plummer sphere, φ = −GM/√(r² + a²) (Plummer 1911)",
  keys: {
    mass: required(positive, { unit: "mass", meaning: "total mass M" }),
    scale: required(positive, { unit: "length", meaning: "Plummer radius a" }),
  },
  formula: spherical({
    potential: ({ mass, scale }, r2) => -mass / Math.sqrt(r2 + scale * scale),
    strength({ mass, scale }, r2) {
      const square = r2 + scale * scale;
      return -mass / (square * Math.sqrt(square));
    },
    rates({ mass, scale }, r2, u, w) {
      const square = r2 + scale * scale;
      const alpha = u / square;
      const f = -mass / (square * Math.sqrt(square));
      // dα/dt = w/ρ² − 2α²
      return [f, -3 * alpha * f, f * (15 * alpha * alpha - (3 * w) / square)];
    },
  }),
  kernel,
});
