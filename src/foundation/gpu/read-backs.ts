/** Mappable buffers for what submissions read back: small ones are kept, since every submission takes one. */
import { USAGE } from "./buffers.ts";

/** Bytes of a buffer that is kept: timestamps, health and extremes of a submission fit. */
const KEPT_BYTES = 2 ** 14;
/** Sizes of larger ones, of which one each is kept that was used last: runs of several ranks read the same every step. */
const KEPT_SIZES = 2;

export class ReadBacks {
  readonly #free: GPUBuffer[] = [];
  #large: GPUBuffer[] = [];

  constructor(private readonly device: GPUDevice) {}

  /** A buffer of so many bytes or more, to be given back. */
  take(bytes: number): GPUBuffer {
    const size = bytes <= KEPT_BYTES ? KEPT_BYTES : bytes;
    const large = this.#large.find((buffer) => buffer.size === size);
    this.#large = this.#large.filter((buffer) => buffer !== large);
    const kept = size === KEPT_BYTES ? this.#free.pop() : large;
    return kept ?? this.device.createBuffer({ label: "read-back", size, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  }

  giveBack(buffer: GPUBuffer): void {
    if (buffer.mapState !== "mapped") {
      buffer.destroy(); // its submission failed
      return;
    }
    buffer.unmap();
    if (buffer.size === KEPT_BYTES) {
      this.#free.push(buffer);
      return;
    }
    this.#large.unshift(buffer);
    for (const old of this.#large.splice(KEPT_SIZES)) old.destroy();
  }

  destroy(): void {
    for (const buffer of [...this.#free, ...this.#large]) buffer.destroy();
    this.#free.length = this.#large.length = 0;
  }
}
