/**
 * Sections: a chunk of particles and a slab of the mesh, what a dispatch sees of both; one of all, unless particles or
 * mesh are larger than a binding. A kernel imports wgsl/lib/section.wgsl and is dispatched for each section, with workgroups for
 * all of the chunk: those that find no slot of the section return at once, which costs less than an indirect dispatch does.
 */
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import { type BufferPool, u32 } from "../../foundation/gpu/buffers.ts";
import type { WgslConstants } from "../../foundation/gpu/compose.ts";
import type { Bound, Kernel } from "../../foundation/gpu/kernel.ts";
import type { Range } from "../../foundation/gpu/windows.ts";
import type { ParticleBuffers } from "./buffers.ts";
import type { BothHalves, ParticleHalf, ParticleWindow } from "./windows.ts";

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

export function planeStartVectors(cells: number): number {
  return Math.ceil((cells / 2 + 2) / 4);
}

/** Planes of base cells, [from, to), both even. */
export interface Planes {
  from: number;
  to: number;
}

export interface Section {
  window: ParticleWindow;
  slab: number;
  starts: GPUBuffer;
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

/** Sections of every slab and chunk, in this order, with the slab's own particles or those of other `planes`. */
export function sectionsOf(
  own: BufferPool,
  { windows }: Pick<ParticleBuffers, "windows">,
  { cells, slabs, planeStarts }: CellStarts,
  planes: (slab: SlabStarts) => readonly Planes[] = ({ first, planes }) => [
    { from: first, to: first + planes === cells ? cells + 2 : first + planes }, // the last slab's with those outside
  ],
): Section[] {
  return slabs.flatMap((slab, s) =>
    planes(slab).flatMap((range) =>
      windows.map((window): Section => {
        const bindings = [sectionUniform(own, window, slab, range), planeStarts] as const;
        return { window, slab: s, starts: slab.starts, planes: range, bindings };
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

/**
 * A kernel bound for every section: to its buffers by name, with those of section.wgsl; or in order, those of section.wgsl behind
 * them, and behind these `more`.
 */
export function boundInSections(
  kernel: Kernel,
  particles: Pick<ParticleBuffers, "ofWindow">,
  sections: readonly Section[],
  buffers: (here: ParticleHalf, section: Section, there: ParticleHalf) => Bound[] | Record<string, Bound>,
  more: readonly Bound[] = [],
): BothHalves[] {
  return sections.map((one) =>
    particles.ofWindow(one.window, (here, there) => {
      const given = buffers(here, one, there);
      const [section, planeStarts] = one.bindings;
      if (Array.isArray(given)) return kernel.bind(...given, section, planeStarts, ...more);
      return kernel.bindNamed({ ...given, section, planeStarts });
    }),
  );
}

/** A kernel bound for every section. */
export interface SectionKernels {
  sections: readonly Section[];
  kernels: readonly BothHalves[];
  /** Slots that a workgroup takes. */
  slots: number;
}

/**
 * Dispatches the kernels in the half that is `current`; to be recorded after the ordering. `before` is called ahead of the first
 * section of each slab.
 */
export function dispatchSections(
  batch: Batch,
  { sections, kernels, slots }: SectionKernels,
  current: 0 | 1,
  { offset, before }: { offset?: number; before?: ((slab: number) => void) | undefined } = {},
): void {
  for (const [s, { slab, window }] of sections.entries()) {
    if (sections[s - 1]?.slab !== slab) before?.(slab);
    batch.dispatch(kernels[s][current], workgroups(window.count, slots), offset);
  }
}
