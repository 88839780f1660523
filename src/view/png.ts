/** A picture as a PNG file: the same in Node, in a page and in a worker, where there is no canvas. */
import { encode } from "fast-png";
import type { Picture } from "./picture.ts";

/** The bytes of a PNG file of what picture() gave, without loss. */
export function pngOf({ rgba, width, height }: Pick<Picture, "rgba" | "width" | "height">): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(rgba.buffer, rgba.byteOffset, rgba.byteLength);
  return encode({ width, height, data, depth: 8, channels: 4 }) as Uint8Array<ArrayBuffer>;
}
