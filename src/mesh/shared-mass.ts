/**
 * The deposited mass of all ranks of a run: each has deposited its own particles, and the 64-bit integers of the cells are
 * added up, which is exact whatever the number of ranks and their order. 8 bytes a cell and evaluation cross between them.
 */
import massWordsWgsl from "../../wgsl/mesh/mass-words.wgsl";
import { workgroups } from "../gpu/batch.ts";
import { type BufferPool, packUniform, READ_AT_A_TIME, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Ranks } from "../ranks/ranks.ts";

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

export interface SharedMass {
  /** Adds up over the ranks; the sums lie where the parts did. */
  sum(): Promise<void>;
}

export interface MassMesh {
  /** A side. */
  cells: number;
  /** Words of a row of low words. */
  pitch: number;
  slabs: readonly MassPlanes[];
  /** Takes what is held for it: the device's unless given. */
  pool?: BufferPool;
}

export async function sharedMass(
  gpu: GpuContext,
  ranks: Ranks,
  { cells, pitch, slabs, pool = gpu.buffers }: MassMesh,
): Promise<SharedMass> {
  const plane = cells ** 2;
  // A slab goes by ranges of whole planes that are read back in one piece.
  const most = Math.max(1, Math.floor(READ_AT_A_TIME / (WORD_BYTES * plane)));
  const words = pool.storage("mass of all ranks", WORD_BYTES * plane * Math.min(most, cells), "mesh");
  const range = pool.uniform("range of cells", u32(0, 0));
  const bound = await Promise.all(
    slabs.map(async ({ field, high, planes, ghostRows }) => {
      const kernel = (entry: string) =>
        gpu.kernel({
          label: `mass words/${entry}`,
          sources: [massWordsWgsl],
          entry,
          constants: { CELLS: cells, PITCH: pitch, GHOST_ROWS: ghostRows },
        });
      const [gather, scatter] = await Promise.all([kernel("gather"), kernel("scatter")]);
      const inputs = [field, high, words, range];
      return { planes, gather: gather.bind(...inputs), scatter: scatter.bind(...inputs) };
    }),
  );
  return {
    async sum() {
      for (const { planes, gather, scatter } of bound) {
        for (let first = 0; first < planes; first += most) {
          const count = plane * Math.min(most, planes - first);
          const groups = workgroups(count, GROUP);
          const uniform = packUniform(u32(first * plane, count));
          let mine = new BigInt64Array(0);
          await gpu
            .batch("mass of this rank")
            .write(range, 0, uniform)
            .stage("ranks")
            .dispatch(gather, groups)
            .read(words, 0, WORD_BYTES * count, (data) => {
              mine = new BigInt64Array(data);
            })
            .submit();
          const { waited, summed } = await timedSum(ranks, mine);
          gpu.timer.add(
            new Map([
              ["waiting for ranks", waited],
              ["sum over ranks", summed],
            ]),
          );
          gpu.device.queue.writeBuffer(words, 0, mine);
          await gpu
            .batch("mass of all ranks")
            .write(range, 0, uniform)
            .stage("ranks")
            .dispatch(scatter, groups)
            .submit();
        }
      }
    },
  };
}

/** By the wall clock [ms]: until the last rank is there, and the sum itself. */
async function timedSum(ranks: Ranks, words: BigInt64Array): Promise<{ waited: number; summed: number }> {
  const begun = performance.now();
  await ranks.barrier();
  const there = performance.now();
  await ranks.sum(words);
  return { waited: there - begun, summed: performance.now() - there };
}
