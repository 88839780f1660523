/** What a run has taken, all sessions together, and its recent speed. */
import type { HostTraffic, StageTime } from "../engine/backend/backend.ts";
import { combined } from "../foundation/gpu/timing.ts";

/** Wall time by what it was spent on [s]. */
export interface PartSeconds {
  /** Until the first step: the adapter, the initial state, the pipeline; what a resumed run has to look at. */
  preparation: number;
  steps: number;
  /** Diagnostics, snapshots and the rest at output times, and checkpoints. */
  outputs: number;
  /** After the last step: haloes, report. */
  end: number;
}

export const NO_TIME: PartSeconds = { preparation: 0, steps: 0, outputs: 0, end: 0 };

/** What wall time is spent on: every moment belongs to one part, so that the parts' sum is the whole. */
export class Stopwatch {
  readonly #seconds: PartSeconds;
  #part: keyof PartSeconds = "preparation";

  /** Goes on from the seconds of earlier sessions. `since`: when this one began, on the clock of performance.now() [ms]. */
  constructor(
    before: PartSeconds,
    private since: number,
  ) {
    this.#seconds = { ...before };
  }

  enter(part: keyof PartSeconds): void {
    const now = performance.now();
    this.#seconds[this.#part] += (now - this.since) / 1000;
    this.since = now;
    this.#part = part;
  }

  /** Doesn't count the time of `promise`; resolves to it [ms]. */
  async without(promise: Promise<unknown>): Promise<number> {
    this.enter(this.#part);
    const from = this.since;
    await promise;
    this.since = performance.now();
    return this.since - from;
  }

  get seconds(): PartSeconds {
    this.enter(this.#part);
    return { ...this.#seconds };
  }
}

export const totalSeconds = (parts: PartSeconds) => parts.preparation + parts.steps + parts.outputs + parts.end;

/** Recent speed: old segments fade out, so that the estimate follows an adaptive step. */
export class RunSpeed {
  #steps = 0;
  #ms = 0;
  #begun: { fraction: number; at: number } | undefined;

  add(steps: number, ms: number): void {
    const memory = Math.exp(-ms / 5000);
    this.#steps = memory * this.#steps + steps;
    this.#ms = memory * this.#ms + ms;
  }

  held(ms: number): void {
    if (this.#begun) this.#begun.at += ms;
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

/** Times by stage of earlier sessions and this one. */
export function sumOfStages(before: readonly StageTime[], now: readonly StageTime[]): StageTime[] {
  const sums = new Map<string, StageTime>();
  for (const { stage, ms, count } of [...before, ...now]) {
    const sum = sums.get(stage);
    sums.set(stage, { stage, ms: (sum?.ms ?? 0) + ms, count: (sum?.count ?? 0) + count });
  }
  return [...sums.values()];
}

/** What the host asked of the device: in all, for steps alone, and the steps that this is counted for. */
export interface RunTraffic {
  all: HostTraffic;
  steps: HostTraffic;
  counted: number;
}

/** Traffic of earlier sessions and this one. Steps of sessions that weren't counted don't count. */
export function sumOfTraffic(before: RunTraffic | undefined, now: RunTraffic | undefined): RunTraffic | undefined {
  if (!before || !now) return now ?? before;
  return {
    all: combined(before.all, now.all, 1),
    steps: combined(before.steps, now.steps, 1),
    counted: before.counted + now.counted,
  };
}
