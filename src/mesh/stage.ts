/** What the stages of the mesh are given, and the constants that all their kernels share. */
import type { WgslConstants } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Boundary } from "../particles/box.ts";
import type { ParticleBuffers } from "../particles/buffers.ts";
import { type CellGrid, cellConstants } from "../particles/cells.ts";
import type { Solving } from "../ranks/solving.ts";
import { fieldPitch, type MeshBuffers } from "./field.ts";
import type { MeshSettings, PipelineSettings } from "./settings.ts";
import { SUPPORT, stencilReach } from "./stencil.ts";

/** What the stages of a pipeline work on. */
export interface MeshStage {
  gpu: GpuContext;
  particles: ParticleBuffers;
  mesh: MeshBuffers;
  settings: PipelineSettings;
  /** Of several ranks. */
  solving?: Solving | undefined;
}

/** The cells that particles are ordered by for the settings' assignment and gradient. */
export function cellGrid(mesh: MeshSettings, boundary: Boundary): CellGrid {
  return { cells: mesh.cells, support: SUPPORT[mesh.assignment], reach: stencilReach(mesh), boundary };
}

/** The constants that wgsl/lib/cells.wgsl and assignment.wgsl need. */
export function meshConstants(mesh: MeshSettings, boundary: Boundary): WgslConstants {
  return { ...cellConstants(cellGrid(mesh, boundary)), PITCH: fieldPitch(mesh.cells) };
}
