/** Where the mass is. */
import { axes, type DiagnosticsColumn, type Vector } from "./column.ts";

export const centreOfMass: DiagnosticsColumn<"centreOfMass", Vector, readonly string[]> = {
  name: "centreOfMass",
  heads: axes("centre_of_mass"),
  unit: "length",
  meaning: "Centre of mass Σ m x / Σ m, in box coordinates",
  of: ({ sums }) => sums.centreOfMass,
};
