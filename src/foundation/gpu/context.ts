/** One device with what every stage needs: buffers, kernels, timing, read-back, and errors that name the stage. */
import { GravmeshError } from "../base/errors.ts";
import { Expected, patiently } from "../base/waiting.ts";
import type { AdapterSummary } from "./adapter.ts";
import { Batch } from "./batch.ts";
import { BufferPool, READ_AT_A_TIME } from "./buffers.ts";
import { DeviceLost, LOST } from "./faults.ts";
import { type Kernel, KernelCache, type KernelSpec } from "./kernel.ts";
import { ReadBacks } from "./read-backs.ts";
import type { ShapePins } from "./shapes.ts";
import { type HostTraffic, NO_TRAFFIC, StageTimer } from "./timing.ts";
import type { WindowLimits } from "./windows.ts";

interface ContextOptions {
  owned: boolean;
  shapes?: ShapePins | undefined;
  windows?: WindowLimits | undefined;
  /** Threads of the processor, for software adapters. */
  threads?: number | undefined;
  /** Hears of every kernel that is asked for, compiled before or not. */
  onKernel?: ((spec: KernelSpec) => void) | undefined;
  parent?: GpuContext;
}

/** Where the runtime doesn't give the number of threads: browsers do, Node from version 21 on. */
const USUAL_THREADS = 8;

/** What has gone wrong with a device, and who waits for it to. */
class DeviceHealth {
  failure: GravmeshError | undefined;
  /** Rejects when the device fails. */
  readonly failed: Promise<never>;
  #reject: (error: GravmeshError) => void = () => {};
  #ended = false;

  /** On a caller's own device uncaptured errors are the caller's: ours are captured where we submit. */
  constructor(device: GPUDevice, owned: boolean) {
    this.failed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.failed.catch(() => {}); // every wait races against it; unobserved it is no error
    void device.lost.then((info) => {
      if (!this.#ended) this.#fail(new DeviceLost(`${LOST}: ${info.message || info.reason}`));
    });
    if (owned) device.addEventListener("uncapturederror", this.onUncaptured);
  }

  readonly onUncaptured = (event: GPUUncapturedErrorEvent) => {
    event.preventDefault?.();
    this.#fail(new GravmeshError("device", `uncaptured GPU error: ${event.error.message}`));
  };

  /** We destroy it ourselves: no failure, but what is asked of it from here on is. */
  end(): void {
    this.#ended = true;
    this.failure ??= new GravmeshError("usage", "this GPU context was destroyed; make another");
  }

  #fail(failure: GravmeshError): void {
    this.failure ??= failure;
    this.#reject(this.failure);
  }
}

export class GpuContext {
  readonly buffers: BufferPool;
  readonly readBacks: ReadBacks;
  readonly timer: StageTimer;
  /** Submissions, waits and bytes read back through this context. */
  readonly traffic: HostTraffic = { ...NO_TRAFFIC };
  readonly shapes: ShapePins | undefined;
  /** The activity before the first step. */
  readonly preparing: Preparing;
  /** What a range of a large array may hold at most, in addition to the device's own limits. */
  readonly windows: WindowLimits;
  /** Threads to which a software adapter deals out each dispatch's workgroups beforehand; 1 on GPUs. */
  readonly threads: number;
  private readonly onKernel: ((spec: KernelSpec) => void) | undefined;
  readonly #owned: boolean;
  readonly #health: DeviceHealth;
  readonly #kernels: KernelCache;
  readonly #parent: GpuContext | undefined;
  readonly #expected = new Map<string, Expected>();

  /** Wraps a device. `owned` devices are destroyed with the context, a caller's own device is left alone. */
  constructor(
    readonly device: GPUDevice,
    readonly adapter: AdapterSummary,
    { owned, shapes, windows, threads, onKernel, parent }: ContextOptions,
  ) {
    this.buffers = new BufferPool(device, parent?.buffers);
    this.readBacks = new ReadBacks(device);
    this.timer = new StageTimer(device);
    this.shapes = shapes ?? parent?.shapes;
    this.preparing = parent?.preparing ?? new Preparing();
    this.windows = windows ?? parent?.windows ?? {};
    const ofProcessor = threads ?? parent?.threads ?? globalThis.navigator?.hardwareConcurrency ?? USUAL_THREADS;
    this.threads = adapter.software ? Math.max(1, ofProcessor) : 1;
    this.onKernel = onKernel ?? parent?.onKernel;
    this.#owned = owned;
    this.#health = parent ? parent.#health : new DeviceHealth(device, owned);
    this.#kernels = parent ? parent.#kernels : new KernelCache(device, adapter.software, this.preparing);
    this.#parent = parent;
  }

