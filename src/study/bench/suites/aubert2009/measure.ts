/**
 * What the suite `aubert2009` measures (sections 2 and 3.1): time per stage on the GPU and on the CPU, and energy, for
 * n³ particles in three distributions on n³ cells, three histograms and several Poisson solvers.
 */

import type { DepositMethod } from "../../../../engine/mesh/settings.ts";
import { releasing } from "../../../../foundation/base/releasing.ts";
import type { GpuContext } from "../../../../foundation/gpu/context.ts";
import type { ParticleSet } from "../../../../physics/particles/state.ts";
import { memoryLimits } from "../../../../run/engine.ts";
import { milliseconds, plainNumber } from "../../../../run/page/numbers.ts";
import { loadScenario } from "../../../../run/scenario-source.ts";
import { fitAdvice } from "../../../../scenario/estimate.ts";
import type { Scenario } from "../../../../scenario/scenario.ts";
import { engineMeshSettings } from "../../../../scenario/simulation/engine.ts";
import { Simulation } from "../../../../scenario/simulation/simulation.ts";
import { Experiment, type MeasurementContext, type Results, type StudySettings } from "../../../spec.ts";
import { type Maybe, ratio } from "../../../table.ts";
import { meshBackend } from "../../../validate/law.ts";
import { timesWithin } from "../../force-timing.ts";
import { particlesOf } from "../../stages.ts";
import { inTurns, keepingLast, secondsOf, timingOf } from "../../timing.ts";

/** Decks that ship, by name. */
export const DISTRIBUTIONS = ["plummer", "disk", "uniform"] as const;
export type Distribution = (typeof DISTRIBUTIONS)[number];
export const NAMES: Record<Distribution, string> = { plummer: "Plummer", disk: "disk", uniform: "uniform" };

/** "sort" is the paper's "full GPU", "host" its "GPU mixed"; atomics came after it. */
export const HISTOGRAMS = ["sort", "atomic", "host"] as const satisfies readonly DepositMethod[];
export type Histogram = (typeof HISTOGRAMS)[number];
export const HISTOGRAM_NAMES: Record<Histogram, string> = { sort: "sort", atomic: "atomics", host: "host" };

/** "multigrid": 3 V-cycles on 5 levels with 5 + 5 sweeps, the paper's; "multigrid-default": our 2 V(2,2)-cycles. */
export const SOLVERS = {
  fft: { name: "FFT", short: "FFT", keys: ["mesh.poisson=fft"] },
  multigrid: {
    ...{ name: "the paper's multigrid", short: "multigrid" },
    keys: ["mesh.poisson=multigrid", "multigrid.preset=aubert2009"],
  },
  "multigrid-default": {
    ...{ name: "our multigrid", short: "ours" },
    keys: ["mesh.poisson=multigrid", "multigrid.preset=default"],
  },
};
export type Solver = keyof typeof SOLVERS;
export const SOLVER_KINDS = Object.keys(SOLVERS) as Solver[];

/** In which energy is looked at: the paper's scheme, periodic, and what a deck runs with in its own box, isolated for sphere and disk. */
export const SCHEMES = {
  paper: { name: "NGP", where: "NGP", histogram: "sort", keys: ["mesh.assignment=ngp", "box.boundary=periodic"] },
  deck: { name: "CIC", where: "CIC in the deck's box", histogram: "auto", keys: ["mesh.assignment=cic"] },
} as const;
export type Scheme = keyof typeof SCHEMES;

export interface Case {
  cells: number;
  distribution: Distribution;
  histogram: Histogram | "auto";
  solver: Solver;
  scheme: Scheme;
}

/** The deck of a case, up to one time unit. */
export function scenarioOf({ cells, distribution, histogram, solver, scheme }: Case): Scenario {
  return loadScenario(distribution, [
    `mesh.cells=${cells}`,
    `mesh.deposit=${histogram}`,
    `particles.${distribution}.count=${cells ** 3}`,
    "time.end=1",
    ...SCHEMES[scheme].keys,
    ...SOLVERS[solver].keys,
  ]).scenario;
}

/** Why a case doesn't fit the adapter. */
function tooLarge(one: Case, gpu: GpuContext): string | undefined {
  const advice = fitAdvice(scenarioOf(one), memoryLimits(gpu));
  return advice.fits ? undefined : `it doesn't fit the adapter: ${advice.message}`;
}

