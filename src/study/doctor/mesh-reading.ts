/** What the buffers of a mesh hold, read back: deposited mass, potential, force. */

import type { MeshBuffers } from "../../engine/mesh/field.ts";
import { readField, readRows } from "../../engine/mesh/force/field-reading.ts";
import { ownForceParts } from "../../engine/mesh/force/force-mesh.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";

/** [n³] units of mass in every cell after a deposit, below 2^53. */
export async function readMass(gpu: GpuContext, mesh: MeshBuffers): Promise<Float64Array> {
  const low = await readRows(gpu, mesh);
  const high = new Uint32Array(mesh.cells ** 3);
  for (const slab of mesh.slabs) {
    high.set(new Uint32Array(await gpu.read(slab.high)), slab.first * mesh.cells ** 2);
  }
  return Float64Array.from(high, (word, cell) => {
    const row = Math.floor(cell / mesh.cells);
    return word * 2 ** 32 + low[row * mesh.pitch + (cell % mesh.cells)];
  });
}

/** [4n³] acceleration and potential as float64's functions have them, ax|ay|az|φ a cell: from force and field. */
export async function readForce(gpu: GpuContext, mesh: MeshBuffers): Promise<Float32Array<ArrayBuffer>> {
  const plane = mesh.cells ** 2;
  const values = new Float32Array(4 * mesh.cells * plane);
  for (const slab of mesh.slabs) {
    const parts = ownForceParts(slab, mesh.cells);
    const [xy, z] = await Promise.all(
      parts.map(async ({ buffer, offset, size }) => new Float32Array(await gpu.read(buffer, offset, size))),
    );
    if (slab.vectors) {
      values.set(xy, 4 * slab.first * plane);
      if (slab.cut) values.set(z, 4 * slab.first * plane + xy.length);
      continue;
    }
    for (let cell = 0; cell < z.length; cell++) {
      values.set([xy[2 * cell], xy[2 * cell + 1], z[cell]], 4 * (slab.first * plane + cell));
    }
  }
  (await readField(gpu, mesh)).forEach((potential, cell) => {
    values[4 * cell + 3] = potential;
  });
  return values;
}
