/**
 * NFW halo (Navarro, Frenk & White 1997, eq. 1), ρ = M/(4π r (r + a)²), whose mass grows without end; M is 4πρ₀a³:
 *   φ = −(GM/r) ln(1 + r/a),  f = −GM (ln(1 + r/a) − q)/r³,  q = r/(r + a)
 * Near the centre ln(1 + r/a) − q = −ln(1 − q) − q is taken as its series q²/2 + q³/3 + …, which loses no digits.
 */
import kernel from "../../../wgsl/physics/potentials/nfw.wgsl";
import { positive, required } from "../../foundation/deck/keys.ts";
import { spherical } from "./formula.ts";
import { ofMass } from "./jets.ts";
import { externalPotential } from "./potential.ts";

/** Below this q the series is taken, and how long. */
const SERIES_BELOW = 0.2;
const TERMS = 24;

/** M(r) over M q²: ½ at the centre. */
function massFactor(q: number, x: number): number {
  if (q >= SERIES_BELOW) return (Math.log1p(x) - q) / (q * q);
  let sum = 0;
  for (let n = TERMS + 1; n >= 2; n--) sum = sum * q + 1 / n;
  return sum;
}

export const nfw = externalPotential({
  name: "nfw",
  meaning: "NFW halo, φ = −(GM/r) ln(1 + r/a) (Navarro, Frenk & White 1997)",
  keys: {
    mass: required(positive, {
      unit: "mass",
      meaning: "M = 4πρ₀a³; a halo of mass M_v inside c·a has M = M_v/(ln(1 + c) − c/(1 + c))",
    }),
    scale: required(positive, { unit: "length", meaning: "scale radius a" }),
  },
  formula: spherical({
    potential({ mass, scale }, r2) {
      const r = Math.sqrt(r2);
      return r === 0 ? -mass / scale : (-mass * Math.log1p(r / scale)) / r;
    },
    strength({ mass, scale }, r2) {
      const r = Math.sqrt(r2[0]);
      const q = r / (r + scale);
      const density = mass / (r * (r + scale) ** 2); // 4πGρ
      const factor = massFactor(q, r / scale);
      const second = density * (6 + 2 * q - 15 * factor);
      return ofMass(r2, -density * factor, density * (3 * factor - 1), second);
    },
  }),
  kernel,
});
