/** Meshes of deposited mass for the tests of the Poisson solvers, and the error measure they share. */

import { createMeshBuffers, FIELD_GHOSTS, type MeshBuffers } from "../../src/engine/mesh/field.ts";
import { FORCE_GHOSTS, slabForceParts } from "../../src/engine/mesh/force/force-mesh.ts";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import { wholeBoxGrid } from "../../src/physics/particles/grid.ts";
import { poison } from "./poison.ts";

export { readField } from "../../src/engine/mesh/force/field-reading.ts";
export { readForce, readMass } from "../../src/study/doctor/mesh-reading.ts";

/** Deterministic numbers in [0, 1). */
export function uniformNumbers(count: number, seed = 1): Float64Array {
  let state = seed >>> 0;
  return Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  });
}

/**
 * Mesh buffers, poisoned, with field and high holding `units` [n³], whole numbers below 2^53; rows of the field `pitch`
 * words apart, and the force in vectors, where that is given.
 */
export function meshWithMass(
  gpu: GpuContext,
  n: number,
  units: Float64Array,
  given: Parameters<typeof createMeshBuffers>[2] = {},
): MeshBuffers {
  const mesh = createMeshBuffers(gpu, wholeBoxGrid(n, "periodic"), given);
  poisonMesh(gpu, mesh);
  const { pitch } = mesh;
  const low = new Uint32Array(n * n * pitch).fill(0x7fc0dead); // the padding must not matter
  const high = new Uint32Array(n ** 3);
  for (let i = 0; i < units.length; i++) {
    low[Math.floor(i / n) * pitch + (i % n)] = units[i] % 2 ** 32;
    high[i] = Math.floor(units[i] / 2 ** 32);
  }
  writeField(gpu, mesh, low);
  for (const slab of mesh.slabs) {
    gpu.device.queue.writeBuffer(slab.high, 0, high, slab.first * n * n, slab.planes * n * n);
  }
  return mesh;
}

/** Poison into all that stages write. */
export function poisonMesh(gpu: GpuContext, { slabs }: MeshBuffers): void {
  for (const { field, high, force } of slabs) for (const buffer of [field, high, force]) poison(gpu, buffer);
}

/** Words of `field` of all planes into the slabs; their ghosts stay as they are. */
function writeField(gpu: GpuContext, { cells, pitch, slabs }: MeshBuffers, words: Uint32Array | Float32Array): void {
  const plane = cells * pitch;
  for (const { first, planes, field, cut } of slabs) {
    const part = words.slice(plane * first, plane * (first + planes)) as Uint32Array<ArrayBuffer>;
    gpu.device.queue.writeBuffer(field, cut ? 4 * plane * FIELD_GHOSTS : 0, part);
  }
}

/** Writes what `readForce` reads, into all slabs and their ghosts. */
export function writeForce(gpu: GpuContext, { cells: n, pitch, slabs }: MeshBuffers, values: Float32Array): void {
  const { queue } = gpu.device;
  for (const slab of slabs) {
    const { first, planes, cut } = slab;
    /** Of each of the slab's planes with ghosts, cells of the mesh. */
    const cellsOf = (ghosts: number) => {
      const deep = cut ? ghosts : 0;
      return Uint32Array.from({ length: (planes + 2 * deep) * n ** 2 }, (_, i) => {
        return ((first + n - deep + Math.floor(i / n ** 2)) % n) * n ** 2 + (i % n ** 2);
      });
    };
    const potential = cellsOf(FIELD_GHOSTS);
    const rows = new Float32Array((potential.length / n) * pitch);
    for (const [i, cell] of potential.entries()) rows[Math.floor(i / n) * pitch + (i % n)] = values[4 * cell + 3];
    queue.writeBuffer(slab.field, 0, rows);
    const force = cellsOf(FORCE_GHOSTS);
    if (slab.vectors) {
      const vectors = Float32Array.from({ length: 4 * force.length }, (_, i) => values[4 * force[i >> 2] + (i & 3)]);
      queue.writeBuffer(slab.force, 0, vectors);
      continue;
    }
    const [xy, z] = slabForceParts(slab, n);
    const pairs = Float32Array.from({ length: 2 * force.length }, (_, i) => values[4 * force[i >> 1] + (i & 1)]);
    queue.writeBuffer(xy.buffer, xy.offset, pairs);
    queue.writeBuffer(
      z.buffer,
      z.offset,
      Float32Array.from(force, (cell) => values[4 * cell + 2]),
    );
  }
}

export function releaseMesh(gpu: GpuContext, mesh: MeshBuffers): void {
  for (const { field, high, force } of mesh.slabs) gpu.buffers.release(field, high, force);
  for (const { starts } of mesh.starts.slabs) gpu.buffers.release(starts);
  gpu.buffers.release(mesh.starts.planeStarts);
}

/** The difference: rms over the rms of the expectation, and largest over the largest. */
export function relativeErrors(found: ArrayLike<number>, expected: ArrayLike<number>): { rms: number; worst: number } {
  if (found.length !== expected.length) throw new Error(`compared ${found.length} values with ${expected.length}`);
  let squares = 0;
  let worst = 0;
  let size = 0;
  let largest = 0;
  for (let i = 0; i < found.length; i++) {
    const difference = Math.abs(found[i] - expected[i]);
    squares += difference ** 2;
    // NaN must not pass for small.
    if (!(difference <= worst)) worst = difference;
    size += expected[i] ** 2;
    largest = Math.max(largest, Math.abs(expected[i]));
  }
  return { rms: Math.sqrt(squares / size), worst: worst / largest };
}
