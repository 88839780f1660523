/** The results of the suite `fujiwara2009` by what was measured, and what is derived from them. */

import { isLeftOut, type LeftOut } from "../left-out.ts";
import type { Results } from "../suite.ts";
import { median } from "../timing.ts";
import { gigaflops, PROGRAMS, type Program, STEPS, SYSTEMS, type System } from "./cases.ts";
import type { Evaluation, Evaluations, Steps } from "./measure.ts";

export const forceKey = (count: number) => `force-${count}`;
export const cpuKey = (count: number) => `cpu-${count}`;
export const stepsKey = (count: number, program: Program) => `steps-${count}-${program}`;
export const scanKey = (count: number) => `scan-${count}`;

type Maybe = number | undefined;

export function ratio(above: Maybe, below: Maybe): Maybe {
  return above === undefined || below === undefined ? undefined : above / below;
}

export class Fujiwara {
  readonly #results: Results;

  constructor(results: Results) {
    this.#results = results;
  }

  #made<Result extends object>(key: string): Result | undefined {
    const found = this.#results.get<Result | LeftOut>(key);
    return isLeftOut(found) ? undefined : found;
  }

  force(count: number): Evaluations | undefined {
    return this.#made(forceKey(count));
  }

  scan(count: number): Evaluations | undefined {
    return this.#made(scanKey(count));
  }

  cpu(count: number): Evaluation | undefined {
    return this.#made(cpuKey(count));
  }

  steps(count: number, program: Program): Steps | undefined {
    return this.#made(stepsKey(count, program));
  }

  /** A force evaluation: one thread of the CPU over the GPU. */
  speedUp(count: number, program: Program): Maybe {
    return ratio(this.cpu(count)?.seconds, this.force(count)?.programs[program].seconds);
  }

  /** Of a hundred steps [Gflop/s]. */
  stepsRate(count: number, program: Program): Maybe {
    const seconds = this.steps(count, program)?.seconds;
    return seconds && STEPS * gigaflops(count, seconds);
  }

  /** The best rate of an evaluation in the scan over N [Gflop/s]. */
  bestRate(count: number): Maybe {
    const programs = this.scan(count)?.programs;
    return programs && gigaflops(count, Math.min(...PROGRAMS.map((program) => programs[program].seconds)));
  }

  /** The middle one of what the four systems give, and the largest. */
  middle(value: (system: System) => Maybe): Maybe {
    const found = SYSTEMS.map(value).filter((one) => one !== undefined);
    return found.length === 0 ? undefined : median(found);
  }

  largest(values: readonly Maybe[]): Maybe {
    const found = values.filter((one) => one !== undefined);
    return found.length === 0 ? undefined : Math.max(...found);
  }
}
