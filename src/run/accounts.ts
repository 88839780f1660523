/** What a run has taken, all sessions together, and its recent speed. */
import type { StageTime } from "../backend.ts";

/** Recent speed: old segments fade out, so that the estimate follows an adaptive step. */
export class Pace {
  #steps = 0;
  #ms = 0;
  #begun: { fraction: number; at: number } | undefined;

  add(steps: number, ms: number): void {
    const memory = Math.exp(-ms / 5000);
    this.#steps = memory * this.#steps + steps;
    this.#ms = memory * this.#ms + ms;
  }

  get stepsPerSecond(): number {
    return this.#ms === 0 ? 0 : (1000 * this.#steps) / this.#ms;
  }

  /** Wall time to the end, outputs included, from the part of the run done in this session [s]. */
  remaining(fraction: number): number {
    const now = performance.now();
    this.#begun ??= { fraction, at: now };
    const done = fraction - this.#begun.fraction;
    return done > 0 ? ((now - this.#begun.at) / 1000) * ((1 - fraction) / done) : Number.NaN;
  }
}

export function sumOfStages(before: readonly StageTime[], now: readonly StageTime[]): StageTime[] {
  const sums = new Map<string, StageTime>();
  for (const { stage, ms, count } of [...before, ...now]) {
    const sum = sums.get(stage) ?? { stage, ms: 0, count: 0 };
    sums.set(stage, { stage, ms: sum.ms + ms, count: sum.count + count });
  }
  return [...sums.values()];
}

export function sumOfCounters(before: Record<string, number>, now: Record<string, number>): Record<string, number> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return Object.fromEntries(names.map((name) => [name, (before[name] ?? 0) + (now[name] ?? 0)]));
}
