/**
 * Sections: a window of particles and a slab of the mesh, what a dispatch sees of both; one of all, unless particles or
 * mesh are larger than a binding. A kernel imports wgsl/lib/section.wgsl and is dispatched for each section; what window and
 * slab have in common is looked up on the GPU.
 */
import { type BufferPool, u32 } from "../gpu/buffers.ts";
import type { WgslConstants } from "../gpu/compose.ts";
import type { Range } from "../gpu/windows.ts";
import type { ParticleBuffers } from "./buffers.ts";
import { type CellStarts, planeStartVectors, type SlabStarts } from "./cells.ts";
import type { ParticleWindow } from "./windows.ts";

/** Planes of base cells, [from, to), both even. */
export interface Planes {
  from: number;
  to: number;
}

export interface Section {
  window: ParticleWindow;
  /** Index of the slab. */
  slab: number;
  /** Where the particles' base cells lie. */
  planes: Planes;
  /** What section.wgsl binds: the section, and the starts of planes. */
  bindings: readonly [GPUBuffer, GPUBuffer];
}

type InSections = Pick<ParticleBuffers, "windows" | "fewBindings">;

/** Whether particles and mesh are worked on a section at a time: not all can be seen at once, or too few buffers. */
export function inSections({ windows, fewBindings }: InSections, { slabs }: Pick<CellStarts, "slabs">): boolean {
  return windows.length > 1 || slabs.length > 1 || fewBindings;
}

/** Constants of section.wgsl, whose uniform has the number `binding`; the starts of planes have the next. */
export function sectionConstants(particles: InSections, starts: CellStarts, binding: number): WgslConstants {
  const { cells, slabs } = starts;
  return {
    ...{ WHOLE: !inSections(particles, starts), SECTION: binding },
    ...{ PLANE_STARTS: planeStartVectors(cells), SLAB_PLANES: slabs[0].planes },
  };
}

/** Planes of a slab's own particles: the last slab's with those outside the mesh. */
export function ownPlanes({ first, planes }: Pick<SlabStarts, "first" | "planes">, cells: number): Planes {
  const to = first + planes;
  return { from: first, to: to === cells ? cells + 2 : to };
}

/** Sections of every slab and window, in this order, with the slab's own particles or those of other `planes`. */
export function sectionsOf(
  own: BufferPool,
  { windows }: Pick<ParticleBuffers, "windows">,
  { cells, slabs, planeStarts }: CellStarts,
  planes: (slab: SlabStarts) => readonly Planes[] = (slab) => [ownPlanes(slab, cells)],
): Section[] {
  return slabs.flatMap((slab, s) =>
    planes(slab).flatMap((range) =>
      windows.map((window): Section => {
        const bindings = [sectionUniform(own, window, slab, range), planeStarts] as const;
        return { window, slab: s, planes: range, bindings };
      }),
    ),
  );
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
