/** Mappable buffers for what submissions read back: small ones are kept, since every submission takes one. */
import { USAGE } from "./buffers.ts";

/** Bytes of a buffer that is kept: timestamps, health and extremes of a submission fit. */
const KEPT_BYTES = 2 ** 14;

export class ReadBacks {
  readonly #free: GPUBuffer[] = [];

  constructor(private readonly device: GPUDevice) {}

  /** A buffer of so many bytes or more, to be given back. */
  take(bytes: number): GPUBuffer {
    const size = bytes <= KEPT_BYTES ? KEPT_BYTES : bytes;
    const kept = size === KEPT_BYTES ? this.#free.pop() : undefined;
    return kept ?? this.device.createBuffer({ label: "read-back", size, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  }

  giveBack(buffer: GPUBuffer): void {
    const usable = buffer.size === KEPT_BYTES && buffer.mapState === "mapped"; // else its submission failed
    if (!usable) {
      buffer.destroy();
      return;
    }
    buffer.unmap();
    this.#free.push(buffer);
  }

  destroy(): void {
    for (const buffer of this.#free) buffer.destroy();
    this.#free.length = 0;
  }
}
