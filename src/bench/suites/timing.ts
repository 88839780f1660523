/**
 * Repeated timing for suites: a warm-up that doesn't count, then repetitions of which the best and the median are kept.
 *
 *   spread = (largest − least) / median
 */
import { GravmeshError } from "../../base/errors.ts";

export interface Timing {
  /** Wall time of the fastest repetition, the middle one and the spread, [ms], [ms], [1]. */
  best: number;
  median: number;
  spread: number;
  repetitions: number;
}

export interface RepeatOptions {
  repetitions: number;
  /** Runs that come first and don't count: compilation, caches; 1 by default. */
  warmUp?: number;
  /** No further repetition begins once they have taken this long together [ms]. */
  longest?: number;
  signal?: AbortSignal;
  progress?: (fraction: number) => void;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Of times [ms], at least one. */
export function timingOf(times: readonly number[]): Timing {
  const [best, middle] = [Math.min(...times), median(times)];
  const spread = middle > 0 ? (Math.max(...times) - best) / middle : 0;
  return { best, median: middle, spread, repetitions: times.length };
}

/** The fastest of times [s], and their spread. */
export function fastest(times: readonly number[]): { seconds: number; spread: number } {
  const { best: seconds, spread } = timingOf(times);
  return { seconds, spread };
}

/** Forces of bodies on themselves, as they were timed. */
export interface Evaluation {
  /** [s]; scaled up where not all targets were timed. */
  seconds: number;
  /** Targets that were timed. */
  targets: number;
  /** Repetitions' spread, (largest − least)/median. */
  spread: number;
}

/** Of times [s] for so many targets. */
export function evaluationOf(times: readonly number[], targets: number): Evaluation {
  const { seconds, spread } = fastest(times);
  return { seconds, targets, spread };
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

/** Runs `work` again and again; it resolves when what is timed is done. Throws "aborted". */
export async function repeated(work: () => unknown, options: RepeatOptions): Promise<Timing> {
  const { repetitions, warmUp = 1, longest = Number.POSITIVE_INFINITY, signal, progress } = options;
  const times: number[] = [];
  for (let i = 0; i < warmUp + repetitions; i++) {
    stopIfAborted(signal);
    if (times.length > 0 && times.reduce((sum, one) => sum + one, 0) >= longest) break;
    const elapsed = 1000 * (await secondsOf(work));
    if (i >= warmUp) times.push(elapsed);
    progress?.((i + 1) / (warmUp + repetitions));
  }
  return timingOf(times);
}

export interface Turns extends Required<Pick<RepeatOptions, "repetitions" | "signal" | "progress">> {
  /** From two repetitions on, none begins that would end after this [ms]. */
  longest?: number;
}

const LEAST_TURNS = 2;

/**
 * Times of several jobs, repeated in turns: what a busy machine does to one it does to all. A job gets the number of the
 * repetition and gives its time, or nothing where it sits that one out. Throws "aborted".
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
      progress((turn + (k + 1) / jobs.length) / repetitions);
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
