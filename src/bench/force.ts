/**
 * `gravmesh bench force`: the force of a point mass on the mesh, through the whole pipeline, against Ewald's sum
 * (periodic) or −1/r² (isolated): mean radial error and rms scatter by separation, scheme by scheme.
 */
import type { Backend } from "../backend.ts";
import {
  FORCE_ERROR_SEPARATIONS,
  type ForceErrorRow,
  type PointMassForces,
  pointMassForceError,
} from "../diagnostics/force-error.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Assignment, GradientScheme, GreenFunction, IsolatedKernel, PipelineSettings } from "../mesh/settings.ts";
import { table } from "../page/text.ts";
import type { Boundary } from "../particles/box.ts";
import { toFixedPoint } from "../particles/fixed-point.ts";
import { MeshPipeline } from "../pipeline.ts";
import { ReferencePipeline } from "../reference/mesh/pipeline.ts";

export interface Scheme {
  assignment: Assignment;
  /** Periodic. */
  green: GreenFunction;
  /** Isolated. */
  kernel: IsolatedKernel;
  gradient: GradientScheme;
}

export interface ForceResult {
  scheme: Scheme;
  rows: ForceErrorRow[];
}

const scheme = (
  assignment: Assignment,
  green: GreenFunction,
  gradient: GradientScheme,
  kernel: IsolatedKernel = "truncated",
): Scheme => ({ assignment, green, gradient, kernel });

/** The schemes of the table, by boundary. */
export const SCHEMES: Record<Boundary, Scheme[]> = {
  periodic: [
    scheme("ngp", "discrete", "2-point"),
    scheme("cic", "discrete", "2-point"),
    scheme("cic", "discrete", "4-point"),
    scheme("cic", "exact", "4-point"),
    scheme("tsc", "discrete", "2-point"),
    scheme("tsc", "exact", "4-point"),
    scheme("cic", "exact", "spectral"),
  ],
  isolated: (["truncated", "cell-integrated"] as const).flatMap((kernel) => [
    scheme("cic", "exact", "2-point", kernel),
    scheme("cic", "exact", "4-point", kernel),
    scheme("tsc", "exact", "4-point", kernel),
  ]),
};

/** Error of one scheme, on the GPU or (without one) in float64 on the CPU. */
export async function benchForce(
  gpu: GpuContext | undefined,
  cells: number,
  boundary: Boundary,
  of: Scheme,
): Promise<ForceResult> {
  const settings: PipelineSettings = {
    mesh: { cells, deposit: "auto", poisson: "fft", ...of },
    boundary,
    boxSize: 1,
    G: 1,
    externalFields: [],
  };
  // An isolated box ends where the mesh does: targets have to stay on it.
  const separations = FORCE_ERROR_SEPARATIONS.filter((separation) => separation < cells / 2 - 4);
  const { forces, destroy } = gpu ? pipelineForces(gpu, settings) : referenceForces(settings);
  try {
    return { scheme: of, rows: await pointMassForceError(forces, { cells, boundary, separations }) };
  } finally {
    destroy();
  }
}

/** A unit mass and targets without mass. */
function particlesAt(positions: Float64Array) {
  const count = positions.length / 3;
  const masses = new Float64Array(count);
  masses[0] = 1;
  const components = [{ name: "point mass and targets", species: "halo" as const, first: 0, count }];
  return { count, positions, velocities: new Float32Array(3 * count), masses, components };
}

async function accelerations(backend: Backend): Promise<Float32Array> {
  const read = await backend.readParticles({ accelerations: true });
  return read.accelerations!.subarray(3);
}

/** The GPU's forces: one pipeline, whose particles are moved for each source. */
export function pipelineForces(gpu: GpuContext, settings: PipelineSettings) {
  let pipeline: MeshPipeline | undefined;
  const forces: PointMassForces = async (source, targets) => {
    const positions = Float64Array.from([...source, ...targets]);
    if (!pipeline) pipeline = await MeshPipeline.create(gpu, settings, particlesAt(positions));
    else {
      const { format, arrays } = await pipeline.saveState();
      const moved = Uint32Array.from(positions, (x) => toFixedPoint(x, settings.boxSize).u);
      await pipeline.restoreState({ format, arrays: { ...arrays, positions: moved } });
    }
    return accelerations(pipeline);
  };
  return { forces, destroy: () => pipeline?.destroy() };
}

/** The float64 pipeline's forces. */
export function referenceForces(settings: PipelineSettings) {
  const forces: PointMassForces = async (source, targets) => {
    const backend = await ReferencePipeline.create(settings, particlesAt(Float64Array.from([...source, ...targets])));
    const found = await accelerations(backend);
    backend.destroy();
    return found;
  };
  return { forces, destroy: () => {} };
}

/** Name of a scheme in a table. */
export function schemeText({ assignment, green, kernel, gradient }: Scheme, boundary: Boundary): string {
  return `${assignment.toUpperCase()}, ${boundary === "periodic" ? green : kernel}, ${gradient}`;
}

/** Mean radial error and scatter [%], a row a scheme. */
export function forceText(results: readonly ForceResult[], boundary: Boundary): string {
  const header = ["scheme", ...(results[0]?.rows.map(({ separation }) => String(separation)) ?? [])];
  const rows = results.map(({ scheme: of, rows: errors }) => [
    schemeText(of, boundary),
    ...errors.map(({ meanRadial, scatter }) => `${meanRadial.toFixed(2)}/${scatter.toFixed(2)}`),
  ]);
  return table(header, rows);
}
