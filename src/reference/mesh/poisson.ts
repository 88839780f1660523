/** Poisson's equation ∇²φ = 4πGρ in float64: the solvers of mesh.poisson, and what the step asks of them. */
import type { PoissonMethod } from "../../mesh/poisson-methods.ts";
import type { PipelineSettings } from "../../mesh/settings.ts";
import type { Boundary } from "../../particles/box.ts";
import type { SavedArrays } from "../../particles/state.ts";
import { MultigridSolver } from "./multigrid.ts";
import { PoissonFft } from "./poisson-fft.ts";

export interface PoissonSolver {
  readonly cells: number;
  readonly boundary: Boundary;
  /** [n³] potential [velocity²] of a density [n³] [mass/length³]. */
  potential(density: Float64Array): Float64Array;
  /** [n³] acceleration along an axis by the derivative of the spectrum, where there is one [velocity²/length]. */
  acceleration?(density: Float64Array, axis: 0 | 1 | 2): Float64Array;
  /** What a resumed run needs for the same bits, by the names that the checkpoint has for it. */
  saveState?(): SavedArrays;
  restoreState?(arrays: SavedArrays): void;
  /** Bytes held between calls, and besides during one. */
  memory(): { held: number; working: number };
}

/** The solver that the settings ask for, by its name. */
export const poissonSolvers = {
  fft: ({ mesh, boundary, boxSize, G }) => PoissonFft.create(mesh, boundary, boxSize, G),
  multigrid: async ({ mesh, multigrid, boundary, boxSize, G }) =>
    new MultigridSolver(mesh.cells, boxSize, G, boundary, multigrid),
} satisfies Record<PoissonMethod, (settings: PipelineSettings) => Promise<PoissonSolver>>;
