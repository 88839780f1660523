/**
 * Logarithmic potential, whose circular speed is constant far out (Binney & Tremaine 2008, eqs 2.71a and 3.103), with
 * D = r_c² + x² + y²/p² + z²/q²:
 *   φ = ½ v₀² ln D,  f_x = −v₀²/D,  f_y = f_x/p²,  f_z = f_x/q²
 * With p ≠ 1 it is a bar, which may turn about the z axis. Lengths in the logarithm are in the deck's unit.
 */
import kernel from "../../../wgsl/physics/potentials/logarithmic.wgsl";
import { nonNegative, optional, positive, required } from "../../foundation/deck/keys.ts";
import { symmetric } from "./formula.ts";
import { inverse, scaled, shifted, sum } from "./jets.ts";
import { externalPotential } from "./potential.ts";

export const logarithmic = externalPotential({
  name: "logarithmic",
  meaning: "Logarithmic potential, φ = ½ v₀² ln(r_c² + x² + y²/p² + z²/q²) (Binney & Tremaine 2008, eq. 3.103)",
  turns: true,
  keys: {
    speed: required(positive, { unit: "velocity", meaning: "circular speed v₀ far out" }),
    core: required(nonNegative, { unit: "length", meaning: "core radius r_c" }),
    flattening: optional(positive, 1, {
      meaning: "axis ratio q of the potential, z to x; no density is negative from 0.71 up",
    }),
    elongation: optional(positive, 1, { meaning: "axis ratio p of the potential, y to x; below 1 a bar along x" }),
  },
  formula: symmetric({
    round: ({ elongation }) => elongation === 1,
    potential: ({ speed, core, flattening, elongation }, x2, y2, z2) =>
      0.5 * speed * speed * Math.log(core * core + x2 + y2 / elongation ** 2 + z2 / flattening ** 2),
    strengths({ speed, core, flattening, elongation }, [x2, y2, z2]) {
      const [ofY, ofZ] = [1 / elongation ** 2, 1 / flattening ** 2];
      const square = shifted(sum(sum(x2, scaled(y2, ofY)), scaled(z2, ofZ)), core * core);
      const f = scaled(inverse(square), -speed * speed);
      return [f, scaled(f, ofY), scaled(f, ofZ)];
    },
  }),
  kernel,
});
