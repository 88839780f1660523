/**
 * Grids as values: where a mesh of cubic cells lies, how fine it is, and what there is beyond its faces. A run's mesh covers its
 * box; another grid may cover a cube of it, with cells that are smaller by a power of two. Particles are ordered by its cells.
 */
import type { Boundary } from "./box.ts";
import { fromFixedPoint } from "./fixed-point.ts";

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
  /** Lower corner, x, y, z, in fixed point [2^-32 box]. */
  origin: readonly [number, number, number];
  /** The side is that of the box over 2^zoom. */
  zoom: number;
  boundary: GridBoundary;
}

/** A grid by whose cells particles are ordered. */
export interface CellGrid extends Grid {
  /** Cells an axis that a particle touches. */
  support: 1 | 2 | 3;
  /** Cells that a particle's force reaches past its base cell: what particles keep from faces that have an outside. */
  reach: number;
}

/** The constants of wgsl/lib/cells.wgsl, for particles in a box. */
export function cellConstants({ cells, origin, zoom, boundary, support, reach }: CellGrid, box: Boundary) {
  const [ORIGIN_X, ORIGIN_Y, ORIGIN_Z] = origin.map((u) => `${u}u`);
  return {
    ...{ CELLS: cells, ORIGIN_X, ORIGIN_Y, ORIGIN_Z, ZOOM: `${zoom}u`, ORDER: support, REACH: reach },
    ...{ HAS_OUTSIDE: boundary.hasOutside, ISOLATED: box === "isolated" },
  };
}

export function wholeBox(cells: number, boundary: Boundary): Grid {
  return { cells, origin: [0, 0, 0], zoom: 0, boundary: boundaries[boundary] };
}

/** Side of a grid in a box of side `boxSize` [length]. */
export function gridSide({ zoom }: Pick<Grid, "zoom">, boxSize: number): number {
  return boxSize / 2 ** zoom;
}

/** Lower corner in box coordinates [length]. */
export function gridCorner({ origin }: Pick<Grid, "origin">, boxSize: number): [number, number, number] {
  const [x, y, z] = origin.map((u) => fromFixedPoint(u, 0, boxSize));
  return [x, y, z];
}
