/** A folder of pictures: frame_0000.png …, for programs that make films of them. */
import { join } from "node:path";
import { makeFolders, removeLeftover, writeFileAtomic } from "../io/files.node.ts";
import { framePng } from "./animated-png.ts";
import type { FilmShape, FrameSink } from "./sink.ts";

export const FRAME_NAME = /^frame_\d{4,}\.png$/;

export class PngFolder implements FrameSink {
  readonly #written: string[] = [];
  #bytes = 0;

  constructor(
    private readonly folder: string,
    private readonly shape: FilmShape,
  ) {
    makeFolders(folder);
  }

  async add(pixels: Uint8Array): Promise<void> {
    const file = join(this.folder, `frame_${String(this.#written.length).padStart(4, "0")}.png`);
    const png = framePng(pixels, this.shape);
    writeFileAtomic(file, png);
    this.#written.push(file);
    this.#bytes += png.length;
  }

  async end(): Promise<number> {
    return this.#bytes;
  }

  abort(): void {
    for (const file of this.#written) removeLeftover(file);
  }
}
