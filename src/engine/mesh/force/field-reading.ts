/** What the field of a mesh holds, read back. */
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import { FIELD_GHOSTS, type MeshBuffers } from "../field.ts";

/** A mesh, or another buffer of the same layout in the place of its field. */
type Fields = Pick<MeshBuffers, "cells" | "pitch"> & {
  slabs: readonly Pick<MeshBuffers["slabs"][number], "first" | "planes" | "field" | "cut">[];
};

/** [n² rows × pitch] words of `field`, without ghosts. */
export async function readRows(gpu: GpuContext, { cells, pitch, slabs }: Fields): Promise<Uint32Array<ArrayBuffer>> {
  const plane = cells * pitch;
  const words = new Uint32Array(cells * plane);
  for (const { first, planes, field, cut } of slabs) {
    const part = await gpu.read(field, cut ? 4 * plane * FIELD_GHOSTS : 0, 4 * plane * planes);
    words.set(new Uint32Array(part), plane * first);
  }
  return words;
}

/** [n³] values of `field`, without the padding. */
export async function readField(gpu: GpuContext, mesh: Fields): Promise<Float32Array<ArrayBuffer>> {
  const { cells: n, pitch } = mesh;
  const rows = new Float32Array((await readRows(gpu, mesh)).buffer);
  const values = new Float32Array(n ** 3);
  for (let row = 0; row < n * n; row++) values.set(rows.subarray(row * pitch, row * pitch + n), row * n);
  return values;
}
