/** The field of bodies, by direct summation, and of external potentials at any points. */

import { externalField } from "../../physics/potentials/external.ts";
import type { FieldAtPoints } from "../backend/backend.ts";
import type { DirectPipelineSettings } from "./settings.ts";
import { NO_NEIGHBOUR, type SummationEngine } from "./summation.ts";

/** At `points` [3K, box coordinates] at a time; the engine's sources are about the centre of the box. */
export async function summedFieldAt(
  engine: SummationEngine,
  settings: DirectPipelineSettings,
  points: Float64Array,
  time: number,
): Promise<FieldAtPoints> {
  const count = points.length / 3;
  const { accelerations, potential } = externalField(settings, points, time);
  const positions = points.map((x) => x - settings.boxSize / 2);
  const forces = await engine.forces({ count, positions, ids: new Uint32Array(count).fill(NO_NEIGHBOUR) }, {});
  return {
    accelerations: accelerations.map((a, k) => a + forces.accelerations[k]),
    potential: potential.map((phi, k) => phi + forces.potentials[k]),
  };
}
