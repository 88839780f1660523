/**
 * What of an evolution is affordable: a step of the direct sum costs N² pairs, so that a large run is replaced by a
 * smaller one of fewer, heavier particles, and a long one ends earlier.
 */
import { DirectSummation } from "../direct-summation.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { ParticleSet } from "../particles/state.ts";
import { engineOptions } from "../run/instrument.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { Simulation } from "../simulation/simulation.ts";
import { stepLimit } from "../time/adaptive.ts";
import { fixedSteps } from "../time/settings.ts";
import { meshScenario, type RunsOptions } from "./runs.ts";
import { subset } from "./sample.ts";

export interface EvolutionPlan {
  particles: number;
  /** A second direct run, which shows how fast orbits part by themselves. */
  second: boolean;
}

/** What the machine can do. */
export interface Speed {
  /** Of the direct sum. */
  pairsPerSecond: number;
  /** Of a step of the mesh. */
  secondsPerStep: number;
}

/** Share of the time that the mesh may take before fewer steps are planned. */
const MESH_SHARE = 2 / 3;
/** Of what it leaves, for the direct sums: diagnostics and read-backs need some. */
const DIRECT_SHARE = 0.85;
/** Fewer particles are no model of the run any more: then the time is shortened. */
const LEAST_PARTICLES = 1024;
/** Particles are a power of two, or of the numbers between in these steps. */
const FRACTIONS = [1.75, 1.5, 1.25, 1];

/** For `seconds` in all. */
export function evolutionPlan(count: number, wanted: number, speed: Speed, seconds: number): EvolutionPlan {
  const steps = Math.max(1, Math.min(wanted, Math.floor((MESH_SHARE * seconds) / speed.secondsPerStep)));
  const left = Math.max((1 - MESH_SHARE) * seconds, seconds - steps * speed.secondsPerStep);
  const pairs = DIRECT_SHARE * left * speed.pairsPerSecond;
  const once = count * count * steps;
  if (once <= pairs) return { particles: count, second: 2 * once <= pairs };
  const affordable = Math.sqrt(pairs / (2 * steps));
  const power = 2 ** Math.floor(Math.log2(Math.max(1, affordable)));
  const particles = FRACTIONS.map((fraction) => fraction * power).find((n) => n <= affordable) ?? power;
  return { particles: Math.min(count, Math.max(LEAST_PARTICLES, particles)), second: true };
}

/** Particles of the smaller run that the mesh's step is timed with, where there are more. */
const MESH_LOOK = 2 ** 14;

/** Of the mesh. Throws "aborted". */
export async function secondsPerStep(options: RunsOptions, signal: AbortSignal): Promise<number> {
  const { gpu, step } = options;
  const particles = subset(options.particles, MESH_LOOK);
  const run = await Simulation.create(meshScenario({ ...options, particles }), { ...engineOptions(gpu), particles });
  try {
    await run.advance({ until: step, signal });
    const [before, started] = [run.step, performance.now()];
    await run.advance({ until: 3 * step, signal });
    return (performance.now() - started) / 1000 / Math.max(1, run.step - before);
  } finally {
    run.destroy();
  }
}

const FIRST_LOOK = 1024;
/** [ms] */
const TELLING = 250;

/** Pairs a second of a direct sum in single precision, or in float64 on the CPU. Throws "aborted". */
export async function pairsPerSecond(
  particles: ParticleSet,
  gpu: GpuContext | undefined,
  signal: AbortSignal,
): Promise<number> {
  const engine = { ...engineOptions(gpu), ...(gpu && { precision: "single" as const }) };
  const sum = await DirectSummation.create({ ...engine, order: "acceleration", softening: 1 });
  try {
    for (let wanted = FIRST_LOOK; ; wanted *= 2) {
      const { count, positions, masses } = subset(particles, wanted);
      await sum.setSources({ positions, masses });
      await sum.forces(undefined, { signal });
      const started = performance.now();
      await sum.forces(undefined, { signal });
      const ms = performance.now() - started;
      if (ms >= TELLING || count === particles.count) return (1000 * count * count) / ms;
    }
  } finally {
    await sum.destroy();
  }
}

/**
 * The deck's fixed step [time]. An adaptive one, or one that a direct sum would divide, is replaced by what the
 * adaptive criterion allows at the start.
 */
export function fixedStepOf(
  scenario: Scenario,
  cell: number,
  extremes: { acceleration: number; speed: number },
): number {
  const { time, gravity, direct } = scenario;
  const divided = gravity === "direct" && direct.steps !== "shared";
  const longest = time.step === "adaptive" ? time.end : time.step;
  const step = time.step === "adaptive" || divided ? Math.min(longest, stepLimit(time, cell, extremes)) : longest;
  return time.end / (fixedSteps({ time: { ...time, step } }) ?? 1);
}
