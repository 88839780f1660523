/**
 * Choosing between kernel shapes by a short measurement on the adapter, never by its name, and remembering it.
 */
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

export interface Candidate {
  name: string;
  /** Runs the candidate once on representative data, to completion. */
  run(): Promise<void>;
}

const REPETITIONS = 3;

/** Name of the fastest candidate: from the cache, or measured (one warm-up each, then best of three, in turns). */
export async function fastest(gpu: GpuContext, purpose: string, candidates: readonly Candidate[]): Promise<string> {
  if (candidates.length === 1) return candidates[0].name;
  const key = [gpu.adapter.vendor, gpu.adapter.architecture, gpu.adapter.description, purpose].join("|");
  const known = gpu.choices.get(key);
  if (known && candidates.some(({ name }) => name === known)) return known;
  for (const candidate of candidates) await candidate.run(); // compiles and warms up
  const best = new Map(candidates.map(({ name }) => [name, Number.POSITIVE_INFINITY]));
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    for (const { name, run } of candidates) {
      const start = performance.now();
      await run();
      best.set(name, Math.min(best.get(name)!, performance.now() - start));
    }
  }
  const winner = [...best].reduce((a, b) => (b[1] < a[1] ? b : a))[0];
  gpu.choices.set(key, winner);
  return winner;
}
