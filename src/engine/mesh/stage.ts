/** What the stages of the mesh are given, and the constants that all their kernels share. */
import type { Batch } from "../../foundation/gpu/batch.ts";
import type { WgslConstants } from "../../foundation/gpu/compose.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { Solving } from "../../foundation/ranks/solving.ts";
import { assignments } from "../../physics/particles/assignments.ts";
import { type CellGrid, cellConstants, type Grid } from "../../physics/particles/grid.ts";
import { massConstants, type ParticleBuffers } from "../gpu-particles/buffers.ts";
import { stencilReach } from "./deposit/stencil.ts";
import type { MeshBuffers } from "./field.ts";
import type { MeshSettings, PipelineSettings } from "./settings.ts";

/** What the stages of a pipeline work on. */
export interface MeshStage {
  gpu: GpuContext;
  particles: ParticleBuffers;
  mesh: MeshBuffers;
  settings: PipelineSettings;
  /** Where there are levels: vec4f of each chunk's slots, the acceleration and potential that all meshes add up to. */
  fields?: readonly GPUBuffer[] | undefined;
  /** Where levels take substeps: the same of what they add by themselves. */
  fast?: readonly GPUBuffer[] | undefined;
  /** Who solves the mesh, where there are several ranks. */
  solving?: Solving | undefined;
}

/** The cells that particles are ordered by on a grid, for the settings' assignment and gradient. */
export function cellGrid(mesh: MeshSettings, grid: Grid): CellGrid {
  return { ...grid, support: assignments[mesh.assignment].order, reach: stencilReach(mesh) };
}

/** The constants that wgsl/lib/cells.wgsl and assignment.wgsl need. */
export function meshConstants(
  { mesh: { grid, pitch }, particles }: Pick<MeshStage, "mesh" | "particles">,
  settings: MeshSettings,
): WgslConstants {
  return { ...cellConstants(cellGrid(settings, grid), particles.boundary), PITCH: pitch };
}

export type DepositStage = Omit<MeshStage, "settings"> & { settings: MeshSettings };

/** A variant of the deposit on the GPU. */
export interface DepositVariant {
  /** Records the deposit of the current half of the particles into field and high. */
  encode(batch: Batch): void;
  destroy?(): void;
}

export function depositConstants(stage: DepositStage): WgslConstants {
  return { ...meshConstants(stage, stage.settings), ...massConstants(stage.particles) };
}
