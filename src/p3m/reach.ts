/** How far the pairs of P³M reach. */
import { LEVEL_SPLIT } from "../mesh/level-grid.ts";

/** Cells beyond which the mesh has the whole force, for a reach in splits. */
export const reachInCells = (reach: number): number => reach * LEVEL_SPLIT;
/** Pencils on either side in which a particle may be within reach: between them and its own lie two rows less. */
export const pencilsNear = (cutoff: number): number => Math.ceil(cutoff / 2 + 1) - 1;
