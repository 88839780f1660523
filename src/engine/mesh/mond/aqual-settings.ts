/** What AQUAL's full approximation scheme has in common on the GPU and in float64. */
import { modified } from "../../../physics/mond/interpolation.ts";
import type { MondSettings } from "../../../physics/mond/settings.ts";

import { allLevelSizes } from "../multigrid/multigrid-settings.ts";

export { allLevelSizes, type MultigridSettings, notConverged } from "../multigrid/multigrid-settings.ts";

/** Relaxation factor of the four colours. */
export const OMEGA = 1;
/** Sweeps that solve the coarsest level. */
export const COARSEST_SWEEPS = 12;
/** Of the field that a box's mass has a side of the box away. */
const LEAST_SHARE = 0.05;

/** The least field over a0 that μ is asked for: where it vanishes the linearised equation would lose its diagonal, and cycles stall. */
export function leastX({ interpolation, a0 }: MondSettings, strength: number, boxSize: number): number {
  return (LEAST_SHARE * modified(interpolation, a0, strength / boxSize ** 2)) / a0;
}

/** Bytes of the levels, three arrays each with a layer of ghosts, and of the residual's rows. */
export function aqualBytes(cells: number): number {
  return allLevelSizes(cells).reduce((sum, n) => sum + 3 * 4 * (n + 2) ** 3, 8 * cells ** 2);
}
