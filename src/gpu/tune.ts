/**
 * Choosing between kernel shapes: by a short measurement on the adapter, which is remembered; for small problems, which
 * aren't worth one, what usually wins on adapters of that kind (CPU or GPU). Never by an adapter's name.
 */
import type { Batch } from "./batch.ts";
import type { GpuContext } from "./context.ts";

/** Keeps choices by key; the Node door stores them in a file, a page may use its own storage. */
export interface ChoiceCache {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
}

export class MemoryChoiceCache implements ChoiceCache {
  readonly #choices = new Map<string, string>();
  get(key: string): string | undefined {
    return this.#choices.get(key);
  }
  set(key: string, value: string): void {
    this.#choices.set(key, value);
  }
}

/**
 * The choices of a device, or of one simulation on it. Shapes of a kernel may round differently, so a simulation that is
 * continued must have those that it began with: it keeps a record of its own, by purpose, whatever the cache or the
 * adapter say by then.
 */
export class Choices {
  readonly #made: Map<string, string>;

  constructor(
    private readonly cache: ChoiceCache,
    /** Names the adapter in the cache. */
    private readonly adapter: string,
    earlier: Readonly<Record<string, string>> = {},
  ) {
    this.#made = new Map(Object.entries(earlier));
  }

  /** Of a simulation that begins, or goes on with the choices that it has made before. */
  ofSimulation(earlier?: Readonly<Record<string, string>>): Choices {
    return new Choices(this.cache, this.adapter, earlier);
  }

  get(purpose: string): string | undefined {
    const known = this.#made.get(purpose) ?? this.cache.get(this.#key(purpose));
    if (known !== undefined) this.#made.set(purpose, known);
    return known;
  }

  /**
   * The shape of a kernel whose shapes round differently: `usual`, or the first where that isn't among `shapes`, and
   * what this simulation began with where it goes on. No measurement and no cache has a say.
   */
  fixed<T extends string>(purpose: string, shapes: readonly T[], usual: T): T {
    const begun = shapes.find((shape) => shape === this.#made.get(purpose));
    const shape = begun ?? (shapes.includes(usual) ? usual : shapes[0]);
    this.#made.set(purpose, shape);
    return shape;
  }

  /** Takes a choice for this simulation that nobody measured. */
  settle(purpose: string, value: string): void {
    this.#made.set(purpose, value);
  }

  set(purpose: string, value: string): void {
    this.#made.set(purpose, value);
    this.cache.set(this.#key(purpose), value);
  }

  /** What has been chosen so far, by purpose. */
  get made(): Record<string, string> {
    return Object.fromEntries(this.#made);
  }

  #key(purpose: string): string {
    return `${this.adapter}|${purpose}`;
  }
}

export interface Candidate {
  name: string;
  /** Runs the candidate `times` times (at least once) on representative data, in one submission, to completion. */
  run(times: number): Promise<void>;
}

/** A candidate whose work is recorded, again and again, into one submission. */
export function recorded(gpu: GpuContext, what: string, name: string, encode: (batch: Batch) => unknown): Candidate {
  return {
    name,
    run(times) {
      const batch = gpu.batch(`measuring ${what}`);
      for (let k = 0; k < times; k++) encode(batch.stage("tuning"));
      return batch.submit();
    },
  };
}

/** What is to be chosen, and how much hangs on it. */
export interface Question {
  purpose: string;
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

/** The choice among `names` that needs no measurement: made before, or too small to be worth one. */
export function settled(gpu: GpuContext, question: Question, names: readonly string[]): string | undefined {
  const { purpose, elements, usual } = question;
  const known = gpu.choices.get(purpose);
  if (known !== undefined && names.includes(known)) return known;
  const likely = gpu.adapter.software ? usual.software : usual.hardware;
  if (elements > SMALL || !names.includes(likely)) return undefined;
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

const REPETITIONS = 3;
/** A measurement should last this long [ms], or waiting for the GPU (steps of a millisecond) hides what it costs. */
const LONG_ENOUGH = 20;
const MOST_TIMES = 32;
/** A candidate this many times slower than the quickest at first sight isn't measured any further. */
const HOPELESS = 2.5;

/** Name of the fastest candidate: from the cache, or measured (one warm-up each, then best of three, in turns). */
export async function fastest(gpu: GpuContext, purpose: string, candidates: readonly Candidate[]): Promise<string> {
  if (candidates.length === 1) return candidates[0].name;
  const known = gpu.choices.get(purpose);
  if (known && candidates.some(({ name }) => name === known)) return known;
  for (const candidate of candidates) await candidate.run(1); // compiles and warms up
  const atFirst = new Map<Candidate, number>();
  for (const candidate of candidates) atFirst.set(candidate, await elapsed(() => candidate.run(1)));
  const quickest = Math.min(...atFirst.values());
  const times = Math.min(MOST_TIMES, Math.max(1, Math.round(LONG_ENOUGH / quickest)));
  const likely = candidates.filter((candidate) => atFirst.get(candidate)! < HOPELESS * quickest);
  const best = new Map(likely.map(({ name }) => [name, Number.POSITIVE_INFINITY]));
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    for (const { name, run } of likely) {
      best.set(name, Math.min(best.get(name)!, await elapsed(() => run(times))));
    }
  }
  const winner = [...best].reduce((a, b) => (b[1] < a[1] ? b : a))[0];
  gpu.choices.set(purpose, winner);
  return winner;
}

/** Wall-clock time of `work` [ms]. */
async function elapsed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
