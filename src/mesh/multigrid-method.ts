/** mesh.poisson = "multigrid" as a deck has it: see poisson-methods.ts. */
import { mismatch } from "../deck/problems.ts";
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
  bytes({ cells: n }, boundary) {
    const isolated = boundary === "isolated";
    const potential = FLOAT_BYTES * (n ** 3 + (isolated ? 6 * (n + 2) ** 2 : 0));
    if (!isolated) return { all: potential, binding: potential };
    const sources = boundaryCells(n) + 2 * SOURCE_MARGIN;
    const targets = boundaryCells(n) + 2 * TARGET_MARGIN;
    const perTerm = 6 * (sources ** 2 + sources * targets);
    const sums = FLOAT_BYTES * (sources ** 3 + MOST_TERMS * perTerm + 6 * targets ** 2);
    return { all: potential + sums, binding: potential };
  },
};
