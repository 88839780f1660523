/** The solved field on its way from the rank that solves to its group: the potential, and a spectral gradient's force. */
import type { Batch } from "../../../foundation/gpu/batch.ts";
import { READ_AT_A_TIME } from "../../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import { JOINT_STAGES, type Ranks, timedTogether } from "../../../foundation/ranks/ranks.ts";
import { FIELD_BYTES, FIELD_GHOSTS, type MeshBuffers } from "../field.ts";
import { ownForceParts } from "./force-mesh.ts";

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

export interface SharedFieldOptions {
  withForce: boolean;
  /** Of a piece, unless a plane is more: what is read back at a time unless given, the same on all ranks. */
  mostBytes?: number;
}

export class SharedField {
  readonly #host: Uint8Array<ArrayBuffer>;
  #handed: Promise<void> = Promise.resolve();

  private constructor(
    private readonly gpu: GpuContext,
    private readonly group: Ranks,
    private readonly pieces: readonly Piece[],
  ) {
    this.#host = new Uint8Array(Math.max(...pieces.map(({ bytes }) => bytes)));
  }

  static of(gpu: GpuContext, group: Ranks, mesh: MeshBuffers, options: SharedFieldOptions): SharedField {
    const { withForce, mostBytes = READ_AT_A_TIME } = options;
    const { cells, pitch, slabs } = mesh;
    const plane = FIELD_BYTES * pitch * cells;
    const potential = slabs.map(({ field, cut, first, planes }) => {
      return { buffer: field, offset: cut ? FIELD_GHOSTS * plane : 0, first, planes };
    });
    const force = (part: 0 | 1) =>
      slabs.map((slab) => {
        const { buffer, offset } = ownForceParts(slab, cells)[part];
        return { buffer, offset, first: slab.first, planes: slab.planes };
      });
    const arrays: Planes[] = [{ bytes: plane, slabs: potential }];
    if (withForce) arrays.push({ bytes: 8 * cells ** 2, slabs: force(0) }, { bytes: 4 * cells ** 2, slabs: force(1) });
    return new SharedField(
      gpu,
      group,
      arrays.flatMap((array) => inPieces(array, cells, mostBytes)),
    );
  }

  /** Resolves when the others have the field; before that nothing else may be done together. */
  get handed(): Promise<void> {
    return this.#handed;
  }

  /** After `solved`; what comes next goes into the batch returned. `meanwhile`: what all ranks do before the field is there. */
  async handOn(solved: Batch, meanwhile: () => Promise<void>): Promise<Batch> {
    return this.group.rank === 0 ? this.#give(solved, meanwhile) : this.#take(solved, meanwhile);
  }

  async #give(solved: Batch, meanwhile: () => Promise<void>): Promise<Batch> {
    const { gpu, pieces } = this;
    let batch = solved;
    for (const [p, { bytes, sections }] of pieces.entries()) {
      const host = this.#host.subarray(0, bytes);
      for (const { buffer, offset, at, bytes: size } of sections) {
        batch.readInto(host.subarray(at, at + size), buffer, offset);
      }
      const read = batch.submit();
      read.catch(() => {}); // reported where it is waited for
      if (p === 0) await meanwhile();
      if (batch.inParts) await read;
      this.#handed = read.then(() => this.#cross(host));
      this.#handed.catch(() => {});
      if (p < pieces.length - 1) await this.#handed; // the next piece takes its place here
      batch = gpu.batch("solved field");
    }
    return batch;
  }

  async #take(solved: Batch, meanwhile: () => Promise<void>): Promise<Batch> {
    const { gpu, pieces } = this;
    let batch = solved;
    await meanwhile();
    for (const { bytes, sections } of pieces) {
      const host = this.#host.subarray(0, bytes);
      await this.#cross(host);
      for (const { buffer, offset, at, bytes: size } of sections) {
        gpu.device.queue.writeBuffer(buffer, offset, host.subarray(at, at + size));
      }
      if (pieces.length === 1) break;
      await batch.submit(); // the driver's staging memory is handed back before the next piece takes its own
      batch = gpu.batch("solved field");
    }
    return batch;
  }

  #cross(host: Uint8Array): Promise<void> {
    return timedTogether(this.group, this.gpu.timer, () => this.group.handOn(host), JOINT_STAGES.handing);
  }
}

function inPieces({ bytes, slabs }: Planes, cells: number, mostBytes: number): Piece[] {
  const most = Math.max(1, Math.floor(mostBytes / bytes));
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
