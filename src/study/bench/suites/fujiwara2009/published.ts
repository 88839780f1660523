/**
 * What Fujiwara & Nakasato (2009) print: tables II and III, and the numbers of their text. Their table III calls its
 * last row "dividing-input", their text "double-unrolling".
 */
import type { Unrolling } from "./measure.ts";

/** Table II: one step [s], by number of particles. */
export const TABLE_2: Record<"cpu" | Unrolling, readonly number[]> = {
  cpu: [5.6, 9.7, 32, 971],
  plain: [0.012, 0.023, 0.052, 1.19],
  "targets-4": [0.01, 0.016, 0.035, 0.78],
  "targets-4-sources-4": [0.009, 0.011, 0.029, 0.5],
};

/** What each unrolling gives: table III, a hundred steps [s]; the largest rate [Gflop/s] (figure 13) and the speed-up of an evaluation over the CPU (section V.B). */
export const UNROLLED: Record<
  Unrolling,
  { steps: readonly number[]; rate: number; speedUp: readonly [number, number] }
> = {
  plain: { steps: [0.95, 1.19, 4.77, 119], rate: 319, speedUp: [400, 800] },
  "targets-4": { steps: [0.74, 1.24, 3.1, 79.8], rate: 476, speedUp: [500, 1200] },
  "targets-4-sources-4": { steps: [0.68, 0.92, 2.43, 55], rate: 690, speedUp: [600, 1900] },
};

/** A hundred steps with the targets unrolled over those with sources, too, by number of particles (section V.B). */
export const GAINS = [1.08, 1.35, 1.28, 1.45];

/** Figure 14, by the text: the largest rate [Gflop/s] of the optimised code, and about where; and a time that it gives [s]. */
export const OPTIMISED = { count: 200_000, rate: 990 };
export const LARGEST = { count: 226_304, seconds: 2 };