/** Stages of the step in the order of figure 1; ordering by cell is the larger part of the paper's histogram. */
export const STAGES = ["order", "deposit", "poisson", "gradient", "update"] as const;
export type Stage = (typeof STAGES)[number];

export type StepTimes = Awaited<ReturnType<typeof stepTimes>>;

export interface Repetitions {
  repetitions: number;
  /** A repetition takes as many steps as fit this [ms], at least one. */
  about: number;
  /** From two repetitions on, none begins that would end after this [ms]. */
  longest: number;
}

/** A job is timed in repetitions of so many steps at most. */
const MOST_STEPS = 20;

const ofStages = (ms: (stage: Stage) => number) =>
  Object.fromEntries(STAGES.map((stage) => [stage, ms(stage)])) as Record<Stage, number>;

const drawn = keepingLast<ParticleSet>();

/** Deck and particles of a case. */
async function startOf(one: Case, signal: AbortSignal) {
  const scenario = scenarioOf(one);
  return { scenario, particles: await drawn(`${one.distribution}-${one.cells}`, () => particlesOf(scenario, signal)) };
}

/**
 * Steps on the GPU, or of the float64 pipeline in one thread of the CPU: the time of a step and the least time that each stage
 * took in any repetition [ms], and the steps in a repetition.
 */
async function stepTimes(
  on: "gpu" | "cpu",
  { about, ...one }: Case & Repetitions,
  { gpu, signal, progress }: MeasurementContext,
) {
  const { scenario, particles } = await startOf(one, signal);
  const made = meshBackend(on === "gpu" ? gpu : undefined, engineMeshSettings(scenario), particles);
  const dt = scenario.time.step as number; // the decks have a fixed one
  return releasing(made, async (backend) => {
    const now = () => ofStages((name) => backend.stageTimes().find(({ stage }) => stage === name)?.ms ?? 0);
    const msOf = async (steps: number) => (1000 * (await secondsOf(() => backend.advance(steps, dt)))) / steps;
    backend.timeStages?.();
    await msOf(1); // compiles, and evaluates the first force
    const steps = timesWithin(about, await msOf(1), MOST_STEPS);
    const repetition = async () => {
      const before = now();
      const step = await msOf(steps);
      const after = now();
      return { step, stages: ofStages((stage) => (after[stage] - before[stage]) / steps) };
    };
    const [found] = await inTurns([repetition], { ...one, signal, progress });
    progress(1);
    const step = timingOf(found.map((times) => times.step));
    const stages = ofStages((stage) => Math.min(...found.map((times) => times.stages[stage])));
    if (one.histogram === "host") {
      // It has no clock of its own: its deposit is what the other stages leave of the step.
      const { order, poisson, gradient, update } = stages;
      stages.deposit = Math.max(0, step.best - order - poisson - gradient - update);
    }
    return { step, stages, steps };
  });
}

/** One time unit with the deck's step: (E − E₀)/|E₀| at its end. */
export async function energyOver(one: Case, { gpu, signal, progress }: MeasurementContext) {
  const { scenario, particles } = await startOf(one, signal);
  return releasing(Simulation.create(scenario, { gpu, particles }), async (simulation) => {
    await simulation.advance({ signal, onProgress: ({ fraction }) => progress(fraction) });
    const { relativeEnergyError: energyError, step } = await simulation.diagnostics();
    return { energyError, steps: step };
  });
}

/** 128 → "128³". */
export const cube = (cells: number) => `${cells}³`;

/** Cells per side for the time of a step on the GPU and on the CPU, and for energy. */
export function sizes({ quick }: StudySettings) {
  const every = [32, 64, 128];
  return { gpu: quick ? every : [...every, 256], cpu: every, energy: quick ? [64] : every };
}

/** Whether a step is measured: with --quick, of the largest mesh only what the paper's figures are of, for the disk. */
function isMeasured({ cells, distribution, solver, histogram }: Case, { quick }: StudySettings): boolean {
  if (!quick || cells < 128) return true;
  return distribution === "disk" && solver !== "multigrid-default" && histogram !== "atomic";
}

