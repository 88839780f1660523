/**
 * What the suite `fujiwara2009` measures (Fujiwara & Nakasato 2009, section V): a force evaluation with each unrolling of
 * the loops over targets and sources, on the GPU and in one thread of the CPU, and a hundred steps, for four systems of
 * galaxies and stars. What would take too long is timed in part, and the result says of how much.
 */
import { unitSystem } from "../../../deck/units.ts";
import type { BodyArrays } from "../../../direct/bodies.ts";
import { DirectPipeline } from "../../../direct/pipeline.ts";
import { initialConditions } from "../../../initial/index.ts";
import type { ParticleSet } from "../../../particles/state.ts";
import { loadScenario } from "../../../run/scenario-source.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import { cpuForces, ForceBench, targetsWithin, timesWithin } from "../../force-timing.ts";
import { releasing } from "../../releasing.ts";
import { type LeftOut, tooLong } from "../left-out.ts";
import type { MeasurementContext } from "../spec.ts";
import { type Evaluation, evaluationOf, inTurns, keepingLast, secondsOf, stopIfAborted } from "../timing.ts";

/** Decks that ship, with the paper's numbers of particles. */
export const SYSTEMS = [
  { deck: "figure-eight-3", name: "three galaxies", count: 7500 },
  { deck: "figure-eight-4", name: "four galaxies", count: 10_000 },
  { deck: "cartwheel", name: "cartwheel", count: 18_000 },
  { deck: "random-100k", name: "random", count: 100_000 },
] as const;
export type System = (typeof SYSTEMS)[number];

/** Shapes of our kernel that unroll as the paper's: figures 2, 3 and 4. */
export const UNROLLINGS = ["plain", "targets-4", "targets-4-sources-4"] as const;
export type Unrolling = (typeof UNROLLINGS)[number];
/** And the one that a run takes: chosen among all shapes by a measurement on the adapter. */
export const PROGRAMS = [...UNROLLINGS, "chosen"] as const;
export type Program = (typeof PROGRAMS)[number];

/** Steps of the paper's second experiment. */
export const STEPS = 100;

export interface Evaluations {
  count: number;
  programs: Record<Program, Evaluation>;
  /** The shape that the adapter was found to run fastest. */
  chosen: string;
}

export interface Steps {
  /** Of a hundred steps [s]; scaled up where fewer were made. */
  seconds: number;
  /** Steps that were made, after one that doesn't count. */
  steps: number;
}

export interface ForcePlan {
  repetitions: number;
  /** A repetition is repeated evaluations of about this long together [s]. */
  about: number;
  /** An evaluation that would take longer is timed for some of the targets [s]. */
  longest: number;
}

export interface Sample {
  scenario: Scenario;
  particles: ParticleSet;
  G: number;
}

const sampled = keepingLast<Sample>();

/** The particles of a deck. */
export function sampleOf(deck: System["deck"], signal: AbortSignal, overrides: string[] = []): Promise<Sample> {
  return sampled([deck, ...overrides].join(" "), async () => {
    const { scenario } = loadScenario(deck, overrides);
    const { G } = unitSystem(scenario.units.system);
    const { particles } = await initialConditions(scenario, { G, signal });
    return { scenario, particles, G };
  });
}

/** So many bodies of the random system, for the scan. */
export const randomSample = (count: number, signal: AbortSignal): Promise<Sample> =>
  sampleOf("random-100k", signal, [`particles.uniform.count=${count}`]);

/** What a force evaluation is of. */
function forcesOf({ particles, scenario, G }: Sample) {
  const { count, positions, masses } = particles;
  const half = scenario.box.size / 2;
  const bodies: BodyArrays = {
    count,
    positions: positions.map((x) => x - half),
    masses: masses.map((mass) => G * mass),
    ids: Uint32Array.from({ length: count }, (_, i) => i),
  };
  return { order: "acceleration" as const, softening: scenario.direct.softening, bodies };
}

/** Targets of the trial that tells how long a job will take, and the fewest that are timed. */
const TRIAL = 1024;

/** A kernel with some unrolling. */
const kernelOf = (program: Program) => ({
  precision: "single" as const,
  ...(program !== "chosen" && { shape: program }),
});

