/**
 * One device with what every stage needs: buffers, kernels, timing, read-back, and errors that name the stage.
 * Knows no physics.
 */
import { GravmeshError } from "../errors.ts";
import { Batch } from "./batch.ts";
import { BufferPool, MAP_READ } from "./buffers.ts";
import { Kernel, type KernelSpec } from "./kernel.ts";
import { StageTimer } from "./timing.ts";
import { type ChoiceCache, MemoryChoiceCache } from "./tune.ts";
import { patiently } from "./waiting.ts";

export interface AdapterSummary {
  vendor: string;
  architecture: string;
  device: string;
  description: string;
  /** True for a driver that runs on the CPU (lavapipe, SwiftShader, WARP). */
  software: boolean;
}

export class GpuContext {
  readonly device: GPUDevice;
  readonly adapter: AdapterSummary;
  readonly buffers: BufferPool;
  readonly timer: StageTimer;
  /** Where measured choices between kernel shapes are kept. */
  readonly choices: ChoiceCache;
  readonly #owned: boolean;
  #failure: GravmeshError | undefined;
  #rejectLost: (error: GravmeshError) => void = () => {};
  readonly #lost: Promise<never>;

  /** Wraps a device. `owned` devices are destroyed with the context, a caller's own device is left alone. */
  constructor(
    device: GPUDevice,
    adapter: AdapterSummary,
    { owned, choices = new MemoryChoiceCache() }: { owned: boolean; choices?: ChoiceCache },
  ) {
    this.device = device;
    this.adapter = adapter;
    this.buffers = new BufferPool(device);
    this.timer = new StageTimer(device);
    this.choices = choices;
    this.#owned = owned;
    this.#lost = new Promise((_, reject) => {
      this.#rejectLost = reject;
    });
    this.#lost.catch(() => {}); // every wait races against it; unobserved it is no error
    void device.lost.then((info) => {
      if (info.reason === "destroyed") return;
      this.#fail(new GravmeshError("device", `the GPU device was lost: ${info.message || info.reason}`));
    });
    device.addEventListener("uncapturederror", this.#onUncaptured);
  }

  kernel(spec: KernelSpec): Promise<Kernel> {
    return Kernel.create(this, spec);
  }

  batch(label: string): Batch {
    return new Batch(this, label);
  }

  throwIfLost(): void {
    if (this.#failure) throw this.#failure;
  }

  /** Awaits GPU work without burning a core; rejects when the device is lost, naming `where`. */
  async wait<T>(work: Promise<T>, where: string): Promise<T> {
    try {
      const result = await patiently(Promise.race([work, this.#lost]));
      this.throwIfLost();
      return result;
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      if (cause instanceof GravmeshError && message.startsWith(where)) throw cause;
      const kind = cause instanceof GravmeshError ? cause.kind : "device";
      throw new GravmeshError(kind, `${where}: ${message}`, { cause });
    }
  }

  /** Reads `bytes` of a buffer from `offset` (multiples of 4) back to the host, a copy of its own. */
  async read(buffer: GPUBuffer, offset = 0, bytes = buffer.size - offset): Promise<ArrayBuffer> {
    if (bytes === 0) return new ArrayBuffer(0);
    const staging = this.buffers.staging(`${buffer.label} read-back`, bytes);
    const where = `reading back ${buffer.label || "a buffer"}`;
    try {
      await this.batch(where).copy(buffer, offset, staging, 0, bytes).submit();
      await this.wait(staging.mapAsync(MAP_READ), where);
      return staging.getMappedRange().slice(0);
    } finally {
      this.buffers.release(staging);
    }
  }

  destroy(): void {
    this.device.removeEventListener("uncapturederror", this.#onUncaptured);
    this.buffers.destroyAll();
    this.timer.destroy();
    if (this.#owned) this.device.destroy();
  }

  readonly #onUncaptured = (event: GPUUncapturedErrorEvent) => {
    event.preventDefault?.();
    this.#fail(new GravmeshError("device", `uncaptured GPU error: ${event.error.message}`));
  };

  #fail(error: GravmeshError): void {
    this.#failure ??= error;
    this.#rejectLost(this.#failure);
  }
}
