/**
 * The measurements of the suite `aubert2009` (Aubert, Amini & David 2009, sections 2 and 3.1): time per stage on the GPU
 * and on the CPU, and energy; for three distributions of n³ particles on n³ cells, three histograms and
 * several Poisson solvers, with nearest-grid-point assignment and a periodic box, as in the paper.
 */
import type { Backend } from "../../../backend/backend.ts";
import { unitSystem } from "../../../deck/units.ts";
import type { GpuContext } from "../../../gpu/context.ts";
import { initialConditions } from "../../../initial/index.ts";
import type { DepositMethod } from "../../../mesh/settings.ts";
import type { ParticleSet } from "../../../particles/state.ts";
import { MeshPipeline } from "../../../pipeline/pipeline.ts";
import { ReferencePipeline } from "../../../reference/mesh/pipeline.ts";
import { memoryLimits } from "../../../run/engine.ts";
import { loadScenario } from "../../../run/scenario-source.ts";
import { fitAdvice } from "../../../scenario/estimate.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import { Simulation } from "../../../simulation/simulation.ts";
import { releasing } from "../../releasing.ts";
import { inTurns, keepingLast, type Timing, timingOf } from "../../timing.ts";
import type { MeasurementContext } from "../spec.ts";

/** Decks that ship, by name. */
export const DISTRIBUTIONS = ["plummer", "disk", "uniform"] as const;
export type Distribution = (typeof DISTRIBUTIONS)[number];

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
export function tooLarge(one: Case, gpu: GpuContext): string | undefined {
  const advice = fitAdvice(scenarioOf(one), memoryLimits(gpu));
  return advice.fits ? undefined : `it doesn't fit the adapter: ${advice.message}`;
}

const drawn = keepingLast<ParticleSet>();

/** The particles of a case. */
export const particlesOf = (one: Case, signal: AbortSignal): Promise<ParticleSet> =>
  drawn(`${one.distribution}-${one.cells}`, async () => {
    const scenario = scenarioOf(one);
    return (await initialConditions(scenario, { G: unitSystem(scenario.units.system).G, signal })).particles;
  });

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

/** Settings and particles of a case's pipeline, and its step. */
async function pipelineOf(one: Case, signal: AbortSignal) {
  const scenario = scenarioOf(one);
  const { mesh, multigrid, box, units, time } = scenario;
  if (!("step" in time) || typeof time.step !== "number") throw new Error("the suite's decks have a fixed step");
  const { G } = unitSystem(units.system);
  const settings = { mesh, multigrid, boundary: box.boundary, boxSize: box.size, G, externalPotentials: [] };
  return { settings, particles: await particlesOf(one, signal), dt: time.step };
}

async function stepTimes(
  backend: Backend,
  dt: number,
  plan: Repetitions,
  { signal, progress }: MeasurementContext,
): Promise<StepTimes> {
  const steps = await warmedUp(backend, dt, plan);
  const { repetitions, longest } = plan;
  const [found] = await inTurns([() => repetition(backend, steps, dt)], { repetitions, longest, signal, progress });
  progress(1);
  const stages = ofStages((stage) => Math.min(...found.map((one) => one.stages[stage])));
  return { step: timingOf(found.map(({ step }) => step)), stages, steps };
}

/** Steps on the GPU. The host's histogram has no clock of its own: its deposit is what the other stages leave of the step. */
export async function gpuSteps(one: Case, plan: Repetitions, context: MeasurementContext): Promise<StepTimes> {
  const { settings, particles, dt } = await pipelineOf(one, context.signal);
  const pipeline = MeshPipeline.create(context.gpu, settings, particles);
  const found = await releasing(pipeline, (made) => stepTimes(made, dt, plan, context));
  if (one.histogram === "host") {
    const { order, poisson, gradient, update } = found.stages;
    found.stages.deposit = Math.max(0, found.step.best - order - poisson - gradient - update);
  }
  return found;
}

/** Steps of the float64 pipeline, one thread of the CPU. */
export async function cpuSteps(one: Case, plan: Repetitions, context: MeasurementContext): Promise<StepTimes> {
  const { settings, particles, dt } = await pipelineOf(one, context.signal);
  return releasing(ReferencePipeline.create(settings, particles), (made) => stepTimes(made, dt, plan, context));
}

/** One time unit with the deck's step. */
export async function energyOver(one: Case, { gpu, signal, progress }: MeasurementContext): Promise<Energy> {
  const particles = await particlesOf(one, signal);
  return releasing(Simulation.create(scenarioOf(one), { gpu, particles }), async (simulation) => {
    await simulation.advance({ signal, onProgress: ({ fraction }) => progress(fraction) });
    const { relativeEnergyError: energyError, momentumError, step } = await simulation.diagnostics();
    return { energyError, momentumError, steps: step };
  });
}
