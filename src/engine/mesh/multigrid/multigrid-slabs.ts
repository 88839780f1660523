/** Multigrid in slabs: the description of a slab for kernels, which slabs of two levels meet, and the neighbours' copied planes. */
import { type Copy, type Pass, workgroups } from "../../../foundation/gpu/batch.ts";
import { type BufferPool, u32 } from "../../../foundation/gpu/buffers.ts";
import type { Kernel } from "../../../foundation/gpu/kernel.ts";
import type { Range } from "../../../foundation/gpu/windows.ts";
import type { Boundary } from "../../../physics/particles/box.ts";
import { FIELD_GHOSTS, type MeshSlab } from "../field.ts";
import { faceWords, type LevelArrays } from "./multigrid-arrays.ts";

const GROUP = 64;
const BYTES = 4;

/** WGSL struct Slab: what isn't given is 0. */
interface SlabWords {
  first: number;
  planes: number;
  ghosts?: number;
  sourceGhosts?: number;
  /** Coarse planes of a transfer. */
  transfer?: Range;
  coarse?: { first: number; ghosts: number };
  facesBegin?: number;
}

export function slabUniform(pool: BufferPool, words: SlabWords): GPUBuffer {
  const { first, planes, ghosts = 0, sourceGhosts = 0, transfer, coarse, facesBegin = 0 } = words;
  const between = [transfer?.first ?? 0, transfer?.count ?? 0, coarse?.first ?? 0, coarse?.ghosts ?? 0];
  return pool.uniform("multigrid slab", u32(first, planes, ghosts, sourceGhosts, ...between, facesBegin));
}

/** The uniform of kernels from and to the mesh field. */
export function meshSlabUniform(pool: BufferPool, { first, planes, cut }: MeshSlab): GPUBuffer {
  return slabUniform(pool, { first, planes, ghosts: cut ? 1 : 0, sourceGhosts: cut ? FIELD_GHOSTS : 0 });
}

/** Slabs of a level and of the next coarser that meet, in order of their planes, and the coarse planes that both have. */
export function meetings(fine: LevelArrays, coarse: LevelArrays) {
  return fine.slabs.flatMap((one) =>
    coarse.slabs.flatMap((other) => {
      const first = Math.max(one.first / 2, other.first);
      const count = Math.min((one.first + one.planes) / 2, other.first + other.planes) - first;
      return count > 0 ? [{ fine: one, coarse: other, planes: { first, count } }] : [];
    }),
  );
}

/** Planes that neighbouring slabs of a level have of one another, brought up to date. */
export function exchangePasses(
  pool: BufferPool,
  kernel: Kernel,
  { cells, slabs }: LevelArrays,
  boundary: Boundary,
): Pass[] {
  const plane = cells ** 2;
  const pairs = slabs.length === 1 ? [] : slabs.map((below, s) => [below, slabs[(s + 1) % slabs.length]] as const);
  if (boundary === "isolated") pairs.pop();
  return pairs.map(([below, above]) => {
    const places = [plane, below.planes * plane, (below.planes + 1) * plane, 0, plane];
    const uniform = pool.uniform("multigrid exchange", u32(...places));
    return { kernel: kernel.bind(uniform, below.potential, above.potential), groups: workgroups(plane, GROUP) };
  });
}

/** Every slab's part of the ghosts of the faces. */
export function faceCopies({ cells: n, slabs, faces }: LevelArrays): Copy[] {
  if (!faces) return [];
  const row = BYTES * (n + 2);
  return slabs.flatMap(({ first, planes, potential: { buffer, offset } }) => {
    const begin = offset + BYTES * (planes + 2) * n ** 2;
    const size = row * (planes + 2);
    const copy = (sourceOffset: number, targetOffset: number, size: number) => ({
      ...{ source: faces, target: buffer, sourceOffset, targetOffset, size },
    });
    const sides = [0, 1, 2, 3].map((face) => copy(row * (face * (n + 2) + first), begin + face * size, size));
    if (first > 0 && first + planes < n) return sides;
    const ends = BYTES * (faceWords(n) / 6) * 4;
    return [...sides, copy(ends, begin + 4 * size, BYTES * (faceWords(n) / 3))];
  });
}
