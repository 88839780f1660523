/** Centre of mass, momentum and angular momentum, and how far the momentum has drifted. */
import { axes, type DiagnosticsColumn, sumColumn } from "./column.ts";
import { momentumScale, relativeTo } from "./scales.ts";

export const centreOfMassColumn = sumColumn(
  "centreOfMass",
  axes("centre_of_mass"),
  "length",
  "Centre of mass Σ m x / Σ m, in box coordinates",
);

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
  meaning:
    "|P − P₀| / √(2 K M), with K the larger one of the kinetic energies then and at the start, or 10⁻⁶ |W₀| or 10⁻⁶ GM²/L where that is more; in external potentials no error, but what they have changed it by",
  of: ({ sums, initial, boxEnergy }) => {
    const gained = Math.hypot(...sums.momentum.map((p, axis) => p - initial.momentum[axis]));
    return relativeTo(momentumScale(sums.mass, initial, sums.kinetic, boxEnergy), gained);
  },
  chart: {
    title: "Momentum",
    about: "drift of the total momentum from its first value",
    quantity: "Momentum drift",
    label: "|P − P₀| / √(2 K M)",
    domain: [0, 0],
    inField: { about: "changed by external potentials: no error", quantity: "Change of momentum" },
  },
};
