/**
 * Windows of particles: ranges of slots, each with buffers of its own, of which a kernel sees one at a time. One holds all
 * particles unless the device binds too little.
 */
import type { BoundKernel } from "../gpu/kernel.ts";
import { type Range, type RangeLimits, ranges } from "../gpu/windows.ts";

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
   * [count] u32: place of each particle of the current half within its cell, made with the counts. Of several windows
   * with unequal masses, between ordering and update the mass units of each slot's particle.
   */
  rank: GPUBuffer;
  /**
   * [FAULT_WORDS] first step of each fault that the update has met, then a word for every SLOTS_A_MARK slots: the slabs that
   * their particles are bound for.
   */
  marks: GPUBuffer;
  /** [count / SLOTS_A_MARK] the windows that they are bound for. */
  bound: GPUBuffer;
}

/** Words before the marks. */
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
