/** The results of the suite `portegies-zwart2007` by what was measured, and what is derived from them. */

import { isLeftOut, type LeftOut } from "../left-out.ts";
import type { Results } from "../suite.ts";
import { COUNTS, ENGINES, type Engine } from "./cases.ts";
import { costsFor, type MeasuredCosts } from "./costs.ts";
import type { Quarter } from "./measure.ts";
import { type Blocks, unitSeconds } from "./model.ts";

export const runKey = (count: number, engine: Engine) => `run-${count}-${engine}`;
/** `halvings`: ν = 0.1/2^halvings. */
export const energyKey = (count: number, engine: Engine, nu: number) =>
  `energy-${count}-${engine}-${Math.round(Math.log2(0.1 / nu))}`;
export const costsKey = (engine: Engine) => `costs-${engine}`;

type Maybe = number | undefined;

/** Quarters in a time unit. */
export const QUARTERS = 4;

export class PortegiesZwart {
  readonly #results: Results;

  constructor(results: Results) {
    this.#results = results;
  }

  #made<Result extends object>(key: string): Result | undefined {
    const found = this.#results.get<Result | LeftOut>(key);
    return isLeftOut(found) ? undefined : found;
  }

  run(count: number, engine: Engine): Quarter | undefined {
    return this.#made(runKey(count, engine));
  }

  energy(count: number, engine: Engine, nu: number): Quarter | undefined {
    return this.#made(energyKey(count, engine, nu));
  }

  costs(engine: Engine): MeasuredCosts | undefined {
    return this.#made(costsKey(engine));
  }

  /** Of a time unit, from the most precise run that there is: engines differ in a few blocks at most. */
  blocks(count: number): Blocks | undefined {
    for (const engine of ["double-single", "cpu", "single"] as const) {
      const run = this.run(count, engine);
      if (run) return { blocks: QUARTERS * run.blocks, members: run.particleSteps / run.blocks };
    }
    return undefined;
  }

  /** Seconds of a quarter by the model, with the costs measured here: with the blocks of the run, or with the paper's fits. */
  predicted(count: number, engine: Engine, blocks: "measured" | "fits"): Maybe {
    const costs = this.costs(engine);
    const counted = blocks === "measured" ? this.blocks(count) : undefined;
    if (!costs || (blocks === "measured" && !counted)) return undefined;
    return unitSeconds(costsFor(costs, count), count, counted) / QUARTERS;
  }

  /** Time of the CPU over that of the GPU. */
  speedUp(count: number, engine: Engine): Maybe {
    const [cpu, gpu] = [this.run(count, "cpu"), this.run(count, engine)];
    return cpu && gpu && cpu.seconds / gpu.seconds;
  }

  /** Mean of |ΔE/E| over the numbers of particles that were run. */
  meanError(engine: Engine): Maybe {
    const found = COUNTS.flatMap((count) => this.run(count, engine) ?? []).map(({ energyError }) =>
      Math.abs(energyError),
    );
    return found.length === 0 ? undefined : found.reduce((a, b) => a + b, 0) / found.length;
  }

  /** The least |ΔE/E| over ν. */
  leastError(counts: readonly number[], nus: readonly number[], engine: Engine): Maybe {
    const found = counts.flatMap((count) => nus.flatMap((nu) => this.energy(count, engine, nu) ?? []));
    return found.length === 0 ? undefined : Math.min(...found.map(({ energyError }) => Math.abs(energyError)));
  }

  /** Numbers of particles that anything was run with. */
  counts(): number[] {
    return COUNTS.filter((count) => ENGINES.some((engine) => this.run(count, engine)));
  }
}
