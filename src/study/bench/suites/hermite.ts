/**
 * Plummer spheres (the deck plummer-hermite) for the suites on Hermite's schemes: how long a run will take, and timed
 * runs on the GPU or in float64 on the CPU.
 */
import { sum } from "d3-array";
import type { Backend } from "../../../engine/backend/backend.ts";
import { pairArithmeticSurvives } from "../../../engine/direct/arithmetic.ts";
import { DirectPipeline } from "../../../engine/direct/pipeline.ts";
import type { Bodies } from "../../../engine/reference/direct/forces.ts";
import { ReferenceDirect } from "../../../engine/reference/direct/pipeline.ts";
import { isAborted } from "../../../foundation/base/errors.ts";
import { releasing } from "../../../foundation/base/releasing.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { ParticleSet } from "../../../physics/particles/state.ts";
import { duration } from "../../../run/page/numbers.ts";
import { loadScenario } from "../../../run/scenario-source.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import { directSettings } from "../../../scenario/simulation/engine.ts";
import { type LeftOut, type MeasurementContext, tooLong } from "../../spec.ts";
import { type BenchBodies, ForceBench } from "../force-timing.ts";
import { estimate, kernelJob, sumJob, timed, withSums } from "./forces.ts";

/** How forces are computed: on the GPU in single precision or in pairs of float32, on the CPU in float64. */
export const ENGINES = ["single", "double-single", "cpu"] as const;
export type SumEngine = (typeof ENGINES)[number];

/** The deck with so many particles; `direct`: what it says of that table, "nu=0.01". */
export function sphereScenario(count: number, engine: SumEngine, direct: readonly string[]): Scenario {
  const precision = engine === "cpu" ? [] : [`precision=${engine}`];
  const overrides = [...direct, ...precision].map((setting) => `direct.${setting}`);
  return loadScenario("plummer-hermite", [`particles.plummer.count=${count}`, ...overrides]).scenario;
}

/** The largest step of a scenario [time]; a direct sum has one. */
export function largestStep({ time }: Scenario): number {
  if (typeof time.step !== "number") throw new Error("the suite's deck has a fixed largest step");
  return time.step;
}

/** Why an engine can't be used on the adapter. */
export async function unable(gpu: GpuContext, engine: SumEngine): Promise<LeftOut | undefined> {
  if (engine !== "double-single") return undefined;
  const { passed, detail } = await pairArithmeticSurvives(gpu);
  return passed ? undefined : { leftOut: `the adapter’s compiler doesn’t keep pair arithmetic (${detail})` };
}

/** Interactions of a trial: some 40 ms on the CPU. */
const TRIAL_PAIRS = 2 ** 22;
/** On a GPU evaluations of about so long together [s] are repeated, the fastest counts. */
const TRIALS = { repetitions: 3, about: 0.01, longest: Number.POSITIVE_INFINITY };

/** Targets of a trial on so many sources. */
export const trialTargets = (count: number) => Math.max(1, Math.min(count, Math.round(TRIAL_PAIRS / count)));

/** Seconds of an interaction, by a trial: on the GPU with so many targets. */
export function pairSeconds(
  engine: SumEngine,
  of: BenchBodies & { bodies: Bodies },
  targets: number,
  { gpu, signal }: MeasurementContext,
): Promise<number> {
  const { order, softening, bodies } = of;
  const { count } = bodies;
  if (engine === "cpu") {
    return withSums([{ backend: "cpu", order, softening }], async ([sum]) => {
      const job = { ...sumJob(sum, bodies, signal), least: trialTargets(count) };
      return (await estimate(job)) / count ** 2;
    });
  }
  return releasing(new ForceBench(gpu, { ...of, mostTargets: targets }), async (bench) => {
    const jobs = [kernelJob(bench, { precision: engine, targets })];
    const [{ seconds }] = await timed(jobs, TRIALS, { signal, progress: () => {} });
    return seconds / (targets * count);
  });
}

