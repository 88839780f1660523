/** The two meshes of a split solution (split-kernels.ts): their sizes, and the B-splines between them. */
import { GravmeshError } from "../../../foundation/base/errors.ts";
import { LENGTHS } from "../fft/fft-plan.ts";

/** Side of a coarse cell, in cells. */
export const SPLIT_RATIO = 2;
/** Cells that images keep from the box: the fine kernel is 2e-4 of −1/r there, at five times the split. */
const MARGIN = 12;
/** Coarse cells beyond either face, which the B-splines of the outermost cells reach. */
const COARSE_GHOSTS = 2;
/** From here on two meshes are quicker than one padded one (docs/performance.md). */
const FEWEST_CELLS = 48;
const MOST_CELLS = 2048;

/** Whether there is a split solution: it undoes the smoothing of differences, for meshes that the transforms' lengths reach. */
export function canSplit({ cells, gradient }: { cells: number; gradient: string }): boolean {
  return gradient !== "spectral" && cells <= MOST_CELLS;
}

/** Whether a split solution is the default. */
export function splitsByDefault(mesh: { cells: number; gradient: string }): boolean {
  return canSplit(mesh) && mesh.cells >= FEWEST_CELLS;
}

/** Points of both periods: of the box and a margin for the fine mesh, of twice the coarse one and more. Throws "usage" beyond 2048 cells. */
export function splitPeriod(cells: number): number {
  const period = LENGTHS.find((length) => length >= cells + MARGIN && length % 4 === 0 && LENGTHS.includes(length / 2));
  if (cells > MOST_CELLS || period === undefined) {
    throw new GravmeshError("usage", `a split solution: expected at most ${MOST_CELLS} cells a side, found ${cells}`);
  }
  return period;
}

/** Points of the period that an isolated mesh lies in. */
export function isolatedPeriod(cells: number, kernel: string): number {
  return kernel === "split" ? splitPeriod(cells) : 2 * cells;
}

/** Cells per side of a mesh whose cells are `ratio` times as long, ghosts included. */
export function coarseCells(cells: number, ratio: number = SPLIT_RATIO): number {
  return cells / ratio + 2 * COARSE_GHOSTS;
}

/** Coarse cell, ghosts counted, and weight of the four that cell i reaches along an axis: cubic B-splines of the coarse cells. */
export function reachedCells(i: number, ratio: number = SPLIT_RATIO): { cell: number; weight: number }[] {
  const weights = splineWeights(ratio);
  const lowest = Math.floor((i + ratio / 2) / ratio);
  return [0, 1, 2, 3].map((k) => {
    const cell = lowest + k;
    return { cell, weight: weights[i - ratio * (cell - 4) - ratio / 2] };
  });
}

/** [4·ratio] weights of the cells that a coarse one reaches along an axis, from the lowest; cell c, ghosts counted, from ratio (c − 4) + ratio/2 on. */
export function splineWeights(ratio: number): number[] {
  return Array.from({ length: 4 * ratio }, (_, k) => {
    const d = Math.abs(k - (4 * ratio - 1) / 2) / ratio;
    return d < 1 ? 2 / 3 - d * d + d ** 3 / 2 : (2 - d) ** 3 / 6;
  });
}
