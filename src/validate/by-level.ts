/** Which mesh the force on each particle comes from: that of the box, the core of a level, or what lies between both. */
import { levelGeometry } from "../mesh/level-grid.ts";
import { levelRegion } from "../mesh/level-regions.ts";
import { stencilReach } from "../mesh/stencil.ts";
import { wholeArray } from "../particles/saved-arrays.ts";
import type { ParticleSet } from "../particles/state.ts";
import { levelsOf } from "../scenario/levels.ts";
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
  const { scenario, components } = simulation;
  const { box, mesh } = scenario;
  const parts = [{ name: "box", cell: box.size / mesh.cells }];
  const levels = levelsOf(scenario, components);
  if (levels.length === 0) return { parts, of: () => 0 };
  const geometry = levelGeometry(levels, mesh.cells, stencilReach(mesh));
  for (const [l, { perBox }] of geometry.entries()) {
    for (const where of ["blend", "core"]) parts.push({ name: `${levels[l].name}: ${where}`, cell: box.size / perBox });
  }
  const { levelCentres } = (await simulation.checkpointInPieces()).state.arrays;
  const placed = levelCentres ? await wholeArray(levelCentres) : [];
  const centres = Array.from(placed, (u) => Number(u) / 2 ** 32);
  const where = { levels, geometry, centres, isolated: box.boundary === "isolated" };
  const of = (id: number) => {
    const { level, blend } = levelRegion(
      where,
      Array.from(positions.subarray(3 * id, 3 * id + 3), (x) => x / box.size),
    );
    return level === undefined ? 0 : 2 * level + (blend ? 1 : 2);
  };
  return { parts, of };
}
