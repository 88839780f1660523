/**
 * What the suite `aubert2009` measures (sections 2 and 3.1): time per stage on the GPU and on the CPU, and energy, for
 * n³ particles in three distributions on n³ cells, three histograms and several Poisson solvers.
 */

import type { Backend } from "../../../backend/backend.ts";
import { releasing } from "../../../base/releasing.ts";
import type { GpuContext } from "../../../gpu/context.ts";
import type { DepositMethod } from "../../../mesh/settings.ts";
import { milliseconds, plainNumber } from "../../../page/numbers.ts";
import type { ParticleSet } from "../../../particles/state.ts";
import { MeshPipeline } from "../../../pipeline/pipeline.ts";
import { ReferencePipeline } from "../../../reference/mesh/pipeline.ts";
import { memoryLimits } from "../../../run/engine.ts";
import { loadScenario } from "../../../run/scenario-source.ts";
import { fitAdvice } from "../../../scenario/estimate.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import { Simulation } from "../../../simulation/simulation.ts";
import { meshSettings, particlesOf } from "../../stages.ts";
import { inTurns, keepingLast, type Timing, timingOf } from "../../timing.ts";
import { Experiment, type MeasurementContext, type SuiteSettings } from "../spec.ts";

/** Decks that ship, by name. */
export const DISTRIBUTIONS = ["plummer", "disk", "uniform"] as const;
export type Distribution = (typeof DISTRIBUTIONS)[number];
export const NAMES: Record<Distribution, string> = { plummer: "Plummer", disk: "disk", uniform: "uniform" };

/** "sort" is the paper's "full GPU", "host" its "GPU mixed"; atomics came after it. */
export const HISTOGRAMS = ["sort", "atomic", "host"] as const satisfies readonly DepositMethod[];
export type Histogram = (typeof HISTOGRAMS)[number];

/** "multigrid": 3 V-cycles on 5 levels with 5 + 5 sweeps, the paper's; "multigrid-default": our 2 V(2,2)-cycles. */
export const SOLVERS = ["fft", "multigrid", "multigrid-default"] as const;
export type Solver = (typeof SOLVERS)[number];

const SOLVER_KEYS: Record<Solver, string[]> = {
  fft: ["mesh.poisson=fft"],
  multigrid: ["mesh.poisson=multigrid", "multigrid.preset=aubert2009"],
  "multigrid-default": ["mesh.poisson=multigrid", "multigrid.preset=default"],
};
export const SOLVER_NAMES: Record<Solver, string> = {
  fft: "FFT",
  multigrid: "the paper's multigrid",
  "multigrid-default": "our multigrid",
};

/** "paper": nearest grid point, periodic box. "deck": cloud in cell in the deck's own box, isolated for sphere and disk. */
export type Scheme = "paper" | "deck";

const SCHEME_KEYS: Record<Scheme, string[]> = {
  paper: ["mesh.assignment=ngp", "box.boundary=periodic"],
  deck: ["mesh.assignment=cic"],
};

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
    ...SCHEME_KEYS[scheme],
    ...SOLVER_KEYS[solver],
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

/** Time of a step, and the least time that each stage took in any repetition [ms]. */
export interface StepTimes {
  step: Timing;
  stages: Record<Stage, number>;
  /** Steps in a repetition. */
  steps: number;
}

export interface Energy {
  /** (E − E₀)/|E₀| at the end of the time unit. */
  energyError: number;
  momentumError: number;
  steps: number;
}

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

/** Steps in a repetition; the pipeline is warm afterwards. */
async function warmedUp(backend: Backend, dt: number, { about }: Repetitions): Promise<number> {
  backend.timeStages?.();
  await backend.advance(1, dt); // compiles, and evaluates the first force
  const started = performance.now();
  await backend.advance(1, dt);
  return Math.min(MOST_STEPS, Math.max(1, Math.round(about / (performance.now() - started))));
}

