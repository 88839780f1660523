/** Forces of external potentials on the bodies of a direct sum: the twin of wgsl/potentials/forces.wgsl. */
import type { ForceArrays, ForceOrder } from "../../direct/bodies.ts";
import { formulaOf } from "../../potentials/external.ts";
import type { ExternalPotential } from "../../potentials/potential.ts";
import type { Bodies } from "./forces.ts";

export interface ExternalForcesOptions {
  order: ForceOrder;
  potential: Pick<ExternalPotential, "kind" | "parameters">;
  /** In the bodies' coordinates [length]. */
  centre: readonly number[];
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
  const { order, centre, bodies, out, rows, first, last, potentials } = options;
  const { formula, p } = formulaOf(options.potential, options.G);
  const { positions, velocities, accelerations } = bodies;
  const [x, v, a, forces] = [3, 3, 3, 9].map((length) => new Float64Array(length));
  for (let slot = first; slot < last; slot++) {
    const i = 3 * rows[slot];
    for (let k = 0; k < 3; k++) {
      x[k] = positions[i + k] - centre[k];
      if (order !== "acceleration") v[k] = velocities[i + k];
      if (order === "snap") a[k] = accelerations[i + k];
    }
    if (potentials) potentials[slot] += formula.potential(p, x);
    formula.derivatives(p, x, v, a, forces);
    for (let k = 0, at = 3 * slot; k < 3; k++, at++) {
      out.accelerations[at] += forces[k];
      if (order !== "acceleration") out.jerks![at] += forces[3 + k];
      if (order === "snap") out.snaps![at] += forces[6 + k];
    }
  }
}
