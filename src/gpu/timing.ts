/**
 * Stage times, in one place. With timestamp queries each compute pass is measured on the GPU. Without them a batch
 * submits its stages one by one and adds their wall-clock times here: right, but the GPU idles in between.
 */
import { MAP_READ, USAGE } from "./buffers.ts";

export interface StageTime {
  stage: string;
  /** Accumulated time [ms] and how many times the stage ran. */
  ms: number;
  count: number;
}

const CAPACITY = 512; // passes in one submission that are timed; the rest run untimed
const BYTES = 8;

export class StageTimer {
  /** Whether the GPU's own timestamps are used; otherwise stages are timed by the wall clock. */
  readonly timestamps: boolean;
  readonly #querySet: GPUQuerySet | undefined;
  readonly #resolved: GPUBuffer | undefined;
  readonly #free: GPUBuffer[] = [];
  readonly #totals = new Map<string, { ms: number; count: number }>();
  #pending: string[] = [];
  #inFlight: { stages: string[]; staging: GPUBuffer } | undefined;

  constructor(private readonly device: GPUDevice) {
    this.timestamps = device.features.has("timestamp-query");
    if (!this.timestamps) return;
    this.#querySet = device.createQuerySet({ label: "stage timestamps", type: "timestamp", count: 2 * CAPACITY });
    this.#resolved = device.createBuffer({
      label: "stage timestamps",
      size: 2 * CAPACITY * BYTES,
      usage: USAGE.QUERY_RESOLVE | USAGE.COPY_SRC,
    });
  }

  /** Timestamp writes for a pass of `stage`, or undefined when it can't be timed. */
  begin(stage: string): GPUComputePassTimestampWrites | undefined {
    if (!this.#querySet || this.#pending.length >= CAPACITY) return undefined;
    const index = 2 * this.#pending.length;
    this.#pending.push(stage);
    return { querySet: this.#querySet, beginningOfPassWriteIndex: index, endOfPassWriteIndex: index + 1 };
  }

  /** Records the read-out of the passes begun since the last call. */
  resolve(encoder: GPUCommandEncoder): void {
    if (!this.#querySet || !this.#resolved || this.#pending.length === 0) return;
    const bytes = 2 * this.#pending.length * BYTES;
    const staging =
      this.#free.pop() ??
      this.device.createBuffer({
        label: "stage timestamps read-back",
        size: 2 * CAPACITY * BYTES,
        usage: USAGE.MAP_READ | USAGE.COPY_DST,
      });
    encoder.resolveQuerySet(this.#querySet, 0, 2 * this.#pending.length, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, staging, 0, bytes);
    this.#inFlight = { stages: this.#pending, staging };
    this.#pending = [];
  }

  /** Adds the times of the submission just made to the totals, once it is done. */
  async collect(): Promise<void> {
    const flight = this.#inFlight;
    this.#inFlight = undefined;
    if (!flight) return;
    const bytes = 2 * flight.stages.length * BYTES;
    await flight.staging.mapAsync(MAP_READ, 0, bytes);
    const ticks = new BigUint64Array(flight.staging.getMappedRange(0, bytes).slice(0));
    flight.staging.unmap();
    this.#free.push(flight.staging);
    const batch = new Map<string, number>();
    flight.stages.forEach((stage, index) => {
      // A clock that jumps back (seen on some drivers) counts as nothing rather than as centuries.
      const elapsed = ticks[2 * index + 1] - ticks[2 * index];
      const ms = elapsed > 0n && elapsed < 1n << 50n ? Number(elapsed) / 1e6 : 0;
      batch.set(stage, (batch.get(stage) ?? 0) + ms);
    });
    this.add(batch);
  }

  /** Adds the times [ms] of a batch, by stage. */
  add(batch: ReadonlyMap<string, number>): void {
    for (const [stage, ms] of batch) {
      const total = this.#totals.get(stage) ?? { ms: 0, count: 0 };
      this.#totals.set(stage, { ms: total.ms + ms, count: total.count + 1 });
    }
  }

  /** Accumulated times; `count` is the number of submissions in which the stage ran. */
  totals(): StageTime[] {
    return [...this.#totals].map(([stage, { ms, count }]) => ({ stage, ms, count }));
  }

  /** Forgets the times so far. */
  reset(): void {
    this.#totals.clear();
  }

  destroy(): void {
    this.#querySet?.destroy();
    this.#resolved?.destroy();
    for (const buffer of this.#free) buffer.destroy();
  }
}
