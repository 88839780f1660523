/** Poisson's equation ∇²φ = 4πGρ in float64: the solvers of mesh.poisson, and what the step asks of them. */
import type { PoissonMethod } from "../../mesh/poisson-methods.ts";
import type { PipelineSettings } from "../../mesh/settings.ts";
import { MultigridSolver } from "./multigrid.ts";
import { PoissonFft } from "./poisson-fft.ts";
import type { PoissonSolver } from "./poisson-solver.ts";

/** The solver that the settings ask for, by its name. */
export const poissonSolvers = {
  fft: ({ mesh, boundary, boxSize, G }) => PoissonFft.create(mesh, boundary, boxSize, G),
  multigrid: async ({ mesh, multigrid, boundary, boxSize, G }) =>
    new MultigridSolver(mesh.cells, boxSize, G, boundary, multigrid),
} satisfies Record<PoissonMethod, (settings: PipelineSettings) => Promise<PoissonSolver>>;
