/** Particles on their way between ranks: blocks and pieces of arrays, in the order of ids, through rank 0. */

import { agreed, type Ranks, type Share, shareOf } from "../../foundation/ranks/ranks.ts";
import type { BlockRequest, ParticleBlock } from "../../physics/particles/blocks.ts";
import {
  ARRAY_TYPES,
  type ArrayInPieces,
  type ArraysInPieces,
  type ArrayType,
  piecesOf,
  type SavedArray,
} from "../../physics/particles/saved-arrays.ts";
import type { ArrayPlan } from "./rank-channel.ts";

/** A block without masses, which rank 0 knows; ids as they are in the run. */
export type PlainBlock = Omit<ParticleBlock, "masses">;

/** Elements per particle. */
const WIDTHS = { positions: 3, velocities: 3, potential: 1, accelerations: 3 } as const;
const FIELDS = Object.keys(WIDTHS) as (keyof typeof WIDTHS)[];

const eights = (bytes: number) => 8 * Math.ceil(bytes / 8);

/** Numbers and typed arrays, in one message: the record as JSON with types and lengths, then the arrays. */
export function packed(message: object): Uint8Array {
  const arrays = Object.values(message).filter((value) => ArrayBuffer.isView(value)) as SavedArray[];
  const text = new TextEncoder().encode(
    JSON.stringify(message, (_, value) =>
      ArrayBuffer.isView(value) ? { type: value.constructor.name, length: (value as SavedArray).length } : value,
    ),
  );
  let at = eights(4 + text.length);
  const bytes = new Uint8Array(arrays.reduce((sum, { byteLength }) => sum + eights(byteLength), at));
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  for (const { buffer, byteOffset, byteLength } of arrays) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += eights(byteLength);
  }
  return bytes;
}

export function unpacked<T>(bytes: Uint8Array): T {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const message = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  let at = bytes.byteOffset + eights(4 + length);
  for (const [name, value] of Object.entries<number | { type: ArrayType; length: number }>(message)) {
    if (typeof value === "number") continue;
    const Type = ARRAY_TYPES[value.type];
    // Where a message begins in its buffer is up to the library.
    const whole = bytes.buffer.slice(at, at + Type.BYTES_PER_ELEMENT * value.length) as ArrayBuffer;
    at += eights(whole.byteLength);
    message[name] = new Type(whole);
  }
  return message;
}

/** The ids of a share's blocks that `every` divides, as blocks of the run. */
export async function* selected(
  blocks: AsyncIterable<ParticleBlock>,
  share: Share,
  every: number,
): AsyncGenerator<PlainBlock> {
  for await (const block of blocks) {
    const begin = share.first + block.first;
    const first = Math.ceil(begin / every);
    const count = Math.max(0, Math.ceil((begin + block.count) / every) - first);
    if (count === 0) continue;
    const taken = (all: Float32Array | Float64Array, width: number) => {
      if (every === 1) return all;
      const values = all.slice(0, width * count);
      for (let i = 0; i < count; i++) {
        const at = width * ((first + i) * every - begin);
        for (let k = 0; k < width; k++) values[width * i + k] = all[at + k];
      }
      return values;
    };
    const fields = FIELDS.flatMap((name) => {
      const all = block[name];
      return all ? [[name, taken(all, WIDTHS[name])] as const] : [];
    });
    yield { first, count, ...Object.fromEntries(fields) } as PlainBlock;
  }
}

/** The blocks of all ranks in the order of ids, on rank 0. `of` reads this rank's own, with ids from 0. */
export const relayedBlocks = (
  ranks: Ranks,
  share: Share,
  { every = 1, ...want }: BlockRequest,
  of: (want: BlockRequest) => AsyncIterable<ParticleBlock>,
) => relayed<PlainBlock>(ranks, selected(of({ ...want, reuse: true }), share, every));

export async function* relayedPieces(ranks: Ranks, column: SavedArray | ArrayInPieces): AsyncGenerator<SavedArray> {
  for await (const { piece } of relayed(ranks, piecesOf(column))) yield piece;
}

const NO_RANK = -1;

/** The same with the first already made, for what all ranks have to do together. The caller ends `given`. */
export async function started<T>(given: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await given.next();
  return (async function* () {
    if (!first.done) yield first.value;
    yield* given;
  })();
}

/** What every rank has, one rank after the other. Rank 0 says who is next, and when nothing more is wanted. */
async function* relayed<T extends object>(ranks: Ranks, given: AsyncGenerator<T>): AsyncGenerator<T> {
  const nothing = new Uint8Array(0);
  const own = await started(given);
  if (ranks.rank > 0) {
    for (;;) {
      const rank = await agreed(ranks, () => NO_RANK);
      if (rank === NO_RANK) break;
      const next = rank === ranks.rank ? await own.next() : undefined;
      await ranks.gather(next && !next.done ? packed(next.value) : nothing);
    }
    await given.return(undefined);
    return;
  }
  try {
    yield* own;
    for (let rank = 1; rank < ranks.size; rank++) {
      for (;;) {
        await agreed(ranks, () => rank);
        const bytes = (await ranks.gather(nothing))![rank];
        if (bytes.length === 0) break;
        yield unpacked<T>(bytes);
      }
    }
  } finally {
    await agreed(ranks, () => NO_RANK);
    await given.return(undefined);
  }
}

/** This rank's share of an array that rank 0 sends piece by piece. */
async function scattered(
  ranks: Ranks,
  array: SavedArray | ArrayInPieces | undefined,
  { type, length, perParticle: width }: ArrayPlan,
): Promise<SavedArray> {
  const share = width === undefined ? { first: 0, count: length } : shareOf(length / width, ranks);
  const [from, to] = [share.first, share.first + share.count].map((at) => (width ?? 1) * at);
  const mine = new ARRAY_TYPES[type](to - from);
  const source = array && piecesOf(array)[Symbol.asyncIterator]();
  try {
    for (let first = 0; first < length; ) {
      const next = await source?.next();
      const bytes = await ranks.broadcast(next && !next.done ? packed({ piece: next.value.piece }) : undefined);
      const { piece } = unpacked<{ piece: SavedArray }>(bytes);
      const [begin, end] = [Math.max(from, first), Math.min(to, first + piece.length)];
      if (begin < end) mine.set(piece.subarray(begin - first, end - first), begin - from);
      first += piece.length;
    }
  } finally {
    await source?.return?.(undefined); // the last piece isn't the end: the file that they come from is open yet
  }
  return mine;
}

/** The arrays of these plans as a rank has them, one after the other; rank 0 gives them. */
export async function allScattered(ranks: Ranks, plans: readonly ArrayPlan[], given: ArraysInPieces = {}) {
  const arrays: Record<string, SavedArray> = {};
  for (const plan of plans) arrays[plan.name] = await scattered(ranks, given[plan.name], plan);
  return arrays;
}
