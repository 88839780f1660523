/** Arrays larger than a binding: cut into ranges, each with a buffer of its own, of which a kernel sees one at a time. */
import { GravmeshError } from "../base/errors.ts";
import type { BufferRange } from "./kernel.ts";

export interface Range {
  first: number;
  count: number;
}

/** What a caller allows a range to hold, where that is less than the device does. */
export interface WindowLimits {
  planes?: number | undefined;
  particles?: number | undefined;
}

/** `total` elements in as few ranges of at most `most` as there can be, each of a multiple of `step` but the last. */
export function ranges(total: number, most: number, step = 1): Range[] {
  if (total <= most) return [{ first: 0, count: total }];
  const largest = step * Math.floor(most / step);
  if (largest < 1)
    throw new GravmeshError("memory", `a buffer of this device holds less than ${step} of ${total} elements`);
  const parts = Math.ceil(total / largest);
  const size = step * Math.ceil(total / (step * parts));
  const cut = Array.from({ length: Math.ceil(total / size) }, (_, part) => part * size);
  return cut.map((first) => ({ first, count: Math.min(size, total - first) }));
}

/** What indices of 32 bits reach in 4-byte words. */
const INDEXED_BYTES = 4 * 2 ** 32;

export interface RangeLimits {
  /** The largest storage binding that lies in one buffer [bytes]. */
  binding: number;
  /** The largest buffer [bytes]. */
  buffer: number;
  windows?: WindowLimits | undefined;
}

export function rangeLimits(gpu: { device: { limits: GPUSupportedLimits }; windows: WindowLimits }): RangeLimits {
  const { limits } = gpu.device;
  return { binding: largestBinding(limits), buffer: limits.maxBufferSize, windows: gpu.windows };
}

/** The largest storage binding that lies in one buffer and that indices reach [bytes]. */
export function largestBinding({ maxStorageBufferBindingSize, maxBufferSize }: GPUSupportedLimits): number {
  return Math.min(maxStorageBufferBindingSize, maxBufferSize, INDEXED_BYTES);
}

/** As much of a buffer as a device binds. */
export function bindable({ limits }: { limits: GPUSupportedLimits }, buffer: GPUBuffer): BufferRange {
  return { buffer, offset: 0, size: Math.min(buffer.size, 4 * Math.floor(largestBinding(limits) / 4)) };
}

/** The least that a caller may allow: particles are told apart by 4096 slots, planes by two. */
const LEAST = { planes: 2, particles: 4096 } as const;

/** The limits that text such as "planes=2, particles=10000" gives. Throws "usage" for anything else. */
export function windowLimits(text: string): WindowLimits {
  const limits: WindowLimits = {};
  for (const part of text.split(/[,;]/).map((word) => word.trim())) {
    if (part === "") continue;
    const [key, value] = part.split("=").map((word) => word.trim());
    const known = (["planes", "particles"] as const).find((name) => name === key);
    const number = Number(value);
    if (!known || !Number.isInteger(number) || number < LEAST[known]) {
      throw new GravmeshError(
        "usage",
        `GRAVMESH_WINDOWS: expected "planes=P, particles=N" with whole numbers from ${LEAST.planes} and ${LEAST.particles}, found "${part}"`,
      );
    }
    limits[known] = number;
  }
  return limits;
}
