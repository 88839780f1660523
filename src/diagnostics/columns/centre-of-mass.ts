/** Where the mass is. */
import { axes, sumColumn } from "./column.ts";

export const centreOfMass = sumColumn(
  "centreOfMass",
  axes("centre_of_mass"),
  "length",
  "Centre of mass Σ m x / Σ m, in box coordinates",
);
