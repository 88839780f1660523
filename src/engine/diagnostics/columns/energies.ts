/** Energies, and how far their sum has drifted. */

import type { Sums } from "../../../physics/particles/sums.ts";
import { type DiagnosticsColumn, plainColumn } from "./column.ts";
import { energyScale, relativeTo } from "./scales.ts";

const ENERGY = "mass velocity²";

export const kinetic = plainColumn(
  "kinetic",
  ENERGY,
  "Kinetic energy K = Σ ½ m v²; on the comoving clock of the peculiar motion, ½ m (p/a)²",
  ({ energies }) => energies.kinetic,
);

export const potential = plainColumn(
  "potential",
  ENERGY,
  "Potential energy ½ Σ m φ of the particles, and Σ m φ in external fields",
  ({ energies }) => energies.potential,
);

export const total = plainColumn(
  "total",
  ENERGY,
  "Their sum E",
  ({ energies }) => energies.kinetic + energies.potential,
);

export const relativeEnergyError: DiagnosticsColumn<"relativeEnergyError", number, "energy_error"> = {
  name: "relativeEnergyError",
  heads: "energy_error",
  unit: "",
  meaning:
    "(E − E₀)/|E₀|, over 0.1 (K₀ + |W₀|), 0.1 (K + |W|) or 10⁻⁶ GM²/L where that is more (L: side of the box); in a bar that turns steadily the same of Jacobi's integral E − Ω L_z; where an external potential grows, ends or moves no error, but what the energy has changed by; on the comoving clock the residual of the Layzer–Irvine equation over |aW|, or over forty times what the particles' energies in their own clouds may change by where that is more",
  of: ({ energies, sums, initial, boxEnergy, jacobi, cosmicResidual }) => {
    const spin = jacobi ? jacobi.speed * (spinAbout(jacobi.axis, sums) - spinAbout(jacobi.axis, initial)) : 0;
    const gained = energies.kinetic + energies.potential - (initial.kinetic + initial.potential) - spin;
    return cosmicResidual ?? relativeTo(energyScale(initial, energies, boxEnergy), gained);
  },
  chart: {
    title: "Energy",
    about: "relative error of the total energy",
    quantity: "Relative energy error",
    label: "(E − E₀) / |E₀|",
    rule: 0,
    conserved: {
      jacobi: { about: "relative error of Jacobi's integral E − Ω L_z", label: "(E_J − E_J,₀) / |E₀|" },
      none: {
        about: "changed by external potentials, or ½ Σ mφ of modified gravity, which isn't its energy: no error",
        label: "(E − E₀) / |E₀|",
      },
    },
    comoving: { about: "residual of the cosmic energy equation", label: "Layzer–Irvine residual / |aW|" },
  },
};

/** L_z about an axis at x and y from the centre of the box [length], about which that of the sums is. */
function spinAbout([x, y]: readonly [number, number], { angularMomentum, momentum }: Sums): number {
  return angularMomentum[2] - (x * momentum[1] - y * momentum[0]);
}
