/** What the suite `portegies-zwart2007` measures, case by case, and what is derived from the results. */
import { exponential } from "../../../page/numbers.ts";
import { ENGINES, type Engine } from "../hermite.ts";
import { Experiment, type Maybe, type Results, type SuiteSettings } from "../spec.ts";
import { figure } from "../text.ts";
import { NU, QUARTERS, type Quarter, quarterOf, type Run } from "./measure.ts";
import { type Blocks, type CostPlan, costsFor, costsOf, type MeasuredCosts, unitSeconds } from "./model.ts";
import { COUNTS } from "./published.ts";

export const NAMES: Record<Engine, string> = {
  single: "GPU, single",
  "double-single": "GPU, double-single",
  cpu: "CPU, float64",
};

export interface Energies {
  /** Numbers of particles for the energy against ν (figure 2). */
  counts: readonly number[];
  /** From coarse to fine. */
  nus: readonly number[];
}

export function energies({ quick }: SuiteSettings): Energies {
  const all = Array.from({ length: 9 }, (_, k) => 0.1 / 2 ** k);
  return quick ? { counts: [1024], nus: all.filter((_, k) => k % 2 === 0) } : { counts: [1024, 16_384], nus: all };
}

const error = ({ energyError }: Quarter) => `ΔE/E ${exponential(energyError)}`;

export const COSTS = new Experiment<{ engine: Engine }, CostPlan, MeasuredCosts>({
  key: ({ engine }) => `costs-${engine}`,
  label: ({ engine }) => `what the performance model is made of, ${NAMES[engine]}`,
  run: ({ engine, ...plan }, context) => costsOf(engine, plan, context),
  brief: ({ pair }) => `${figure(1e9 * pair)} ns an interaction`,
  among: ({ engine }) => ["what the model is made of", NAMES[engine]],
});

export const RUN = new Experiment<Pick<Run, "count" | "engine">, Run, Quarter>({
  key: ({ count, engine }) => `run-${count}-${engine}`,
  label: ({ count, engine }) => `${count} particles from t = 0.25 to 0.5, ${NAMES[engine]}`,
  run: quarterOf,
  brief: (quarter) => `${figure(quarter.seconds)} s, ${error(quarter)}`,
  among: ({ count, engine }) => [`${NAMES[engine]}, particles`, String(count)],
});

export const ENERGY = new Experiment<Pick<Run, "count" | "engine" | "nu">, Run, Quarter>({
  // ν = 0.1/2ᵏ
  key: ({ count, engine, nu }) => `energy-${count}-${engine}-${Math.round(Math.log2(0.1 / nu))}`,
  label: ({ count, engine, nu }) => `${count} particles to t = 0.25, ν = ${figure(nu)}, ${NAMES[engine]}`,
  run: quarterOf,
  brief: error,
  among: ({ count, engine, nu }) => [`${NAMES[engine]}, ${count} particles, ν`, figure(nu)],
});

export function measurements(settings: SuiteSettings) {
  const { quick } = settings;
  const plan = quick ? { submissions: 24, longest: 1.5 } : { submissions: 20, longest: 10 };
  const longest = quick ? 8 : 300; // a run that takes longer is left out [s]
  const { counts, nus } = energies(settings);
  return [
    ...ENGINES.map((engine) => COSTS.of({ engine, ...plan })),
    ...COUNTS.flatMap((count) => ENGINES.map((engine) => RUN.of({ count, engine, nu: NU, before: 1, longest }))),
    ...counts.flatMap((count) =>
      nus.flatMap((nu) => ENGINES.map((engine) => ENERGY.of({ count, engine, nu, before: 0, longest }))),
    ),
  ];
}

/** Of a time unit, from the most precise run that there is: engines differ in a few blocks at most. */
export function blocksOf(results: Results, count: number): Blocks | undefined {
  const runs = (["double-single", "cpu", "single"] as const).map((engine) => results.of(RUN, { count, engine }));
  const run = runs.find((one) => one !== undefined);
  return run && { blocks: QUARTERS * run.blocks, members: run.particleSteps / run.blocks };
}

/** Seconds of a quarter by the model, with the costs measured here: with the blocks of the run, or with the paper's fits. */
export function predicted(results: Results, count: number, engine: Engine, blocks: "measured" | "fits"): Maybe {
  const costs = results.of(COSTS, { engine });
  const counted = blocks === "measured" ? blocksOf(results, count) : undefined;
  if (!costs || (blocks === "measured" && !counted)) return undefined;
  return unitSeconds(costsFor(costs, count), count, counted) / QUARTERS;
}
