/** Uniform field: the same acceleration g everywhere, φ = −g·x with x from the centre. */
import kernel from "../../../wgsl/physics/potentials/uniform-field.wgsl";
import { anyNumber, optional } from "../../foundation/deck/keys.ts";
import { externalPotential } from "./potential.ts";

const component = (axis: string) =>
  optional(anyNumber, 0, { unit: "acceleration", meaning: `acceleration along ${axis}` });

export const uniformField = externalPotential({
  name: "uniform-field",
  meaning: "Uniform field, φ = −g·x from the centre",
  keys: { gx: component("x"), gy: component("y"), gz: component("z") },
  formula: {
    round: ({ gx, gy }) => gx === 0 && gy === 0,
    potential: ({ gx, gy, gz }, x) => -(gx * x[0] + gy * x[1] + gz * x[2]),
    acceleration({ gx, gy, gz }, _x, out) {
      out.set([gx, gy, gz]);
    },
    derivatives({ gx, gy, gz }, _x, _v, _a, out) {
      out.fill(0);
      out.set([gx, gy, gz]);
    },
  },
  kernel,
});