/** One repetition: time of a step and of its stages [ms]. */
async function repetition(backend: Backend, steps: number, dt: number) {
  const now = () => ofStages((name) => backend.stageTimes().find(({ stage }) => stage === name)?.ms ?? 0);
  const before = now();
  const started = performance.now();
  await backend.advance(steps, dt);
  const step = (performance.now() - started) / steps;
  const after = now();
  return { step, stages: ofStages((stage) => (after[stage] - before[stage]) / steps) };
}

const drawn = keepingLast<ParticleSet>();

/** Deck and particles of a case. */
async function startOf(one: Case, signal: AbortSignal) {
  const scenario = scenarioOf(one);
  return { scenario, particles: await drawn(`${one.distribution}-${one.cells}`, () => particlesOf(scenario, signal)) };
}

/** Steps of a backend that is destroyed afterwards. */
function stepTimes(
  made: Backend | Promise<Backend>,
  { time }: Scenario,
  plan: Repetitions,
  { signal, progress }: MeasurementContext,
): Promise<StepTimes> {
  const dt = time.step as number; // the decks have a fixed one
  return releasing(made, async (backend) => {
    const steps = await warmedUp(backend, dt, plan);
    const [found] = await inTurns([() => repetition(backend, steps, dt)], { ...plan, signal, progress });
    progress(1);
    const stages = ofStages((stage) => Math.min(...found.map((one) => one.stages[stage])));
    return { step: timingOf(found.map(({ step }) => step)), stages, steps };
  });
}

/** Steps on the GPU. The host's histogram has no clock of its own: its deposit is what the other stages leave of the step. */
async function gpuSteps(one: Case & Repetitions, context: MeasurementContext): Promise<StepTimes> {
  const { scenario, particles } = await startOf(one, context.signal);
  const pipeline = MeshPipeline.create(context.gpu, meshSettings(scenario), particles);
  const found = await stepTimes(pipeline, scenario, one, context);
  if (one.histogram === "host") {
    const { order, poisson, gradient, update } = found.stages;
    found.stages.deposit = Math.max(0, found.step.best - order - poisson - gradient - update);
  }
  return found;
}

/** Steps of the float64 pipeline, one thread of the CPU. */
async function cpuSteps(one: Case & Repetitions, context: MeasurementContext): Promise<StepTimes> {
  const { scenario, particles } = await startOf(one, context.signal);
  return stepTimes(ReferencePipeline.create(meshSettings(scenario), particles), scenario, one, context);
}

/** One time unit with the deck's step. */
export async function energyOver(one: Case, { gpu, signal, progress }: MeasurementContext): Promise<Energy> {
  const { scenario, particles } = await startOf(one, signal);
  return releasing(Simulation.create(scenario, { gpu, particles }), async (simulation) => {
    await simulation.advance({ signal, onProgress: ({ fraction }) => progress(fraction) });
    const { relativeEnergyError: energyError, momentumError, step } = await simulation.diagnostics();
    return { energyError, momentumError, steps: step };
  });
}

/** 128 → "128³". */
export const cube = (cells: number) => `${cells}³`;

/** Cells per side for the time of a step on the GPU and on the CPU, and for energy. */
export function sizes({ quick }: SuiteSettings) {
  const every = [32, 64, 128];
  return { gpu: quick ? every : [...every, 256], cpu: every, energy: quick ? [64] : every };
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
  run: cpuSteps,
  brief,
});

export const GPU = new Experiment<Omit<Case, "scheme">, Case & Repetitions, StepTimes>({
  key: ({ cells, distribution, solver, histogram }) => `gpu-${cells}-${distribution}-${solver}-${histogram}`,
  label: (one) => `${name(one)}, ${one.histogram}`,
  skip: (one, { gpu }) => tooLarge(one, gpu),
  run: gpuSteps,
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
  const { gpu, cpu, energy } = sizes(settings);
  const plan = plans(settings);
  return gpu.flatMap((cells) =>
    DISTRIBUTIONS.flatMap((distribution) =>
      SOLVERS.flatMap((solver) => {
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
