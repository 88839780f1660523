/**
 * What kernels of accelerations read for a particle: the force mesh of its slab; where there are levels, the field that these and
 * the mesh of the box add up to, by slot.
 */
import bySlotWgsl from "../../../../wgsl/engine/mesh/force/field-by-slot.wgsl";
import noForce from "../../../../wgsl/engine/mesh/force/no-force.wgsl";
import type { WgslConstants, WgslSource } from "../../../foundation/gpu/compose.ts";
import type { BufferRange } from "../../../foundation/gpu/kernel.ts";
import { substepsWanted } from "../levels/level-settings.ts";
import type { MeshStage } from "../stage.ts";
import { FORCE_GHOSTS, forceSource, slabForceParts } from "./force-mesh.ts";

type ReadingStage = Pick<MeshStage, "mesh" | "fields" | "fast">;

/** Sources, for binding FORCE and, of a mesh, FORCE_Z. */
export function forceReading({ mesh, fields }: ReadingStage): WgslSource[] {
  return fields ? [noForce, bySlotWgsl] : [forceSource(mesh)];
}

export function readingConstants({ fields, fast }: ReadingStage): WgslConstants {
  return { BY_SLOT: fields !== undefined, SUBSTEPS: fast !== undefined, FORCE_GHOSTS };
}

/** Kicks in a step by what levels add themselves, or pairs. */
export const substepsOf = ({ fast, settings }: Pick<MeshStage, "fast" | "settings">): number =>
  fast ? substepsWanted(settings) : 1;

/** The bindings at FORCE and at FORCE_Z, for a chunk of particles (its number) and a slab. */
export function forceBindings(
  { mesh, fields, fast = fields }: ReadingStage,
  chunk: number,
  slab: number,
): readonly [GPUBuffer | BufferRange, GPUBuffer | BufferRange] {
  return fields ? [fields[chunk], fast![chunk]] : slabForceParts(mesh.slabs[slab], mesh.cells);
}