const name = ({ cells, distribution, solver }: Omit<Case, "histogram" | "scheme">) =>
  `${cube(cells)} ${NAMES[distribution]}, ${SOLVERS[solver].name}`;
const brief = ({ step }: StepTimes) => `${milliseconds(step.best)} ms a step`;

export const CPU = new Experiment<Pick<Case, "cells" | "distribution" | "solver">, Case & Repetitions, StepTimes>({
  key: ({ cells, distribution, solver }) => `cpu-${cells}-${distribution}-${solver}`,
  label: (one) => `${name(one)}, float64 on the CPU`,
  run: (one, context) => stepTimes("cpu", one, context),
  brief,
});

export const GPU = new Experiment<Omit<Case, "scheme">, Case & Repetitions, StepTimes>({
  key: ({ cells, distribution, solver, histogram }) => `gpu-${cells}-${distribution}-${solver}-${histogram}`,
  label: (one) => `${name(one)}, ${one.histogram}`,
  skip: (one, { gpu }) => tooLarge(one, gpu),
  run: (one, context) => stepTimes("gpu", one, context),
  brief,
});

export const ENERGY = new Experiment<Case, unknown, Awaited<ReturnType<typeof energyOver>>>({
  key: ({ cells, distribution, solver, histogram, scheme }) =>
    `energy-${cells}-${distribution}-${solver}-${histogram}-${scheme}`,
  label: (one) => `${name(one)}, energy over a time unit, ${one.scheme === "paper" ? `NGP, ${one.histogram}` : "CIC"}`,
  skip: (one, { gpu }) => tooLarge(one, gpu),
  run: energyOver,
  brief: ({ energyError }) => `ΔE/E ${plainNumber(energyError)}`,
});

/** Many short repetitions: on a busy machine one of them is likely to run undisturbed. */
const plans = ({ quick }: StudySettings): Record<"gpu" | "cpu", Repetitions> => ({
  gpu: quick ? { repetitions: 6, about: 60, longest: 1500 } : { repetitions: 12, about: 200, longest: 10_000 },
  cpu: quick ? { repetitions: 4, about: 100, longest: 2500 } : { repetitions: 6, about: 300, longest: 20_000 },
});

export function measurements(settings: StudySettings) {
  const { gpu, cpu, energy } = sizes(settings);
  const plan = plans(settings);
  return gpu.flatMap((cells) =>
    DISTRIBUTIONS.flatMap((distribution) =>
      SOLVER_KINDS.flatMap((solver) => {
        const cases = HISTOGRAMS.map(
          (histogram): Case => ({ cells, distribution, solver, histogram, scheme: "paper" }),
        );
        const [sort] = cases;
        const steps = cases.filter((step) => isMeasured(step, settings));
        return [
          ...steps.map((step) => GPU.of({ ...step, ...plan.gpu })),
          ...(cpu.includes(cells) && steps.length > 0 ? [CPU.of({ ...sort, ...plan.cpu })] : []),
          ...(energy.includes(cells)
            ? [ENERGY.of(sort), ENERGY.of({ ...sort, scheme: "deck", histogram: "auto" })]
            : []),
        ];
      }),
    ),
  );
}

/** Size and distribution of a measurement. */
export type Spot = Pick<Case, "cells" | "distribution">;
export type OfDistribution = (distribution: Distribution) => Maybe;

/** A stage of the step, on both [ms]. */
export type StageTimes = Record<"gpu" | "cpu", OfDistribution>;

/** The part of a step that the histogram is: ordering belongs to it where it works by ordering. */
export function histogramTime(times: StepTimes | undefined, histogram: Histogram | "cpu"): Maybe {
  if (!times) return undefined;
  const { order, deposit } = times.stages;
  return histogram === "atomic" || histogram === "host" ? deposit : order + deposit;
}

/** Results by what was measured, and what follows from them. */
export class Found {
  constructor(private readonly results: Results) {}

  gpu(spot: Spot, solver: Solver, histogram: Histogram): StepTimes | undefined {
    return this.results.of(GPU, { ...spot, solver, histogram });
  }

  cpu(spot: Spot, solver: Solver): StepTimes | undefined {
    return this.results.of(CPU, { ...spot, solver });
  }

  energyError(spot: Spot, solver: Solver, scheme: Scheme): Maybe {
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
