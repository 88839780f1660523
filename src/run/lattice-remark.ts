/** A remark on particles from another code's lattice, which meets the mesh in another place than ours. */
import { isFromFile } from "../initial/components.ts";
import { latticeShift } from "../initial/lattice-phase.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { Simulation } from "../simulation/simulation.ts";
import { shifting, vector } from "./health.ts";

/** Largest difference in P(k) at z = 0 that was measured (docs/snapshots.md), by assignment [%]. */
const MEASURED: Readonly<Record<Scenario["mesh"]["assignment"], number | undefined>> = {
  ngp: undefined,
  cic: 8,
  tsc: 2,
};

/** For a comoving run at its start whose particles were read from files; undefined where there is nothing to say. */
export async function latticeRemark(simulation: Simulation): Promise<string | undefined> {
  const { time, gravity, particles, box, mesh } = simulation.scenario;
  if (time.clock !== "comoving" || gravity === "direct" || !particles.some(isFromFile)) return undefined;
  const { positions } = await simulation.readParticles();
  const shift = latticeShift(positions, box.size, mesh.cells);
  if (!shift) return undefined;
  const most = MEASURED[mesh.assignment];
  const effect =
    most === undefined ? "" : `, which changes P(k) by up to ${most} % with mesh.assignment = "${mesh.assignment}"`;
  const cells = shift.map((way) => (Math.abs(way) * mesh.cells) / box.size);
  return (
    `The particles begin near a lattice whose points lie ${vector(cells.map((x) => Number(x.toFixed(2))))} cells from where ` +
    `gravmesh has its own, in the middle of the mesh's cells${effect}. To have them there, ` +
    `${shifting(particles, shift)}: a shift of all particles is no change to a periodic box otherwise.`
  );
}
