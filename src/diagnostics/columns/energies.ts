/** Energies, and how far their sum has drifted. */
import type { DiagnosticsColumn } from "./column.ts";

const ENERGY = "mass velocity²";

export const kinetic: DiagnosticsColumn<"kinetic", number, "kinetic"> = {
  name: "kinetic",
  heads: "kinetic",
  unit: ENERGY,
  meaning: "Kinetic energy K = Σ ½ m v²; on the comoving clock of the peculiar motion, ½ m (p/a)²",
  of: ({ energies }) => energies.kinetic,
};

export const potential: DiagnosticsColumn<"potential", number, "potential"> = {
  name: "potential",
  heads: "potential",
  unit: ENERGY,
  meaning: "Potential energy ½ Σ m φ of the particles, and Σ m φ in external fields",
  of: ({ energies }) => energies.potential,
};

export const total: DiagnosticsColumn<"total", number, "total"> = {
  name: "total",
  heads: "total",
  unit: ENERGY,
  meaning: "Their sum E",
  of: ({ energies }) => energies.kinetic + energies.potential,
};

export const relativeEnergyError: DiagnosticsColumn<"relativeEnergyError", number, "energy_error"> = {
  name: "relativeEnergyError",
  heads: "energy_error",
  unit: "",
  meaning: "(E − E₀)/|E₀|; on the comoving clock the residual of the Layzer–Irvine equation over |aW|",
  of: ({ energies, initial, cosmicResidual }) => {
    const first = initial.kinetic + initial.potential;
    const drift = first === 0 ? 0 : (energies.kinetic + energies.potential - first) / Math.abs(first);
    return cosmicResidual ?? drift;
  },
  chart: {
    title: "Energy",
    about: "relative error of the total energy",
    quantity: "Relative energy error",
    label: "(E − E₀) / |E₀|",
    rule: 0,
    comoving: { about: "residual of the cosmic energy equation", label: "Layzer–Irvine residual / |aW|" },
  },
};
