/** Poisson's equation ∇²φ = 4πGρ in float64: the solvers of mesh.poisson, and what the step asks of them. */

import type { Boundary } from "../../../physics/particles/box.ts";
import { smoothFine, smoothSpectrum } from "../../mesh/levels/level-kernels.ts";
import { smoothExcess } from "../../mesh/mond/smooth-excess.ts";
import { multigridPresets } from "../../mesh/multigrid/multigrid-settings.ts";
import { isolatedKernelSteps, runYielding } from "../../mesh/poisson/greens.ts";
import type { PoissonMethod } from "../../mesh/poisson/poisson-methods.ts";
import type { PipelineSettings } from "../../mesh/settings.ts";
import { Aqual } from "./aqual.ts";
import { MultigridSolver } from "./multigrid.ts";
import { withoutNetForce } from "./net-force.ts";
import { PoissonFft } from "./poisson-fft.ts";
import type { PoissonSolver } from "./poisson-solver.ts";
import { SplitPoisson } from "./poisson-split.ts";
import { Qumond } from "./qumond.ts";

type Settings = Omit<PipelineSettings, "externalPotentials">;
type PoissonMaker = (settings: Settings) => Promise<PoissonSolver>;

const linearSolvers = {
  async fft({ mesh, boundary, boxSize, G, pairs }) {
    const { cells, green, kernel } = mesh;
    if (pairs) return smoothSolver(mesh, boundary, boxSize, G);
    if (boundary === "periodic") return PoissonFft.periodic(cells, boxSize, G, green);
    if (kernel === "split") return SplitPoisson.create(mesh, boxSize, G);
    const h = boxSize / cells;
    const spectrum = await runYielding(isolatedKernelSteps(cells, h, kernel));
    return PoissonFft.withKernel({ cells, period: 2 * cells, h, G, spectrum });
  },
  multigrid: async ({ mesh, multigrid, boundary, boxSize, G }) =>
    new MultigridSolver(mesh.cells, boxSize, G, boundary, multigrid),
} satisfies Record<PoissonMethod, PoissonMaker>;

/** The smooth part alone, to which pairs of particles add the rest. */
async function smoothSolver(mesh: Settings["mesh"], boundary: Boundary, boxSize: number, G: number) {
  const { cells } = mesh;
  const h = boxSize / cells;
  if (boundary === "isolated")
    return SplitPoisson.create(mesh, boxSize, G, (side) => smoothFine(mesh, undefined, side));
  const spectrum = await runYielding(smoothSpectrum(mesh, undefined, h));
  return PoissonFft.withKernel({ cells, period: cells, h, G, spectrum });
}

/** A linear solver, or modified gravity by two of them: one twice, where it remembers nothing. */
function modified(make: PoissonMaker): PoissonMaker {
  return async (settings) => {
    const newton = await make(settings);
    const { mond, mesh, boxSize, G, boundary, multigrid = multigridPresets.default } = settings;
    if (!mond) return newton;
    const phantom = newton.saveState ? await make(settings) : newton;
    const { cells, gradient } = mesh;
    const problem = { cells, boxSize, G, boundary, mond, excess: smoothExcess(settings) };
    return new Qumond(problem, newton, phantom, [
      ...(mond.formulation === "aqual" ? [new Aqual(problem, multigrid)] : []),
      ...(gradient === "spectral" ? [] : [withoutNetForce(problem, gradient)]),
    ]);
  };
}

/** The solver that the settings ask for, by its name. */
export const poissonSolvers = Object.fromEntries(
  Object.entries(linearSolvers).map(([name, make]) => [name, modified(make)]),
) as Record<PoissonMethod, PoissonMaker>;
