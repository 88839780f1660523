/**
 * Stage times, by timestamp queries of each compute pass. Without those the stages are submitted and waited for one by one,
 * which leaves the GPU idle in between: only when asked for.
 */
import { USAGE } from "./buffers.ts";

export interface StageTime {
  stage: string;
  /** Accumulated time [ms] and how many times the stage ran. */
  ms: number;
  count: number;
}

const CAPACITY = 2048; // passes in one submission that are timed, as many as WebGPU lets be; the rest run untimed
const BYTES = 8;

export class StageTimer {
  readonly timestamps: boolean;
  /** Times are wanted even where that takes a submission for every stage. */
  wanted = false;
  readonly #querySet: GPUQuerySet | undefined;
  readonly #resolved: GPUBuffer | undefined;
  readonly #totals = new Map<string, { ms: number; count: number }>();

  constructor(device: GPUDevice) {
    this.timestamps = device.features.has("timestamp-query");
    if (!this.timestamps) return;
    this.#querySet = device.createQuerySet({ label: "stage timestamps", type: "timestamp", count: 2 * CAPACITY });
    this.#resolved = device.createBuffer({
      label: "stage timestamps",
      size: 2 * CAPACITY * BYTES,
      usage: USAGE.QUERY_RESOLVE | USAGE.COPY_SRC,
    });
  }

  /** Whether stages are to be submitted one by one and timed by the wall clock. */
  get byWallClock(): boolean {
    return this.wanted && !this.timestamps;
  }

  /** Timestamp writes for a pass of `stage`, which is added to the `timed` of its batch; undefined when it can't be timed. */
  begin(timed: string[], stage: string): GPUComputePassTimestampWrites | undefined {
    if (!this.#querySet || timed.length >= CAPACITY) return undefined;
    const index = 2 * timed.length;
    timed.push(stage);
    return { querySet: this.#querySet, beginningOfPassWriteIndex: index, endOfPassWriteIndex: index + 1 };
  }

  /** Records where the timestamps of a batch are to be read back from; undefined where there are none. */
  resolve(encoder: GPUCommandEncoder, timed: readonly string[]): { buffer: GPUBuffer; bytes: number } | undefined {
    if (!this.#querySet || !this.#resolved || timed.length === 0) return undefined;
    encoder.resolveQuerySet(this.#querySet, 0, 2 * timed.length, this.#resolved, 0);
    return { buffer: this.#resolved, bytes: 2 * timed.length * BYTES };
  }

  /** Adds the timestamps of a batch, read back, to the totals. */
  note(timed: readonly string[], data: ArrayBuffer): void {
    const ticks = new BigUint64Array(data);
    const batch = new Map<string, number>();
    timed.forEach((stage, index) => {
      batch.set(stage, (batch.get(stage) ?? 0) + elapsed(ticks[2 * index], ticks[2 * index + 1]));
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

  reset(): void {
    this.#totals.clear();
  }

  destroy(): void {
    this.#querySet?.destroy();
    this.#resolved?.destroy();
  }
}

/** [ms] A clock that jumps back (seen on some drivers) counts as nothing rather than as centuries. */
function elapsed(from: bigint, to: bigint): number {
  const ns = to - from;
  return ns > 0n && ns < 1n << 50n ? Number(ns) / 1e6 : 0;
}

/** What the host asks of the device: counted, because each wait leaves a fast GPU idle. */
export interface HostTraffic {
  submissions: number;
  /** Times that the host waited for the device. */
  waits: number;
  bytesRead: number;
}

export const NO_TRAFFIC: Readonly<HostTraffic> = { submissions: 0, waits: 0, bytesRead: 0 };

/** What has come since an earlier count, or with `sign` 1 both together. */
export function combined(now: HostTraffic, other: HostTraffic, sign: 1 | -1): HostTraffic {
  return {
    submissions: now.submissions + sign * other.submissions,
    waits: now.waits + sign * other.waits,
    bytesRead: now.bytesRead + sign * other.bytesRead,
  };
}
