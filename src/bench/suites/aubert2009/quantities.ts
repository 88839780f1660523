/** What the suite `aubert2009` measures, case by case, and what is derived from the results. */
import { milliseconds } from "../../../page/numbers.ts";
import { among, Experiment, largest, least, type Maybe, type Results, ratio, type SuiteSettings } from "../spec.ts";
import { figure } from "../text.ts";
import { median } from "../timing.ts";
import type { Case, Distribution, Energy, Histogram, InTurns, Repetitions, Solver, StepTimes } from "./measure.ts";
import {
  cpuSteps,
  DISTRIBUTIONS,
  distributionsInTurns,
  energyOver,
  gpuSteps,
  HISTOGRAMS,
  inTurnsCase,
  SOLVERS,
  tooLarge,
} from "./measure.ts";

export const SOLVER_NAMES: Record<Solver, string> = {
  fft: "FFT",
  multigrid: "the paper's multigrid",
  "multigrid-default": "our multigrid",
};
/** Where there is little room. */
export const SHORT_NAMES: Record<Solver, string> = {
  fft: "FFT",
  multigrid: "multigrid",
  "multigrid-default": "multigrid, ours",
};
export const NAMES: Record<Distribution, string> = { plummer: "Plummer", disk: "disk", uniform: "uniform" };
export const HISTOGRAM_NAMES: Record<Histogram, string> = { sort: "sort", atomic: "atomics", host: "host" };

/** 128 → "128³". */
export const cube = (cells: number) => `${cells}³`;

export interface Sizes {
  /** Cells per side for the time of a step on the GPU, and on the CPU. */
  gpu: readonly number[];
  cpu: readonly number[];
  energy: readonly number[];
  /** For energy with every histogram. */
  energyOfHistograms: number;
  /** For the distributions in turns. */
  turns: number;
}

export function sizes({ quick }: SuiteSettings): Sizes {
  if (quick) return { gpu: [32, 64, 128], cpu: [32, 64, 128], energy: [64], energyOfHistograms: 64, turns: 128 };
  return { gpu: [32, 64, 128, 256], cpu: [32, 64, 128], energy: [32, 64, 128], energyOfHistograms: 64, turns: 128 };
}

/** Whether a step is measured: with --quick, of the largest mesh only what the paper's figures are of, for the disk. */
function isMeasured({ cells, distribution, solver, histogram }: Case, { quick }: SuiteSettings): boolean {
  if (!quick || cells < 128) return true;
  return distribution === "disk" && solver !== "multigrid-default" && histogram !== "atomic";
}

const name = ({ cells, distribution, solver }: Omit<Case, "histogram" | "scheme">) =>
  `${cube(cells)} ${NAMES[distribution]}, ${SOLVER_NAMES[solver]}`;
const brief = ({ step }: StepTimes) => `${milliseconds(step.best)} ms a step`;

type Stepped = Pick<Case, "cells" | "distribution" | "solver">;

export const CPU = new Experiment<Stepped, Case & Repetitions, StepTimes>({
  key: ({ cells, distribution, solver }) => `cpu-${cells}-${distribution}-${solver}`,
  label: (one) => `${name(one)}, float64 on the CPU`,
  run: (one, context) => cpuSteps(one, one, context),
  brief,
});

export const GPU = new Experiment<Omit<Case, "scheme">, Case & Repetitions, StepTimes>({
  key: ({ cells, distribution, solver, histogram }) => `gpu-${cells}-${distribution}-${solver}-${histogram}`,
  label: (one) => `${name(one)}, ${one.histogram}`,
  skip: (one, { gpu }) => tooLarge(one, gpu),
  run: (one, context) => gpuSteps(one, one, context),
  brief,
});

export const ENERGY = new Experiment<Case, unknown, Energy>({
  key: ({ cells, distribution, solver, histogram, scheme }) =>
    `energy-${cells}-${distribution}-${solver}-${histogram}-${scheme}`,
  label: (one) => `${name(one)}, energy over a time unit, ${one.scheme === "paper" ? `NGP, ${one.histogram}` : "CIC"}`,
  skip: (one, { gpu }) => tooLarge(one, gpu),
  run: energyOver,
  brief: ({ energyError }) => `ΔE/E ${figure(energyError)}`,
});

export const TURNS = new Experiment<{ cells: number }, Repetitions, InTurns>({
  key: ({ cells }) => `distributions-${cells}`,
  label: ({ cells }) => `${cube(cells)}, the three distributions in turns, CIC, FFT`,
  skip: ({ cells }, { gpu }) => tooLarge(inTurnsCase(cells, "uniform"), gpu),
  run: ({ cells, ...plan }, context) => distributionsInTurns(cells, plan, context),
  brief: (found) => DISTRIBUTIONS.map((one) => `${NAMES[one]} ${milliseconds(found[one].best)} ms`).join(", "),
});

