/** Forces of external potentials on the bodies of a direct sum: the twin of wgsl/physics/potentials/forces.wgsl. */

import { externalDerivatives, formulaOf } from "../../../physics/potentials/external.ts";
import { placedAt } from "../../../physics/potentials/motion.ts";
import type { ExternalPotential } from "../../../physics/potentials/potential.ts";
import type { ForceArrays, ForceOrder } from "../../direct/bodies.ts";
import type { Bodies } from "./forces.ts";

export interface ExternalForcesOptions {
  order: ForceOrder;
  potential: ExternalPotential;
  /** Box coordinate of the bodies' origin on each axis [length]; 0 by default. */
  origin?: number;
  /** To which the bodies belong [time]; 0 by default. */
  time?: number;
  /** Gravitational constant in deck units. */
  G: number;
  bodies: Bodies;
  /** By place in `rows`. */
  out: ForceArrays;
  rows: Uint32Array;
  first: number;
  last: number;
  /** To add the potential to [velocity²]: it counts fully, the pairs half. */
  potentials?: Float64Array | undefined;
}

/** Adds a potential's forces on rows `rows[first … last)` of `bodies` to the same entries of `out`. */
export function addExternalForces(options: ExternalForcesOptions): void {
  const { order, potential, origin = 0, time = 0, bodies, out, rows, first, last, potentials } = options;
  const formula = formulaOf(potential, options.G);
  const placed = placedAt({ ...potential, centre: relativeTo(origin, potential.centre) }, time);
  const { positions, velocities, accelerations } = bodies;
  const [path, forces] = [new Float64Array(9), new Float64Array(9)];
  for (let slot = first; slot < last; slot++) {
    const i = 3 * rows[slot];
    for (let k = 0; k < 3; k++) {
      path[k] = positions[i + k];
      path[3 + k] = order === "acceleration" ? 0 : velocities[i + k];
      path[6 + k] = order === "snap" ? accelerations[i + k] : 0;
    }
    const own = externalDerivatives(formula, placed, path, forces);
    if (potentials) potentials[slot] += own;
    for (let k = 0, at = 3 * slot; k < 3; k++, at++) {
      out.accelerations[at] += forces[k];
      if (order !== "acceleration") out.jerks![at] += forces[3 + k];
      if (order === "snap") out.snaps![at] += forces[6 + k];
    }
  }
}

function relativeTo(origin: number, [x, y, z]: ExternalPotential["centre"]): ExternalPotential["centre"] {
  return [x - origin, y - origin, z - origin];
}
