/** The second part of a validation: the force of a point mass by separation, with the figures of docs/accuracy.md. */
import type { Backend } from "../../engine/backend/backend.ts";
import { ewaldField } from "../../engine/diagnostics/ewald.ts";
import { poissonMethods, solverSettings } from "../../engine/mesh/poisson/poisson-methods.ts";
import type { MeshSettings, PairSettings, PipelineSettings } from "../../engine/mesh/settings.ts";
import { MeshPipeline } from "../../engine/pipeline/pipeline.ts";
import { ReferencePipeline } from "../../engine/reference/mesh/pipeline.ts";
import { GravmeshError, unlessAborted } from "../../foundation/base/errors.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import { toFixedPoint } from "../../physics/particles/fixed-point.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import type { Scenario } from "../../scenario/scenario.ts";

/** Cells per side that the tables are of, for a larger mesh; half as many without a GPU, where 64³ takes minutes. */
const MOST_CELLS = { gpu: 64, cpu: 32 };
/** Of the pairs of P³M where the force is held against Newton's, in the unit box. */
export const PAIRS_OF_POINTS: PairSettings = { softening: 1e-6, softeningKernel: "plummer", reach: 5 };
/** [cells] */
const SEPARATIONS = [0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 11, 16, 22];
/** Cells that targets keep from the ends of an isolated mesh. */
const MARGIN = 4;

/** The tables of docs/accuracy.md at FORCE_ERROR_SEPARATIONS: mean radial error / scatter [%], 64³ cells. */
export const KNOWN_FORCE_LAW: Record<Boundary, Record<string, string>> = {
  periodic: {
    "NGP, discrete, 2-point": "-1.68/63.12 -0.57/36.08 0.18/26.76 -0.02/17.12 -0.02/12.36 0.06/6.52",
    "CIC, discrete, 2-point": "-1.16/16.67 -0.02/8.06 0/4.72 0/2.19 0/1.26 0/0.34",
    "CIC, discrete, 4-point": "8.30/15.72 0.05/4.77 0/3.17 0/1.63 0/0.97 0/0.27",
    "CIC, exact, 4-point": "4.44/12.67 0.84/5.16 -0.01/2.00 0.02/0.91 0.01/0.58 0/0.26",
    "TSC, discrete, 2-point": "-7.50/10.03 -0.03/6.49 0/4.07 0/1.98 0/1.15 0/0.32",
    "TSC, exact, 4-point": "-2.90/7.32 1.48/2.67 0/1.03 0/0.23 0/0.12 0/0.07",
    "CIC, exact, spectral": "-0.79/17.27 2.73/11.87 -3.19/13.31 -2.60/12.96 -2.03/11.88 -0.45/3.68",
  },
  isolated: {
    "CIC, truncated, 2-point": "-5.17/13.74 0.06/8.78 0.03/4.44 0.02/2.05 0/1.18 0/0.32",
    "CIC, truncated, 4-point": "4.44/12.67 0.84/5.15 -0.01/2.00 0.02/0.90 0.01/0.56 0/0.21",
    "TSC, truncated, 4-point": "-2.90/7.32 1.48/2.67 0/1.03 0/0.23 0/0.11 0/0.05",
    "CIC, split, 2-point": "-9.18/12.56 -0.13/8.21 -0.01/4.51 0/1.99 0/1.12 0/0.28",
    "CIC, split, 4-point": "-0.11/11.52 1.15/4.36 -0.01/2.05 0/0.83 0/0.47 0/0.11",
    "TSC, split, 4-point": "-6.99/6.59 1.12/2.27 0.11/0.95 0/0.20 0/0.07 0/0.01",
    "CIC, cell-integrated, 2-point": "-9.18/12.56 -0.13/8.21 -0.01/4.51 0/1.99 0/1.12 0/0.28",
    "CIC, cell-integrated, 4-point": "-0.11/11.52 1.15/4.36 -0.01/2.05 0/0.83 0/0.47 0/0.11",
    "TSC, cell-integrated, 4-point": "-6.99/6.59 1.12/2.27 0.11/0.95 0/0.20 0/0.07 0/0.01",
  },
};

/** The figures of docs/accuracy.md for a scheme at a separation [cells], where both are in its table. */
function known({ mesh, box }: Scenario, scheme: string, separation: number) {
  if (!poissonMethods[mesh.poisson].greenFunction) return null;
  const row = KNOWN_FORCE_LAW[box.boundary][scheme];
  const at = FORCE_ERROR_SEPARATIONS.indexOf(separation as (typeof FORCE_ERROR_SEPARATIONS)[number]);
  if (row === undefined || at < 0) return null;
  const [meanRadial, scatter] = row.split(" ")[at].split("/").map(Number);
  return { meanRadial, scatter };
}

