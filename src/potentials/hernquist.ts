/**
 * Hernquist sphere (Hernquist 1990, eqs 5 and 3), of infinite density at its centre:
 *   φ = −GM/(r + a),  f = −GM/(r (r + a)²)
 */
import kernel from "../../wgsl/potentials/hernquist.wgsl";
import { positive, required } from "../deck/keys.ts";
import { spherical } from "./formula.ts";
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
      const r = Math.sqrt(r2);
      return r === 0 ? 0 : -mass / (r * (r + scale) ** 2);
    },
    rates({ mass, scale }, r2, u, w) {
      if (r2 === 0) return [0, 0, 0];
      const r = Math.sqrt(r2);
      const outer = r + scale;
      const f = -mass / (r * outer * outer);
      const slope = (mass * (3 * r + scale)) / (r2 * outer ** 3);
      const curvature = (-mass * (12 * r2 + 8 * scale * r + 2 * scale * scale)) / (r2 * r * outer ** 4);
      const speed = u / r;
      return [f, slope * speed, curvature * speed * speed + (slope * (w - speed * speed)) / r];
    },
  }),
  kernel,
});
