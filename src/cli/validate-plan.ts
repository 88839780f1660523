/**
 * What of an evolution is affordable: a step of the direct sum costs N² pairs, so that a large run is replaced by a
 * smaller one of fewer, heavier particles, and a long one ends earlier.
 */
import { DirectSummation } from "../direct-summation.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { ParticleSet } from "../particles/state.ts";
import { fixedSteps } from "../scenario/checks.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { stepLimit } from "../time/adaptive.ts";
import { subset } from "./validate-sample.ts";

export interface EvolutionPlan {
  particles: number;
  /** A second direct run, which shows how fast orbits part by themselves. */
  second: boolean;
}

/** Share of the time that the direct sums may take: the mesh, sums for the diagnostics and read-backs need some. */
const SHARE = 0.75;
/** Fewer particles are no model of the run any more: then the time is shortened. */
const LEAST_PARTICLES = 1024;
/** Particles are a power of two, or of the numbers between in these steps. */
const FRACTIONS = [1.75, 1.5, 1.25, 1];

/** `pairsPerSecond` of the direct sum, `seconds` for everything. */
export function evolutionPlan(count: number, steps: number, pairsPerSecond: number, seconds: number): EvolutionPlan {
  const pairs = SHARE * seconds * pairsPerSecond;
  const once = count * count * steps;
  if (once <= pairs) return { particles: count, second: 2 * once <= pairs };
  const affordable = Math.sqrt(pairs / (2 * steps));
  const power = 2 ** Math.floor(Math.log2(Math.max(1, affordable)));
  const particles = FRACTIONS.map((fraction) => fraction * power).find((n) => n <= affordable) ?? power;
  return { particles: Math.min(count, Math.max(LEAST_PARTICLES, particles)), second: true };
}

const FIRST_LOOK = 1024;
/** [ms] */
const TELLING = 250;

/** Pairs a second of a direct sum in single precision, or in float64 on the CPU. */
export async function pairsPerSecond(
  particles: ParticleSet,
  gpu: GpuContext | undefined,
  signal: AbortSignal,
): Promise<number> {
  const sum = await DirectSummation.create({
    ...{ order: "acceleration", softening: 1 },
    ...(gpu ? { gpu, precision: "single" } : { backend: "cpu" }),
  });
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
