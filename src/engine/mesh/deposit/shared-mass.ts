/**
 * The deposited mass of all ranks of a run: the 64-bit integers of the cells are added up where the mesh is solved, which is
 * exact whatever the ranks' number and order. What one rank that solves for all has deposited stays on its device, where the
 * sum of the others is added.
 */
import massWordsWgsl from "../../../../wgsl/engine/mesh/deposit/mass-words.wgsl";
import { type Batch, workgroups } from "../../../foundation/gpu/batch.ts";
import { type BufferPool, READ_AT_A_TIME, u32 } from "../../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { BoundKernel } from "../../../foundation/gpu/kernel.ts";
import { JOINT_STAGES, type JointTimes, timedTogether } from "../../../foundation/ranks/ranks.ts";
import { type Solving, sumOnSolvers } from "../../../foundation/ranks/solving.ts";
import { walkLength } from "./walk.ts";

const GROUP = 64;
const WORD_BYTES = 8;

/** Where the mass of a range of planes lies: low words in rows of `pitch`, high words. */
export interface MassPlanes {
  field: GPUBuffer;
  high: GPUBuffer;
  planes: number;
  /** Rows of `field` before those of the planes. */
  ghostRows: number;
}

export interface MassMesh {
  cells: number;
  pitch: number;
  slabs: readonly MassPlanes[];
  /** Takes what is held for it: the device's unless given. */
  pool?: BufferPool;
  /** Where the time that goes into the ranks is noted. */
  times?: JointTimes;
  /** Of a part, unless a plane is more: what is read back at a time unless given, the same on all ranks. */
  mostBytes?: number;
}

/** Planes that go between ranks in one piece, the same on every rank however its mesh is cut. */
interface Part {
  cells: number;
  /** What of it lies in a slab. */
  sections: { groups: [number, number]; gather: BoundKernel; put: BoundKernel }[];
}

export class SharedMass {
  private constructor(
    private readonly on: { gpu: GpuContext; times: JointTimes | undefined },
    private readonly solving: Solving,
    /** Whether this rank's own mass needn't leave its device. */
    readonly keepsOwn: boolean,
    /** Where the cells of a part lie together: on the device, and here. */
    private readonly words: { device: GPUBuffer; host: BigInt64Array<ArrayBuffer> },
    private readonly parts: readonly Part[],
  ) {}

  static async create(gpu: GpuContext, solving: Solving, mesh: MassMesh): Promise<SharedMass> {
    const { cells, pitch, slabs, pool = gpu.buffers, times, mostBytes = READ_AT_A_TIME } = mesh;
    const plane = cells ** 2;
    const most = Math.min(cells, Math.max(1, Math.floor(mostBytes / (WORD_BYTES * plane))));
    const words = pool.storage("mass of all ranks", WORD_BYTES * plane * most, "mesh");
    const keepsOwn = solving.oneForAll && solving.group.rank === 0;
    const run = gpu.adapter.software ? walkLength(cells) : 1;
    const parts: Part[] = [];
    for (let first = 0; first < cells; first += most) {
      parts.push({ cells: plane * Math.min(most, cells - first), sections: [] });
    }
    let begin = 0;
    for (const { field, high, planes, ghostRows } of slabs) {
      const constants = { ADDS: keepsOwn, CELLS: cells, PITCH: pitch, GHOST_ROWS: ghostRows, RUN: run };
      const kernel = (entry: string) =>
        gpu.kernel({ label: `mass words/${entry}`, sources: [massWordsWgsl], entry, constants });
      const [gather, put] = await Promise.all([kernel("gather"), kernel("put")]);
      for (const [p, { sections }] of parts.entries()) {
        const [from, to] = [Math.max(begin, p * most), Math.min(begin + planes, (p + 1) * most)];
        if (from >= to) continue;
        const [inSlab, count, place] = [from - begin, to - from, from - p * most].map((some) => some * plane);
        const range = pool.uniform("range of cells", u32(inSlab, count, place));
        const inputs = [field, high, words, range];
        const groups = workgroups(count / run, GROUP);
        sections.push({ groups, gather: gather.bind(...inputs), put: put.bind(...inputs) });
      }
      begin += planes;
    }
    const host = new BigInt64Array(plane * most);
    return new SharedMass({ gpu, times }, solving, keepsOwn, { device: words, host }, parts);
  }

  /** Records the reading of what this rank has deposited, where others need it. */
  encode(batch: Batch): Batch {
    return this.keepsOwn ? batch : this.#encodeRead(batch, this.parts[0]);
  }

  #encodeRead(batch: Batch, { cells, sections }: Part): Batch {
    const { device, host } = this.words;
    const into = new Uint8Array(host.buffer, 0, WORD_BYTES * cells);
    batch.stage(JOINT_STAGES.packing);
    for (const { gather, groups } of sections) batch.dispatch(gather, groups);
    return batch.readInto(into, device, 0);
  }

  /**
   * Adds up over the ranks what the batch of `encode` has read, which has ended unless this rank keeps its own. The batch
   * returned puts the sums where the parts lay; on a rank that doesn't solve it is empty.
   */
  async sum(ended: Promise<void> = Promise.resolve()): Promise<Batch> {
    const { solving, parts, keepsOwn } = this;
    const { gpu, times } = this.on;
    const together = solving.group.size > 1 ? solving.group : solving.solvers;
    const { device, host } = this.words;
    let idle: number | undefined;
    const noted = () => (idle = performance.now());
    ended.then(noted, noted);
    const idleSince = () => idle ?? performance.now();
    let batch = gpu.batch("mass of all ranks");
    for (const [p, part] of parts.entries()) {
      const words = host.subarray(0, part.cells);
      if (p > 0 && !keepsOwn) await this.#encodeRead(batch, part).submit();
      await timedTogether(together, times, () => sumOnSolvers(solving, words), JOINT_STAGES.sum, idleSince);
      batch = gpu.batch("mass of all ranks");
      if (solving.group.rank > 0) continue;
      gpu.device.queue.writeBuffer(device, 0, words);
      batch.stage(JOINT_STAGES.packing);
      for (const { put, groups } of part.sections) batch.dispatch(put, groups);
      if (p === parts.length - 1) break;
      await batch.submit();
      batch = gpu.batch("mass of all ranks");
    }
    return batch;
  }
}
