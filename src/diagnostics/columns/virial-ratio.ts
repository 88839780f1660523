/** How far from equilibrium. */
import type { DiagnosticsColumn } from "./column.ts";

export const virialRatio: DiagnosticsColumn<"virialRatio", number, "virial_ratio"> = {
  name: "virialRatio",
  heads: "virial_ratio",
  unit: "",
  meaning: "2K/|V| with the virial V = Σ m a·(x − centre of mass): 1 in equilibrium",
  of: ({ sums }) => (2 * sums.kinetic) / Math.abs(sums.virial),
  chart: {
    title: "Virial ratio",
    about: "1 in equilibrium",
    quantity: "Virial ratio",
    label: "2K / |V|",
    domain: [0.95, 1.05],
    rule: 1,
    only: "static clock",
  },
};
