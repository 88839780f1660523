/** How far the pairs of P³M reach, and what they hold. */
import { LEVEL_SPLIT } from "../mesh/levels/level-grid.ts";

/** Cells beyond which the mesh has the whole force, for a reach in splits. */
export const reachInCells = (reach: number): number => reach * LEVEL_SPLIT;
/** Pencils on either side in which a particle may be within reach: between them and its own lie two rows less. */
export const pencilsNear = (cutoff: number): number => Math.ceil(cutoff / 2 + 1) - 1;

/** The smallest mesh [cells per side]: what is within reach lies on either side of it once. */
export const leastCells = (reach: number): number => 4 * pencilsNear(reachInCells(reach)) + 2;

/** Targets of a workgroup, sources of a tile, and of a chunk: a processor's vectors have few lanes, and its barriers cost much. */
export const PAIR_SHAPES = {
  processor: { group: 32, tile: 128, chunk: 16384 },
  gpu: { group: 64, tile: 64, chunk: 8192 },
} as const;
/** Items of a dispatch: room for their sums. */
export const MOST_ITEMS = 2 ** 14;

/** Groups that so many particles make at most: those of each pencil begin with one. */
export const mostGroups = (cells: number, count: number, group: number): number =>
  Math.ceil(count / group) + (cells / 2) ** 2;

/** Bytes of a source, all of which lie in one binding. */
export const SOURCE_BYTES = 16;

/** Bytes of all arrays but the fields, at most: sources with their slots, groups with their chunks, sums of a dispatch. */
export function pairBytes(cells: number, count: number): number {
  const groups = mostGroups(cells, count, PAIR_SHAPES.processor.group);
  return count === 0
    ? 0
    : SOURCE_BYTES * count + 4 * count + 28 * groups + cells ** 2 + 16 * PAIR_SHAPES.gpu.group * MOST_ITEMS;
}

/** Bytes of the particles of all ranks on each of them, of which `share` are its own (of-ranks.ts). */
export const bytesOfRanks = (cells: number, count: number, share: number): number =>
  36 * count + 12 * share + 4 * cells ** 3;
/** Bytes that a particle takes on its way between ranks: position and sums. */
export const EXCHANGED_BYTES = 28;
