/**
 * The figures that Bédorf, Gaburov & Portegies Zwart (2015) give in their text, sections 3 and 4.1, beside ours. Their times
 * are in plots only, and in no table: nothing is read off those.
 */
import type { Engine } from "../hermite.ts";
import { among, beside, type Maybe, type Published, type Results, type SuiteSettings } from "../spec.ts";
import { DOUBLE_SINGLE, DOUBLE_SINGLE_6, FLOAT64, FLOAT64_6, type Kind } from "./measure.ts";
import {
  casesOf,
  costAt,
  energyError,
  evenAt,
  modelledGain,
  rankedGain,
  targetsAtFullSpeed,
  targetsWithoutSharing,
} from "./quantities.ts";

/** |ΔE/E| after a time unit, "around": double-single and double precision. */
export const PAPER_ERRORS = { doubleSingle: 1e-10, double: 1e-12 };
const UNIT = 1e-12;

export function published(results: Results, settings: SuiteSettings): Published[] {
  const cases = casesOf(settings);
  /** At the largest N that has both. */
  const cost = (kind: Kind, other: Kind) =>
    among(
      cases.squares.map((count) => costAt(results, count, kind, other)),
      (found) => found[found.length - 1],
    );
  const error = (engine: Engine) => {
    const value = energyError(results, cases, engine);
    return value && value / UNIT;
  };
  /** Of the largest N that has it. */
  const atMost = (of: (count: number) => Maybe) => among(cases.squares.map(of), (found) => found[found.length - 1]);
  return [
    ...beside({ where: "sect. 3.1, fig. 1" }, [["targets that fill the GPU", 256, targetsAtFullSpeed(results, cases)]]),
    ...beside({ where: "sect. 3.2, fig. 2" }, [
      // Below, its kernels of one thread a target leave the GPU idle.
      ["active targets below which sharing out the sources pays", 128, targetsWithoutSharing(results, "double-single")],
    ]),
    ...beside({ where: "sect. 3.4, fig. 3" }, [
      [
        "double over double-single precision, K20m, HD7970 (ours: float64 on the CPU)",
        2.8,
        cost(FLOAT64, DOUBLE_SINGLE),
      ],
      ["double over double-single precision, GTX680 (ours: float64 on the CPU)", 10, cost(FLOAT64, DOUBLE_SINGLE)],
    ]),
    ...beside({ where: "sect. 3.5, fig. 4" }, [
      ["order 6 over order 4, double-single", 2, cost(DOUBLE_SINGLE_6, DOUBLE_SINGLE)],
      ["order 6 over order 4, double precision (ours: float64 on the CPU)", 1.4, cost(FLOAT64_6, FLOAT64)],
      ["double over double-single precision, order 6 (ours: float64 on the CPU)", 2, cost(FLOAT64_6, DOUBLE_SINGLE_6)],
    ]),
    ...beside({ where: "sect. 3.6, fig. 5" }, [
      [
        "four GPUs over one, largest N (“near perfect”; ours: measured on 4 ranks)",
        4,
        atMost((n) => rankedGain(results, n, 4)),
      ],
      ["four GPUs over one, largest N (ours: the model)", 4, atMost((n) => modelledGain(results, n, 4))],
    ]),
    ...beside({ where: "sect. 3.7, fig. 6", unit: "10⁻¹²" }, [
      ["|ΔE/E| after a time unit, double-single", PAPER_ERRORS.doubleSingle / UNIT, error("double-single")],
      [
        "|ΔE/E| after a time unit, double precision (ours: float64 on the CPU)",
        PAPER_ERRORS.double / UNIT,
        error("cpu"),
      ],
    ]),
    ...beside({ where: "sect. 4.1, fig. 7" }, [
      [
        "targets = sources above which the GPU is faster, against 8 cores (ours: one thread)",
        100,
        evenAt(results, cases),
      ],
    ]),
  ];
}
