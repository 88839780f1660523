/**
 * The measurements of the suite `fujiwara2009`: a force evaluation with each unrolling, on the GPU and in one thread of
 * the CPU, and a hundred steps. What would take too long is timed in part, and the result says of how much.
 */
import { type BodyArrays, bodyBytes, forceBytes, packBodies } from "../../../direct/bodies.ts";
import { DirectForces } from "../../../direct/forces.ts";
import { DirectPipeline } from "../../../direct/pipeline.ts";
import type { GpuContext } from "../../../gpu/context.ts";
import { emptyForces, sumForces } from "../../../reference/direct/forces.ts";
import { type LeftOut, tooLong } from "../left-out.ts";
import type { MeasurementContext } from "../suite.ts";
import { stopIfAborted, type Timing, timingOf } from "../timing.ts";
import { PROGRAMS, type Program, type Sample, STEPS } from "./cases.ts";

/** A force evaluation, all bodies on all. */
export interface Evaluation {
  /** [s]; scaled up where not all targets were timed. */
  seconds: number;
  /** Targets that were timed. */
  targets: number;
  /** Repetitions' spread, (largest − least)/median. */
  spread: number;
}

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

/** Targets of the trial that tells how long a job will take, and the fewest that are timed. */
const TRIAL = 1024;
const MOST_TIMES = 64;

function bodiesOf({ particles, scenario, G }: Sample): BodyArrays {
  const { count, positions, masses } = particles;
  const half = scenario.box.size / 2;
  return {
    count,
    positions: positions.map((x) => x - half),
    masses: masses.map((mass) => G * mass),
    ids: Uint32Array.from({ length: count }, (_, i) => i),
  };
}

const shapeOption = (program: Program) => (program === "chosen" ? {} : { shape: program });

/** A direct sum with its buffers, ready to be timed. */
class Bench {
  readonly count: number;
  readonly forces: DirectForces;
  readonly #gpu: GpuContext;
  readonly #bodies: GPUBuffer;
  readonly #result: GPUBuffer;

  constructor(gpu: GpuContext, forces: DirectForces, bodies: GPUBuffer, result: GPUBuffer) {
    this.#gpu = gpu;
    this.forces = forces;
    this.#bodies = bodies;
    this.#result = result;
    this.count = bodies.size / bodyBytes("acceleration");
  }

