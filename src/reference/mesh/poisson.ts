/** Poisson's equation ∇²φ = 4πGρ in float64: the solvers of mesh.poisson, and what the step asks of them. */
import { inTurns, isolatedKernelSteps } from "../../mesh/greens.ts";
import type { PoissonMethod } from "../../mesh/poisson-methods.ts";
import type { PipelineSettings } from "../../mesh/settings.ts";
import { MultigridSolver } from "./multigrid.ts";
import { PoissonFft } from "./poisson-fft.ts";
import type { PoissonSolver } from "./poisson-solver.ts";
import { SplitPoisson } from "./poisson-split.ts";

/** The solver that the settings ask for, by its name. */
export const poissonSolvers = {
  async fft({ mesh, boundary, boxSize, G }: Omit<PipelineSettings, "externalPotentials">): Promise<PoissonSolver> {
    const { cells, green, kernel } = mesh;
    if (boundary === "periodic") return PoissonFft.periodic(cells, boxSize, G, green);
    if (kernel === "split") return SplitPoisson.create(mesh, boxSize, G);
    const h = boxSize / cells;
    const spectrum = await inTurns(isolatedKernelSteps(cells, h, kernel));
    return PoissonFft.withKernel({ cells, period: 2 * cells, h, G, spectrum });
  },
  multigrid: async ({ mesh, multigrid, boundary, boxSize, G }) =>
    new MultigridSolver(mesh.cells, boxSize, G, boundary, multigrid),
} satisfies Record<PoissonMethod, (settings: PipelineSettings) => Promise<PoissonSolver>>;
