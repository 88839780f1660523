/** The cells that particles are ordered by: what wgsl/lib/cells.wgsl is told of them, and where each one's particles start. */
import type { WgslConstants } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Boundary } from "./box.ts";

export interface CellGrid {
  /** n, cells per side. */
  cells: number;
  /** Cells an axis that a particle touches. */
  support: 1 | 2 | 3;
  /** Cells that a particle's force reaches past its base cell: what isolated particles keep from the faces. */
  reach: number;
  boundary: Boundary;
}

/** The constants of wgsl/lib/cells.wgsl. */
export function cellConstants({ cells, support, reach, boundary }: CellGrid): WgslConstants {
  return { CELLS: cells, ORDER: support, REACH: reach, ISOLATED: boundary === "isolated" };
}

/** [n³ + 2] u32: particles per cell, then the first particle of each cell; entry n³ is the first outside. */
export function createCellStart(gpu: GpuContext, cells: number): GPUBuffer {
  return gpu.buffers.storage("cell starts", 4 * (cells ** 3 + 2), "mesh");
}
