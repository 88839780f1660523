/** Which mesh the force on each particle comes from: that of the box, the core of a level, or what lies between both. */
import type { ParticleSet } from "../particles/state.ts";
import { levelRegions } from "../scenario/level-regions.ts";
import { levelSizes } from "../scenario/levels.ts";
import type { Simulation } from "../simulation/simulation.ts";

export interface MeshPart {
  /** "box", "NGC 4038: blend", "NGC 4038: core" */
  name: string;
  /** Side of the finest cells there [length]. */
  cell: number;
}

export interface MeshParts {
  parts: MeshPart[];
  /** Number of the part of a particle by id. */
  of: (id: number) => number;
}

/** Of particles as the simulation has them. Only the box without levels. */
export async function meshParts(simulation: Simulation, { positions }: ParticleSet): Promise<MeshParts> {
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
