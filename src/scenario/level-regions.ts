/** Which level's force counts where, with the levels as a simulation has them now. */
import { levelGeometry } from "../mesh/level-grid.ts";
import { type LevelRegion, levelRegion } from "../mesh/level-regions.ts";
import { stencilReach } from "../mesh/stencil.ts";
import type { LevelCore } from "../particles/level-core.ts";
import type { ComponentRange } from "../particles/state.ts";
import { levelsOf } from "./levels.ts";
import type { Scenario } from "./scenario.ts";

/** A simulation, as far as it is asked for its levels. */
interface Levelled {
  scenario: Scenario;
  components: readonly ComponentRange[];
  levelCores(): Promise<LevelCore[]>;
}

/** Of particle `i` of positions [3N, box coordinates, length]. */
export async function levelRegions(simulation: Levelled): Promise<(positions: Float64Array, i: number) => LevelRegion> {
  const { scenario, components } = simulation;
  const { box, mesh } = scenario;
  const levels = levelsOf(scenario, components);
  const geometry = levelGeometry(levels, mesh.cells, stencilReach(mesh));
  const centres = (await simulation.levelCores()).flatMap(({ centre }) => centre.map((x) => x / box.size));
  const where = { levels, geometry, centres, isolated: box.boundary === "isolated" };
  return (positions, i) =>
    levelRegion(
      where,
      Array.from(positions.subarray(3 * i, 3 * i + 3), (x) => x / box.size),
    );
}
