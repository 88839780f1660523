/**
 * An animated PNG (PNG specification, third edition, section 11.3.6): a PNG whose first picture every viewer shows and
 * browsers go on from. Frames are written as they come. fast-png packs each; its data chunks are put into this file's.
 */
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import CRC32 from "crc-32";
import { encode } from "fast-png";
import { fileError, newTemporary, publishAll, removeLeftover } from "../../run/io/files.node.ts";
import { PALETTE } from "./frame.ts";
import type { FilmShape, FrameSink } from "./frames.ts";

const SIGNATURE = 8;
const COMPRESSION = 7;

/** A PNG file of one frame. */
export function framePng(pixels: Uint8Array, { width, height }: Pick<FilmShape, "width" | "height">): Uint8Array {
  const palette = PALETTE.map((colour) => [...colour]);
  return encode({ width, height, data: pixels, depth: 8, channels: 1, palette }, { zlib: { level: COMPRESSION } });
}

export class AnimatedPng implements FrameSink {
  readonly #temporary: string;
  #file: number | undefined;
  #frames = 0;
  /** The number of the next chunk that controls or holds a frame: both share one count. */
  #sequence = 0;

  constructor(
    private readonly path: string,
    private readonly shape: FilmShape,
  ) {
    this.#temporary = newTemporary(path);
    this.#file = openSync(this.#temporary, "r+");
  }

  async add(pixels: Uint8Array): Promise<void> {
    const { width, height, rate, frames } = this.shape;
    const png = framePng(pixels, this.shape);
    const found = chunksOf(png);
    if (this.#frames === 0) {
      this.#write(png.subarray(0, SIGNATURE));
      this.#chunk("IHDR", found.get("IHDR")![0]);
      this.#chunk("acTL", words(frames, 0)); // 0: again and again
      this.#chunk("PLTE", found.get("PLTE")![0]);
    }
    // Shown for 1/rate seconds, the next one in its place.
    const control = Buffer.concat([words(this.#sequence++, width, height, 0, 0), Buffer.alloc(6)]);
    control.writeUInt16BE(100, 20);
    control.writeUInt16BE(Math.round(100 * rate), 22);
    this.#chunk("fcTL", control);
    for (const data of found.get("IDAT")!) {
      if (this.#frames === 0) this.#chunk("IDAT", data);
      else this.#chunk("fdAT", Buffer.concat([words(this.#sequence++), data]));
    }
    this.#frames++;
  }

  async end(): Promise<number> {
    this.#chunk("IEND", Buffer.alloc(0));
    this.#close();
    publishAll([{ path: this.path, temporary: this.#temporary }]);
    return statSync(this.path).size;
  }

  abort(): void {
    this.#close();
    removeLeftover(this.#temporary);
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #chunk(type: string, data: Uint8Array): void {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    this.#write(Buffer.concat([words(data.length), body, words(CRC32.buf(body) >>> 0)]));
  }

  #write(bytes: Uint8Array): void {
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file!, bytes, at);
    } catch (cause) {
      throw fileError("write", this.path, cause);
    }
  }
}

/** The data of a PNG file's chunks by type, in their order. */
function chunksOf(png: Uint8Array): Map<string, Uint8Array[]> {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const chunks = new Map<string, Uint8Array[]>();
  for (let at = SIGNATURE; at < png.length; ) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...png.subarray(at + 4, at + 8));
    chunks.set(type, [...(chunks.get(type) ?? []), png.subarray(at + 8, at + 8 + length)]);
    at += 12 + length;
  }
  return chunks;
}

/** Numbers of four bytes, the highest byte first. */
function words(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [i, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * i);
  return bytes;
}
