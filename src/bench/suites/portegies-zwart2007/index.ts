/** The suite `portegies-zwart2007`: its page, and the paper's figures beside ours. */
import type { Engine } from "../hermite.ts";
import type { Maybe, Presentation, Results, Suite, SuiteSettings } from "../spec.ts";
import { among, beside, largest, least } from "../spec.ts";
import { plotsOf } from "./plots.ts";
import type { PaperMachine } from "./published.ts";
import {
  COUNTS,
  LEAST_ERRORS,
  MEAN_ERRORS,
  PAPER_MACHINES,
  paperBlocks,
  paperMembers,
  paperSeconds,
  speedUp as paperSpeedUp,
  TABLE_3,
  TABLE_3_HOST,
} from "./published.ts";
import { COSTS, measurements, NAMES } from "./quantities.ts";
import { type Readings, readingsOf } from "./readings.ts";
import { tablesOf } from "./tables.ts";

/** What of ours stands beside a machine of theirs: GPUs beside single precision, GRAPE beside pairs, hosts beside hosts. */
const BESIDE: Record<PaperMachine, Engine> = {
  "GRAPE-6Af": "double-single",
  "8800GTX": "single",
  FX1400: "single",
  Xeon: "cpu",
};
const oursBeside = (machine: PaperMachine) => `(ours: ${NAMES[BESIDE[machine]]})`;

const REMARKS = [
  "Everything runs on the GPU here: prediction, forces, correction and the choice of steps; between blocks nothing is sent or received. The paper’s GPUs got and returned all particles at every block, which by its model takes most of the 8800GTX’s time at all these sizes, and predicted and corrected on the host: its figure 5 asks what it would be without.",
  "“Single” means that forces are summed in float32 slices of 128 from differences of float32 positions; positions and velocities are pairs of float32 in both precisions, and so are the totals of the slices. The paper’s GPUs know positions and sum forces in float32 alone, and its energy error stops near 10⁻⁷ for it.",
  "The smallest step is 2⁻³⁰ of the largest, the paper’s 2⁻²⁶ of the time unit. The first steps are an eighth of its eq. 2 (docs/integrators.md).",
  "The number of blocks lies above the paper’s fit, here as in other codes; their size agrees with its eq. 14.",
  "The host is this machine’s CPU in float64, one thread of JavaScript. The paper’s 131072 to 524288 particles on the 8800GTX are not run, nor is its figure 5, an outlook.",
];

function present(results: Results, settings: SuiteSettings): Presentation {
  const readings = readingsOf(results, settings);
  return { tables: tablesOf(readings), plots: plotsOf(readings), published: publishedOf(readings), remarks: REMARKS };
}

function publishedOf({ results, counts, nus, seconds, errorOf, speedUp, blocks, members, energy }: Readings) {
  const MILLIONTHS = { unit: "10⁻⁶", factor: 1e6 };
  const inMillionths = (errors: Maybe[], pick: (values: number[]) => number) => {
    const found = among(
      errors.map((one) => one && Math.abs(one)),
      pick,
    );
    return found && MILLIONTHS.factor * found;
  };
  const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const nano = (value: Maybe) => value && 1e9 * value;
  const rounded = (value: number) => Number(value.toPrecision(3));
  const cost = (engine: Engine) => results.of(COSTS, { engine });
  const host = cost("cpu");
  return [
    ...beside(
      { where: "table 2", unit: "s" },
      PAPER_MACHINES.flatMap((machine) =>
        COUNTS.map((count) => [
          `quarter time unit, ${count}, ${machine} ${oursBeside(machine)}`,
          paperSeconds(machine)(count),
          seconds(BESIDE[machine])(count),
        ]),
      ),
    ),
    ...beside(
      { where: "eq. 14" },
      COUNTS.map((count) => [`mean block, ${count}`, paperMembers(count), members(count)]),
    ),
    ...beside(
      { where: "eq. 17" },
      COUNTS.map((count) => [`blocks of a time unit, ${count}`, paperBlocks(count), blocks(count)]),
    ),
    ...beside(
      { where: "sect. 6", unit: MILLIONTHS.unit },
      (["8800GTX", "FX1400", "GRAPE-6Af"] as const).map((machine) => [
        `mean |ΔE/E| of a quarter, ν = 0.01, ${machine} ${oursBeside(machine)}`,
        MEAN_ERRORS[machine],
        inMillionths(COUNTS.map(errorOf(BESIDE[machine])), mean),
      ]),
    ),
    ...beside(
      { where: "fig. 2, sect. 4.2", unit: MILLIONTHS.unit },
      (["8800GTX", "GRAPE-6Af"] as const).map((machine) => [
        `least |ΔE/E| over ν, ${machine} ${oursBeside(machine)}`,
        rounded(MILLIONTHS.factor * LEAST_ERRORS[machine]),
        inMillionths(
          counts.flatMap((count) => nus.map((nu) => energy(BESIDE[machine], count, nu))),
          least,
        ),
      ]),
    ),
    ...beside({ where: "table 3", unit: "ns" }, [
      [
        "a particle predicted and corrected on the host (ours: CPU, float64)",
        rounded(1e9 * TABLE_3_HOST),
        nano(host && host.loops[0].predict + host.correct),
      ],
    ]),
    ...beside(
      { where: "table 3", unit: "ns" },
      PAPER_MACHINES.map((machine) => [
        `force between two particles, ${machine} ${oursBeside(machine)}`,
        rounded(1e9 * TABLE_3[machine].pair),
        nano(cost(BESIDE[machine])?.pair),
      ]),
    ),
    ...beside(
      { where: "table 3", unit: "ns" },
      (["send", "receive"] as const).map((key) => [
        `${key === "send" ? "sending" : "receiving"} a particle, 8800GTX (ours: not in a run)`,
        rounded(1e9 * TABLE_3["8800GTX"][key]!),
        nano(cost("single")?.[key]),
      ]),
    ),
    ...beside(
      { where: "fig. 4, table 2" },
      COUNTS.map((count) => [
        `speed-up over the host, ${count}, 8800GTX ${oursBeside("8800GTX")}`,
        rounded(paperSpeedUp("8800GTX", count)),
        speedUp("single")(count),
      ]),
    ),
    ...beside({ where: "sect. 5.4" }, [
      [
        "speed-up over the host for many particles, 8800GTX (ours: the largest)",
        { atLeast: 10 },
        among(COUNTS.map(speedUp("single")), largest),
      ],
    ]),
  ];
}

export const suite: Suite = {
  id: "portegies-zwart2007",
  title: "Star clusters with block time steps",
  paper: "S. F. Portegies Zwart, R. G. Belleman & P. M. Geldof 2007, New Astronomy 12, 641–650",
  hardware: "a GRAPE-6Af, a GeForce 8800GTX, a Quadro FX1400 and a 3.4 GHz Xeon, which also hosted them",
  about:
    "Plummer spheres of equal masses, scaled to virial equilibrium; Hermite’s fourth-order scheme with block steps, softening " +
    "1/256, ν = 0.01, largest step 1/8, timed from t = 0.25 to 0.5. Blocks against the paper’s fits, energy against ν, and " +
    "its performance model with what it is made of measured on this machine.",
  measurements,
  present,
};
