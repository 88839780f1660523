/**
 * What the suite `fujiwara2009` measures (section V): a force evaluation with each unrolling of the loops, on the GPU
 * and in one thread of the CPU, and a hundred steps, for four systems. What takes too long is timed in part.
 */

import { DirectPipeline } from "../../../../engine/direct/pipeline.ts";
import { releasing } from "../../../../foundation/base/releasing.ts";
import { loadScenario } from "../../../../run/scenario-source.ts";
import { directSettings } from "../../../../scenario/simulation/engine.ts";
import { type LeftOut, type MeasurementContext, tooLong } from "../../../spec.ts";
import { bodiesOf } from "../../direct.ts";
import { ForceBench } from "../../force-timing.ts";
import { particlesOf } from "../../stages.ts";
import { keepingLast, secondsOf } from "../../timing.ts";
import { type Evaluation, type EvaluationPlan, estimate, kernelJob, timed, timedSums } from "../forces.ts";

/** Decks that ship, with the paper's numbers of particles. */
export const SYSTEMS = [
  { deck: "figure-eight-3", name: "three galaxies", count: 7500 },
  { deck: "figure-eight-4", name: "four galaxies", count: 10_000 },
  { deck: "cartwheel", name: "cartwheel", count: 18_000 },
  { deck: "random-100k", name: "random", count: 100_000 },
] as const;
export type System = (typeof SYSTEMS)[number];

/** Variants of our kernel that unroll as the paper's: figures 2, 3 and 4. */
export const UNROLLINGS = ["plain", "targets-4", "targets-4-sources-4"] as const;
export type Unrolling = (typeof UNROLLINGS)[number];
/** The unrollings, and the variant that a run takes on the adapter. */
export const PROGRAMS = [...UNROLLINGS, "chosen"] as const;
export type Program = (typeof PROGRAMS)[number];

/** Steps of the paper's second experiment. */
export const STEPS = 100;

export type Evaluations = Awaited<ReturnType<typeof evaluations>>;

export interface Steps {
  /** The time of a hundred steps [s]; scaled up where fewer were made. */
  seconds: number;
  /** Steps that were made, after one that doesn't count. */
  steps: number;
}

const sampled = keepingLast<Awaited<ReturnType<typeof drawn>>>();

async function drawn(deck: string, overrides: string[], signal: AbortSignal) {
  const { scenario } = loadScenario(deck, overrides);
  const particles = await particlesOf(scenario, signal);
  const bodies = bodiesOf(particles, scenario);
  return {
    scenario,
    particles,
    forces: { order: "acceleration" as const, softening: scenario.direct.softening, bodies },
  };
}
export type Sample = Awaited<ReturnType<typeof drawn>>;

/** The particles of a deck, and the forces that are evaluated. */
export const sampleOf = (deck: System["deck"], signal: AbortSignal, overrides: string[] = []): Promise<Sample> =>
  sampled([deck, ...overrides].join(" "), () => drawn(deck, overrides, signal));

/** So many bodies of the random system, for the scan. */
export const randomSample = (count: number, signal: AbortSignal): Promise<Sample> =>
  sampleOf("random-100k", signal, [`particles.uniform.count=${count}`]);

/** A kernel with some unrolling. */
const kernelOf = (program: Program) => ({
  precision: "single" as const,
  ...(program !== "chosen" && { shape: program }),
});

/** What an evaluation will take with a program [s]. */
export const estimateOf = ({ forces }: Sample, program: Program, { gpu }: MeasurementContext): Promise<number> =>
  releasing(new ForceBench(gpu, forces), (bench) => estimate(kernelJob(bench, kernelOf(program))));

/** A force evaluation with each program, in turns; `chosen`: the variant that a run takes for many targets. */
export function evaluations(sample: Sample, plan: EvaluationPlan, context: MeasurementContext) {
  return releasing(new ForceBench(context.gpu, sample.forces), async (bench) => {
    const jobs = PROGRAMS.map((program) => kernelJob(bench, kernelOf(program)));
    const found = await timed(jobs, plan, context);
    const programs = Object.fromEntries(PROGRAMS.map((program, i) => [program, found[i]]));
    const many = (await bench.forces(kernelOf("chosen"))).choice.at(-1)!;
    return { count: bench.count, programs: programs as Record<Program, Evaluation>, chosen: many.shape.name };
  });
}

/** A force evaluation in float64, one thread of JavaScript. */
export async function cpuEvaluation(
  { forces: { softening, bodies } }: Sample,
  plan: EvaluationPlan,
  context: MeasurementContext,
): Promise<Evaluation> {
  return (await timedSums([{ backend: "cpu", softening }], bodies, plan, context))[0];
}

const STEP_NUMBERS = [STEPS, 50, 20, 10, 5, 3];

/** How many of the hundred steps are made, at `step` [s] each within `longest` [s]; 0: none. */
export function stepsWithin(step: number, longest: number): number {
  return STEP_NUMBERS.find((steps) => (steps + 1) * step <= longest) ?? 0;
}

/** A hundred leapfrog steps, everything on the GPU; the first force doesn't count. */
export async function hundredSteps(
  sample: Sample,
  { program, longest }: { program: Program; longest: number },
  context: MeasurementContext,
): Promise<Steps | LeftOut> {
  const { gpu, signal, progress } = context;
  const { scenario, particles } = sample;
  const whole = await estimateOf(sample, program, context);
  const steps = stepsWithin(whole, longest);
  if (steps === 0) return tooLong(STEPS * whole);
  const settings = directSettings(scenario, []);
  const dt = settings.step;
  const options = program === "chosen" ? {} : { force: program };
  return releasing(DirectPipeline.create(gpu, settings, particles, options), async (pipeline) => {
    await pipeline.advance(1, dt, { signal }); // the first force, and whatever is to be compiled
    const onProgress = (done: number) => progress(done / steps);
    const seconds = await secondsOf(() => pipeline.advance(steps, dt, { signal, onProgress }));
    return { seconds: seconds * (STEPS / steps), steps };
  });
}
