/** Repeated timing, in turns where several jobs are compared. */
import { median } from "d3-array";
import { GravmeshError } from "../../foundation/base/errors.ts";

/** Times of the fastest repetition and the middle one, of at least one, and their spread = (largest − least)/median. */
export function timingOf(times: readonly number[]) {
  const [best, middle] = [Math.min(...times), median(times)!];
  const spread = middle > 0 ? (Math.max(...times) - best) / middle : 0;
  return { best, median: middle, spread, repetitions: times.length };
}

/** Throws "aborted" once the signal has come. */
export function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new GravmeshError("aborted", "the measurement was interrupted");
}

/** Seconds that `work` takes. */
export async function secondsOf(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

export interface Turns {
  repetitions: number;
  signal?: AbortSignal;
  /** How far they are, 0 … 1. */
  progress?: (fraction: number) => void;
  /** From two repetitions on, none begins that would end after this [ms]. */
  longest?: number;
}

const LEAST_TURNS = 2;

/**
 * Times of several jobs in turns: what a busy machine does to one it does to all. A job gets the number of the
 * repetition and gives its time, or nothing to sit that one out. Throws "aborted".
 */
export async function inTurns<Time>(
  jobs: readonly ((turn: number) => Promise<Time | undefined>)[],
  { repetitions, longest = Number.POSITIVE_INFINITY, signal, progress }: Turns,
): Promise<Time[][]> {
  const times: Time[][] = jobs.map(() => []);
  const begun = performance.now();
  for (let turn = 0; turn < repetitions; turn++) {
    if (turn >= LEAST_TURNS && (performance.now() - begun) * (1 + 1 / turn) > longest) break;
    for (const [k, job] of jobs.entries()) {
      stopIfAborted(signal);
      const time = await job(turn);
      if (time !== undefined) times[k].push(time);
      progress?.((turn + (k + 1) / jobs.length) / repetitions);
    }
  }
  return times;
}

/** Makes things by name and keeps the last one: measurements of the same come in a row. */
export function keepingLast<T>(): (name: string, make: () => Promise<T>) => Promise<T> {
  let last: { name: string; made: T } | undefined;
  return async (name, make) => {
    if (last?.name === name) return last.made;
    last = undefined; // its memory is free while the next is made
    last = { name, made: await make() };
    return last.made;
  };
}
