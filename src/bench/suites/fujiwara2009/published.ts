/**
 * The figures that Fujiwara & Nakasato (2009) print: tables II and III, and what section V says of them. Of figure 14, a
 * plot, only what the text gives in numbers. Their table III calls its last row "dividing-input", their text
 * "double-unrolling".
 */
import type { Published, Results, SuiteSettings } from "../suite.ts";
import { gigaflops, PROGRAM_NAMES, SYSTEMS, scanCounts, UNROLLINGS, type Unrolling } from "./cases.ts";
import { Fujiwara, ratio } from "./results.ts";

const PAPER_COUNTS = SYSTEMS.map(({ count }) => count);

/** Table II: one step [s], by number of particles. */
export const TABLE_2: Record<"cpu" | Unrolling, readonly number[]> = {
  cpu: [5.6, 9.7, 32, 971],
  plain: [0.012, 0.023, 0.052, 1.19],
  "targets-4": [0.01, 0.016, 0.035, 0.78],
  "targets-4-sources-4": [0.009, 0.011, 0.029, 0.5],
};

/** Table III: a hundred steps [s]. */
export const TABLE_3: Record<Unrolling, readonly number[]> = {
  plain: [0.95, 1.19, 4.77, 119],
  "targets-4": [0.74, 1.24, 3.1, 79.8],
  "targets-4-sources-4": [0.68, 0.92, 2.43, 55],
};

/** Figure 14, by the text: the largest rate [Gflop/s] of the optimised code, and about where. */
export const OPTIMISED = { count: 200_000, rate: 990 };
/** And a time that it gives [s]. */
const LARGEST = { count: 226_304, seconds: 2 };

type Ours = (found: Fujiwara) => number | undefined;

function row(quantity: string, where: string, value: Published["value"], ours: Ours, unit?: string): Published {
  return { quantity, where, value, ...(unit && { unit }), ours: (results: Results) => ours(new Fujiwara(results)) };
}

function table2(): Published[] {
  return (["cpu", ...UNROLLINGS] as const).flatMap((program) =>
    PAPER_COUNTS.map((count, i) => {
      const name = program === "cpu" ? "CPU" : PROGRAM_NAMES[program];
      const ours: Ours = (found) =>
        program === "cpu" ? found.cpu(count)?.seconds : found.force(count)?.programs[program].seconds;
      return row(`force evaluation, ${count}, ${name}`, "table II", TABLE_2[program][i], ours, "s");
    }),
  );
}

function table3(): Published[] {
  return UNROLLINGS.flatMap((program) =>
    PAPER_COUNTS.map((count, i) =>
      row(
        `100 steps, ${count}, ${PROGRAM_NAMES[program]}`,
        "table III",
        TABLE_3[program][i],
        (found) => found.steps(count, program)?.seconds,
        "s",
      ),
    ),
  );
}

function gains(): Published[] {
  const over: Record<Unrolling, readonly [number, number]> = {
    plain: [400, 800],
    "targets-4": [500, 1200],
    "targets-4-sources-4": [600, 1900],
  };
  const unrolled = [1.08, 1.35, 1.28, 1.45];
  return [
    ...UNROLLINGS.map((program) =>
      row(`speed-up over the CPU, ${PROGRAM_NAMES[program]}`, "sect. V.B", over[program], (found) =>
        found.middle(({ count }) => found.speedUp(count, program)),
      ),
    ),
    ...PAPER_COUNTS.map((count, i) =>
      row(`100 steps, ${count}, targets × 4 over both × 4`, "sect. V.B", unrolled[i], (found) =>
        ratio(found.steps(count, "targets-4")?.seconds, found.steps(count, "targets-4-sources-4")?.seconds),
      ),
    ),
  ];
}

function rates(settings: SuiteSettings): Published[] {
  const most: Record<Unrolling, number> = { plain: 319, "targets-4": 476, "targets-4-sources-4": 690 };
  return [
    ...UNROLLINGS.map((program) =>
      row(
        `largest rate in 100 steps, ${PROGRAM_NAMES[program]}`,
        "fig. 13, sect. V.B",
        most[program],
        (found) => found.largest(PAPER_COUNTS.map((count) => found.stepsRate(count, program))),
        "Gflop/s",
      ),
    ),
    row(
      "largest rate of the optimised code (ours: of any shape)",
      "fig. 14, sect. VI",
      OPTIMISED.rate,
      (found) => found.largest(scanCounts(settings).map((count) => found.bestRate(count))),
      "Gflop/s",
    ),
    row(
      `force evaluation, ${LARGEST.count}, optimised (ours: scaled from the largest of the scan)`,
      "sect. VI",
      LARGEST.seconds,
      (found) => {
        const count = Math.max(...scanCounts(settings));
        const rate = count < LARGEST.count ? undefined : found.bestRate(count);
        return rate && gigaflops(LARGEST.count, 1) / rate;
      },
      "s",
    ),
  ];
}

export function published(settings: SuiteSettings): Published[] {
  return [...table2(), ...table3(), ...gains(), ...rates(settings)];
}
