/** How the mass is spread: radii about the centre of mass that hold fixed shares of it. */
import { LAGRANGIAN_FRACTIONS } from "../../../physics/particles/sums.ts";
import type { DiagnosticsColumn } from "./column.ts";

const percents = LAGRANGIAN_FRACTIONS.map((fraction) => Math.round(100 * fraction));

export const lagrangianRadiiColumn: DiagnosticsColumn<"lagrangianRadii", number[], readonly string[]> = {
  name: "lagrangianRadii",
  heads: percents.map((percent) => `r${String(percent).padStart(2, "0")}`),
  unit: "length",
  meaning: `Radii about the centre of mass that hold ${percents.slice(0, -1).join(", ")} and ${percents.at(-1)} % of the mass`,
  of: ({ sums }) => sums.lagrangianRadii,
  chart: {
    title: "Lagrangian radii",
    about: "radii that hold a share of the mass",
    quantity: "Radii that hold a share of the mass",
    label: "Radius",
    unit: "length",
    scale: "log",
    curves: percents.map((percent) => ({
      label: `${percent} %`,
      main: percent === 50,
      few: [10, 50, 90].includes(percent),
    })),
    only: "isolated",
  },
};
