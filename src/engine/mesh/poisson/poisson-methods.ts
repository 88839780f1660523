/**
 * The Poisson solvers of mesh.poisson, as a deck has them: what each is, what it refuses and what it holds. What solves
 * is in poisson.ts (GPU) and engine/reference/mesh/poisson.ts (float64), lists with the same names.
 */
import type { z } from "zod";
import { mismatch, type Problem } from "../../../foundation/deck/problems.ts";
import type { RangeLimits } from "../../../foundation/gpu/windows.ts";
import type { Boundary } from "../../../physics/particles/box.ts";
import { FIELD_BYTES, fieldPitch } from "../field.ts";
import { faceWords, levelBytes } from "../multigrid/multigrid-arrays.ts";
import { boundaryCells, SOURCE_MARGIN, TARGET_MARGIN } from "../multigrid/multigrid-boundary-tables.ts";
import { multigridProblems, multigridTable } from "../multigrid/multigrid-settings.ts";
import { canSplit, coarseCells, splitPeriod } from "./split-mesh.ts";

export interface PoissonMethodRecord {
  /** Half a sentence for the deck's documentation. */
  meaning: string;
  /** Its Green's function is that of mesh.green or mesh.kernel. */
  greenFunction?: true;
  /** A solve starts from the potential of the last. */
  warmStart?: true;
  /** What is wrong with [mesh] and the solvers' own tables when this one is asked for. */
  problems(mesh: MeshOfMethod, tables: SolverSettings): Problem[];
  /** Bytes on the GPU in addition to the mesh's own buffers, and the largest array among them that must lie in one piece. */
  bytes(mesh: MeshOfMethod, boundary: Boundary, limits: RangeLimits): { all: number; binding: number };
}

/** The keys of the table [mesh] that these depend on. */
interface MeshOfMethod {
  cells: number;
  gradient: string;
  kernel: string;
}

/** One octant of the isolated kernel, float32. */
const KERNEL_BYTES = 4;
/** Complex float32 of the spectra that the spectral gradient keeps apart. */
const COMPLEX_BYTES = 8;

const fft: PoissonMethodRecord = {
  meaning: "Fourier transform",
  greenFunction: true,
  problems(mesh) {
    if (mesh.kernel !== "split" || canSplit(mesh)) return [];
    const hint = 'Leave mesh.kernel out, or take "cell-integrated", which has the same error';
    const expected = "cell-integrated or truncated with the spectral gradient and with more than 2048 cells a side";
    return [mismatch(["mesh", "kernel"], expected, "split", hint)];
  },
  bytes({ cells: n, gradient, kernel: kind }, boundary) {
    const isolated = boundary === "isolated";
    if (isolated && kind === "split") return splitBytes(n);
    const kernel = isolated ? KERNEL_BYTES * (n + 1) ** 3 : 0;
    if (gradient !== "spectral") return { all: kernel, binding: 0 };
    if (!isolated) return { all: 2 * FIELD_BYTES * n * n * fieldPitch(n), binding: 0 };
    // Half-transformed spectra of φ and of the derivatives along y and z; slabs lie in the mesh's own buffers.
    const spectrum = COMPLEX_BYTES * (n + 1) * n * n;
    return { all: kernel + 3 * spectrum, binding: 0 };
  },
};

const FLOAT_BYTES = 4;

/** Kernels of two meshes, the coarse one and its spectrum. */
function splitBytes(cells: number): { all: number; binding: number } {
  const period = splitPeriod(cells);
  const modes = period / 2 + 1;
  const n = coarseCells(cells);
  const coarse = FLOAT_BYTES * n ** 3;
  const spectrum = COMPLEX_BYTES * n ** 2 * modes;
  return { all: 2 * KERNEL_BYTES * modes ** 3 + coarse + spectrum, binding: coarse };
}

/** Most Gaussians in the sums for the isolated boundary. */
const MOST_TERMS = 20;

const multigrid: PoissonMethodRecord = {
  meaning: "multigrid on the 7-point Laplacian (table multigrid)",
  warmStart: true,
  problems({ cells, gradient }, { multigrid: settings }) {
    const hint = 'The spectral gradient needs the transform: use poisson = "fft", or differences';
    return [
      ...multigridProblems(cells, settings),
      ...(gradient === "spectral"
        ? [mismatch(["mesh", "gradient"], '2-point or 4-point with poisson = "multigrid"', "spectral", hint)]
        : []),
    ];
  },
  /** The last potential, from which the next solve starts; isolated, its ghosts and the sums of Gaussians for them. */
  bytes({ cells: n }, boundary, limits) {
    const levels = levelBytes(limits, n, boundary);
    if (boundary === "periodic") return { all: levels, binding: 0 };
    const sources = boundaryCells(n) + 2 * SOURCE_MARGIN;
    const targets = boundaryCells(n) + 2 * TARGET_MARGIN;
    const arrays = [
      sources ** 3,
      MOST_TERMS * 6 * sources ** 2,
      MOST_TERMS * 6 * sources * targets,
      6 * targets ** 2,
    ].map((words) => FLOAT_BYTES * words);
    const all = arrays.reduce((sum, bytes) => sum + bytes, levels);
    return { all, binding: Math.max(...arrays, FLOAT_BYTES * faceWords(n)) };
  },
};

/** Tables of the deck that single solvers have. */
export const solverTables = { multigrid: multigridTable };
export const solverTableNames = Object.keys(solverTables) as (keyof typeof solverTables)[];
export type SolverSettings = { [T in keyof typeof solverTables]: Omit<z.output<(typeof solverTables)[T]>, "preset"> };

/** Those of a deck. */
export const solverSettings = (deck: SolverSettings): SolverSettings =>
  Object.fromEntries(solverTableNames.map((name) => [name, deck[name]])) as unknown as SolverSettings;

export const poissonMethods = { fft, multigrid } satisfies Record<string, PoissonMethodRecord>;
export type PoissonMethod = keyof typeof poissonMethods;