  /** The same device and kernels; `timer`, `buffers` and `destroy` count only its own calls. */
  account(): GpuContext {
    return new GpuContext(this.device, this.adapter, { owned: false, parent: this });
  }

  /** Makes something that keeps an account of its own, which is given back when that fails. */
  async onAccount<T>(make: (account: GpuContext) => Promise<T>): Promise<T> {
    const account = this.account();
    try {
      const made = await make(account);
      await account.buffers.settle();
      return made;
    } catch (error) {
      // Want of memory is reported late, and may be what lies behind another error.
      const reason = await account.buffers.settle().then(
        () => error,
        (memory) => memory,
      );
      account.destroy();
      throw reason;
    }
  }

  /** The kernel of `spec`, compiled once for a device. Throws "device" with file, line and text when it doesn't compile. */
  kernel(spec: KernelSpec): Promise<Kernel> {
    this.onKernel?.(spec);
    return this.#kernels.get(spec);
  }

  batch(label: string): Batch {
    return new Batch(this, label);
  }

  /** Rejects when the device fails; it stays pending as long as all is well. */
  get failed(): Promise<never> {
    return this.#health.failed;
  }

  throwIfLost(): void {
    if (this.#health.failure) throw this.#health.failure;
  }

  /** Awaits GPU work without burning a core; rejects when the device is lost, naming `where`. */
  async wait<T>(work: Promise<T>, where: string): Promise<T> {
    try {
      this.traffic.waits += 1;
      const either = Promise.race([work, this.#health.failed]);
      const { software } = this.adapter;
      const nudge = () => this.device.queue.submit([]);
      const expected = this.#expected.get(where) ?? new Expected();
      this.#expected.set(where, expected);
      const result = await patiently(either, { software, nudge }, expected);
      this.throwIfLost();
      return result;
    } catch (cause) {
      const message = (cause instanceof Error ? cause.message : String(cause)) || LOST;
      if (cause instanceof GravmeshError && message.startsWith(where)) throw cause;
      const kind = cause instanceof GravmeshError ? cause.kind : "device";
      throw new GravmeshError(kind, `${where}: ${message}`, { cause });
    }
  }

  /**
   * Reads `bytes` of a buffer from `offset` (multiples of 4) back to the host, in pieces: what is read takes as much again
   * on the device.
   */
  async read(buffer: GPUBuffer, offset = 0, bytes = buffer.size - offset): Promise<ArrayBuffer> {
    const whole = new Uint8Array(bytes);
    for (let first = 0; first < bytes; first += READ_AT_A_TIME) {
      const piece = whole.subarray(first, Math.min(bytes, first + READ_AT_A_TIME));
      await this.batch(`reading back ${buffer.label || "a buffer"}`)
        .readInto(piece, buffer, offset + first)
        .submit();
    }
    return whole.buffer;
  }

  /** Forgets the stage times and the traffic so far. */
  resetCounts(): void {
    this.timer.reset();
    Object.assign(this.traffic, NO_TRAFFIC);
  }

  destroy(): void {
    this.buffers.destroyAll();
    this.timer.destroy();
    this.readBacks.destroy();
    if (this.#parent) return;
    this.#health.end();
    this.device.removeEventListener("uncapturederror", this.#health.onUncaptured);
    if (this.#owned) this.device.destroy();
  }
}

/** Reports what is done on a device before the first step, kernel by kernel; their number isn't known in advance. */
export class Preparing {
  #report: ((what: string) => void) | undefined;
  #kernels = 0;

  /** Calls `report` until the function returned is called, or another takes its place. */
  reportTo(report: (what: string) => void): () => void {
    this.#report = report;
    this.#kernels = 0;
    return () => {
      if (this.#report === report) this.#report = undefined;
    };
  }

  does(what: string): void {
    this.#report?.(what);
  }

  compiles(kernel: string): void {
    this.does(`compiling kernel ${++this.#kernels}, ${kernel}`);
  }
}
