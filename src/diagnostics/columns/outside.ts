import { sumColumn } from "./column.ts";

export const outside = sumColumn("outside", "outside", "", "Particles outside an isolated mesh");
