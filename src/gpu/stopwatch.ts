/**
 * Times work on the GPU for the choice between kernel shapes: by timestamp queries where the device has them, else by the
 * wall clock, in which waiting for a submission takes a millisecond or two.
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
    for (let k = 0; k < times; k++) encode(batch.stage("tuning"));
    const waited = await this.ofHost(() => batch.submit());
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

  /** Wall-clock time of `work` [ms]. */
  async ofHost(work: () => Promise<unknown>): Promise<number> {
    const started = performance.now();
    await work();
    return performance.now() - started;
  }

  destroy(): void {
    this.#account?.destroy();
  }
}
