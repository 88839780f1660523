/** What summary.json and report.html tell of each level. */
import { bytesOfLevels } from "../mesh/level-memory.ts";
import { levelRegions, levelSizes, levelsOf } from "../scenario/levels.ts";
import type { Simulation } from "../simulation/simulation.ts";

export interface LevelFigures {
  name: string;
  /** What it moves with; null: it stays at a place. */
  around: string | null;
  cells: number;
  refinement: number;
  /** Side of its cells, and half that of its core, the blend included [length]. */
  h: number;
  coreHalfWidth: number;
  /** Particles whose force is its own, or its and that of the mesh that it lies in, over all of them. */
  share: number;
  /** What its meshes hold on a GPU [bytes]. */
  bytes: number;
}

/** As the particles and the levels are now; reads the particles once where there are levels. */
export async function levelFigures(simulation: Simulation): Promise<LevelFigures[]> {
  const { scenario, components, particleCount } = simulation;
  if (scenario.level.length === 0) return [];
  const regions = await levelRegions(simulation);
  const counts = scenario.level.map(() => 0);
  for await (const { positions, count } of simulation.readBlocks({ reuse: true })) {
    for (let i = 0; i < count; i++) {
      const { level } = regions(positions, i);
      if (level !== undefined) counts[level]++;
    }
  }
  const bytes = bytesOfLevels(levelsOf(scenario, components));
  return levelSizes(scenario).map(({ name, h, core, cells }, l) => {
    const { around = null, refinement } = scenario.level[l];
    const share = counts[l] / particleCount;
    return { name, around, cells, refinement, h, coreHalfWidth: core, share, bytes: bytes[l] };
  });
}
