/** Which mesh the force on each particle comes from: that of the box, the core of a level, or what lies between both. */
import type { ParticleSet } from "../particles/state.ts";
import { levelRegions, levelSizes } from "../scenario/levels.ts";
import type { Simulation } from "../simulation/simulation.ts";

/** The parts, with the finest cells there, and the number of that of a particle by id. Only the box without levels. */
export async function meshParts(simulation: Simulation, { positions }: ParticleSet) {
  const { scenario } = simulation;
  const { box, mesh, level } = scenario;
  const parts = [{ name: "box", cell: box.size / mesh.cells }];
  if (level.length === 0) return { parts, of: () => 0 };
  for (const { name, h } of levelSizes(scenario)) {
    for (const where of ["blend", "core"]) parts.push({ name: `${name}: ${where}`, cell: h });
  }
  const regions = await levelRegions(simulation);
  const of = (id: number) => {
    const { level: at, blend } = regions(positions, id);
    return at === undefined ? 0 : 2 * at + (blend ? 1 : 2);
  };
  return { parts, of };
}
