/** What the mesh has lost sight of. */
import type { DiagnosticsColumn } from "./column.ts";

export const outside: DiagnosticsColumn<"outside", number, "outside"> = {
  name: "outside",
  heads: "outside",
  unit: "",
  meaning: "Particles outside an isolated mesh",
  of: ({ sums }) => sums.outside,
};
