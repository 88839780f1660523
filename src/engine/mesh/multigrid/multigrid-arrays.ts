/**
 * Where the levels of the multigrid solver lie: the finest potential in buffers of its own, the finest source of second order
 * in the mesh's field; all else borrows the force mesh, 1.15 words a cell. A level larger than a binding lies in slabs, each
 * with its neighbours' planes as ghosts.
 */
import { type BufferPool, READ_AT_A_TIME } from "../../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { BufferRange } from "../../../foundation/gpu/kernel.ts";
import { type Range, type RangeLimits, rangeLimits, ranges } from "../../../foundation/gpu/windows.ts";
import type { Boundary } from "../../../physics/particles/box.ts";
import { type ArrayInPieces, piecesOf, type SavedArray } from "../../../physics/particles/saved-arrays.ts";
import { FIELD_GHOSTS, type MeshBuffers, meshSlabs } from "../field.ts";
import { TAIL_SIDE } from "./multigrid-settings.ts";

const BYTES = 4;
/** Offsets of bindings into a shared buffer (WebGPU's default alignment) [bytes]. */
const ALIGNMENT = 256;

/** Planes of a level, all of them or a slab, and their arrays. */
export interface LevelSlab {
  first: number;
  planes: number;
  /** sourceGhosts of the level, then its planes; nothing but planes otherwise. */
  source: BufferRange;
  /** As wgsl/engine/mesh/multigrid/multigrid-slab.wgsl says. */
  potential: BufferRange;
}

export interface LevelArrays {
  /** n, cells per side. */
  cells: number;
  /** Rows of the source [words]. */
  sourcePitch: number;
  /** Neighbours' planes before a slab's in the source, and on either side in the potential. */
  sourceGhosts: number;
  ghosts: 0 | 1;
  /** In order of their planes. */
  slabs: readonly LevelSlab[];
  /** [6(n+2)²] f32: ghosts of the finest isolated level in slabs, which each has its part of. */
  faces: GPUBuffer | undefined;
}

/** Words of the ghosts of an isolated level's faces. */
export function faceWords(n: number): number {
  return 6 * (n + 2) ** 2;
}

/** Words of the potential of a coarser level's slab, a correction: no ghosts of faces. */
export function potentialWords(n: number, { count }: Range): number {
  return (count === n ? n : count + 2) * n ** 2;
}

/** Words of the finest potential's ghosts in a slab; the faces across z are the first's and the last's. */
function ghostWords(n: number, { first, count }: Range, boundary: Boundary): number {
  if (boundary === "periodic") return 0;
  if (count === n) return faceWords(n);
  const ends = first === 0 || first + count === n;
  return 4 * (count + 2) * (n + 2) + (ends ? 2 * (n + 2) ** 2 : 0);
}

/** The planes of a coarser level's slabs: one unless that is larger than a binding, or than is allowed. */
export function levelRanges({ binding, windows }: RangeLimits, n: number): Range[] {
  const words = binding / BYTES;
  const allowed = windows?.planes ?? n;
  // A workgroup's levels are whole.
  if (n <= Math.max(TAIL_SIDE, allowed) && n ** 3 <= words) return [{ first: 0, count: n }];
  const fit = 2 * Math.floor(words / n ** 2 / 2) - 2;
  return ranges(n, Math.min(fit, allowed, n - 2), 2);
}

/** Ranges of a set of buffers, given out one behind the other; what finds no room there gets a buffer of its own. */
class Rooms {
  readonly #rooms: { buffer: GPUBuffer; used: number }[];

  constructor(
    buffers: readonly GPUBuffer[],
    private readonly pool: BufferPool,
  ) {
    this.#rooms = buffers.map((buffer) => ({ buffer, used: 0 }));
  }

  take(label: string, words: number): BufferRange {
    const size = BYTES * words;
    const room = this.#rooms.find(({ buffer, used }) => used + size <= buffer.size);
    if (!room) return whole(this.pool.storage(label, size, "mesh"));
    const offset = room.used;
    room.used += Math.ceil(size / ALIGNMENT) * ALIGNMENT;
    return { buffer: room.buffer, offset, size };
  }
}

function whole(buffer: GPUBuffer): BufferRange {
  return { buffer, offset: 0, size: buffer.size };
}

interface Placing {
  gpu: GpuContext;
  mesh: MeshBuffers;
  boundary: Boundary;
  order: 2 | 4;
}

/** Bytes that the levels of a mesh have of their own, in addition to the mesh's. */
export function levelBytes(limits: RangeLimits, cells: number, boundary: Boundary): number {
  const cuts = meshSlabs(limits, cells);
  const words = cuts.map((range) => potentialWords(cells, range) + ghostWords(cells, range, boundary));
  const faces = boundary === "isolated" && cuts.length > 1 ? faceWords(cells) : 0;
  return BYTES * words.reduce((sum, some) => sum + some, faces);
}

/** The levels of these sizes, finest first; what is theirs alone is of `pool`, whose `settle()` tells whether it found room. */
export function placeLevels(pool: BufferPool, sizes: readonly number[], placing: Placing): LevelArrays[] {
  const { gpu, mesh, boundary, order } = placing;
  const rooms = new Rooms(
    mesh.slabs.map(({ force }) => force),
    pool,
  );
  const limits = rangeLimits(gpu);
  const coarserCuts = (n: number) => (mesh.slabs.length > 1 ? levelRanges(limits, n) : [{ first: 0, count: n }]);
  return sizes.map((cells, l) => {
    const finest = l === 0;
    const inField = finest && order === 2;
    const cuts = finest ? mesh.slabs.map(({ first, planes }) => ({ first, count: planes })) : coarserCuts(cells);
    const cut = cuts.length > 1;
    const slabs = cuts.map((range, s) => {
      const words = potentialWords(cells, range) + (finest ? ghostWords(cells, range, boundary) : 0);
      const name = `multigrid potential${cut ? ` from plane ${range.first}` : ""}`;
      return {
        ...{ first: range.first, planes: range.count },
        source: inField
          ? whole(mesh.slabs[s].field)
          : rooms.take("multigrid source of a level", range.count * cells ** 2),
        potential: finest
          ? whole(pool.storage(name, BYTES * words, "mesh"))
          : rooms.take("multigrid potential of a level", words),
      };
    });
    const faces = finest && cut && boundary === "isolated";
    return {
      ...{ cells, slabs, sourcePitch: inField ? mesh.pitch : cells },
      sourceGhosts: inField && cut ? FIELD_GHOSTS : 0,
      ghosts: cut ? 1 : 0,
      faces: faces ? pool.storage("multigrid ghosts", BYTES * faceWords(cells), "mesh") : undefined,
    };
  });
}

/** The cells of a potential, slab by slab, and where they lie [bytes]. */
function planesOf({ slabs, cells, ghosts }: LevelArrays) {
  const plane = cells ** 2;
  return slabs.map(({ first, planes, potential: { buffer, offset } }) => ({
    ...{ first: first * plane, count: planes * plane, buffer },
    offset: offset + BYTES * ghosts * plane,
  }));
}

/** A potential as a checkpoint has it: [n³] f32 without ghosts, read in pieces. */
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

/** Puts one back, but for its ghosts. */
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
