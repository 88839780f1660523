/** Momentum and angular momentum, and how far the first has drifted. */
import { axes, type DiagnosticsColumn, type Vector } from "./column.ts";

export const momentum: DiagnosticsColumn<"momentum", Vector, readonly string[]> = {
  name: "momentum",
  heads: axes("momentum"),
  unit: "mass velocity",
  meaning: "Momentum P = Σ m v",
  of: ({ sums }) => sums.momentum,
};

export const angularMomentum: DiagnosticsColumn<"angularMomentum", Vector, readonly string[]> = {
  name: "angularMomentum",
  heads: axes("angular_momentum"),
  unit: "mass length velocity",
  meaning: "Angular momentum Σ m x × v about the centre of the box",
  of: ({ sums }) => sums.angularMomentum,
};

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
