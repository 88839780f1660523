/** Memory of levels, in addition to that of the box's mesh. */
import type { Boundary } from "../../../physics/particles/box.ts";
import { COMPLEX_BYTES } from "../fft/fft-plan.ts";
import { FIELD_BYTES, fieldPitch } from "../field.ts";
import { FORCE_BYTES } from "../force/force-mesh.ts";
import { coarseCells, splitPeriod } from "../poisson/split-mesh.ts";
import type { MeshSettings } from "../settings.ts";
import { coarsenedBy, levelChains } from "./level-grid.ts";
import type { LevelShape } from "./level-settings.ts";

/** Bytes of a particle's field. */
export const PARTICLE_FIELD_BYTES = 16;
const FLOAT_BYTES = 4;

/** Low and high words of a mesh. */
const wordBytes = (cells: number) => FIELD_BYTES * fieldPitch(cells) * cells ** 2 + 4 * cells ** 3;
/** The octant of a transfer function. */
const octantBytes = (period: number) => FLOAT_BYTES * (period / 2 + 1) ** 3;

/** Of the levels in a box of `cells` [bytes]: level-mesh.ts and smooth-part.ts. */
export function levelsBytes(
  levels: readonly LevelShape[],
  { cells, poisson, kernel }: Pick<MeshSettings, "cells" | "poisson" | "kernel">,
  boundary: Boundary,
): number {
  if (levels.length === 0) return 0;
  const refinements = new Set(levels.flatMap(({ parent, refinement }) => (parent === undefined ? [refinement] : [])));
  const ofLevels = bytesOfLevels(levels).reduce((sum, bytes) => sum + bytes, 0);
  const hasCoarse = poisson === "fft" && kernel === "split";
  return ofLevels + refinements.size * (wordBytes(cells) + smoothBytes(cells, boundary, hasCoarse));
}

/** Of each level by itself, without what the mesh of the box holds for levels [bytes]. */
export function bytesOfLevels(levels: readonly LevelShape[]): number[] {
  const chains = levelChains(levels);
  return levels.map(({ cells: own, refinement }, l) => {
    const chain = chains.findIndex((one) => one.includes(l));
    const isParent = chains[chain].at(-1) !== l;
    // Its own words, those of guests and those of the smooth part.
    const words = 1 + (chain > 0 ? 1 : 0) + (isParent ? 1 : 0);
    const block = FLOAT_BYTES * coarseCells(own, coarsenedBy(refinement)) ** 3;
    return words * wordBytes(own) + FORCE_BYTES * own ** 3 + block + (isParent ? 2 : 1) * octantBytes(own);
  });
}

/** Tables of a box's smooth part, and a coarse mesh unless the box's solver has one. */
function smoothBytes(cells: number, boundary: Boundary, hasCoarse: boolean): number {
  if (boundary === "periodic") return octantBytes(cells);
  const [n, period] = [coarseCells(cells), splitPeriod(cells)];
  const fine = octantBytes(period);
  return hasCoarse ? fine : 2 * fine + FLOAT_BYTES * n ** 3 + COMPLEX_BYTES * n ** 2 * (period / 2 + 1);
}
