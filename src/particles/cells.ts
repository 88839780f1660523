/** The cells that particles are ordered by: what wgsl/lib/cells.wgsl is told of them, and where each one's particles start. */
import { USAGE } from "../gpu/buffers.ts";
import type { WgslConstants } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Range } from "../gpu/windows.ts";
import type { Boundary } from "./box.ts";
import type { Grid } from "./grid.ts";
import { scanWords } from "./scan.ts";

export interface CellGrid extends Grid {
  /** Cells an axis that a particle touches. */
  support: 1 | 2 | 3;
  /** Cells that a particle's force reaches past its base cell: what particles keep from faces that have an outside. */
  reach: number;
}

/** The constants of wgsl/lib/cells.wgsl, of particles in a box. */
export function cellConstants(
  { cells, origin, zoom, boundary, support, reach }: CellGrid,
  box: Boundary,
): WgslConstants {
  const [ORIGIN_X, ORIGIN_Y, ORIGIN_Z] = origin.map((u) => `${u}u`);
  return {
    ...{ CELLS: cells, ORIGIN_X, ORIGIN_Y, ORIGIN_Z, ZOOM: `${zoom}u`, ORDER: support, REACH: reach },
    ...{ HAS_OUTSIDE: boundary.hasOutside, ISOLATED: box === "isolated" },
  };
}

/** Where the particles of a slab's cells start. */
export interface SlabStarts {
  /** Planes of the slab: the first, and how many; even numbers. */
  first: number;
  planes: number;
  /**
   * [planes·n² + 2] u32: particles per cell, then the first particle of each cell; the entry after the cells is the next
   * slab's first particle, of the last slab the first outside, and the one after that N.
   */
  starts: GPUBuffer;
}

export interface CellStarts {
  /** n, cells per side. */
  cells: number;
  slabs: readonly SlabStarts[];
  /** [n/2 + 2] u32, as uniform vectors: first particle of each plane of pencils, first outside, N; filled where there are sections. */
  planeStarts: GPUBuffer;
}

/** Vectors of `planeStarts`. */
export function planeStartVectors(cells: number): number {
  return Math.ceil((cells / 2 + 2) / 4);
}

/** Bytes of a slab's starts. */
const startBytes = (cells: number, { count }: Range) => 4 * scanWords(count * cells ** 2 + 2);

/** Bytes of the buffers below. */
export function cellStartBytes(cells: number, slabs: readonly Range[]): number {
  return slabs.reduce((sum, slab) => sum + startBytes(cells, slab), 16 * planeStartVectors(cells));
}

/** The slabs' planes are even in number. */
export function createCellStarts(gpu: GpuContext, cells: number, slabs: readonly Range[]): CellStarts {
  const { buffers } = gpu;
  return {
    cells,
    slabs: slabs.map((slab) => ({
      first: slab.first,
      planes: slab.count,
      starts: buffers.storage(
        `cell starts${slabs.length > 1 ? ` from plane ${slab.first}` : ""}`,
        startBytes(cells, slab),
        "mesh",
      ),
    })),
    planeStarts: buffers.storage("starts of planes", 16 * planeStartVectors(cells), "mesh", USAGE.UNIFORM),
  };
}
