/** What a Poisson solver in float64 does for a step. */
import type { Boundary } from "../../../physics/particles/box.ts";
import type { SavedArrays } from "../../../physics/particles/state.ts";

export interface PoissonSolver {
  readonly cells: number;
  readonly boundary: Boundary;
  /** [n³] potential [velocity²] of a density [n³] [mass/length³]. */
  potential(density: Float64Array): Float64Array;
  /** [n³] acceleration along an axis by the derivative of the spectrum, where there is one [velocity²/length]. */
  acceleration?(density: Float64Array, axis: 0 | 1 | 2): Float64Array;
  /** What massive neutrinos multiply the potential by from now on, by |m| (neutrino-force.ts); of periodic transforms alone. */
  response?: Float64Array | undefined;
  /** [n³] Newton's potential of the last solve in modified gravity; left out where there is no other. */
  newtonPotential?(): Float64Array;
  /** What a resumed run needs for the same bits, by the names that the checkpoint has for it. */
  saveState?(): SavedArrays;
  restoreState?(arrays: SavedArrays): void;
  /** Bytes held between calls, and besides during one. */
  memory(): { held: number; working: number };
}