/** What an evaluation for all targets will take, judged by a few of them [s]. */
async function estimate(bench: ForceBench, program: Program): Promise<number> {
  const targets = Math.min(TRIAL, bench.count);
  const one = () => bench.seconds({ ...kernelOf(program), targets });
  await one(); // compiles
  return (Math.min(await one(), await one()) * bench.count) / targets;
}

/** A force evaluation with each program, in turns. */
export async function evaluations(sample: Sample, plan: ForcePlan, context: MeasurementContext): Promise<Evaluations> {
  const { count } = sample.particles;
  return releasing(new ForceBench(context.gpu, forcesOf(sample)), async (bench) => {
    const plans: { targets: number; times: number }[] = [];
    for (const program of PROGRAMS) {
      stopIfAborted(context.signal);
      const whole = await estimate(bench, program);
      const targets = targetsWithin({ count, whole, longest: plan.longest, least: TRIAL });
      plans.push({ targets, times: timesWithin(plan.about, (whole * targets) / count) });
    }
    const jobs = PROGRAMS.map((program, i) => async () => {
      const { targets, times } = plans[i];
      return (await bench.seconds({ ...kernelOf(program), targets }, times)) * (count / targets);
    });
    const found = await inTurns(jobs, { ...context, repetitions: plan.repetitions });
    const entries = PROGRAMS.map((program, i) => {
      return [program, evaluationOf(found[i], plans[i].targets)];
    });
    const many = (await bench.forces(kernelOf("chosen"))).choice.at(-1)!;
    return { count, programs: Object.fromEntries(entries), chosen: many.shape.name };
  });
}

/** What an evaluation will take with a program [s]. */
const estimateOf = (sample: Sample, program: Program, { gpu }: MeasurementContext): Promise<number> =>
  releasing(new ForceBench(gpu, forcesOf(sample)), (bench) => estimate(bench, program));

/** The same where only the evaluation of all targets tells something: the rate at so many particles. */
export async function wholeEvaluations(
  sample: Sample,
  plan: ForcePlan,
  context: MeasurementContext,
): Promise<Evaluations | LeftOut> {
  const whole = await estimateOf(sample, "chosen", context);
  return whole > plan.longest ? tooLong(whole) : evaluations(sample, plan, context);
}

/** Pairs summed between two turns of the event loop: some 50 ms of work. */
const PAIRS_IN_A_PIECE = 2 ** 22;

/** A force evaluation in float64, one thread of JavaScript. */
export async function cpuEvaluation(
  sample: Sample,
  { repetitions, longest }: ForcePlan,
  { signal, progress }: MeasurementContext,
): Promise<Evaluation> {
  const { count } = sample.particles;
  const forces = cpuForces(forcesOf(sample));
  const piece = Math.max(1, Math.floor(PAIRS_IN_A_PIECE / count));
  const run = async (targets: number, report: (fraction: number) => void = () => {}): Promise<number> => {
    let seconds = 0;
    for (let first = 0; first < targets; first += piece) {
      stopIfAborted(signal);
      const end = Math.min(targets, first + piece);
      seconds += forces(first, end);
      report(end / targets);
      await new Promise((resolve) => setTimeout(resolve));
    }
    return (seconds * count) / targets;
  };
  const trial = Math.min(count, 4 * piece);
  await run(trial); // the compiler of the engine warms up
  const targets = targetsWithin({ count, whole: await run(trial), longest, least: TRIAL });
  const times: number[] = [];
  for (let i = 0; i < repetitions; i++) {
    times.push(await run(targets, (fraction) => progress((i + fraction) / repetitions)));
  }
  return evaluationOf(times, targets);
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
  const { scenario, particles, G } = sample;
  const whole = await estimateOf(sample, program, context);
  const steps = stepsWithin(whole, longest);
  if (steps === 0) return tooLong(STEPS * whole);
  const { direct, box, time } = scenario;
  const dt = time.step as number; // a direct sum has no other
  const settings = { direct, boxSize: box.size, G, externalPotentials: [], step: dt };
  const options = program === "chosen" ? {} : { force: program };
  return releasing(DirectPipeline.create(gpu, settings, particles, options), async (pipeline) => {
    await pipeline.advance(1, dt, { signal }); // the first force, and whatever is to be compiled
    const onProgress = (done: number) => progress(done / steps);
    const seconds = await secondsOf(() => pipeline.advance(steps, dt, { signal, onProgress }));
    return { seconds: seconds * (STEPS / steps), steps };
  });
}
