/** Writes arrays in id order into the windows of slots, a chunk at a time: bounds the scratch of host and driver. */
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { type ArrayInPieces, piecesOf, type SavedArray } from "../../physics/particles/saved-arrays.ts";
import type { ParticleWindow } from "./windows.ts";

const CHUNK = 2 ** 20;

/** Where in a window something goes. */
type Target = (window: ParticleWindow, index: number) => GPUBuffer;

export class SlotWrites {
  constructor(
    private readonly gpu: GpuContext,
    private readonly windows: readonly ParticleWindow[],
  ) {}

  /** Waits until what was written has been taken: hands the driver's staging memory back before the next takes its own. */
  async settled(): Promise<void> {
    const { queue } = this.gpu.device;
    queue.submit([]);
    await this.gpu.wait(queue.onSubmittedWorkDone(), "uploading the particles");
  }

  /** An array of `words` a particle, from the first on. */
  async putPieces(target: Target, array: SavedArray | ArrayInPieces, words: number): Promise<void> {
    for await (const { first, piece } of piecesOf(array)) {
      // Pieces need not end where a particle does, nor be small.
      for (let at = 0; at < piece.length; at += words * CHUNK) {
        const part = piece.subarray(at, Math.min(piece.length, at + words * CHUNK));
        this.#putWords(target, first + at, part, words);
        await this.settled();
      }
    }
  }

  /** Writes `words` a particle of those from `first` on, into the buffers of the windows they lie in. */
  put(target: Target, first: number, data: SavedArray, words: number): void {
    this.#putWords(target, words * first, data, words);
  }

  /** The same from the word `first` on. */
  #putWords(target: Target, first: number, data: SavedArray, words: number): void {
    const end = first + data.length;
    for (const [index, window] of this.windows.entries()) {
      const begin = words * window.first;
      const [from, to] = [Math.max(first, begin), Math.min(end, begin + words * window.count)];
      if (from >= to) continue;
      const part = data.subarray(from - first, to - first) as Uint32Array<ArrayBuffer>;
      this.gpu.device.queue.writeBuffer(target(window, index), 4 * (from - begin), part);
    }
  }
}
