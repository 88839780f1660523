/** What the suite `aubert2009` measures, case by case. */
import { milliseconds, plainNumber } from "../../../page/numbers.ts";
import { Experiment, type SuiteSettings } from "../spec.ts";
import type { Case, Distribution, Energy, Repetitions, Solver, StepTimes } from "./measure.ts";
import { cpuSteps, DISTRIBUTIONS, energyOver, gpuSteps, HISTOGRAMS, SOLVERS, tooLarge } from "./measure.ts";

export const SOLVER_NAMES: Record<Solver, string> = {
  fft: "FFT",
  multigrid: "the paper's multigrid",
  "multigrid-default": "our multigrid",
};
export const NAMES: Record<Distribution, string> = { plummer: "Plummer", disk: "disk", uniform: "uniform" };

/** 128 → "128³". */
export const cube = (cells: number) => `${cells}³`;

/** Cells per side for the time of a step on the GPU and on the CPU, for energy, and for energy with every histogram. */
export function sizes({ quick }: SuiteSettings) {
  const every = [32, 64, 128];
  return { gpu: quick ? every : [...every, 256], cpu: every, energy: quick ? [64] : every, energyOfHistograms: 64 };
}

/** Whether a step is measured: with --quick, of the largest mesh only what the paper's figures are of, for the disk. */
function isMeasured({ cells, distribution, solver, histogram }: Case, { quick }: SuiteSettings): boolean {
  if (!quick || cells < 128) return true;
  return distribution === "disk" && solver !== "multigrid-default" && histogram !== "atomic";
}

const name = ({ cells, distribution, solver }: Omit<Case, "histogram" | "scheme">) =>
  `${cube(cells)} ${NAMES[distribution]}, ${SOLVER_NAMES[solver]}`;
const brief = ({ step }: StepTimes) => `${milliseconds(step.best)} ms a step`;

export const CPU = new Experiment<Pick<Case, "cells" | "distribution" | "solver">, Case & Repetitions, StepTimes>({
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
  brief: ({ energyError }) => `ΔE/E ${plainNumber(energyError)}`,
});

/** Many short repetitions: on a busy machine one of them is likely to run undisturbed. */
const plans = ({ quick }: SuiteSettings): Record<"gpu" | "cpu", Repetitions> => ({
  gpu: quick ? { repetitions: 6, about: 60, longest: 1500 } : { repetitions: 12, about: 200, longest: 10_000 },
  cpu: quick ? { repetitions: 4, about: 100, longest: 2500 } : { repetitions: 6, about: 300, longest: 20_000 },
});

export function measurements(settings: SuiteSettings) {
  const { gpu, cpu, energy, energyOfHistograms } = sizes(settings);
  const plan = plans(settings);
  const ofOne = (cells: number, distribution: Distribution, solver: Solver) => {
    const one = { cells, distribution, solver };
    const cases = HISTOGRAMS.map((histogram): Case => ({ ...one, histogram, scheme: "paper" }));
    const steps = cases.filter((step) => isMeasured(step, settings));
    // Energy with the paper's scheme and with ours; at one size with every histogram.
    const all = cells === energyOfHistograms && (!settings.quick || distribution === "disk");
    const energies = [
      ...(all ? HISTOGRAMS : HISTOGRAMS.slice(0, 1)).map((histogram): Case => ({ ...one, scheme: "paper", histogram })),
      { ...one, scheme: "deck", histogram: "auto" } as const,
    ];
    return [
      ...steps.map((step) => GPU.of({ ...step, ...plan.gpu })),
      ...(cpu.includes(cells) && steps.length > 0 ? [CPU.of({ ...cases[0], ...plan.cpu })] : []),
      ...(energy.includes(cells) ? energies.map((run) => ENERGY.of(run)) : []),
    ];
  };
  return gpu.flatMap((cells) =>
    DISTRIBUTIONS.flatMap((distribution) => SOLVERS.flatMap((solver) => ofOne(cells, distribution, solver))),
  );
}
