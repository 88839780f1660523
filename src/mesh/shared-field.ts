/**
 * The solved field on its way from the rank that solves to those of its group, which take it as if they had solved
 * themselves: the potential, 4 bytes a cell, and with the spectral gradient the force, 12 more, which the solver writes too.
 */
import type { Batch } from "../gpu/batch.ts";
import { READ_AT_A_TIME } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import { JOINT_STAGES, type Ranks, timedTogether } from "../ranks/ranks.ts";
import { FIELD_BYTES, FIELD_GHOSTS, type MeshBuffers, ownForceParts } from "./field.ts";

/** Of an array of the mesh, that lies slab by slab: planes of so many bytes, the first of each slab at an offset. */
interface Planes {
  bytes: number;
  slabs: { buffer: GPUBuffer; offset: number; first: number; planes: number }[];
}

/** Planes that are handed on in one piece, the same on every rank however its mesh is cut. */
interface Piece {
  bytes: number;
  /** What of it lies in a slab, and where in the piece. */
  sections: { buffer: GPUBuffer; offset: number; at: number; bytes: number }[];
}

export class SharedField {
  readonly #host: Uint8Array<ArrayBuffer>;

  private constructor(
    private readonly gpu: GpuContext,
    private readonly group: Ranks,
    private readonly pieces: readonly Piece[],
  ) {
    this.#host = new Uint8Array(Math.max(...pieces.map(({ bytes }) => bytes)));
  }

  /** `withForce`: the solver writes it. */
  static of(gpu: GpuContext, group: Ranks, mesh: MeshBuffers, withForce: boolean): SharedField {
    const { cells, pitch, slabs } = mesh;
    const plane = FIELD_BYTES * pitch * cells;
    const potential = slabs.map(({ field, cut, first, planes }) => {
      return { buffer: field, offset: cut ? FIELD_GHOSTS * plane : 0, first, planes };
    });
    const force = (part: "xy" | "z") =>
      slabs.map((slab) => {
        const { buffer, offset = 0 } = ownForceParts(slab, cells)[part];
        return { buffer, offset, first: slab.first, planes: slab.planes };
      });
    const arrays: Planes[] = [{ bytes: plane, slabs: potential }];
    if (withForce)
      arrays.push({ bytes: 8 * cells ** 2, slabs: force("xy") }, { bytes: 4 * cells ** 2, slabs: force("z") });
    return new SharedField(
      gpu,
      group,
      arrays.flatMap((array) => inPieces(array, cells)),
    );
  }

  /** After what `solved` records on the rank that solves; what comes next goes into the batch returned. */
  async handOn(solved: Batch): Promise<Batch> {
    const { gpu, group, pieces } = this;
    let batch = solved;
    for (const { bytes, sections } of pieces) {
      const host = this.#host.subarray(0, bytes);
      const inHost = (at: number, size: number) => host.subarray(at, at + size);
      if (group.rank === 0) {
        for (const { buffer, offset, at, bytes: size } of sections) batch.readInto(inHost(at, size), buffer, offset);
        await batch.submit();
        batch = gpu.batch("solved field");
      }
      await timedTogether(group, gpu.timer, () => group.handOn(host), JOINT_STAGES.handing);
      if (group.rank === 0) continue;
      for (const { buffer, offset, at, bytes: size } of sections) {
        gpu.device.queue.writeBuffer(buffer, offset, inHost(at, size));
      }
      if (pieces.length === 1) continue;
      await batch.submit(); // the driver's staging memory is handed back before the next piece takes its own
      batch = gpu.batch("solved field");
    }
    return batch;
  }
}

function inPieces({ bytes, slabs }: Planes, cells: number): Piece[] {
  const most = Math.max(1, Math.floor(READ_AT_A_TIME / bytes));
  const pieces: Piece[] = [];
  for (let first = 0; first < cells; first += most) {
    const last = Math.min(cells, first + most);
    const sections = slabs.flatMap((slab) => {
      const [from, to] = [Math.max(first, slab.first), Math.min(last, slab.first + slab.planes)];
      if (from >= to) return [];
      const offset = slab.offset + bytes * (from - slab.first);
      return [{ buffer: slab.buffer, offset, at: bytes * (from - first), bytes: bytes * (to - from) }];
    });
    pieces.push({ bytes: bytes * (last - first), sections });
  }
  return pieces;
}
