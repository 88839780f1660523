/**
 * Bar as a quadrupole (Dehnen 2000, eq. 3, in three dimensions as Monari+ 2016, eq. 3); in the frame of its long axis
 *   φ = A (x² − y²)/r² · { (r/R_b)³ − 2 inside R_b,  −(R_b/r)³ outside },   A = (α/3) v₀² (R₀/R_b)³
 * where α is the bar's force along its long axis at R₀ over v₀²/R₀. Its force is infinite at the centre, and its second
 * derivatives jump at R_b.
 */
import kernel from "../../../wgsl/physics/potentials/dehnen-bar.wgsl";
import { anyNumber, positive, required } from "../../foundation/deck/keys.ts";
import { type Parameters, symmetric } from "./formula.ts";
import { difference, inverse, power, product, scaled, sum } from "./jets.ts";
import { externalPotential } from "./potential.ts";

const amplitude = ({ strength, speed, reference, radius }: Parameters<"strength" | "speed" | "reference" | "radius">) =>
  (strength / 3) * speed * speed * (reference / radius) ** 3;

export const dehnenBar = externalPotential({
  name: "dehnen-bar",
  meaning: "Bar as a quadrupole, φ = A (x² − y²)/r² · {(r/R_b)³ − 2, −(R_b/r)³ outside R_b} (Dehnen 2000)",
  turns: true,
  keys: {
    strength: required(anyNumber, {
      meaning: "α: the bar's force on its long axis at the reference radius, over v₀²/R₀",
    }),
    speed: required(positive, { unit: "velocity", meaning: "circular speed v₀ at the reference radius" }),
    reference: required(positive, { unit: "length", meaning: "reference radius R₀" }),
    radius: required(positive, { unit: "length", meaning: "length R_b of the bar" }),
  },
  constants: { amplitude },
  formula: symmetric({
    round: ({ strength }) => strength === 0,
    potential(p, x2, y2, z2) {
      const r2 = x2 + y2 + z2;
      if (r2 === 0) return 0;
      const cube = (Math.sqrt(r2) / p.radius) ** 3;
      return ((amplitude(p) * (x2 - y2)) / r2) * (cube < 1 ? cube - 2 : -1 / cube);
    },
    strengths(p, [x2, y2, z2]) {
      // φ = A c U(r²) with c = x² − y² and U = (r/R_b)³/r² − 2/r² or −(R_b/r)³/r²; f = −2A (±U + c U′)
      const square = sum(sum(x2, y2), z2);
      const [A, cube] = [amplitude(p), p.radius ** 3];
      const inner = square[0] < p.radius ** 2;
      const once = inverse(square);
      const shape = inner
        ? difference(scaled(power(square, 0.5), 1 / cube), scaled(once, 2))
        : scaled(power(square, -2.5), -cube);
      const slope = inner
        ? sum(scaled(power(square, -0.5), 0.5 / cube), scaled(product(once, once), 2))
        : scaled(power(square, -3.5), 2.5 * cube);
      const common = product(difference(x2, y2), slope);
      return [scaled(sum(common, shape), -2 * A), scaled(difference(common, shape), -2 * A), scaled(common, -2 * A)];
    },
  }),
  kernel,
});
