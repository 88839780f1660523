/** Chunks of particles: ranges of slots, each with buffers of its own; one holds all unless the device binds too little. */
import type { BufferPool } from "../../foundation/gpu/buffers.ts";
import type { BoundKernel } from "../../foundation/gpu/kernel.ts";
import { type Range, type RangeLimits, ranges } from "../../foundation/gpu/windows.ts";
import type { Boundary } from "../../physics/particles/box.ts";

export type BufferPair = readonly [GPUBuffer, GPUBuffer];

/** A kernel bound for either half being current. */
export type BothHalves = readonly [BoundKernel, BoundKernel];

/** Buffers of one half; where there are no images or all masses are equal, ids stand in for what no kernel reads. */
export type ParticleHalf = Record<"positions" | "velocities" | "ids" | "images" | "massUnits", GPUBuffer>;

/** A range of slots with its buffers. */
export interface ParticleWindow extends Range {
  /** [3·count, xyzxyz…] u32 fixed point. */
  positions: BufferPair;
  /** [3·count, xyzxyz…] f32 [velocity]. */
  velocities: BufferPair;
  /** [count] u32: id of the particle in each slot. */
  ids: BufferPair;
  /** [count] u32 packed box images; isolated only. */
  images: BufferPair | undefined;
  /**
   * [count] u32: place of each particle of the current half within its cell, made with the counts; between ordering and
   * update, of several chunks with unequal masses, the mass units of each slot's particle.
   */
  places: GPUBuffer;
  /** [FAULT_WORDS] first step of each fault of the update, then the slabs that the particles of SLOTS_A_MARK slots are bound for. */
  marks: GPUBuffer;
  /** [count / SLOTS_A_MARK] the windows that they are bound for. */
  bound: GPUBuffer;
}

export const FAULT_WORDS = 4;

/** Slots that share a mark of the slabs and windows that their particles are bound for; windows are cut at these. */
export const SLOTS_A_MARK = 4096;
/** Bytes of a particle in the largest array. */
const LARGEST_BYTES = 12;

/** Particles that lie in one window within the limits of a device. */
export function mostInWindow({ binding, windows }: RangeLimits): number {
  return Math.min(windows?.particles ?? Infinity, Math.floor(binding / LARGEST_BYTES));
}

/** The windows of so many. */
export function particleWindows(limits: RangeLimits, count: number): Range[] {
  return ranges(count, mostInWindow(limits), Math.min(SLOTS_A_MARK, count));
}

/** The buffers of a window; of several they are `named` by where it begins. */
export function makeWindow(
  buffers: BufferPool,
  cut: Range,
  { boundary, named }: { boundary: Boundary; named: boolean },
): ParticleWindow {
  const name = named ? `, window at ${cut.first}` : "";
  const marked = Math.ceil(cut.count / SLOTS_A_MARK);
  const pair = (label: string, words: number): BufferPair => [
    buffers.storage(`${label} (0)${name}`, 4 * words * cut.count, "particles"),
    buffers.storage(`${label} (1)${name}`, 4 * words * cut.count, "particles"),
  ];
  return {
    ...cut,
    positions: pair("positions", 3),
    velocities: pair("velocities", 3),
    ids: pair("ids", 1),
    images: boundary === "isolated" ? pair("images", 1) : undefined,
    places: buffers.storage(`places in cells${name}`, 4 * cut.count, "particles"),
    marks: buffers.storage(`marks of slabs${name}`, 4 * (FAULT_WORDS + marked), "particles"),
    bound: buffers.storage(`marks of windows${name}`, 4 * marked, "particles"),
  };
}
