/**
 * Grids as values: where a mesh of cubic cells lies, how fine it is, and what there is beyond its faces. A run's mesh covers its
 * box; another grid covers a cube of it, a range of smaller cells that fill the box, around its faces if need be.
 */
import type { AssignmentScheme } from "./assignments.ts";
import type { Boundary } from "./box.ts";

/** What there is beyond the faces of a grid: a record for each kind. */
export interface GridBoundary {
  /** For messages. */
  name: string;
  /** The mesh goes on at the opposite face, for stencils and transforms; else stencils stop and transforms are padded. */
  wraps: boolean;
  /** Particles may lie beyond the faces: they come behind those of all cells, and their mass isn't on the mesh. */
  hasOutside: boolean;
}

export const boundaries: Readonly<Record<Boundary, GridBoundary>> = {
  periodic: { name: "periodic", wraps: true, hasOutside: false },
  isolated: { name: "isolated", wraps: false, hasOutside: true },
};

export interface Grid {
  /** n, cells per side. */
  cells: number;
  /** Cells of this size along a side of the box, at most MOST_PER_BOX. */
  perBox: number;
  /** Among those its first one on each axis. */
  first: readonly [number, number, number];
  boundary: GridBoundary;
}

/** A grid by whose cells particles are ordered. */
export interface CellGrid extends Grid {
  /** Cells an axis that a particle touches. */
  support: AssignmentScheme["order"];
  /** Cells that a particle's force reaches past its base cell: what particles keep from faces that have an outside. */
  reach: number;
}

/** What wgsl/lib/wide-product.wgsl takes. */
export const MOST_PER_BOX = 2 ** 16 - 1;

/** The constants of wgsl/lib/cells.wgsl, for particles in a box. */
export function cellConstants({ cells, perBox, first, boundary, support, reach }: CellGrid, box: Boundary) {
  const [FIRST_X, FIRST_Y, FIRST_Z] = first.map((cell) => `${cell}u`);
  return {
    ...{ CELLS: cells, PER_BOX: perBox, FIRST_X, FIRST_Y, FIRST_Z, MOVES: false, ORDER: support, REACH: reach },
    ...{ HAS_OUTSIDE: boundary.hasOutside, ISOLATED: box === "isolated" },
  };
}

export function wholeBoxGrid(cells: number, boundary: Boundary): Grid {
  return { cells, perBox: cells, first: [0, 0, 0], boundary: boundaries[boundary] };
}

/** Side of a grid in a box of side `boxSize` [length]. */
export function gridSide({ cells, perBox }: Pick<Grid, "cells" | "perBox">, boxSize: number): number {
  return (boxSize * cells) / perBox;
}

/** Lower corner in box coordinates [length]. */
export function gridCorner(
  { perBox, first }: Pick<Grid, "perBox" | "first">,
  boxSize: number,
): [number, number, number] {
  const [x, y, z] = first.map((cell) => (boxSize * cell) / perBox);
  return [x, y, z];
}
