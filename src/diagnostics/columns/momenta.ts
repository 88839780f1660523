/** Momentum and angular momentum, and how far the first has drifted. */
import { axes, type DiagnosticsColumn, sumColumn } from "./column.ts";

export const momentum = sumColumn("momentum", axes("momentum"), "mass velocity", "Momentum P = Σ m v");

export const angularMomentum = sumColumn(
  "angularMomentum",
  axes("angular_momentum"),
  "mass length velocity",
  "Angular momentum Σ m x × v about the centre of the box",
);

export const momentumError: DiagnosticsColumn<"momentumError", number, null> = {
  name: "momentumError",
  heads: null,
  unit: "",
  meaning: "|P − P₀| / √(2 K M), with K the larger one of the kinetic energies then and at the start",
  of: ({ sums, initial }) => {
    const gained = Math.hypot(...sums.momentum.map((p, axis) => p - initial.momentum[axis]));
    const typical = Math.sqrt(2 * Math.max(initial.kinetic, sums.kinetic) * sums.mass);
    return typical === 0 ? 0 : gained / typical;
  },
  chart: {
    title: "Momentum",
    about: "drift of the total momentum from its first value",
    quantity: "Momentum drift",
    label: "|p − p₀| / √(2 M K₀)",
    domain: [0, 0],
  },
};
