/** The two meshes of a split solution (split-kernels.ts): their sizes, and the B-splines between them. */
import { GravmeshError } from "../../../foundation/base/errors.ts";
import { LENGTHS } from "../fft/fft-plan.ts";

/** How mass and potential pass between a mesh and one of longer cells: by B-splines, with half of their order of ghosts. */
export interface Coarsening {
  /** Side of a coarse cell, in cells. */
  ratio: number;
  /** Coarse cells that a B-spline is long, an even number. */
  order: number;
}

/**
 * Differences of the prolonged potential are as antisymmetric between two bodies as splines keep aliases of a mode out, those of
 * order n by (k/(2π/H − k))ⁿ: with cubic ones, n = 4, the net force is 70 times as large.
 */
export const SPLIT: Coarsening = { ratio: 2, order: 8 };
/** Cells that images keep from the box, ghosts included: at five times the split, 12.5, the fine kernel is 2e-4 of −1/r. */
const MARGIN = SPLIT.ratio * SPLIT.order;
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

/** Cells per side of a coarse mesh, ghosts included. */
export function coarseCells(cells: number, { ratio, order }: Coarsening = SPLIT): number {
  return cells / ratio + order;
}

/** Coarse cell, ghosts counted, and weight of those that cell i reaches along an axis. */
export function reachedCells(i: number, by: Coarsening): { cell: number; weight: number }[] {
  const { ratio, order } = by;
  const weights = splineWeights(by);
  const lowest = Math.floor((i + ratio / 2) / ratio);
  return Array.from({ length: order }, (_, k) => {
    const cell = lowest + k;
    return { cell, weight: weights[i - ratio * (cell - order) - ratio / 2] };
  });
}

/** [order·ratio] weights of the cells that a coarse one reaches along an axis, from the lowest; cell c, ghosts counted, from ratio (c − order) + ratio/2 on. */
export function splineWeights({ ratio, order }: Coarsening): number[] {
  const last = order * ratio - 1;
  return Array.from({ length: last + 1 }, (_, k) => bSpline(order, (Math.min(k, last - k) + 0.5) / ratio));
}

/** B-spline of so many intervals of length 1, at x from its beginning on (de Boor 1978). */
function bSpline(order: number, x: number): number {
  if (order === 1) return x >= 0 && x < 1 ? 1 : 0;
  return (x * bSpline(order - 1, x) + (order - x) * bSpline(order - 1, x - 1)) / (order - 1);
}
