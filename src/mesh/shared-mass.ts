/**
 * The deposited mass of all ranks of a run: each has deposited its own particles, and the 64-bit integers of the cells are
 * added up where the mesh is solved, which is exact whatever the number of ranks and their order. 8 bytes a cell and
 * evaluation cross between them.
 */
import massWordsWgsl from "../../wgsl/mesh/mass-words.wgsl";
import { type Batch, workgroups } from "../gpu/batch.ts";
import { type BufferPool, READ_AT_A_TIME, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import { JOINT_STAGES, type JointTimes, timedTogether } from "../ranks/ranks.ts";
import { type Solving, sumOnSolvers } from "../ranks/solving.ts";
import { walkLength } from "./walk.ts";

const GROUP = 64;
const WORD_BYTES = 8;

/** Where the mass of a range of planes lies: low words in rows of `pitch`, high words cell by cell. */
export interface MassPlanes {
  field: GPUBuffer;
  high: GPUBuffer;
  planes: number;
  /** Rows of `field` before those of the planes. */
  ghostRows: number;
}

export interface MassMesh {
  /** A side. */
  cells: number;
  /** Words of a row of low words. */
  pitch: number;
  slabs: readonly MassPlanes[];
  /** Takes what is held for it: the device's unless given. */
  pool?: BufferPool;
  /** Where the time that goes into the ranks is noted. */
  times?: JointTimes;
}

/** Cells that are read back in one piece. */
interface Part {
  cells: number;
  groups: [number, number];
  gather: BoundKernel;
  scatter: BoundKernel;
}

export class SharedMass {
  private constructor(
    private readonly on: { gpu: GpuContext; times: JointTimes | undefined },
    private readonly solving: Solving,
    /** Where the cells of a part lie together: on the device, and here. */
    private readonly words: { device: GPUBuffer; host: BigInt64Array<ArrayBuffer> },
    private readonly parts: readonly Part[],
  ) {}

  static async create(gpu: GpuContext, solving: Solving, mesh: MassMesh): Promise<SharedMass> {
    const { cells, pitch, slabs, pool = gpu.buffers, times } = mesh;
    const plane = cells ** 2;
    // A slab goes by ranges of whole planes.
    const most = Math.max(1, Math.floor(READ_AT_A_TIME / (WORD_BYTES * plane)));
    const largest = plane * Math.min(most, Math.max(...slabs.map(({ planes }) => planes)));
    const words = pool.storage("mass of all ranks", WORD_BYTES * largest, "mesh");
    const parts: Part[] = [];
    const run = gpu.adapter.software ? walkLength(cells) : 1;
    for (const { field, high, planes, ghostRows } of slabs) {
      const constants = { CELLS: cells, PITCH: pitch, GHOST_ROWS: ghostRows, RUN: run };
      const kernel = (entry: string) =>
        gpu.kernel({ label: `mass words/${entry}`, sources: [massWordsWgsl], entry, constants });
      const [gather, scatter] = await Promise.all([kernel("gather"), kernel("scatter")]);
      for (let first = 0; first < planes; first += most) {
        const count = plane * Math.min(most, planes - first);
        const range = pool.uniform("range of cells", u32(first * plane, count));
        const inputs = [field, high, words, range];
        parts.push({
          cells: count,
          groups: workgroups(count / run, GROUP),
          gather: gather.bind(...inputs),
          scatter: scatter.bind(...inputs),
        });
      }
    }
    return new SharedMass({ gpu, times }, solving, { device: words, host: new BigInt64Array(largest) }, parts);
  }

  /** Records the reading of what this rank has deposited. */
  encode(batch: Batch): Batch {
    return this.#encodeRead(batch, this.parts[0]);
  }

  #encodeRead(batch: Batch, { cells, groups, gather }: Part): Batch {
    const { device, host } = this.words;
    const into = new Uint8Array(host.buffer, 0, WORD_BYTES * cells);
    return batch.stage(JOINT_STAGES.packing).dispatch(gather, groups).readInto(into, device, 0);
  }

  /**
   * Adds up over the ranks what the batch of `encode` has read. The batch returned has the sums put where the parts lay;
   * on a rank that doesn't solve it is empty.
   */
  async sum(): Promise<Batch> {
    const { solving, parts } = this;
    const { gpu, times } = this.on;
    const together = solving.group.size > 1 ? solving.group : solving.solvers;
    const { device, host } = this.words;
    let batch = gpu.batch("mass of all ranks");
    for (const [p, part] of parts.entries()) {
      if (p > 0) await this.#encodeRead(batch, part).submit();
      const words = host.subarray(0, part.cells);
      await timedTogether(together, times, () => sumOnSolvers(solving, words));
      batch = gpu.batch("mass of all ranks");
      if (solving.group.rank > 0) continue;
      gpu.device.queue.writeBuffer(device, 0, words);
      batch.stage(JOINT_STAGES.packing).dispatch(part.scatter, part.groups);
      if (p === parts.length - 1) break;
      await batch.submit();
      batch = gpu.batch("mass of all ranks");
    }
    return batch;
  }
}
