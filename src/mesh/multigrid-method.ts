/** mesh.poisson = "multigrid" as a deck has it: see poisson-methods.ts. */
import { mismatch } from "../deck/problems.ts";
import { faceWords, levelBytes } from "./multigrid-arrays.ts";
import { boundaryCells, SOURCE_MARGIN, TARGET_MARGIN } from "./multigrid-boundary-tables.ts";
import { multigridProblems } from "./multigrid-settings.ts";
import type { PoissonMethodRecord } from "./poisson-methods.ts";

const FLOAT_BYTES = 4;
/** Most Gaussians in the sums for the isolated boundary. */
const MOST_TERMS = 20;

export const multigridMethod: PoissonMethodRecord = {
  meaning: "multigrid on the 7-point Laplacian (table multigrid)",
  warmStart: true,
  problems({ cells, gradient }, multigrid) {
    const hint = 'The spectral gradient needs the transform: use poisson = "fft", or differences';
    return [
      ...multigridProblems(cells, multigrid),
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
