/** Ghost planes of a mesh in slabs: copies of the neighbours' planes, around the box. */
import type { Batch } from "../../foundation/gpu/batch.ts";
import { FIELD_BYTES, FIELD_GHOSTS, type MeshBuffers } from "./field.ts";
import { FORCE_GHOSTS, forceArrays } from "./force/force-mesh.ts";

/** An array of a slab: `ghosts` planes of it on either side of its own. */
export interface SlabArray {
  buffer: GPUBuffer;
  /** Where its lower ghosts begin [bytes]. */
  offset: number;
  /** Its own. */
  planes: number;
}

/** Copies planes of `planeBytes` into the ghosts of all slabs, in order of their planes. */
export function encodeGhosts(batch: Batch, slabs: readonly SlabArray[], planeBytes: number, ghosts: number): Batch {
  if (slabs.length === 1) return batch;
  const size = ghosts * planeBytes;
  for (const [s, slab] of slabs.entries()) {
    const below = slabs.at(s - 1)!;
    const above = slabs[(s + 1) % slabs.length];
    batch.copy(below.buffer, below.offset + below.planes * planeBytes, slab.buffer, slab.offset, size);
    const top = slab.offset + (ghosts + slab.planes) * planeBytes;
    batch.copy(above.buffer, above.offset + size, slab.buffer, top, size);
  }
  return batch;
}

/** For the gradient: the potential's neighbours. */
export function encodeFieldGhosts(batch: Batch, { slabs, pitch, cells }: MeshBuffers): Batch {
  const arrays = slabs.map(({ field, planes }) => ({ buffer: field, offset: 0, planes }));
  return encodeGhosts(batch, arrays, FIELD_BYTES * pitch * cells, FIELD_GHOSTS);
}

/** For the interpolation: the force's neighbours. */
export function encodeForceGhosts(batch: Batch, { slabs, cells }: MeshBuffers): Batch {
  const arrays = slabs.map((slab) => forceArrays(slab, cells));
  for (const [a, { cellBytes }] of arrays[0].entries()) {
    const array = slabs.map(({ force, planes }, s) => ({ buffer: force, offset: arrays[s][a].offset, planes }));
    encodeGhosts(batch, array, cellBytes * cells ** 2, FORCE_GHOSTS);
  }
  return batch;
}
