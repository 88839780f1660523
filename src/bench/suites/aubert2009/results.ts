/** The results of the suite `aubert2009` by what was measured, and what is derived from them. */
import type { Results } from "../suite.ts";
import { median } from "../timing.ts";
import { type Case, DISTRIBUTIONS, type Distribution, type Histogram, type Solver } from "./cases.ts";
import type { Energy, InTurns, Stage, StepTimes } from "./measure.ts";

export const gpuKey = ({ cells, distribution, solver, histogram }: Omit<Case, "scheme">) =>
  `gpu-${cells}-${distribution}-${solver}-${histogram}`;
export const cpuKey = ({ cells, distribution, solver }: Pick<Case, "cells" | "distribution" | "solver">) =>
  `cpu-${cells}-${distribution}-${solver}`;
export const energyKey = ({ cells, distribution, solver, histogram, scheme }: Case) =>
  `energy-${cells}-${distribution}-${solver}-${histogram}-${scheme}`;
export const turnsKey = (cells: number) => `distributions-${cells}`;

type Maybe = number | undefined;

/** The part of a step that the histogram is: ordering belongs to it where it works by ordering. */
export function histogramTime({ stages }: StepTimes, histogram: Histogram | "cpu"): number {
  return histogram === "atomic" || histogram === "host" ? stages.deposit : stages.order + stages.deposit;
}

export function ratio(above: Maybe, below: Maybe): Maybe {
  return above === undefined || below === undefined || below === 0 ? undefined : above / below;
}

/** The middle one of what the distributions give; undefined where none was measured. */
export function middle(values: readonly Maybe[]): Maybe {
  const found = values.filter((value) => value !== undefined);
  return found.length === 0 ? undefined : median(found);
}

/** Least and largest of what the distributions give, or the only one. */
export function span(values: readonly Maybe[]): number | readonly [number, number] | null {
  const found = values.filter((value) => value !== undefined);
  if (found.length < 2) return found[0] ?? null;
  return [Math.min(...found), Math.max(...found)];
}

export class Aubert {
  readonly #results: Results;

  constructor(results: Results) {
    this.#results = results;
  }

  gpu(cells: number, distribution: Distribution, solver: Solver, histogram: Histogram): StepTimes | undefined {
    return this.#results.get(gpuKey({ cells, distribution, solver, histogram }));
  }

  cpu(cells: number, distribution: Distribution, solver: Solver): StepTimes | undefined {
    return this.#results.get(cpuKey({ cells, distribution, solver }));
  }

  energy(one: Case): Energy | undefined {
    return this.#results.get(energyKey(one));
  }

  turns(cells: number): InTurns | undefined {
    return this.#results.get(turnsKey(cells));
  }

  /** CPU over GPU, of a step. */
  speedUp(cells: number, distribution: Distribution, solver: Solver, histogram: Histogram): Maybe {
    const gpu = this.gpu(cells, distribution, solver, histogram);
    return ratio(this.cpu(cells, distribution, solver)?.step.best, gpu?.step.best);
  }

  /** CPU over GPU, of a stage that doesn't depend on the histogram; the GPU's runs by sorting. */
  stageSpeedUp(cells: number, distribution: Distribution, solver: Solver, stage: Stage): Maybe {
    const gpu = this.gpu(cells, distribution, solver, "sort");
    return ratio(this.cpu(cells, distribution, solver)?.stages[stage], gpu?.stages[stage]);
  }

  /** CPU over GPU, of the histogram, with FFT. */
  histogramSpeedUp(cells: number, distribution: Distribution, histogram: Histogram): Maybe {
    const [cpu, gpu] = [this.cpu(cells, distribution, "fft"), this.gpu(cells, distribution, "fft", histogram)];
    return ratio(cpu && histogramTime(cpu, "cpu"), gpu && histogramTime(gpu, histogram));
  }

  /** A quantity for each distribution. */
  over(value: (distribution: Distribution) => Maybe): Maybe[] {
    return DISTRIBUTIONS.map(value);
  }
}
