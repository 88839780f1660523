/**
 * The figures that Bédorf, Gaburov & Portegies Zwart (2015) give in their text, section 3 and 4.1. Their times are in plots
 * only, and in no table: nothing is read off those.
 */
import type { Published, Results, SuiteSettings } from "../suite.ts";
import { Sapporo } from "./results.ts";

type Ours = (found: Sapporo) => number | undefined;

/** |ΔE/E| after a time unit, "around": double-single and double precision. */
export const PAPER_ERRORS = { doubleSingle: 1e-10, double: 1e-12 };
const UNIT = 1e-12;

/** Targets below which its kernels of one thread a target leave the GPU idle. */
export const PAPER_IDLE_BELOW = 128;

export function published(settings: SuiteSettings): Published[] {
  const row = (quantity: string, where: string, value: Published["value"], ours: Ours, unit?: string): Published => ({
    ...{ quantity, where, value },
    ...(unit && { unit }),
    ours: (results: Results) => ours(new Sapporo(results, settings)),
  });
  const inUnits = (value: number | undefined) => value && value / UNIT;
  return [
    row("targets that fill the GPU", "sect. 3.1, fig. 1", 256, (found) => found.targetsAtFullSpeed),
    row("active targets below which sharing out the sources pays", "sect. 3.2, fig. 2", PAPER_IDLE_BELOW, (found) =>
      found.targetsWithoutSharing("double-single"),
    ),
    ...(
      [
        ["double over double-single precision, K20m, HD7970 (ours: float64 on the CPU)", 2.8],
        ["double over double-single precision, GTX680 (ours: float64 on the CPU)", 10],
      ] as const
    ).map(([quantity, value]) =>
      row(quantity, "sect. 3.4, fig. 3", value, (found) => found.cost(["jerk", "cpu"], ["jerk", "double-single"])),
    ),
    row("order 6 over order 4, double-single", "sect. 3.5, fig. 4", 2, (found) =>
      found.cost(["snap", "double-single"], ["jerk", "double-single"]),
    ),
    row("order 6 over order 4, double precision (ours: float64 on the CPU)", "sect. 3.5, fig. 4", 1.4, (found) =>
      found.cost(["snap", "cpu"], ["jerk", "cpu"]),
    ),
    row("double over double-single precision, order 6 (ours: float64 on the CPU)", "sect. 3.5, fig. 4", 2, (found) =>
      found.cost(["snap", "cpu"], ["snap", "double-single"]),
    ),
    row(
      "|ΔE/E| after a time unit, double-single",
      "sect. 3.7, fig. 6",
      PAPER_ERRORS.doubleSingle / UNIT,
      (found) => inUnits(found.energyError("double-single")),
      "10⁻¹²",
    ),
    row(
      "|ΔE/E| after a time unit, double precision (ours: float64 on the CPU)",
      "sect. 3.7, fig. 6",
      PAPER_ERRORS.double / UNIT,
      (found) => inUnits(found.energyError("cpu")),
      "10⁻¹²",
    ),
    row(
      "targets = sources above which the GPU is faster, against 8 cores (ours: one thread)",
      "sect. 4.1, fig. 7",
      100,
      (found) => found.evenAt,
    ),
  ];
}
