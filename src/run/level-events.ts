/** What summary.json and report.html tell of each level. */
import { bytesOfLevels } from "../engine/mesh/levels/level-memory.ts";
import { depthIn, levelRegion } from "../engine/mesh/levels/level-regions.ts";
import type { IdRange } from "../physics/particles/reductions.ts";
import { levelSizes, levelsNow } from "../scenario/level-sizes.ts";
import type { Simulation } from "../scenario/simulation/simulation.ts";
import { shortNumber } from "./page/numbers.ts";

export interface LevelFigures {
  name: string;
  /** What it moves with; null: it stays at a place. */
  around: string | null;
  /** The level that it lies in; null: the mesh of the box. */
  within: string | null;
  cells: number;
  refinement: number;
  /** Side of its cells, and half that of its core, the blend included [length]. */
  h: number;
  coreHalfWidth: number;
  /** Particles whose force is its own, or its and that of the mesh that it lies in, over all of them. */
  share: number;
  /** Particles that it is around within its core, over all of those; null: it stays at a place. */
  followed: number | null;
  /** What its meshes hold on a GPU [bytes]. */
  bytes: number;
}

/** As the particles and the levels are now; reads the particles once where there are levels. */
export async function levelFigures(simulation: Simulation): Promise<LevelFigures[]> {
  const { scenario, particleCount } = simulation;
  if (scenario.level.length === 0) return [];
  const placed = await levelsNow(simulation);
  const { levels } = placed;
  const [counts, held] = [levels.map(() => 0), levels.map(() => 0)];
  for await (const { first, positions, count } of simulation.readBlocks({ reuse: true })) {
    for (let i = 0; i < count; i++) {
      const point = [0, 1, 2].map((axis) => positions[3 * i + axis] / scenario.box.size);
      const { level } = levelRegion(placed, point);
      if (level !== undefined) counts[level]++;
      const isOf = (ids: IdRange) => first + i >= ids.first && first + i < ids.first + ids.count;
      for (const l of levels.keys()) if (levels[l].follows.some(isOf) && depthIn(placed, l, point) > 0) held[l]++;
    }
  }
  const bytes = bytesOfLevels(levels);
  return levelSizes(scenario).map(({ name, h, core, cells }, l) => {
    const { around = null, refinement } = scenario.level[l];
    const share = counts[l] / particleCount;
    const all = levels[l].follows.reduce((sum, { count }) => sum + count, 0);
    const followed = all > 0 ? held[l] / all : null;
    const { parent } = levels[l];
    const within = parent === undefined ? null : levels[parent].name;
    return { name, around, within, cells, refinement, h, coreHalfWidth: core, share, followed, bytes: bytes[l] };
  });
}

/** Levels that act on nothing, or whose cores hold less than a tenth of what they held at the start, when `followed` was so. */
export function levelWarnings(levels: readonly LevelFigures[], start?: readonly (number | null)[]): string[] {
  const percent = (part: number) => `${shortNumber(100 * part)} %`;
  // All particles of a level may have the force of the levels in it.
  const acts = ({ name, share }: LevelFigures): boolean =>
    share > 0 || levels.some((inner) => inner.within === name && acts(inner));
  return levels.flatMap((level, l) => {
    const { name, around, followed } = level;
    const [now, then] = [followed ?? 0, start?.[l] ?? 0];
    const lost = `has lost ${around}: its core holds ${percent(now)} of it, and held ${percent(then)} at the start`;
    const empty = `acts on no particle${start ? "" : " at the start"}: its core is empty, or nearer to a face of the box than levels reach`;
    if (now < then / 10) return [`level "${name}" ${lost}; the rest has the force of larger cells`];
    return acts(level) ? [] : [`level "${name}" ${empty}; try another place, more cells or a larger box.size`];
  });
}
