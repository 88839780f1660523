/**
 * What the suites after codes with Hermite's schemes share: Plummer spheres (the deck plummer-hermite), computed on the
 * GPU or in float64 on the CPU, how long that will take, and runs that are timed.
 */
import { sum } from "d3-array";
import type { Backend } from "../../backend/backend.ts";
import { GravmeshError } from "../../base/errors.ts";
import { unitSystem } from "../../deck/units.ts";
import { pairArithmeticSurvives } from "../../direct/arithmetic.ts";
import { DirectPipeline } from "../../direct/pipeline.ts";
import type { GpuContext } from "../../gpu/context.ts";
import { initialConditions } from "../../initial/index.ts";
import { duration } from "../../page/numbers.ts";
import type { ParticleSet } from "../../particles/state.ts";
import type { Bodies } from "../../reference/direct/forces.ts";
import { ReferenceDirect } from "../../reference/direct/pipeline.ts";
import { loadScenario } from "../../run/scenario-source.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { type BenchBodies, ForceBench } from "../force-timing.ts";
import { releasing } from "../releasing.ts";
import { partOf, timedKernels, withSums } from "./forces.ts";
import type { LeftOut, MeasurementContext } from "./spec.ts";

/** How forces are computed: on the GPU in single precision or in pairs of float32, on the CPU in float64. */
export const ENGINES = ["single", "double-single", "cpu"] as const;
export type Engine = (typeof ENGINES)[number];
export type GpuEngine = Exclude<Engine, "cpu">;

/** The deck with so many particles; `direct`: what it says of that table, "nu=0.01". */
export function sphereScenario(count: number, engine: Engine, direct: readonly string[]): Scenario {
  const precision = engine === "cpu" ? [] : [`precision=${engine}`];
  const overrides = [...direct, ...precision].map((setting) => `direct.${setting}`);
  return loadScenario("plummer-hermite", [`particles.plummer.count=${count}`, ...overrides]).scenario;
}

/** The largest step of a scenario [time]; a direct sum has one. */
export function largestStep({ time }: Scenario): number {
  if (typeof time.step !== "number") throw new Error("the suite's deck has a fixed largest step");
  return time.step;
}

/** As drawn, box coordinates. */
export async function drawn(scenario: Scenario, signal: AbortSignal): Promise<ParticleSet> {
  const { particles } = await initialConditions(scenario, { G: unitSystem(scenario.units.system).G, signal });
  return particles;
}

/** Particles as bodies of a direct sum, about the centre of the box, accelerations zero: no time depends on them; G = 1. */
export function bodiesOf({ count, positions, velocities, masses }: ParticleSet, { box }: Scenario): Bodies {
  return {
    count,
    positions: positions.map((x) => x - box.size / 2),
    velocities: Float64Array.from(velocities),
    accelerations: new Float64Array(3 * count),
    masses,
    ids: Uint32Array.from({ length: count }, (_, i) => i),
  };
}

/** Why an engine can't be used on the adapter. */
export async function unable(gpu: GpuContext, engine: Engine): Promise<LeftOut | undefined> {
  if (engine !== "double-single") return undefined;
  const { passed, detail } = await pairArithmeticSurvives(gpu);
  return passed ? undefined : { leftOut: `the adapter’s compiler doesn’t keep pair arithmetic (${detail})` };
}

/** Interactions of a trial on the CPU: some 40 ms. */
const TRIAL_PAIRS = 2 ** 22;
/** On a GPU evaluations of about so long together [s] are repeated, the fastest counts. */
const TRIALS = { repetitions: 3, about: 0.01, longest: Number.POSITIVE_INFINITY };

