/** The results of the suite `aubert2009` by what was measured, and what follows from them. */
import { type Maybe, type Results, ratio } from "../spec.ts";
import {
  type Case,
  CPU,
  type Distribution,
  ENERGY,
  GPU,
  type Histogram,
  type Solver,
  type StepTimes,
} from "./measure.ts";

/** Size and distribution of a measurement. */
export type Spot = Pick<Case, "cells" | "distribution">;
export type OfDistribution = (distribution: Distribution) => Maybe;

export const HISTOGRAM_NAMES: Record<Histogram, string> = { sort: "sort", atomic: "atomics", host: "host" };
/** Where there is little room. */
export const SHORT_NAMES: Record<Solver, string> = { fft: "FFT", multigrid: "multigrid", "multigrid-default": "ours" };
/** In which energy is looked at: the paper's scheme, and what a deck runs with. */
export const SCHEMES = {
  paper: { name: "NGP", histogram: "sort", where: "NGP" },
  deck: { name: "CIC", histogram: "auto", where: "CIC in the deck's box" },
} as const;

/** A stage of the step, on both [ms]. */
export interface StageTimes {
  gpu: OfDistribution;
  cpu: OfDistribution;
}

/** The part of a step that the histogram is: ordering belongs to it where it works by ordering. */
export function histogramTime(times: StepTimes | undefined, histogram: Histogram | "cpu"): Maybe {
  if (!times) return undefined;
  const { order, deposit } = times.stages;
  return histogram === "atomic" || histogram === "host" ? deposit : order + deposit;
}

export class Found {
  constructor(private readonly results: Results) {}

  gpu(spot: Spot, solver: Solver, histogram: Histogram): StepTimes | undefined {
    return this.results.of(GPU, { ...spot, solver, histogram });
  }

  cpu(spot: Spot, solver: Solver): StepTimes | undefined {
    return this.results.of(CPU, { ...spot, solver });
  }

  energyError(spot: Spot, solver: Solver, scheme: keyof typeof SCHEMES): Maybe {
    return this.results.of(ENERGY, { ...spot, solver, scheme, histogram: SCHEMES[scheme].histogram })?.energyError;
  }

  /** CPU over GPU, of a step. */
  speedUp(spot: Spot, solver: Solver, histogram: Histogram): Maybe {
    return ratio(this.cpu(spot, solver)?.step.best, this.gpu(spot, solver, histogram)?.step.best);
  }

  /** A histogram, in steps with FFT. */
  histogram(cells: number, how: Histogram): StageTimes {
    return {
      gpu: (distribution) => histogramTime(this.gpu({ cells, distribution }, "fft", how), how),
      cpu: (distribution) => histogramTime(this.cpu({ cells, distribution }, "fft"), "cpu"),
    };
  }

  /** Another stage, on the GPU after the histogram by sorting. */
  stage(cells: number, stage: "poisson" | "gradient" | "update", solver: Solver = "fft"): StageTimes {
    return {
      gpu: (distribution) => this.gpu({ cells, distribution }, solver, "sort")?.stages[stage],
      cpu: (distribution) => this.cpu({ cells, distribution }, solver)?.stages[stage],
    };
  }
}
