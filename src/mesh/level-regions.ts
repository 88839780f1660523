/** Which level's force counts at a point, as wgsl/mesh/level-weights.wgsl has it: for tables of errors by level. */
import { BLEND, type LevelGeometry } from "./level-grid.ts";
import type { Level } from "./level-settings.ts";

export interface LevelRegion {
  /** The level of the smallest cells that counts there, among equals the one further inside; undefined: the mesh of the box. */
  level: number | undefined;
  /** Whether it goes over into the mesh that it lies in there. */
  blend: boolean;
}

interface PlacedLevels {
  levels: readonly Level[];
  geometry: readonly LevelGeometry[];
  /** In boxes [levels × 3]. */
  centres: ArrayLike<number>;
  isolated: boolean;
}

/** Of a point in boxes. */
export function levelRegion(
  { levels, geometry, centres, isolated }: PlacedLevels,
  point: ArrayLike<number>,
): LevelRegion {
  let best = { perBox: 0, inside: 0, level: undefined as number | undefined };
  for (const [level, { perBox, core, faceMargin }] of geometry.entries()) {
    const parentCells = perBox / levels[level].refinement;
    let inside = Number.POSITIVE_INFINITY;
    for (let axis = 0; axis < 3; axis++) {
      const x = point[axis];
      const d = x - centres[3 * level + axis];
      inside = Math.min(inside, core - Math.abs(isolated ? d : d - Math.round(d)) * parentCells);
      if (isolated) inside = Math.min(inside, Math.min(x, 1 - x) * parentCells - faceMargin);
    }
    inside = Math.min(BLEND, inside);
    const isNearer = perBox > best.perBox || (perBox === best.perBox && inside > best.inside);
    if (inside > 0 && isNearer) best = { perBox, inside, level };
  }
  return { level: best.level, blend: best.level !== undefined && best.inside < BLEND };
}
