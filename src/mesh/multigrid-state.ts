/** The multigrid solver's potential as a checkpoint has it: [n³] f32 without ghosts, read and written in pieces, slab by slab. */
import { READ_AT_A_TIME } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import { type ArrayInPieces, piecesOf, type SavedArray } from "../particles/saved-arrays.ts";
import type { LevelArrays } from "./multigrid-arrays.ts";

const BYTES = 4;

/** The cells of the potential, slab by slab, and where they lie [bytes]. */
function planesOf({ slabs, cells, ghosts }: LevelArrays) {
  const plane = cells ** 2;
  return slabs.map(({ first, planes, potential: { buffer, offset } }) => ({
    ...{ first: first * plane, count: planes * plane, buffer },
    offset: offset + BYTES * ghosts * plane,
  }));
}

export function potentialInPieces(gpu: GpuContext, finest: LevelArrays): ArrayInPieces {
  return {
    ...{ type: "Float32Array", length: finest.cells ** 3 },
    async *pieces() {
      for (const { count, buffer, offset } of planesOf(finest)) {
        for (let at = 0; at < BYTES * count; at += READ_AT_A_TIME) {
          const bytes = Math.min(READ_AT_A_TIME, BYTES * count - at);
          yield new Float32Array(await gpu.read(buffer, offset + at, bytes));
        }
      }
    },
  };
}

/** Leaves the ghosts as they are. */
export async function writePotential(
  gpu: GpuContext,
  finest: LevelArrays,
  array: SavedArray | ArrayInPieces,
): Promise<void> {
  const { queue } = gpu.device;
  for await (const { first: begin, piece } of piecesOf(array)) {
    for (const { first, count, buffer, offset } of planesOf(finest)) {
      const [from, to] = [Math.max(first, begin), Math.min(first + count, begin + piece.length)];
      if (from >= to) continue;
      const part = piece.subarray(from - begin, to - begin) as Float32Array<ArrayBuffer>;
      queue.writeBuffer(buffer, offset + BYTES * (from - first), part);
    }
    // The driver's staging memory is handed back before the next piece takes its own.
    queue.submit([]);
    await gpu.wait(queue.onSubmittedWorkDone(), "uploading the multigrid potential");
  }
}
