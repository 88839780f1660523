/**
 * Choosing between kernel shapes: by a short measurement on the adapter, which is remembered; for small problems, which
 * aren't worth one, what usually wins on adapters of that kind (CPU or GPU). Never by an adapter's name, and never between
 * shapes whose results differ by a bit: those go by `Choices.fixed`.
 */
import type { Batch } from "./batch.ts";
import type { ShapedStage } from "./choices.ts";
import type { GpuContext } from "./context.ts";
import { Stopwatch } from "./stopwatch.ts";
import { leaderOf, type Runner, surelySlower, type Verdict, verdictOf } from "./verdict.ts";

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
  /** A result depends on the answer: the first one stays, in doubt or not. */
  lasting?: boolean;
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

/** Of which `timeOfOne` takes the least. */
const TRIES = 3;
/** At most; a question ends as soon as its verdict is clear. */
const ROUNDS = 21;
/** Less than the passes of a submission that get timestamps, where a repetition is a pass (timing.ts). */
const MOST_TIMES = 500;
/** Repetitions grow by this factor at most from one try to the next, by 2 at least. */
const MOST_GROWTH = 8;
/** A question is measured for this long, not counting what a first run of each candidate takes [ms]. */
const PATIENCE = 1500;
/** A candidate this many times slower than the quickest at first sight, and by so much, isn't measured any further. */
const HOPELESS = 2.5;
const CLEARLY = 5; // [ms]

/**
 * Name of the fastest candidate: known, or measured. `usual` of the question is what a draw falls to. An answer that is in
 * doubt is taken, but asked for again at a later start (choices.ts).
 */
export async function fastest(gpu: GpuContext, question: Question, candidates: readonly Candidate[]): Promise<string> {
  if (candidates.length === 1) return candidates[0].name;
  const { purpose, stage = purpose.split(",")[0], lasting } = question;
  const known = gpu.choices.get(purpose);
  if (known && candidates.some(({ name }) => name === known)) return known;
  const usual = usualOf(gpu, question);
  const names = candidates.map(({ name }) => name);
  const clock = new Stopwatch(gpu);
  try {
    const { winner, clear } = await race(candidates, clock, usual, (index) =>
      gpu.preparing.measures(stage, names, index),
    );
    if (clear || lasting) {
      gpu.choices.set(purpose, winner);
      return winner;
    }
    return gpu.choices.vote(purpose, winner, { names, usual });
  } finally {
    clock.destroy();
  }
}

/** A candidate in a race, with the times of a repetition that were measured [ms]. */
interface Racer extends Runner {
  candidate: Candidate;
  /** Least of a single repetition, with what a submission takes by itself. */
  one: number;
  /** Repetitions that the clock resolves. */
  times: number;
  found: number[];
}

const racer = (candidate: Candidate): Racer => ({
  ...{ candidate, name: candidate.name, one: Number.POSITIVE_INFINITY, times: 1, found: [] },
});

/**
 * One warm-up each, one look at each, then those with a chance in turns, forth and back, each repeated as often as the
 * clock needs, until the verdict is clear. `tell`: which of them warms up, undefined when they run in turns.
 */
export async function race(
  candidates: readonly Candidate[],
  clock: Stopwatch,
  usual: string,
  tell: (index?: number) => void = () => {},
): Promise<Verdict> {
  const racers = candidates.map(racer);
  for (const [index, one] of racers.entries()) {
    tell(index);
    await one.candidate.run(1, clock); // compiles and warms up
  }
  tell();
  const started = performance.now();
  const { longEnough } = clock.resolution;
  for (const one of racers) await look(one, clock);
  const likely = await withChance(racers, clock);
  if (likely.length === 1) return { winner: likely[0].name, clear: true };
  // The looks are a round where all of them mean something: rounds are what times are compared by.
  if (likely.every(({ one }) => one >= longEnough)) for (const { one, found } of likely) found.push(one);
  let running = likely;
  for (let round = 0; round < ROUNDS; round++) {
    const measured = likely.every(({ found }) => found.length > 0);
    if (measured && performance.now() - started > PATIENCE) break;
    for (const one of round % 2 === 0 ? running : [...running].reverse()) one.found.push(await timeOf(one, clock));
    const resolution = resolutionOf(running, clock);
    const leader = leaderOf(running, resolution);
    running = running.filter((one) => one === leader || !surelySlower(one, leader, resolution));
    if (verdictOf(likely, usual, resolution).clear) break;
  }
  return verdictOf(likely, usual, resolutionOf(likely, clock));
}

/** Those that aren't too slow at first sight; a look that other programs may have spoilt is taken again. */
async function withChance(racers: readonly Racer[], clock: Stopwatch): Promise<Racer[]> {
  const quickest = Math.min(...racers.map(({ one }) => one));
  const most = Math.max(HOPELESS * quickest, quickest + CLEARLY);
  for (const one of racers) if (one.one >= most && one.one < 2 * most) await look(one, clock);
  return racers.filter(({ one }) => one < most);
}

async function look(racer: Racer, clock: Stopwatch): Promise<number> {
  const one = await racer.candidate.run(1, clock);
  racer.one = Math.min(racer.one, one);
  return one;
}

/** Of the least exact time of a repetition [ms]. */
function resolutionOf(racers: readonly Racer[], clock: Stopwatch): number {
  return clock.resolution.jitter / Math.max(1, Math.min(...racers.map(({ times }) => times)) - 1);
}

/** The least time of a repetition, of a few tries, warmed up [ms]. */
export async function timeOfOne(candidate: Candidate, gpu: GpuContext): Promise<number> {
  const clock = new Stopwatch(gpu);
  try {
    const one = racer(candidate);
    await look(one, clock);
    for (let round = 0; round < TRIES; round++) one.found.push(await timeOf(one, clock));
    return Math.min(...one.found);
  } finally {
    clock.destroy();
  }
}

/**
 * Time of a repetition [ms]; finds out how many the clock needs. What a submission takes by itself is in a long one as in
 * one of a single repetition, and drops out of their difference.
 */
async function timeOf(racer: Racer, clock: Stopwatch): Promise<number> {
  const { longEnough } = clock.resolution;
  const one = await look(racer, clock);
  if (one >= longEnough) return one;
  for (let times = Math.max(2, racer.times); ; ) {
    racer.times = times;
    const more = (await racer.candidate.run(times, clock)) - one;
    if (more >= longEnough || times >= MOST_TIMES) return Math.max(more, 0) / (times - 1);
    const growth = Math.min(MOST_GROWTH, Math.max(2, longEnough / Math.max(more, 0)));
    times = Math.min(MOST_TIMES, Math.ceil(growth * times));
  }
}