  /** Seconds of an evaluation for the first `targets` bodies, the mean of `times` in one submission. */
  async time(targets: number, times = 1): Promise<number> {
    const batch = this.#gpu.batch("force evaluation").stage("force");
    const [bodies, result] = [this.#bodies, this.#result];
    for (let k = 0; k < times; k++) {
      this.forces.encode(batch, {
        ...{ targets: bodies, targetCount: targets, sources: bodies, sourceCount: this.count, result },
      });
    }
    const started = performance.now();
    await batch.submit();
    return (performance.now() - started) / 1000 / times;
  }

  /** What an evaluation for all targets will take, judged by a few of them [s]. */
  async estimate(): Promise<number> {
    const targets = Math.min(TRIAL, this.count);
    await this.time(targets); // compiles
    const found = [await this.time(targets), await this.time(targets)];
    return (Math.min(...found) * this.count) / targets;
  }
}

async function withBuffers<T>(
  gpu: GpuContext,
  sample: Sample,
  work: (make: (program: Program) => Promise<Bench>) => Promise<T>,
): Promise<T> {
  const { count } = sample.particles;
  const packed = new Uint8Array(packBodies("acceleration", bodiesOf(sample)));
  const bodies = gpu.buffers.upload("bodies", packed, "particles");
  const result = gpu.buffers.storage("forces", count * forceBytes("acceleration"), "particles");
  const made: DirectForces[] = [];
  try {
    return await work(async (program) => {
      const { softening } = sample.scenario.direct;
      const forces = await DirectForces.create(gpu, {
        ...{ order: "acceleration", precision: "single", softening },
        ...shapeOption(program),
      });
      made.push(forces);
      return new Bench(gpu, forces, bodies, result);
    });
  } finally {
    for (const forces of made) forces.destroy();
    gpu.buffers.release(bodies, result);
  }
}

/** So many of `count` targets that they take at most `longest` [s]. */
export function targetsWithin(count: number, whole: number, longest: number): number {
  if (whole <= longest) return count;
  const fitting = (count * longest) / whole;
  return Math.min(count, Math.max(TRIAL, TRIAL * Math.floor(fitting / TRIAL)));
}

/** A force evaluation with each program, in turns: what a busy machine does to one it does to all. */
export async function evaluations(sample: Sample, plan: ForcePlan, context: MeasurementContext): Promise<Evaluations> {
  const { gpu, signal, progress } = context;
  const { count } = sample.particles;
  return withBuffers(gpu, sample, async (make) => {
    const running: { program: Program; bench: Bench; targets: number; times: number; found: number[] }[] = [];
    for (const program of PROGRAMS) {
      stopIfAborted(signal);
      const bench = await make(program);
      const whole = await bench.estimate();
      const targets = targetsWithin(count, whole, plan.longest);
      const times = Math.round((plan.about * count) / (whole * targets));
      running.push({ program, bench, targets, times: Math.min(MOST_TIMES, Math.max(1, times)), found: [] });
    }
    for (let i = 0; i < plan.repetitions; i++) {
      for (const { bench, targets, times, found } of running) {
        stopIfAborted(signal);
        found.push((await bench.time(targets, times)) * (count / targets));
      }
      progress((i + 1) / plan.repetitions);
    }
    const entries = running.map(({ program, targets, found }) => {
      const { best: seconds, spread } = timingOf(found);
      return [program, { seconds, targets, spread }];
    });
    const { many } = running.find(({ program }) => program === "chosen")!.bench.forces.choice;
    return { count, programs: Object.fromEntries(entries), chosen: many.name };
  });
}

/** The same where only the evaluation of all targets tells something: the rate at so many particles. */
export async function wholeEvaluations(
  sample: Sample,
  plan: ForcePlan,
  context: MeasurementContext,
): Promise<Evaluations | LeftOut> {
  const whole = await withBuffers(context.gpu, sample, async (make) => (await make("chosen")).estimate());
  return whole > plan.longest ? tooLong(whole) : evaluations(sample, plan, context);
}

/** Pairs summed between two turns of the event loop: some 50 ms of work. */
const PAIRS_IN_A_PIECE = 2 ** 22;

/** A force evaluation in float64, one thread of JavaScript. */
export async function cpuEvaluation(
  sample: Sample,
  plan: ForcePlan,
  { signal, progress }: MeasurementContext,
): Promise<Evaluation> {
  const { softening } = sample.scenario.direct;
  const none = new Float64Array(0);
  const bodies = { ...bodiesOf(sample), velocities: none, accelerations: none };
  const { count } = bodies;
  const out = emptyForces("acceleration", count);
  const piece = Math.max(1, Math.floor(PAIRS_IN_A_PIECE / count));
  const run = async (targets: number, report: (fraction: number) => void): Promise<number> => {
    let seconds = 0;
    for (let first = 0; first < targets; first += piece) {
      stopIfAborted(signal);
      const end = Math.min(targets, first + piece);
      const started = performance.now();
      sumForces({ order: "acceleration", softening, targets: bodies, sources: bodies, out, first, last: end });
      seconds += (performance.now() - started) / 1000;
      report(end / targets);
      await new Promise((resolve) => setTimeout(resolve));
    }
    return (seconds * count) / targets;
  };
  const trial = Math.min(count, 4 * piece);
  await run(trial, () => {}); // the compiler of the engine warms up
  const targets = targetsWithin(count, await run(trial, () => {}), plan.longest);
  const times: number[] = [];
  for (let i = 0; i < plan.repetitions; i++) {
    times.push(await run(targets, (fraction) => progress((i + fraction) / plan.repetitions)));
  }
  const { best: seconds, spread }: Timing = timingOf(times);
  return { seconds, targets, spread };
}

const STEP_NUMBERS = [STEPS, 50, 20, 10, 5, 3];

/** How many of the hundred steps are made, at `step` [s] each within `longest` [s]; 0: none. */
export function stepsWithin(step: number, longest: number): number {
  return STEP_NUMBERS.find((steps) => (steps + 1) * step <= longest) ?? 0;
}

/** A hundred leapfrog steps, everything on the GPU; the first force doesn't count. */
export async function hundredSteps(
  sample: Sample,
  program: Program,
  longest: number,
  { gpu, signal, progress }: MeasurementContext,
): Promise<Steps | LeftOut> {
  const { scenario, particles, G } = sample;
  const whole = await withBuffers(gpu, sample, async (make) => (await make(program)).estimate());
  const steps = stepsWithin(whole, longest);
  if (steps === 0) return tooLong(STEPS * whole);
  const { direct, box, time } = scenario;
  const dt = time.step as number; // a direct sum has no other
  const settings = { direct, boxSize: box.size, G, externalPotentials: [], step: dt };
  const pipeline = await DirectPipeline.create(
    gpu,
    settings,
    particles,
    program === "chosen" ? {} : { force: program },
  );
  try {
    await pipeline.advance(1, dt, { signal }); // the first force, and whatever is to be compiled
    const started = performance.now();
    await pipeline.advance(steps, dt, { signal, onProgress: (done) => progress(done / steps) });
    return { seconds: ((performance.now() - started) / 1000) * (STEPS / steps), steps };
  } finally {
    pipeline.destroy();
  }
}