/** Name of a scheme in a table: "CIC, exact, 4-point"; "multigrid, CIC, 4-point" where no Green's function is in it. */
export function schemeText(
  mesh: Pick<MeshSettings, "poisson" | "assignment" | "green" | "kernel" | "gradient">,
  boundary: Boundary,
): string {
  const assignment = mesh.assignment.toUpperCase();
  if (!poissonMethods[mesh.poisson].greenFunction) return `${mesh.poisson}, ${assignment}, ${mesh.gradient}`;
  return `${assignment}, ${boundary === "periodic" ? mesh.green : mesh.kernel}, ${mesh.gradient}`;
}

export type ForceLaw = NonNullable<Awaited<ReturnType<typeof measureForceLaw>>>;

/** Force of a point mass by separation, and the cells per side of the mesh it was measured on; undefined after an interruption. */
export function measureForceLaw(
  scenario: Scenario,
  gpu: GpuContext | undefined,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (fraction: number) => void },
) {
  const { mesh, box, gravity } = scenario;
  const cells = Math.min(gpu ? MOST_CELLS.gpu : MOST_CELLS.cpu, mesh.cells);
  const { boundary } = box;
  const withPairs = gravity === "p3m";
  const settings = {
    ...unitBox(boundary, { ...mesh, cells }),
    ...solverSettings(scenario),
    ...(withPairs && { pairs: PAIRS_OF_POINTS }),
  };
  const room = boundary === "isolated" ? cells / 2 - MARGIN : cells / 2;
  const separations = SEPARATIONS.filter((separation) => separation < room);
  const scheme = `${schemeText(mesh, boundary)}${withPairs ? ", P³M" : ""}`;
  const measuring = releasing(pipelineForces(settings, gpu), async ({ forces }) => {
    const [rows] = await forceErrorsByPart(forces, { cells, boundary, separations, signal, onProgress });
    return { cells, scheme, rows: rows.map((row) => ({ ...row, known: known(scenario, scheme, row.separation) })) };
  });
  return unlessAborted(measuring);
}

/** Accelerations [3T] at `targets` [3T, box coordinates] of a unit mass at `source`, in a unit box with G = 1. */
export type PointMassForces = (
  source: Place,
  targets: Float64Array,
) => Float64Array | Float32Array | Promise<Float64Array | Float32Array>;

type Place = [number, number, number];

export interface ForceErrorsByPart {
  /** Cells per side. */
  cells: number;
  boundary: Boundary;
  /** [cells]; 2, 3, 4, 6, 8, 16 by default. */
  separations?: readonly number[];
  /** In the unit box; by default all over its middle cell, 4 along each axis. */
  sources?: readonly Place[];
  /** How many parts there are, and the number of that in which a target counts, if any, from its source's number [cells]; all in one. */
  parts?: number;
  partOf?: (source: number, displacement: ArrayLike<number>) => number;
  /** Stops it between two sources. */
  signal?: AbortSignal;
  onProgress?: (fraction: number) => void;
}

export interface ForceErrorRow {
  /** [cells] */
  separation: number;
  /** Mean error of the pull towards the source [%]; positive: the mesh pulls too hard. */
  meanRadial: number;
  /** Rms of the radial error about its mean and the tangential error together [%]. */
  scatter: number;
  /** Largest error of a target [%]. */
  largest: number;
}

export const FORCE_ERROR_SEPARATIONS = [2, 3, 4, 6, 8, 16] as const;

const DIRECTIONS = 200;

/** [3·count] unit vectors: z = 1 − (2n + 1)/count, azimuth nπ(3 − √5). */
export function fibonacciSphere(count: number): Float64Array {
  const vectors = new Float64Array(3 * count);
  for (let n = 0; n < count; n++) {
    const z = 1 - (2 * n + 1) / count;
    const azimuth = n * Math.PI * (3 - Math.sqrt(5));
    const rho = Math.sqrt(1 - z * z);
    vectors.set([rho * Math.cos(azimuth), rho * Math.sin(azimuth), z], 3 * n);
  }
  return vectors;
}

/** Positions in the unit box: sub-cell offsets of the cell at the middle of a mesh of `cells`. */
export function subCellOffsets(cells: number, perAxis: number): Place[] {
  const at = (i: number) => (Math.floor(cells / 2) + (i + 0.5) / perAxis) / cells;
  const axis = Array.from({ length: perAxis }, (_, i) => at(i));
  return axis.flatMap((z) => axis.flatMap((y) => axis.map((x): Place => [x, y, z])));
}

