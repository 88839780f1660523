/**
 * Meshes for transforms in slabs, ranges of planes with buffers of their own, for meshes larger than a binding. Rows and
 * y lines lie within a slab; lines along z are brought together a block of rows at a time, by copies.
 */

import { bytesText } from "../../../foundation/base/bytes.ts";
import { GravmeshError } from "../../../foundation/base/errors.ts";
import type { Copy } from "../../../foundation/gpu/batch.ts";
import type { BufferPool, MemoryPurpose } from "../../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import { type Range, type RangeLimits, rangeLimits, ranges } from "../../../foundation/gpu/windows.ts";
import type { LineSet } from "./fft-kernel.ts";

/** Planes of a mesh and their buffer: [planes·n rows × (n+2)] f32, of a spectrum [planes][n][n/2+1] complex. */
export interface PaddedSlab {
  first: number;
  planes: number;
  buffer: GPUBuffer;
}

/** Bytes of so many planes with rows of n + 2 words. */
export function paddedBytes(n: number, planes = 1): number {
  return 4 * (n + 2) * n * planes;
}

/** The planes of such a mesh's slabs: one range unless a device binds too little. Throws "memory" below two planes. */
export function paddedSlabRanges({ binding, windows }: RangeLimits, n: number): Range[] {
  const most = Math.min(Math.floor(binding / paddedBytes(n)), windows?.planes ?? n);
  if (most >= 2) return ranges(n, most, 2);
  throw new GravmeshError(
    "memory",
    `a mesh of ${n}³ cells: the device binds at most ${bytesText(binding)} at a time, which is less than two of its planes`,
  );
}

/** Buffers for a mesh of n cells per side; even planes a slab. `pool.settle()` tells whether they found room. */
export function createPaddedSlabs(
  gpu: GpuContext,
  pool: BufferPool,
  n: number,
  { label, purpose = "mesh" }: { label: string; purpose?: MemoryPurpose },
): PaddedSlab[] {
  const cuts = paddedSlabRanges(rangeLimits(gpu), n);
  return cuts.map(({ first, count }) => ({
    ...{ first, planes: count },
    buffer: pool.storage(`${label}${cuts.length > 1 ? ` from plane ${first}` : ""}`, paddedBytes(n, count), purpose),
  }));
}

/** Rows of every plane, side by side: [n][rows][n+2] words. */
export interface RowBlock {
  /** The lines along z. */
  lines: LineSet;
  /** From the slabs into the block, and back. */
  gather: Copy[];
  scatter: Copy[];
}

/** Blocks of rows that together are the mesh, each in its turn at the beginning of `scratch`, of the size of a slab. */
export function rowBlocks(n: number, slabs: readonly PaddedSlab[], scratch: GPUBuffer): RowBlock[] {
  const half = n / 2 + 1;
  const rowBytes = 4 * (n + 2);
  return ranges(n, Math.floor(scratch.size / (n * rowBytes))).map(({ first, count }) => {
    const size = rowBytes * count;
    const places = slabs.flatMap(({ first: plane, planes, buffer }) =>
      Array.from({ length: planes }, (_, z) => ({
        slab: buffer,
        inSlab: rowBytes * (n * z + first),
        inScratch: size * (plane + z),
      })),
    );
    return {
      lines: { count: half * count, lanes: half, source: { run: half, stride: count * half } },
      gather: places.map(({ slab, inSlab, inScratch }) => ({
        ...{ source: slab, sourceOffset: inSlab, target: scratch, targetOffset: inScratch, size },
      })),
      scatter: places.map(({ slab, inSlab, inScratch }) => ({
        ...{ source: scratch, sourceOffset: inScratch, target: slab, targetOffset: inSlab, size },
      })),
    };
  });
}