/** Many short repetitions: on a busy machine one of them is likely to run undisturbed. */
const plans = ({ quick }: SuiteSettings): Record<"gpu" | "cpu" | "turns", Repetitions> => ({
  gpu: quick ? { repetitions: 6, about: 60, longest: 1500 } : { repetitions: 12, about: 200, longest: 10_000 },
  cpu: quick ? { repetitions: 4, about: 100, longest: 2500 } : { repetitions: 6, about: 300, longest: 20_000 },
  turns: quick ? { repetitions: 7, about: 100, longest: 10_000 } : { repetitions: 20, about: 200, longest: 60_000 },
});

export function measurements(settings: SuiteSettings) {
  const { gpu, cpu, energy, energyOfHistograms, turns } = sizes(settings);
  const plan = plans(settings);
  const list = gpu.flatMap((cells) =>
    DISTRIBUTIONS.flatMap((distribution) =>
      SOLVERS.flatMap((solver) => {
        const cases = HISTOGRAMS.map(
          (histogram): Case => ({
            ...{ cells, distribution, solver, histogram, scheme: "paper" },
          }),
        );
        const steps = cases.filter((one) => isMeasured(one, settings));
        // Energy with the paper's scheme and with ours; at one size with every histogram.
        const all = cells === energyOfHistograms && (settings.quick ? distribution === "disk" : true);
        const schemes = [
          ...(all ? HISTOGRAMS : (["sort"] as const)).map((histogram) => ({ scheme: "paper" as const, histogram })),
          { scheme: "deck" as const, histogram: "auto" as const },
        ];
        return [
          ...steps.map((one) => GPU.of({ ...one, ...plan.gpu })),
          ...(cpu.includes(cells) && steps.length > 0 ? [CPU.of({ ...cases[0], ...plan.cpu })] : []),
          ...(energy.includes(cells) ? schemes.map((one) => ENERGY.of({ cells, distribution, solver, ...one })) : []),
        ];
      }),
    ),
  );
  return [...list, TURNS.of({ cells: turns, ...plan.turns })];
}

/** Size and distribution of a measurement. */
export interface Spot {
  cells: number;
  distribution: Distribution;
}
export const spotName = ({ cells, distribution }: Spot) => `${cube(cells)} ${NAMES[distribution]}`;
export type OfDistribution = (distribution: Distribution) => Maybe;

/** The part of a step that the histogram is: ordering belongs to it where it works by ordering. */
export function histogramTime(times: StepTimes | undefined, histogram: Histogram | "cpu"): Maybe {
  if (!times) return undefined;
  const { order, deposit } = times.stages;
  return histogram === "atomic" || histogram === "host" ? deposit : order + deposit;
}

/** Of what the distributions give, the middle one; the least and the largest, or the only one. */
export const middle = (of: OfDistribution, over: readonly Distribution[] = DISTRIBUTIONS) =>
  among(over.map(of), median);
export function span(of: OfDistribution): number | readonly [number, number] | null {
  const found = DISTRIBUTIONS.map(of).filter((value) => value !== undefined);
  return found.length < 2 ? (found[0] ?? null) : [least(found), largest(found)];
}
/** Without what is uniform: the paper's statements on sphere and disk. */
export const CONCENTRATED = ["plummer", "disk"] as const;

/** A stage of the step, on both [ms]. */
export interface StageTimes {
  label: string;
  gpu: OfDistribution;
  cpu: OfDistribution;
}

/** The paper's scheme, and what a deck runs with. */
export const NGP = { scheme: "paper", histogram: "sort" } as const;
export const CIC = { scheme: "deck", histogram: "auto" } as const;

type EnergyCase = { scheme: "paper"; histogram: Histogram } | { scheme: "deck"; histogram: "auto" };

/** The results, by what was measured, and what follows from them. */
export class Found {
  constructor(private readonly results: Results) {}

  gpu(spot: Spot, solver: Solver, histogram: Histogram): StepTimes | undefined {
    return this.results.of(GPU, { ...spot, solver, histogram });
  }

  cpu(spot: Spot, solver: Solver): StepTimes | undefined {
    return this.results.of(CPU, { ...spot, solver });
  }

  turns(cells: number): InTurns | undefined {
    return this.results.of(TURNS, { cells });
  }

  energyError(spot: Spot, solver: Solver, one: EnergyCase): Maybe {
    return this.results.of(ENERGY, { ...spot, solver, ...one })?.energyError;
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

/** CPU over GPU. */
export const gainOf =
  ({ gpu, cpu }: StageTimes): OfDistribution =>
  (distribution) =>
    ratio(cpu(distribution), gpu(distribution));
