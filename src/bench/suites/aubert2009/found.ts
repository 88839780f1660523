/** The results of the suite `aubert2009` by what was measured, and what follows from them. */
import { type Maybe, type Results, ratio } from "../spec.ts";
import {
  type Case,
  CPU,
  type Distribution,
  ENERGY,
  GPU,
  HISTOGRAMS,
  type Histogram,
  SOLVERS,
  type Solver,
  type StepTimes,
} from "./measure.ts";

/** Size and distribution of a measurement. */
export type Spot = Pick<Case, "cells" | "distribution">;
export type OfDistribution = (distribution: Distribution) => Maybe;

export const HISTOGRAM_NAMES: Record<Histogram, string> = { sort: "sort", atomic: "atomics", host: "host" };
/** Where there is little room. */
export const SHORT_NAMES: Record<Solver, string> = { fft: "FFT", multigrid: "multigrid", "multigrid-default": "ours" };
/** Without what is uniform: the paper's statements on sphere and disk. */
export const CONCENTRATED = ["plummer", "disk"] as const;

/** In which energy is looked at: the paper's scheme, and what a deck runs with. */
export const SCHEMES = {
  paper: { name: "NGP", histogram: "sort", where: "NGP" },
  deck: { name: "CIC", histogram: "auto", where: "CIC in the deck's box" },
} as const;

/** A stage of the step, on both [ms]. */
export interface StageTimes {
  label: string;
  gpu: OfDistribution;
  cpu: OfDistribution;
}

/** CPU over GPU. */
export const gainOf =
  ({ gpu, cpu }: StageTimes): OfDistribution =>
  (distribution) =>
    ratio(cpu(distribution), gpu(distribution));

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

  /** Each histogram, each solver, and what depends on neither; the GPU's runs by sorting, with FFT. */
  stages(cells: number): StageTimes[] {
    const at = (distribution: Distribution): Spot => ({ cells, distribution });
    const one = (label: string, stage: "poisson" | "gradient" | "update", solver: Solver = "fft"): StageTimes => ({
      label,
      gpu: (distribution) => this.gpu(at(distribution), solver, "sort")?.stages[stage],
      cpu: (distribution) => this.cpu(at(distribution), solver)?.stages[stage],
    });
    return [
      ...HISTOGRAMS.map((how) => ({
        label: `histogram, ${HISTOGRAM_NAMES[how]}`,
        gpu: (distribution: Distribution) => histogramTime(this.gpu(at(distribution), "fft", how), how),
        cpu: (distribution: Distribution) => histogramTime(this.cpu(at(distribution), "fft"), "cpu"),
      })),
      ...SOLVERS.map((solver) => one(SHORT_NAMES[solver], "poisson", solver)),
      one("gradient", "gradient"),
      one("update", "update"),
    ];
  }

  /** The same by its label. */
  stage(cells: number, label: string): StageTimes {
    return this.stages(cells).find((stage) => stage.label === label)!;
  }
}
