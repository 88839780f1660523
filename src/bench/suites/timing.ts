/**
 * Repeated timing for suites: a warm-up that doesn't count, then repetitions of which the best and the median are kept.
 *
 *   spread = (largest − least) / median
 */
import { GravmeshError } from "../../errors.ts";

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

/** Throws "aborted" once the signal has come. */
export function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new GravmeshError("aborted", "the measurement was interrupted");
}

/** Runs `work` again and again; it resolves when what is timed is done. Throws "aborted". */
export async function repeated(work: () => Promise<unknown>, options: RepeatOptions): Promise<Timing> {
  const { repetitions, warmUp = 1, longest = Number.POSITIVE_INFINITY, signal, progress } = options;
  const times: number[] = [];
  let total = 0;
  for (let i = 0; i < warmUp + repetitions; i++) {
    stopIfAborted(signal);
    if (times.length > 0 && total >= longest) break;
    const started = performance.now();
    await work();
    const elapsed = performance.now() - started;
    if (i >= warmUp) {
      times.push(elapsed);
      total += elapsed;
    }
    progress?.((i + 1) / (warmUp + repetitions));
  }
  return timingOf(times);
}
