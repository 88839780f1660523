/**
 * A folder of pictures: frame_0000.png …, for programs that make films of them. They are made in a folder within it and moved
 * when all are there, so that no movie is ever mixed with half of another.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  fileError,
  flushFile,
  makeFolders,
  removeDeadParts,
  removeFile,
  removeLeftover,
  temporaryName,
} from "../../run/io/files.node.ts";
import { framePng } from "./animated-png.ts";
import type { FilmShape, FrameSink } from "./frames.ts";

export const FRAME_NAME = /^frame_\d{4,}\.png$/;

export class PngFolder implements FrameSink {
  readonly #temporary: string;
  readonly #isNew: boolean;
  #frames = 0;
  #bytes = 0;

  constructor(
    private readonly folder: string,
    private readonly shape: FilmShape,
  ) {
    this.#isNew = !existsSync(folder);
    this.#temporary = temporaryName(join(folder, "frames"));
    try {
      makeFolders(folder);
      removeDeadParts(folder);
      mkdirSync(this.#temporary);
    } catch (cause) {
      throw fileError("make the folder of frames", folder, cause);
    }
  }

  async add(pixels: Uint8Array): Promise<void> {
    const file = join(this.#temporary, `frame_${String(this.#frames++).padStart(4, "0")}.png`);
    const png = framePng(pixels, this.shape);
    try {
      writeFileSync(file, png);
      flushFile(file);
    } catch (cause) {
      throw fileError("write", file, cause, png.length);
    }
    this.#bytes += png.length;
  }

  async end(): Promise<number> {
    try {
      // Frames of a longer movie that is replaced.
      for (const name of readdirSync(this.folder)) if (FRAME_NAME.test(name)) removeFile(join(this.folder, name));
      for (const name of readdirSync(this.#temporary)) renameSync(join(this.#temporary, name), join(this.folder, name));
      rmdirSync(this.#temporary);
    } catch (cause) {
      throw fileError("write the frames in", this.folder, cause);
    }
    return this.#bytes;
  }

  abort(): void {
    removeLeftover(this.#temporary);
    if (this.#isNew && existsSync(this.folder) && readdirSync(this.folder).length === 0) removeLeftover(this.folder);
  }
}