/** Seconds of an interaction, by a trial: on the GPU with so many targets. */
export function pairSeconds(
  engine: Engine,
  of: BenchBodies & { bodies: Bodies },
  targets: number,
  { gpu, signal }: MeasurementContext,
): Promise<number> {
  const { order, softening, bodies } = of;
  const { count } = bodies;
  if (engine === "cpu") {
    const few = Math.max(1, Math.min(count, Math.round(TRIAL_PAIRS / count)));
    return withSums([{ backend: "cpu", order, softening }], async ([sum]) => {
      await partOf(sum, bodies, few, signal); // warms up
      return (await partOf(sum, bodies, few, signal)).sum / count ** 2;
    });
  }
  return releasing(new ForceBench(gpu, { ...of, mostTargets: targets }), async (bench) => {
    const jobs = [{ precision: engine, targets }];
    const [{ seconds }] = await timedKernels(bench, jobs, TRIALS, { signal, progress: () => {} });
    return seconds / (targets * count);
  });
}

/** What a run is computed with. */
export function backendOf(
  gpu: GpuContext,
  engine: Engine,
  scenario: Scenario,
  particles: ParticleSet,
  step = largestStep(scenario),
): Promise<Backend> {
  const { direct, box } = scenario;
  const settings = { direct, boxSize: box.size, G: 1, externalPotentials: [], step };
  if (engine === "cpu") return Promise.resolve(new ReferenceDirect(settings, particles));
  return DirectPipeline.create(gpu, settings, particles);
}

/** `work` until `deadline`, whose coming is no failure: nothing comes of it then. Throws "aborted" by `signal`. */
export async function within<T>(
  deadline: AbortSignal,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work(AbortSignal.any([signal, deadline]));
  } catch (error) {
    const late = deadline.aborted && !signal.aborted && error instanceof GravmeshError && error.kind === "aborted";
    if (!late) throw error;
    return undefined;
  }
}

/** What takes so many times what it may is stopped, for the estimate was wrong then. */
const PATIENCE = 2;

export interface TimedRun {
  engine: Engine;
  scenario: Scenario;
  particles: ParticleSet;
  /** Largest steps before the part that is timed, and in it. */
  before: number;
  steps: number;
  /** A run that takes far longer is left out; `ends`: it ends at the last largest step within this [s]. */
  longest: number;
  ends: boolean;
  /** A part of less than a second is repeated, so many times in all while that takes at most two. */
  runs: number;
}

/** A part of a run. */
export interface RunPart {
  /** Wall time [s]; the fastest of several where it was repeated. */
  seconds: number;
  /** How far it went [time]. */
  span: number;
  blocks: number;
  /** Steps of single particles, all together. */
  particleSteps: number;
  /** (E − E₀)/|E₀| over it. */
  energyError: number;
}

const REPEATED = 2;

/** Makes a run and times a part of it; far more than its time, and it is left out. */
export async function timedRun(run: TimedRun, context: MeasurementContext): Promise<RunPart | LeftOut> {
  const { engine, scenario, particles, longest } = run;
  const patience = PATIENCE * longest;
  const found = await releasing(backendOf(context.gpu, engine, scenario, particles), (backend) =>
    within(AbortSignal.timeout(1000 * patience), context.signal, (signal) =>
      timedPart(backend, run, { signal, progress: context.progress }),
    ),
  );
  return found ?? { leftOut: `not done after ${duration(patience)}` };
}

async function timedPart(
  backend: Backend,
  { scenario, before, steps, longest, ends, runs }: TimedRun,
  { signal, progress }: Pick<MeasurementContext, "signal" | "progress">,
): Promise<RunPart> {
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
    seconds: Math.min(...times),
    span: done * dt,
    blocks: end.blocks - start.blocks,
    particleSteps: end.particleSteps - start.particleSteps,
    energyError: (end.energy - start.energy) / Math.abs(start.energy),
  };
}

async function stateOf(backend: Backend) {
  const { blocks, "particle steps": particleSteps } = backend.counters!();
  const { kinetic, potential } = await backend.sums();
  return { blocks, particleSteps, energy: kinetic + potential };
}
