/**
 * The mesh on the GPU: which buffers there are, what each holds at which stage, and the constants that every
 * kernel on the mesh shares. 24 bytes a cell in all; deposit and Poisson borrow the force for their scratch.
 */
import type { WgslConstants } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BufferSlice } from "../gpu/kernel.ts";
import type { Boundary } from "../particles/box.ts";
import type { ParticleBuffers } from "../particles/buffers.ts";
import { type CellGrid, cellConstants, createCellStart } from "../particles/cells.ts";
import type { MeshSettings, PipelineSettings } from "./settings.ts";
import { SUPPORT, stencilReach } from "./stencil.ts";

/** Bytes a cell of the force mesh, and a word of the field. */
export const FORCE_BYTES = 12;
export const FIELD_BYTES = 4;

/** Rows of at least so many cells begin at whole cache lines of a GPU. */
const LONG_ROW = 256;
/** Words of such a line, 128 bytes. */
const LINE_WORDS = 32;

/**
 * Pitch of a row of `field` in words: room for the n/2 + 1 complex numbers of a real transform. Long rows are rounded up
 * to whole cache lines, so that transforms along y and z read and write whole ones: 6 % more of the field at 512.
 */
export function fieldPitch(cells: number): number {
  const words = cells + 2;
  return cells < LONG_ROW ? words : LINE_WORDS * Math.ceil(words / LINE_WORDS);
}

export interface MeshBuffers {
  /** n, cells per side. */
  cells: number;
  /** Pitch of a row of `field` in 4-byte words: fieldPitch(cells). */
  pitch: number;
  /** [n² rows × pitch] words: deposited mass, low word (u32) → spectrum → potential (f32) [velocity²]. */
  field: GPUBuffer;
  /** [n³] u32: deposited mass, high word. */
  high: GPUBuffer;
  /** [n³ + 2] u32: particles per cell, then the first particle of each cell; entry n³ is the first outside. */
  cellStart: GPUBuffer;
  /**
   * Acceleration: [n³] vec2f (ax, ay), then [n³] f32 az; before the gradient, scratch for deposit and Poisson. The
   * potential stays in `field`: three words a cell keep the largest binding of 512³ below 2 GiB. In pairs, because two
   * loads a cell are quicker than three.
   */
  force: GPUBuffer;
}

/** The two parts of the force: [n³] vec2f (ax, ay) and [n³] f32 az. */
export function forceParts({ force, cells }: MeshBuffers): { xy: BufferSlice; z: BufferSlice } {
  const plane = 4 * cells ** 3;
  return {
    xy: { buffer: force, offset: 0, size: 2 * plane },
    z: { buffer: force, offset: 2 * plane, size: plane },
  };
}

/** What the stages of a pipeline work on. */
export interface MeshStage {
  gpu: GpuContext;
  particles: ParticleBuffers;
  mesh: MeshBuffers;
  settings: PipelineSettings;
}

export function createMeshBuffers(gpu: GpuContext, cells: number): MeshBuffers {
  const pitch = fieldPitch(cells);
  return {
    cells,
    pitch,
    field: gpu.buffers.storage("mesh field", FIELD_BYTES * pitch * cells * cells, "mesh"),
    high: gpu.buffers.storage("mesh mass, high word", 4 * cells ** 3, "mesh"),
    cellStart: createCellStart(gpu, cells),
    force: gpu.buffers.storage("mesh force", FORCE_BYTES * cells ** 3, "mesh"),
  };
}

/** The cells that particles are ordered by for the settings' assignment and gradient. */
export function cellGrid(mesh: MeshSettings, boundary: Boundary): CellGrid {
  return { cells: mesh.cells, support: SUPPORT[mesh.assignment], reach: stencilReach(mesh), boundary };
}

/** The constants that wgsl/lib/cells.wgsl and assignment.wgsl need. */
export function meshConstants(mesh: MeshSettings, boundary: Boundary): WgslConstants {
  return { ...cellConstants(cellGrid(mesh, boundary)), PITCH: fieldPitch(mesh.cells) };
}
