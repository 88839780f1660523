/**
 * The solved field on its way from the rank that solves to those of its group, which take it as if they had solved
 * themselves: the potential, 4 bytes a cell, and with the spectral gradient the force, 12 more, which the solver writes too.
 */
import type { Batch } from "../gpu/batch.ts";
import { READ_AT_A_TIME } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BufferRange } from "../gpu/kernel.ts";
import { JOINT_STAGES, type Ranks, timedTogether } from "../ranks/ranks.ts";
import { FIELD_BYTES, FIELD_GHOSTS, type MeshBuffers, ownForceParts } from "./field.ts";

export class SharedField {
  readonly #host: Uint8Array<ArrayBuffer>;

  private constructor(
    private readonly gpu: GpuContext,
    private readonly group: Ranks,
    private readonly parts: readonly Required<BufferRange>[],
  ) {
    this.#host = new Uint8Array(Math.max(...parts.map(({ size }) => size)));
  }

  /** `withForce`: the solver writes it. */
  static of(gpu: GpuContext, group: Ranks, mesh: MeshBuffers, withForce: boolean): SharedField {
    const plane = FIELD_BYTES * mesh.pitch * mesh.cells;
    const ranges = mesh.slabs.flatMap((slab) => {
      const before = slab.cut ? FIELD_GHOSTS * plane : 0;
      const potential = { buffer: slab.field, offset: before, size: slab.planes * plane };
      return withForce ? [potential, ...Object.values(ownForceParts(slab, mesh.cells))] : [potential];
    });
    return new SharedField(gpu, group, ranges.flatMap(inPieces));
  }

  /** After what `solved` records on the rank that solves; what comes next goes into the batch returned. */
  async handOn(solved: Batch): Promise<Batch> {
    const { gpu, group, parts } = this;
    let batch = solved;
    for (const { buffer, offset, size } of parts) {
      const bytes = this.#host.subarray(0, size);
      if (group.rank === 0) {
        await batch.readInto(bytes, buffer, offset).submit();
        batch = gpu.batch("solved field");
      }
      await timedTogether(group, gpu.timer, () => group.handOn(bytes), JOINT_STAGES.handing);
      if (group.rank === 0) continue;
      gpu.device.queue.writeBuffer(buffer, offset, bytes);
      if (parts.length === 1) continue;
      await batch.submit(); // the driver's staging memory is handed back before the next piece takes its own
      batch = gpu.batch("solved field");
    }
    return batch;
  }
}

function inPieces({ buffer, offset = 0, size = buffer.size - offset }: BufferRange): Required<BufferRange>[] {
  const pieces = [];
  for (let at = 0; at < size; at += READ_AT_A_TIME) {
    pieces.push({ buffer, offset: offset + at, size: Math.min(READ_AT_A_TIME, size - at) });
  }
  return pieces;
}
