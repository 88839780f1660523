/** Frames in bytes, and how they are thinned: one form for files, live runs and the page. */
import type { FrameHeader, LiveFrame } from "./protocol.ts";

/** Bytes of a particle: positions, velocities, id; and its image. */
const PARTICLE_BYTES = 28;
const IMAGE_BYTES = 4;

/** The smallest k, a multiple of `unit`, for which every k-th of N particles are at most `most`. */
export function everyFor(count: number, most: number, unit = 1): number {
  return unit * Math.max(1, Math.ceil(Math.ceil(count / unit) / Math.max(1, most)));
}

/** A frame's bytes, with arrays in them that are still to be filled. */
export function emptyFrame(header: FrameHeader): { bytes: Uint8Array<ArrayBuffer>; frame: LiveFrame } {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const padded = 4 * Math.ceil(text.length / 4);
  const body = header.count * (PARTICLE_BYTES + (header.images ? IMAGE_BYTES : 0));
  const bytes = new Uint8Array(4 + padded + body);
  new DataView(bytes.buffer).setUint32(0, padded, true);
  bytes.fill(0x20, 4, 4 + padded);
  bytes.set(text, 4);
  return { bytes, frame: { ...header, ...arraysIn(bytes.buffer, 4 + padded, header) } };
}

/** Throws a RangeError for bytes that aren't a frame. */
export function decodeFrame(buffer: ArrayBuffer): LiveFrame {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as FrameHeader;
  return { ...header, ...arraysIn(buffer, 4 + length, header) };
}

function arraysIn(buffer: ArrayBuffer, at: number, { count, images }: FrameHeader) {
  return {
    positions: new Uint32Array(buffer, at, 3 * count),
    velocities: new Float32Array(buffer, at + 12 * count, 3 * count),
    ids: new Uint32Array(buffer, at + 24 * count, count),
    ...(images && { packedImages: new Uint32Array(buffer, at + PARTICLE_BYTES * count, count) }),
  };
}
