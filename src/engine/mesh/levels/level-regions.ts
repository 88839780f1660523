/** Which level's force counts at a point, as wgsl/engine/mesh/levels/level-weights.wgsl has it: for tables of errors by level. */
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

/** How far inside a level's core a point in boxes lies, in cells of the mesh that the level lies in. */
export function depthIn(
  { levels, geometry, centres, isolated }: PlacedLevels,
  level: number,
  point: ArrayLike<number>,
): number {
  const { perBox, core, faceMargin } = geometry[level];
  const parentCells = perBox / levels[level].refinement;
  let inside = core;
  for (let axis = 0; axis < 3; axis++) {
    const x = point[axis];
    const d = x - centres[3 * level + axis];
    inside = Math.min(inside, core - Math.abs(isolated ? d : d - Math.round(d)) * parentCells);
    if (isolated) inside = Math.min(inside, Math.min(x, 1 - x) * parentCells - faceMargin);
  }
  return inside;
}

/** Of a point in boxes. */
export function levelRegion(placed: PlacedLevels, point: ArrayLike<number>): LevelRegion {
  let best = { perBox: 0, inside: 0, level: undefined as number | undefined };
  for (const [level, { perBox }] of placed.geometry.entries()) {
    const inside = Math.min(BLEND, depthIn(placed, level, point));
    const isNearer = perBox > best.perBox || (perBox === best.perBox && inside > best.inside);
    if (inside > 0 && isNearer) best = { perBox, inside, level };
  }
  return { level: best.level, blend: best.level !== undefined && best.inside < BLEND };
}
