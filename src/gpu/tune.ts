/**
 * Choosing between kernel shapes: by a short measurement on the adapter, which is remembered; for small problems, which
 * aren't worth one, what usually wins on adapters of that kind (CPU or GPU). Never by an adapter's name, and never between
 * shapes whose results differ by a bit: those go by `Choices.fixed`.
 */
import type { Batch } from "./batch.ts";
import type { ShapedStage } from "./choices.ts";
import type { GpuContext } from "./context.ts";
import { Stopwatch } from "./stopwatch.ts";

export interface Candidate {
  name: string;
  /** Time of `times` repetitions (at least one) on representative data, in one go and to completion [ms]. */
  run(times: number, clock: Stopwatch): Promise<number>;
}

/** A candidate whose work is recorded, again and again, into one submission. */
export function recorded(what: string, name: string, encode: (batch: Batch) => unknown): Candidate {
  return { name, run: (times, clock) => clock.ofGpu(`${what}, ${name}`, times, encode) };
}

/** What is to be chosen, and how much hangs on it. */
export interface Question {
  /** Names the choice in the cache and in a simulation's record, with the sizes that it depends on. */
  purpose: string;
  /** Names it for users who pin a shape; absent where they can't. */
  stage?: ShapedStage;
  /** Cells or particles that a candidate goes over. */
  elements: number;
  /** What usually wins: on adapters that run on the CPU, and on GPUs. */
  usual: { software: string; hardware: string };
}

/**
 * With as many elements or fewer the usual winner is taken: to compile and time its rivals takes longer than whole runs
 * of that size, and gains a fraction of a millisecond a step.
 */
const SMALL = 2 ** 18;

const usualOf = (gpu: GpuContext, { usual }: Question): string =>
  gpu.adapter.software ? usual.software : usual.hardware;

/** The choice among `names` that needs no measurement: pinned, made before, or too small to be worth one. */
export function settled(gpu: GpuContext, question: Question, names: readonly string[]): string | undefined {
  const { purpose, stage, elements } = question;
  const likely = names.find((name) => name === usualOf(gpu, question));
  const pinned = stage && gpu.choices.pinned(stage, names, likely);
  if (pinned !== undefined) gpu.choices.settle(purpose, pinned);
  const known = gpu.choices.get(purpose);
  if (known !== undefined && names.includes(known)) return known;
  if (elements > SMALL || likely === undefined) return undefined;
  gpu.choices.settle(purpose, likely);
  return likely;
}

/** The shapes that are worth compiling: the one that is settled, or all where a measurement is to tell. */
export function contenders<T>(
  gpu: GpuContext,
  question: Question,
  shapes: readonly T[],
  nameOf: (shape: T) => string,
): readonly T[] {
  const known = settled(gpu, question, shapes.map(nameOf));
  return shapes.filter((shape) => known === undefined || nameOf(shape) === known);
}

/** The shape that the kind of adapter decides, where no other could win; or the one that is pinned. */
export function shapeByKind<T extends string>(
  gpu: GpuContext,
  stage: ShapedStage,
  shapes: readonly T[],
  usual: { software: T; hardware: T },
): T {
  const likely = gpu.adapter.software ? usual.software : usual.hardware;
  const pinned = gpu.choices.pinned(stage, shapes, likely);
  return shapes.find((shape) => shape === pinned) ?? likely;
}

const ROUNDS = 3;
/** Less than the passes of a submission that get timestamps, where a repetition is a pass (timing.ts). */
const MOST_TIMES = 500;
/** Repetitions grow by this factor at most from one try to the next, by 2 at least. */
const MOST_GROWTH = 8;
/** A question is measured for this long, not counting what a first run of each candidate takes [ms]. */
const PATIENCE = 1500;
/** A candidate this many times slower than the quickest at first sight, and by so much, isn't measured any further. */
const HOPELESS = 2.5;
const CLEARLY = 5; // [ms]
/** The usual winner wins unless another is quicker by this part and by more than the times scatter. */
const WORTH_IT = 0.03;

