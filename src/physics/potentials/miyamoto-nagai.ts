/**
 * Miyamoto–Nagai disk (Miyamoto & Nagai 1975, eq. 5), with h = √(z² + b²):
 *   φ = −GM/√(R² + (a + h)²),  f_R = −GM/(R² + (a + h)²)^{3/2},  f_z = f_R (a + h)/h
 */
import kernel from "../../../wgsl/physics/potentials/miyamoto-nagai.wgsl";
import { nonNegative, positive, required } from "../../foundation/deck/keys.ts";
import { symmetric } from "./formula.ts";
import { inverse, power, product, root, scaled, shifted, sum } from "./jets.ts";
import { externalPotential } from "./potential.ts";

export const miyamotoNagai = externalPotential({
  name: "miyamoto-nagai",
  meaning: "Miyamoto–Nagai disk, φ = −GM/√(R² + (a + √(z² + b²))²) (Miyamoto & Nagai 1975)",
  keys: {
    mass: required(positive, { unit: "mass", meaning: "total mass M" }),
    scaleLength: required(nonNegative, { unit: "length", meaning: "radial scale a; 0: a Plummer sphere" }),
    scaleHeight: required(positive, { unit: "length", meaning: "vertical scale b" }),
  },
  formula: symmetric({
    round: () => true,
    potential: ({ mass, scaleLength, scaleHeight }, x2, y2, z2) =>
      -mass / Math.sqrt(x2 + y2 + (scaleLength + Math.sqrt(z2 + scaleHeight * scaleHeight)) ** 2),
    strengths({ mass, scaleLength, scaleHeight }, [x2, y2, z2]) {
      const height = root(shifted(z2, scaleHeight * scaleHeight));
      const depth = shifted(height, scaleLength);
      const distance = sum(sum(x2, y2), product(depth, depth));
      const planar = scaled(power(distance, -1.5), -mass);
      return [planar, planar, product(planar, product(depth, inverse(height)))];
    },
  }),
  kernel,
});
