/**
 * Sections: a window of particles and a slab of the mesh, which a dispatch sees where particles or mesh are larger than a
 * binding. A kernel imports one of two variants of the same functions (wgsl/lib/section-whole.wgsl, section-part.wgsl) and, in
 * parts, is dispatched for every pair; what a pair has in common is looked up on the GPU.
 */
import partWgsl from "../../wgsl/lib/section-part.wgsl";
import wholeWgsl from "../../wgsl/lib/section-whole.wgsl";
import { type BufferPool, u32 } from "../gpu/buffers.ts";
import type { WgslConstants, WgslSource } from "../gpu/compose.ts";
import type { Range } from "../gpu/windows.ts";
import { type CellStarts, planeStartVectors, type SlabStarts } from "./cells.ts";

/** Whether a dispatch can't see all particles and all of the mesh. */
export function inSections({ windows }: { windows: readonly Range[] }, { slabs }: Pick<CellStarts, "slabs">): boolean {
  return windows.length > 1 || slabs.length > 1;
}

/** The source that a kernel on particles and mesh imports. */
export function sectionSource(parts: boolean): WgslSource {
  return parts ? partWgsl : wholeWgsl;
}

/** Constants of section-part.wgsl, whose uniform has the number `binding`; the starts of planes have the next. */
export function sectionConstants({ cells, slabs }: CellStarts, binding: number): WgslConstants {
  return { SECTION: binding, PLANE_STARTS: planeStartVectors(cells), SLAB_PLANES: slabs[0].planes };
}

/** Planes of base cells, [from, to), both even. */
export interface Planes {
  from: number;
  to: number;
}

/** Planes of a slab's own particles: the last slab's with those outside the mesh. */
export function ownPlanes({ first, planes }: Pick<SlabStarts, "first" | "planes">, cells: number): Planes {
  const to = first + planes;
  return { from: first, to: to === cells ? cells + 2 : to };
}

/** WGSL struct Section. */
export function sectionUniform(
  pool: BufferPool,
  window: Range,
  slab: Pick<SlabStarts, "first" | "planes">,
  { from, to }: Planes,
): GPUBuffer {
  return pool.uniform("section", u32(window.first, window.count, from, to, slab.first, slab.planes));
}
