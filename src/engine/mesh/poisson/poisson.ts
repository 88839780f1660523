/**
 * Poisson's equation ∇²φ = 4πGρ on the GPU: the solvers of mesh.poisson, and what every one of them does: deposited mass
 * in `field` and `high` → potential in `field` (field.ts). The force mesh is scratch to it.
 */
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import { MASS_UNITS } from "../../../physics/particles/fixed-point.ts";
import { gridSide } from "../../../physics/particles/grid.ts";
import type { ParticleBuffers } from "../../gpu-particles/buffers.ts";
import type { MeshBuffers } from "../field.ts";
import { addAqual } from "../mond/aqual.ts";
import { addNetForce } from "../mond/net-force.ts";
import { Qumond } from "../mond/qumond.ts";
import { smoothExcess } from "../mond/smooth-excess.ts";
import { Multigrid } from "../multigrid/multigrid.ts";
import { multigridPresets } from "../multigrid/multigrid-settings.ts";
import type { PipelineSettings } from "../settings.ts";
import { PoissonFft } from "./poisson-fft.ts";
import type { PoissonMethod } from "./poisson-methods.ts";
import type { PoissonProblem, PoissonSolver } from "./poisson-solver.ts";

type PoissonMaker = (
  gpu: GpuContext,
  mesh: MeshBuffers,
  problem: PoissonProblem,
  settings: PipelineSettings,
) => Promise<PoissonSolver>;

const poissonSolvers = {
  fft: (gpu, mesh, problem, { mesh: { green, kernel, assignment, gradient }, pairs, neutrinos }) =>
    PoissonFft.create(gpu, mesh, {
      ...{ ...problem, green, kernel, assignment, gradient },
      ...{ smooth: pairs !== undefined, neutrinos: neutrinos !== undefined },
    }),
  multigrid: (gpu, mesh, problem, { multigrid = multigridPresets.default }) =>
    Multigrid.create(gpu, mesh, { ...problem, multigrid }),
} satisfies Record<PoissonMethod, PoissonMaker>;

/** The solver that the settings ask for. */
export function createPoisson(
  gpu: GpuContext,
  particles: ParticleBuffers,
  mesh: MeshBuffers,
  settings: PipelineSettings,
): Promise<PoissonSolver> {
  return solverOf(gpu, mesh, problemOf(particles, mesh, settings), settings);
}

/** The problem on a mesh for the particles of a run. */
export function problemOf(
  particles: Pick<ParticleBuffers, "heaviest" | "totalMassUnits">,
  { grid }: Pick<MeshBuffers, "grid">,
  settings: Pick<PipelineSettings, "boxSize" | "G">,
): PoissonProblem {
  const boundary = grid.boundary.wraps ? "periodic" : "isolated";
  const boxSize = gridSide(grid, settings.boxSize);
  const massUnit = particles.heaviest / MASS_UNITS;
  return { boundary, boxSize, G: settings.G, massUnit, totalUnits: Number(particles.totalMassUnits) };
}

/** The solver of a problem: a linear one, or modified gravity by two of them, by one twice where it remembers nothing. */
export async function solverOf(
  gpu: GpuContext,
  mesh: MeshBuffers,
  problem: PoissonProblem,
  settings: PipelineSettings,
): Promise<PoissonSolver> {
  const make = (): Promise<PoissonSolver> => poissonSolvers[settings.mesh.poisson](gpu, mesh, problem, settings);
  const newton = await make();
  if (!settings.mond) return newton;
  const phantom = newton.saveState ? await make() : newton;
  const { mond, multigrid = multigridPresets.default } = settings;
  const qumond = await Qumond.create(gpu, mesh, problem, mond, { newton, phantom, excess: smoothExcess(settings) });
  if (mond.formulation === "aqual") await addAqual(gpu, mesh, problem, { mond, multigrid, qumond });
  const { gradient } = settings.mesh;
  if (gradient !== "spectral") await addNetForce(gpu, mesh, { qumond, gradient, boundary: problem.boundary });
  return qumond;
}
