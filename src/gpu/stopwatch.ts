/**
 * Times work on the GPU: by timestamp queries where the device has them, else by the wall clock, in which waiting for a
 * submission takes a millisecond or two.
 */
import type { Batch } from "./batch.ts";
import type { GpuContext } from "./context.ts";

/** What browsers, and Dawn by default, round timestamps to [ns]. */
const ROUNDED_TO = [65_536, 100_000];
/** How long something must take for its time to mean something, and how far two times of the same may differ [ms]. */
const WALL = { longEnough: 20, jitter: 2 };
const ROUNDED = { longEnough: 20, jitter: 0.2 };
const FINE = { longEnough: 4, jitter: 0.02 };

/** A clock that stands still for so long, or says more than it took, isn't asked again [ms]. */
const STILL = 30;

export class Stopwatch {
  /** An account of its own: what is timed here counts nowhere else. */
  #account: GpuContext | undefined;
  #trusted = true;
  #resolution = WALL;

  constructor(private readonly gpu: GpuContext) {}

  /** Of the clock that has timed so far. */
  get resolution(): Readonly<typeof WALL> {
    return this.#resolution;
  }

  /** Time of `times` repetitions in one submission, to completion [ms]. */
  async ofGpu(what: string, times: number, encode: (batch: Batch) => unknown): Promise<number> {
    this.#account ??= this.gpu.account();
    const { timer } = this.#account;
    timer.span = 0;
    const batch = this.#account.batch(`measuring ${what}`);
    for (let k = 0; k < times; k++) encode(batch.stage("timing"));
    const started = performance.now();
    await batch.submit();
    const waited = performance.now() - started;
    const ms = timer.span; // with buffers that are cleared between passes
    this.#trusted &&= timer.timestamps && ms < 2 * waited && (ms > 0 || waited < STILL);
    if (!this.#trusted) {
      this.#resolution = WALL;
      return waited;
    }
    const ns = Math.round(ms * 1e6);
    if (this.#resolution !== FINE) {
      this.#resolution = ROUNDED_TO.every((step) => ns % step !== 0) ? FINE : ROUNDED;
    }
    return ms;
  }

  destroy(): void {
    this.#account?.destroy();
  }
}

/** Of which the least counts. */
const TRIES = 3;
/** Less than the passes of a submission that get timestamps (timing.ts). */
const MOST_TIMES = 500;
/** Repetitions grow by this factor at most from one try to the next, by 2 at least. */
const MOST_GROWTH = 8;

/**
 * Time of what `encode` records [ms]: the least of a few tries, each with as many repetitions as the clock needs. What a
 * submission takes by itself is in a long one as in one of a single repetition, and drops out of their difference.
 */
export async function timeOfOne(gpu: GpuContext, what: string, encode: (batch: Batch) => unknown): Promise<number> {
  const clock = new Stopwatch(gpu);
  try {
    const found: number[] = [];
    let one = await clock.ofGpu(what, 1, encode); // compiles and warms up
    for (let times = 2; found.length < TRIES; ) {
      one = Math.min(one, await clock.ofGpu(what, 1, encode));
      const { longEnough } = clock.resolution;
      if (one >= longEnough) {
        found.push(one);
        continue;
      }
      const more = (await clock.ofGpu(what, times, encode)) - one;
      if (more >= longEnough || times >= MOST_TIMES) found.push(Math.max(more, 0) / (times - 1));
      else {
        const growth = Math.min(MOST_GROWTH, Math.max(2, longEnough / Math.max(more, 0)));
        times = Math.min(MOST_TIMES, Math.ceil(growth * times));
      }
    }
    return Math.min(...found);
  } finally {
    clock.destroy();
  }
}