/** Name of the fastest candidate: known, or measured. `usual` of the question is what a draw falls to. */
export async function fastest(gpu: GpuContext, question: Question, candidates: readonly Candidate[]): Promise<string> {
  if (candidates.length === 1) return candidates[0].name;
  const { purpose } = question;
  const known = gpu.choices.get(purpose);
  if (known && candidates.some(({ name }) => name === known)) return known;
  const clock = new Stopwatch(gpu);
  try {
    const winner = await race(candidates, clock, usualOf(gpu, question));
    gpu.choices.set(purpose, winner);
    return winner;
  } finally {
    clock.destroy();
  }
}

/** A candidate in a race, with the times of a repetition that were measured [ms]. */
interface Runner {
  candidate: Candidate;
  /** Of a single repetition, with what a submission takes by itself. */
  first: number;
  /** Repetitions that the clock resolves. */
  times: number;
  found: number[];
}

/**
 * One warm-up each, one look at each, then those with a chance in turns, each repeated as often as the clock needs. What
 * a submission takes by itself is in a long one as in one of a single repetition, and drops out of their difference.
 */
async function race(candidates: readonly Candidate[], clock: Stopwatch, usual: string): Promise<string> {
  for (const candidate of candidates) await candidate.run(1, clock); // compiles and warms up
  const started = performance.now();
  const runners: Runner[] = [];
  for (const candidate of candidates) {
    const first = await candidate.run(1, clock);
    runners.push({ candidate, first, times: 1, found: first < clock.resolution.longEnough ? [] : [first] });
  }
  const quickest = Math.min(...runners.map(({ first }) => first));
  const likely = runners.filter(({ first }) => first < Math.max(HOPELESS * quickest, quickest + CLEARLY));
  if (likely.length === 1) return likely[0].candidate.name;
  for (let round = 0; round < ROUNDS; round++) {
    const measured = likely.every(({ found }) => found.length > 0);
    if (measured && performance.now() - started > PATIENCE) break;
    for (const runner of likely) runner.found.push(await timeOf(runner, clock));
  }
  return winnerOf(likely, usual, clock.resolution.jitter);
}

/** The least time of a repetition, of a few tries, warmed up [ms]. */
export async function timeOfOne(candidate: Candidate, gpu: GpuContext): Promise<number> {
  const clock = new Stopwatch(gpu);
  try {
    const runner: Runner = { candidate, first: await candidate.run(1, clock), times: 1, found: [] };
    for (let round = 0; round < ROUNDS; round++) runner.found.push(await timeOf(runner, clock));
    return Math.min(...runner.found);
  } finally {
    clock.destroy();
  }
}

/** Time of a repetition [ms]; finds out how many the clock needs. */
async function timeOf(runner: Runner, clock: Stopwatch): Promise<number> {
  const { candidate } = runner;
  const { longEnough } = clock.resolution;
  const one = await candidate.run(1, clock);
  if (one >= longEnough) return one;
  for (let times = Math.max(2, runner.times); ; ) {
    runner.times = times;
    const many = await candidate.run(times, clock);
    const more = many - one;
    if (more >= longEnough || times >= MOST_TIMES) return Math.max(more, 0) / (times - 1);
    const growth = Math.min(MOST_GROWTH, Math.max(2, longEnough / Math.max(more, 0)));
    times = Math.min(MOST_TIMES, Math.ceil(growth * times));
  }
}

/** A draw, as far as the clock and the scatter of the times can tell, goes to the usual winner. */
function winnerOf(runners: readonly Runner[], usual: string, jitter: number): string {
  const results = runners.map(({ candidate: { name }, times, found }) => {
    const [best, next = best] = [...found].sort((a, b) => a - b);
    return { name, best, noise: Math.max(WORTH_IT * best, next - best, jitter / Math.max(1, times - 1)) };
  });
  const winner = results.reduce((a, b) => (b.best < a.best ? b : a));
  const likely = results.find(({ name }) => name === usual);
  if (!likely) return winner.name;
  return likely.best - winner.best <= Math.max(likely.noise, winner.noise) ? usual : winner.name;
}
