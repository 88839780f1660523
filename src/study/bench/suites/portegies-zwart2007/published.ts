/** What Portegies Zwart, Belleman & Geldof (2007) print: tables 2 and 3, the fits of eqs. 14 and 17, energy errors. */
import type { SumEngine } from "../hermite.ts";

/** Numbers of particles of table 2 up to where all the paper's machines were measured. */
export const COUNTS: readonly number[] = [256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];

export const PAPER_MACHINES = ["GRAPE-6Af", "8800GTX", "FX1400", "Xeon"] as const;
export type PaperMachine = (typeof PAPER_MACHINES)[number];

/** Table 2: seconds of a quarter time unit, for each of COUNTS. */
export const TABLE_2: Record<PaperMachine, readonly number[]> = {
  "GRAPE-6Af": [0.07098, 0.141, 0.3327, 0.7652, 1.991, 5.552, 16.32, 51.68, 178.2],
  "8800GTX": [2.708, 8.777, 17.46, 45.27, 128.3, 342.7, 924.4, 1907, 3973],
  FX1400: [3.423, 10.59, 20.2, 54.16, 157.8, 617.3, 3398, 13_180, 40_560],
  Xeon: [0.1325, 0.5941, 2.584, 10.59, 50.4, 224.7, 994, 4328, 19_290],
};

interface Printed {
  /** Which of our engines stands beside it: GPUs beside single precision, GRAPE beside pairs, hosts beside hosts. */
  beside: SumEngine;
  /** Table 3 [s]: a force between two particles; sending and receiving one. */
  pair: number;
  send?: number;
  receive?: number;
  /** Mean |ΔE/E| of a quarter with ν = 0.01 (section 6), and what it comes down to with a small ν (figure 2, section 4.2). */
  meanError?: number;
  leastError?: number;
}

export const PRINTED: Record<PaperMachine, Printed> = {
  "GRAPE-6Af": {
    ...{ beside: "double-single", pair: 4.63e-10, send: 8e-7, receive: 8e-7 },
    ...{ meanError: 1.9e-7, leastError: 1e-11 },
  },
  "8800GTX": {
    ...{ beside: "single", pair: 8.15e-10, send: 1.76e-5, receive: 5.97e-6 },
    ...{ meanError: 1.7e-6, leastError: 1e-7 },
  },
  FX1400: { beside: "single", pair: 1.43e-8, send: 1.89e-5, receive: 5.98e-6, meanError: 5.1e-6 },
  Xeon: { beside: "cpu", pair: 5.29e-8 },
};
/** Table 3 has this too: a particle predicted and corrected on the host [s]. */
export const HOST = 3.82e-7;

/** Seconds of a quarter time unit, by table 2. */
export const paperSeconds = (machine: PaperMachine) => (count: number) => TABLE_2[machine][COUNTS.indexOf(count)];

/** A machine's speed-up over the Xeon, by table 2. */
export const paperSpeedUp = (machine: PaperMachine) => (count: number) =>
  paperSeconds("Xeon")(count) / paperSeconds(machine)(count);

/** Mean number of particles in a block, the paper's fit (eq. 14). */
export const paperMembers = (count: number): number => 0.2 * count ** 0.81;

/** Blocks of a time unit, the paper's fit (eq. 17). */
export const paperBlocks = (count: number): number => 247 * count ** 0.35;
