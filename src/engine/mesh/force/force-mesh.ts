/**
 * How the force lies on the mesh: 12 bytes a cell in pairs and a rest, or 16 in vectors of four words, which a driver copies
 * into texels as memory. A mesh in slabs has ghost planes, for the interpolation.
 */
import halvesPart from "../../../../wgsl/engine/mesh/force/force-halves.wgsl";
import pairsPart from "../../../../wgsl/engine/mesh/force/force-pairs.wgsl";
import vectorsPart from "../../../../wgsl/engine/mesh/force/force-vectors.wgsl";
import gradientPairsPart from "../../../../wgsl/engine/mesh/force/gradient-pairs.wgsl";
import gradientVectorsPart from "../../../../wgsl/engine/mesh/force/gradient-vectors.wgsl";
import type { WgslSource } from "../../../foundation/gpu/compose.ts";
import type { BufferRange } from "../../../foundation/gpu/kernel.ts";
import type { Range, RangeLimits } from "../../../foundation/gpu/windows.ts";
import { type Assignment, assignments } from "../../../physics/particles/assignments.ts";

/** Ghost planes on either side of a slab's force. */
export const FORCE_GHOSTS = 1;

/** Bytes a cell in pairs, of the pairs, and of a vector. */
export const FORCE_BYTES = 12;
const PAIR_BYTES = 8;
const VECTOR_BYTES = 16;
/** Rows that are copied into a texture are multiples of so many bytes. */
const COPIED_ROW_BYTES = 256;

/** The force of a range of planes: of the whole mesh, without ghosts, or of a slab, with FORCE_GHOSTS on either side. */
export interface SlabForce {
  /** Its own. */
  planes: number;
  cut: boolean;
  /** Cells of the planes with ghosts: vec2f (ax, ay) of all, then f32 az of all; or with `vectors` vec4f. */
  force: GPUBuffer;
  /** Whether it lies in vectors of four words, as it is copied into texels (force-texels.ts). */
  vectors: boolean;
}

/**
 * What kernels bind of a slab's force: ax and ay, and az; of vectors in one piece the whole twice; of vectors in a slab,
 * which one binding may not hold, its lower and its upper planes.
 */
export type ForceParts = readonly [Required<BufferRange>, Required<BufferRange>];

/** Planes of a slab's force, ghosts included. */
export function forcePlanes({ planes, cut }: Pick<SlabForce, "planes" | "cut">): number {
  return planes + (cut ? 2 * FORCE_GHOSTS : 0);
}

/** Those that lie in the first of two bindings, where vectors need two: a ghost and an even number of the slab's own. */
function lowerPlanes(planes: number): number {
  return FORCE_GHOSTS + 2 * Math.floor(planes / 4);
}

/** Bytes of a slab's force of a mesh of so many cells a side. */
export function forceBytes(slab: Pick<SlabForce, "planes" | "cut" | "vectors">, cells: number): number {
  return (slab.vectors ? VECTOR_BYTES : FORCE_BYTES) * forcePlanes(slab) * cells ** 2;
}

/** The parts of a slab's force with the ghosts, as `forceSource` reads them, or without, as they are written. */
export function slabForceParts(slab: SlabForce, cells: number, withGhosts = true): ForceParts {
  const { force: buffer, vectors, cut } = slab;
  const planes = forcePlanes(slab);
  const [first, end] = cut && !withGhosts ? [FORCE_GHOSTS, planes - FORCE_GHOSTS] : [0, planes];
  const range = (base: number, cellBytes: number, from: number, to: number) => {
    const plane = cellBytes * cells ** 2;
    return { buffer, offset: base + plane * from, size: plane * (to - from) };
  };
  if (!vectors) return [range(0, PAIR_BYTES, first, end), range(PAIR_BYTES * planes * cells ** 2, 4, first, end)];
  if (!cut) return [range(0, VECTOR_BYTES, first, end), range(0, VECTOR_BYTES, first, end)];
  const middle = lowerPlanes(planes);
  return [range(0, VECTOR_BYTES, first, middle), range(0, VECTOR_BYTES, middle, end)];
}

export const ownForceParts = (slab: SlabForce, cells: number): ForceParts => slabForceParts(slab, cells, false);

/** The arrays that the parts belong to, by the bytes of a cell: what neighbours' ghosts are copied in. */
export function forceArrays(slab: SlabForce, cells: number): { offset: number; cellBytes: number }[] {
  if (slab.vectors) return [{ offset: 0, cellBytes: VECTOR_BYTES }];
  const [, { offset }] = slabForceParts(slab, cells);
  return [
    { offset: 0, cellBytes: PAIR_BYTES },
    { offset, cellBytes: FORCE_BYTES - PAIR_BYTES },
  ];
}

type OfAllSlabs = { slabs: readonly Pick<SlabForce, "vectors" | "cut">[] };

/** How a kernel reads the force: `forceIn(cell)`, from its bindings FORCE and, where there are two parts, FORCE_Z. */
export function forceSource({ slabs: [{ vectors, cut }] }: OfAllSlabs): WgslSource {
  if (!vectors) return pairsPart;
  return cut ? halvesPart : vectorsPart;
}

/** How the gradient writes it: `putForce(cell, force)`, a piece at a time. */
export function forceSink({ slabs: [{ vectors }] }: OfAllSlabs): WgslSource {
  return vectors ? gradientVectorsPart : gradientPairsPart;
}

/** Planes of a slab whose force is written at a time: the first, counted in the slab, and how many; even numbers. */
export interface ForcePiece {
  first: number;
  planes: number;
  parts: readonly BufferRange[];
}

/** What `forceSink` writes: all of a slab, or of vectors in a slab as much as lies in one of the two bindings. */
export function forcePieces(slab: SlabForce, cells: number): ForcePiece[] {
  const { vectors, cut, planes } = slab;
  const [first, second] = ownForceParts(slab, cells);
  if (!vectors) return [{ first: 0, planes, parts: [first, second] }];
  if (!cut) return [{ first: 0, planes, parts: [first] }];
  const lower = lowerPlanes(forcePlanes(slab)) - FORCE_GHOSTS;
  const pieces = [
    { first: 0, planes: lower, parts: [first] },
    { first: lower, planes: planes - lower, parts: [second] },
  ];
  return pieces.filter((piece) => piece.planes > 0);
}

/** Whether the force of a mesh in such slabs can lie in vectors, with rows that a copy into texels takes. */
export function vectorsFit(limits: RangeLimits, cells: number, slabs: readonly Range[]): boolean {
  if ((VECTOR_BYTES * cells) % COPIED_ROW_BYTES !== 0) return false;
  const plane = VECTOR_BYTES * cells ** 2;
  const cut = slabs.length > 1;
  return slabs.every(({ count }) => {
    const planes = forcePlanes({ planes: count, cut });
    const lower = cut ? lowerPlanes(planes) : planes;
    return plane * planes <= limits.buffer && plane * Math.max(lower, planes - lower) <= limits.binding;
  });
}

/** Whether the force is to lie in vectors: where texels may win, and no transforms write its components one by one. */
export function vectorsForTexels(
  software: boolean,
  { assignment, gradient }: { assignment: Assignment; gradient: string },
): boolean {
  return software && assignments[assignment].order > 1 && gradient !== "spectral";
}