/** What a run is computed with. */
export function backendOf(
  gpu: GpuContext,
  engine: SumEngine,
  scenario: Scenario,
  particles: ParticleSet,
  step = largestStep(scenario),
): Promise<Backend> {
  const settings = { ...directSettings(scenario, []), step };
  if (engine === "cpu") return Promise.resolve(new ReferenceDirect(settings, particles));
  return DirectPipeline.create(gpu, settings, particles);
}

/** What takes so many times what it may is stopped, for the estimate was wrong then. */
const PATIENCE = 2;

/** What only compiles and warms up is so much shorter than a largest step. */
const BRIEF = 1024;

export interface TimedRun {
  engine: SumEngine;
  scenario: Scenario;
  particles: () => Promise<ParticleSet>;
  /** Seconds of the run by a trial, of a whole time unit where it `ends`. */
  estimate: () => Promise<number>;
  /** Largest steps before the part that is timed, and in it. */
  before: number;
  steps: number;
  /**
   * A run that would take longer [s], or takes far longer, is left out; `ends`: it ends at the last largest step within
   * this, and is left out where the first would take longer.
   */
  longest: number;
  ends: boolean;
  /** A part of less than a second is repeated, so many times in all while that takes at most two. */
  runs: number;
}

/** A part of a run. */
export type RunPart = Awaited<ReturnType<typeof timedPart>>;

const REPEATED = 2;

/** Makes a run and times a part of it, unless it can't be made or takes too long. */
export async function timedRun(run: TimedRun, context: MeasurementContext): Promise<RunPart | LeftOut> {
  const { engine, scenario, longest, before, ends } = run;
  const { gpu, signal, progress } = context;
  const reason = await unable(gpu, engine);
  if (reason) return reason;
  const dt = largestStep(scenario);
  const estimate = await run.estimate();
  if (estimate * (ends ? dt : 1) > longest) return tooLong(estimate);
  const particles = await run.particles();
  if (before === 0 && engine !== "cpu") {
    const warming = backendOf(gpu, engine, scenario, particles, dt / BRIEF);
    await releasing(warming, (made) => made.advance(1, dt / BRIEF, { signal })); // compiles
  }
  const patience = PATIENCE * longest;
  return releasing(backendOf(gpu, engine, scenario, particles), async (backend) => {
    const deadline = AbortSignal.timeout(1000 * patience);
    try {
      return await timedPart(backend, run, { signal: AbortSignal.any([signal, deadline]), progress });
    } catch (error) {
      if (!(deadline.aborted && !signal.aborted && isAborted(error))) throw error;
      return { leftOut: `not done after ${duration(patience)}` };
    }
  });
}

async function timedPart(
  backend: Backend,
  { scenario, before, steps, longest, ends, runs }: TimedRun,
  { signal, progress }: Pick<MeasurementContext, "signal" | "progress">,
) {
  const dt = largestStep(scenario);
  const onProgress = (done: number) => progress(done / (before + steps));
  if (before > 0) await backend.advance(before, dt, { signal, onProgress });
  const [start, state] = [await stateOf(backend), runs > 1 ? await backend.saveState() : undefined];
  const times: number[] = [];
  let done = 0;
  do {
    if (times.length > 0) await backend.restoreState(state!);
    const started = performance.now();
    const elapsed = () => (performance.now() - started) / 1000;
    done = 0;
    do {
      await backend.advance(1, dt, { signal });
      onProgress(before + ++done);
    } while (done < steps && !(ends && elapsed() * (1 + 1 / done) > longest));
    times.push(elapsed());
  } while (times.length < runs && sum(times) + times[0] < REPEATED);
  const end = await stateOf(backend);
  return {
    /** Wall time [s]; the fastest of several where it was repeated. */
    seconds: Math.min(...times),
    /** How far it went [time]. */
    span: done * dt,
    blocks: end.blocks - start.blocks,
    /** Steps of single particles, all together. */
    particleSteps: end.particleSteps - start.particleSteps,
    /** (E − E₀)/|E₀| over it. */
    energyError: (end.energy - start.energy) / Math.abs(start.energy),
  };
}

async function stateOf(backend: Backend) {
  const { blocks, "particle steps": particleSteps } = backend.counters!();
  const { kinetic, potential } = await backend.sums();
  return { blocks, particleSteps, energy: kinetic + potential };
}
