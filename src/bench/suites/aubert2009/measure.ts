/** The measurements of the suite `aubert2009`: time per stage on the GPU and on the CPU, energy, distributions in turns. */
import type { Backend, StageTime } from "../../../backend.ts";
import { unitSystem } from "../../../deck/units.ts";
import type { GpuContext } from "../../../gpu/context.ts";
import { MeshPipeline } from "../../../pipeline.ts";
import { ReferencePipeline } from "../../../reference/mesh/pipeline.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import { Simulation } from "../../../simulation.ts";
import type { MeasurementContext } from "../suite.ts";
import { stopIfAborted, type Timing, timingOf } from "../timing.ts";
import { type Case, DISTRIBUTIONS, type Distribution, particlesOf, scenarioOf } from "./cases.ts";

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

const MOST_STEPS = 20;
const LEAST_REPETITIONS = 2;

function settingsOf({ mesh, multigrid, box, units }: Scenario) {
  const G = unitSystem(units.system).G;
  return { mesh, multigrid, boundary: box.boundary, boxSize: box.size, G, externalPotentials: [] };
}

function stepOf({ time }: Scenario): number {
  if (!("step" in time) || typeof time.step !== "number") throw new Error("the suite's decks have a fixed step");
  return time.step;
}

function stagesOf(times: readonly StageTime[]): Record<Stage, number> {
  const ms = (name: Stage) => times.find(({ stage }) => stage === name)?.ms ?? 0;
  return Object.fromEntries(STAGES.map((stage) => [stage, ms(stage)])) as Record<Stage, number>;
}

/** Steps of one pipeline, warmed up. */
async function warmedUp(backend: Backend, dt: number, { about }: Repetitions): Promise<number> {
  await backend.advance(1, dt); // compiles, and evaluates the first force
  const started = performance.now();
  await backend.advance(1, dt);
  return Math.min(MOST_STEPS, Math.max(1, Math.round(about / (performance.now() - started))));
}

/** One repetition: time of a step and of its stages [ms]. */
async function repetition(backend: Backend, steps: number, dt: number) {
  const before = stagesOf(backend.stageTimes());
  const started = performance.now();
  await backend.advance(steps, dt);
  const step = (performance.now() - started) / steps;
  const after = stagesOf(backend.stageTimes());
  for (const stage of STAGES) after[stage] = (after[stage] - before[stage]) / steps;
  return { step, stages: after };
}

async function stepTimes(
  backend: Backend,
  dt: number,
  plan: Repetitions,
  { signal, progress }: MeasurementContext,
): Promise<StepTimes> {
  const steps = await warmedUp(backend, dt, plan);
  const found: Awaited<ReturnType<typeof repetition>>[] = [];
  const started = performance.now();
  for (let i = 0; i < plan.repetitions; i++) {
    stopIfAborted(signal);
    const elapsed = performance.now() - started;
    if (i >= LEAST_REPETITIONS && elapsed * (1 + 1 / i) > plan.longest) break;
    found.push(await repetition(backend, steps, dt));
    progress((i + 1) / plan.repetitions);
  }
  progress(1);
  const least = (stage: Stage) => [stage, Math.min(...found.map(({ stages }) => stages[stage]))];
  const stages = Object.fromEntries(STAGES.map(least)) as Record<Stage, number>;
  return { step: timingOf(found.map(({ step }) => step)), stages, steps };
}

/** Steps on the GPU. The host's histogram has no clock of its own: its deposit is what the other stages leave of the step. */
export async function gpuSteps(one: Case, plan: Repetitions, context: MeasurementContext): Promise<StepTimes> {
  const { gpu, signal } = context;
  const scenario = scenarioOf(one);
  const pipeline = await MeshPipeline.create(gpu, settingsOf(scenario), await particlesOf(one, signal));
  try {
    const found = await stepTimes(pipeline, stepOf(scenario), plan, context);
    if (one.histogram === "host") {
      const { order, poisson, gradient, update } = found.stages;
      found.stages.deposit = Math.max(0, found.step.best - order - poisson - gradient - update);
    }
    return found;
  } finally {
    pipeline.destroy();
  }
}

/** Steps of the float64 pipeline, one thread of the CPU. */
export async function cpuSteps(one: Case, plan: Repetitions, context: MeasurementContext): Promise<StepTimes> {
  const scenario = scenarioOf(one);
  const pipeline = await ReferencePipeline.create(settingsOf(scenario), await particlesOf(one, context.signal));
  try {
    return await stepTimes(pipeline, stepOf(scenario), plan, context);
  } finally {
    pipeline.destroy();
  }
}

/** One time unit with the deck's step. */
export async function energyOver(one: Case, { gpu, signal, progress }: MeasurementContext): Promise<Energy> {
  const particles = await particlesOf(one, signal);
  const simulation = await Simulation.create(scenarioOf(one), { gpu, particles });
  try {
    await simulation.advance({ signal, onProgress: ({ fraction }) => progress(fraction) });
    const { relativeEnergyError: energyError, momentumError, step } = await simulation.diagnostics();
    return { energyError, momentumError, steps: step };
  } finally {
    simulation.destroy();
  }
}

/** Time of a step for each distribution [ms]. */
export type InTurns = Record<Distribution, Timing>;

/** Particles of the three distributions on the GPU at once, their repetitions in turns: what a busy machine does to one it does to all. */
export async function distributionsInTurns(
  cells: number,
  plan: Repetitions,
  context: MeasurementContext,
): Promise<InTurns> {
  const { gpu, signal, progress } = context;
  const running: { name: Distribution; pipeline: MeshPipeline; dt: number; steps: number; times: number[] }[] = [];
  try {
    for (const distribution of DISTRIBUTIONS) {
      running.push(await started(gpu, distribution, cells, plan, signal));
    }
    const begun = performance.now();
    for (let i = 0; i < plan.repetitions; i++) {
      if (i >= LEAST_REPETITIONS && performance.now() - begun > plan.longest) break;
      for (const { pipeline, dt, steps, times } of running) {
        stopIfAborted(signal);
        const { step } = await repetition(pipeline, steps, dt);
        times.push(step);
      }
      progress((i + 1) / plan.repetitions);
    }
    return Object.fromEntries(running.map(({ name, times }) => [name, timingOf(times)])) as InTurns;
  } finally {
    for (const { pipeline } of running) pipeline.destroy();
  }
}

async function started(
  gpu: GpuContext,
  distribution: Distribution,
  cells: number,
  plan: Repetitions,
  signal: AbortSignal,
) {
  const one: Case = { cells, distribution, histogram: "auto", solver: "fft", scheme: "default" };
  const scenario = scenarioOf(one);
  const pipeline = await MeshPipeline.create(gpu, settingsOf(scenario), await particlesOf(one, signal));
  const dt = stepOf(scenario);
  return { name: distribution, pipeline, dt, steps: await warmedUp(pipeline, dt, plan), times: [] as number[] };
}
