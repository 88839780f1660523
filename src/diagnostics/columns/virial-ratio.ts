/** How far from equilibrium. */
import type { DiagnosticsColumn } from "./column.ts";

export const virialRatio: DiagnosticsColumn<"virialRatio", number, "virial_ratio"> = {
  name: "virialRatio",
  heads: "virial_ratio",
  unit: "",
  meaning:
    "2K/|Σ m a·(x − x̄)|, the kinetic energy over the virial of Clausius about the centre of mass x̄: 1 in equilibrium, 0 where no force acts. With softening, a mesh or rigid components it isn't 2K/|W|",
  of: ({ sums: { kinetic, virial } }) => (virial === 0 ? 0 : (2 * kinetic) / Math.abs(virial)),
  chart: {
    title: "Virial ratio",
    about: "kinetic energy over the virial of Clausius; 1 in equilibrium",
    quantity: "Virial ratio",
    label: "2K / |Σ m a·(x − x̄)|",
    domain: [0.95, 1.05],
    rule: 1,
    only: "static clock",
  },
};