/** Errors by separation, for each part of the targets: without parts one list, `[rows]`. Throws "aborted". */
export async function forceErrorsByPart(
  forces: PointMassForces,
  { cells, boundary, parts = 1, partOf = () => 0, signal, onProgress, ...of }: ForceErrorsByPart,
): Promise<ForceErrorRow[][]> {
  const { separations = FORCE_ERROR_SEPARATIONS, sources = subCellOffsets(cells, 4) } = of;
  const directions = fibonacciSphere(DIRECTIONS);
  const perSeparation = directions.length / 3;
  const inCells = Float64Array.from(separations.flatMap((separation) => Array.from(directions, (x) => x * separation)));
  const displacements = inCells.map((x) => x / cells);
  const truth = exactForces(displacements, boundary);
  const tallies = Array.from({ length: parts }, () =>
    separations.map(() => ({ count: 0, radial: 0, square: 0, largest: 0 })),
  );
  for (const [s, source] of sources.entries()) {
    if (signal) await new Promise((resolve) => setTimeout(resolve)); // Ctrl-C is heard between two turns of the loop
    if (signal?.aborted) throw new GravmeshError("aborted", "force law: the caller's signal ended it");
    onProgress?.(s / sources.length);
    const targets = displacements.map((d, j) => {
      const x = source[j % 3] + d;
      return boundary === "periodic" ? x - Math.floor(x) : x;
    });
    const found = await forces(source, targets);
    for (let t = 0; t < truth.length / 3; t++) {
      const tally = tallies[partOf(s, inCells.subarray(3 * t, 3 * t + 3))]?.[Math.floor(t / perSeparation)];
      if (!tally) continue;
      const direction = 3 * (t % perSeparation);
      let [size, radial, square] = [0, 0, 0];
      for (let axis = 0; axis < 3; axis++) {
        const exact = truth[3 * t + axis];
        const error = found[3 * t + axis] - exact;
        size += exact * exact;
        radial -= error * directions[direction + axis];
        square += error * error;
      }
      tally.count++;
      tally.radial += radial / Math.sqrt(size);
      tally.square += square / size;
      tally.largest = Math.max(tally.largest, square / size);
    }
  }
  return tallies.map((rows) =>
    rows.map(({ count, radial, square, largest }, s) => {
      const mean = radial / count;
      return {
        separation: separations[s],
        meanRadial: 100 * mean,
        scatter: 100 * Math.sqrt(Math.max(square / count - mean * mean, 0)),
        largest: 100 * Math.sqrt(largest),
      };
    }),
  );
}

/** [3T] true accelerations at displacements [3T] from the unit mass. */
function exactForces(displacements: Float64Array, boundary: Boundary): Float64Array {
  const exact = new Float64Array(displacements.length);
  for (let j = 0; j < displacements.length; j += 3) {
    const [x, y, z] = displacements.subarray(j, j + 3);
    const pull = -1 / (x * x + y * y + z * z) ** 1.5;
    exact.set(boundary === "periodic" ? ewaldField(x, y, z).acceleration : [pull * x, pull * y, pull * z], j);
  }
  return exact;
}

/** A box of side 1 with G = 1, solved by transforms where nothing else is said. */
export function unitBox(
  boundary: Boundary,
  mesh: Omit<MeshSettings, "deposit" | "poisson" | "softenedModels"> & Partial<MeshSettings>,
): PipelineSettings {
  const usual = { deposit: "auto", poisson: "fft", softenedModels: false } as const;
  return { mesh: { ...usual, ...mesh }, boundary, boxSize: 1, G: 1, externalPotentials: [] };
}

/** Masses and targets, which have none, at rest. */
export function particlesAt(positions: Float64Array, masses: Float64Array): ParticleSet {
  const count = masses.length;
  const components = [{ name: "masses and targets", species: "halo" as const, first: 0, count }];
  return { count, positions, velocities: new Float32Array(3 * count), masses, components };
}

/** On the GPU, or without one in float64. */
export const meshBackend = (
  gpu: GpuContext | undefined,
  settings: PipelineSettings,
  particles: ParticleSet,
): Promise<Backend> =>
  gpu ? MeshPipeline.create(gpu, settings, particles) : ReferencePipeline.create(settings, particles);

/**
 * One pipeline whose particles are moved, where that is quicker: not where a solve begins with the last potential, nor on the
 * CPU, which has nothing to compile.
 */
export function pipelineForces(settings: PipelineSettings, gpu?: GpuContext) {
  const moves = gpu !== undefined && !poissonMethods[settings.mesh.poisson].warmStart;
  let pipeline: Backend | undefined;
  const destroy = () => {
    pipeline?.destroy();
    pipeline = undefined;
  };
  const forces: PointMassForces = async (source, targets) => {
    const positions = Float64Array.from([...source, ...targets]);
    if (!pipeline) {
      const masses = Float64Array.from({ length: positions.length / 3 }, (_, i) => (i === 0 ? 1 : 0));
      pipeline = await meshBackend(gpu, settings, particlesAt(positions, masses));
    } else {
      const { format, arrays } = await pipeline.saveState();
      const moved = Uint32Array.from(positions, (x) => toFixedPoint(x, settings.boxSize).u);
      await pipeline.restoreState({ format, arrays: { ...arrays, positions: moved } });
    }
    const { accelerations } = await pipeline.readParticles({ accelerations: true });
    if (!moves) destroy();
    return accelerations!.subarray(3);
  };
  return { forces, destroy };
}
