/**
 * What the suites after codes with Hermite's schemes share: Plummer spheres (the deck plummer-hermite), computed on the
 * GPU or in float64 on the CPU, and how long that will take.
 */
import type { Backend } from "../../backend/backend.ts";
import { unitSystem } from "../../deck/units.ts";
import { pairArithmeticSurvives } from "../../direct/arithmetic.ts";
import { DirectPipeline } from "../../direct/pipeline.ts";
import type { GpuContext } from "../../gpu/context.ts";
import { initialConditions } from "../../initial/index.ts";
import type { ParticleSet } from "../../particles/state.ts";
import type { Bodies } from "../../reference/direct/forces.ts";
import { ReferenceDirect } from "../../reference/direct/pipeline.ts";
import { loadScenario } from "../../run/scenario-source.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { type BenchBodies, cpuForces, ForceBench, timesWithin } from "../force-timing.ts";
import type { LeftOut } from "./left-out.ts";

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

/** Interactions of a trial: some 10 ms of work on two cores. */
const TRIAL_PAIRS = 2 ** 22;
/** Evaluations of a submission at most. */
const MOST_TIMES = 128;
const REPETITIONS = 3;

/** Seconds of an interaction, by a trial: on the GPU with so many targets. */
export async function pairSeconds(gpu: GpuContext, engine: Engine, of: BenchBodies, targets: number): Promise<number> {
  const { count } = of.bodies;
  const few = Math.max(1, Math.min(count, Math.round(TRIAL_PAIRS / count)));
  const onCpu = engine === "cpu" ? cpuForces({ ...of, mostTargets: few }) : undefined;
  const bench = engine === "cpu" ? undefined : new ForceBench(gpu, { ...of, mostTargets: targets });
  const times = timesWithin(TRIAL_PAIRS, count * targets, MOST_TIMES);
  const run = async () =>
    onCpu
      ? onCpu(0, few) / (few * count)
      : (await bench!.seconds({ precision: engine as GpuEngine, targets }, times)) / (targets * count);
  try {
    await run(); // compiles
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < REPETITIONS; i++) least = Math.min(least, await run());
    return least;
  } finally {
    bench?.destroy();
  }
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

/** What a part of a run has come to. */
export interface RunPart {
  blocks: number;
  /** Steps of single particles, all together. */
  particleSteps: number;
  /** (E − E₀)/|E₀| over it. */
  energyError: number;
}

/** What a run has come to. */
export async function stateOf(backend: Backend): Promise<{ blocks: number; particleSteps: number; energy: number }> {
  const { blocks, "particle steps": particleSteps } = backend.counters!();
  const { kinetic, potential } = await backend.sums();
  return { blocks, particleSteps, energy: kinetic + potential };
}

/** What has come since a state. */
export async function partSince(start: Awaited<ReturnType<typeof stateOf>>, backend: Backend): Promise<RunPart> {
  const end = await stateOf(backend);
  return {
    blocks: end.blocks - start.blocks,
    particleSteps: end.particleSteps - start.particleSteps,
    energyError: (end.energy - start.energy) / Math.abs(start.energy),
  };
}
