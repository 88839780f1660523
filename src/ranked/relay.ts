/** Particles on their way between ranks: blocks and pieces of arrays, in the order of ids, through rank 0. */
import type { BlockRequest, ParticleBlock } from "../particles/blocks.ts";
import {
  ARRAY_TYPES,
  type ArrayInPieces,
  type ArraysInPieces,
  piecesOf,
  type SavedArray,
} from "../particles/saved-arrays.ts";
import { agreed, type Ranks, type Share, shareOf } from "../ranks/ranks.ts";
import type { ArrayPlan } from "./orders.ts";

/** A block without masses, which rank 0 knows; ids as they are in the run. */
export type PlainBlock = Omit<ParticleBlock, "masses">;

const FIELDS = ["positions", "velocities", "potential", "accelerations"] as const;

/** Typed arrays and a head, in one message. */
function packed(head: object, arrays: readonly (SavedArray | undefined)[]): Uint8Array {
  const about = arrays.map((array) => array && { type: array.constructor.name, length: array.length });
  const text = new TextEncoder().encode(JSON.stringify({ head, about }));
  const start = 8 * Math.ceil((4 + text.length) / 8);
  const sizes = arrays.map((array) => 8 * Math.ceil((array?.byteLength ?? 0) / 8));
  const bytes = new Uint8Array(start + sizes.reduce((sum, size) => sum + size, 0));
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  let at = start;
  for (const [i, array] of arrays.entries()) {
    if (array) bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += sizes[i];
  }
  return bytes;
}

function unpacked<H>(bytes: Uint8Array): { head: H; arrays: (SavedArray | undefined)[] } {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const { head, about } = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  let at = bytes.byteOffset + 8 * Math.ceil((4 + length) / 8);
  const arrays = about.map((one: { type: keyof typeof ARRAY_TYPES; length: number } | null) => {
    if (!one) return undefined;
    const Type = ARRAY_TYPES[one.type];
    // Where a message begins in its buffer is up to the library.
    const whole = bytes.buffer.slice(at, at + Type.BYTES_PER_ELEMENT * one.length) as ArrayBuffer;
    at += 8 * Math.ceil(whole.byteLength / 8);
    return new Type(whole);
  });
  return { head, arrays };
}

/** Those ids of a share's blocks that `every` divides, as blocks of the run. */
export async function* selected(
  blocks: AsyncIterable<ParticleBlock>,
  share: Share,
  every: number,
): AsyncGenerator<PlainBlock> {
  for await (const { first, count, positions, velocities, potential, accelerations } of blocks) {
    const begin = share.first + first;
    const fields = { positions, velocities, ...(potential && { potential }), ...(accelerations && { accelerations }) };
    if (every === 1) {
      yield { first: begin, count, ...fields };
      continue;
    }
    const from = Math.ceil(begin / every);
    const taken = Math.max(0, Math.ceil((begin + count) / every) - from);
    if (taken === 0) continue;
    const some = <A extends Float32Array | Float64Array>(all: A, width: number): A => {
      const values = all.slice(0, width * taken) as A;
      for (let i = 0; i < taken; i++) {
        const at = width * ((from + i) * every - begin);
        for (let k = 0; k < width; k++) values[width * i + k] = all[at + k];
      }
      return values;
    };
    yield {
      ...{ first: from, count: taken },
      ...{ positions: some(positions, 3), velocities: some(velocities, 3) },
      ...(potential && { potential: some(potential, 1) }),
      ...(accelerations && { accelerations: some(accelerations, 3) }),
    };
  }
}

/**
 * The blocks of all ranks in the order of ids, on rank 0; on the others it yields nothing and gives theirs. `of` reads this
 * rank's own with ids from 0.
 */
export async function* relayedBlocks(
  ranks: Ranks,
  share: Share,
  { every = 1, ...want }: BlockRequest,
  of: (want: BlockRequest) => AsyncIterable<ParticleBlock>,
): AsyncGenerator<PlainBlock> {
  const own = selected(of({ ...want, reuse: true }), share, every);
  const pack = (block: PlainBlock) =>
    packed(
      { first: block.first, count: block.count },
      FIELDS.map((field) => block[field]),
    );
  const unpack = (bytes: Uint8Array): PlainBlock => {
    const { head, arrays } = unpacked<{ first: number; count: number }>(bytes);
    const [positions, velocities, potential, accelerations] = arrays as [
      Float64Array,
      Float32Array,
      Float32Array?,
      Float32Array?,
    ];
    return { ...head, positions, velocities, ...(potential && { potential }), ...(accelerations && { accelerations }) };
  };
  yield* relayed(ranks, own, pack, unpack);
}

/** The pieces of a column, likewise. */
export async function* relayedPieces(ranks: Ranks, column: SavedArray | ArrayInPieces): AsyncGenerator<SavedArray> {
  const own = (async function* () {
    for await (const { piece } of piecesOf(column)) yield piece;
  })();
  yield* relayed(
    ranks,
    own,
    (piece: SavedArray) => packed({}, [piece]),
    (bytes) => unpacked(bytes).arrays[0]!,
  );
}

const NO_RANK = -1;

/**
 * The same with the first already made: what all ranks have to do together for it they do now. Whoever asks for it ends `given`:
 * a generator that was never asked for anything ends nothing.
 */
export async function begun<T>(given: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await given.next();
  return (async function* () {
    if (!first.done) yield first.value;
    yield* given;
  })();
}

/** What every rank has, one rank after the other. Rank 0 says who is next, and when nothing more is wanted. */
async function* relayed<T>(
  ranks: Ranks,
  given: AsyncGenerator<T>,
  pack: (one: T) => Uint8Array,
  unpack: (bytes: Uint8Array) => T,
): AsyncGenerator<T> {
  const nothing = new Uint8Array(0);
  const own = await begun(given);
  if (ranks.rank > 0) {
    for (;;) {
      const rank = await agreed(ranks, () => NO_RANK);
      if (rank === NO_RANK) break;
      const next = rank === ranks.rank ? await own.next() : undefined;
      await ranks.gather(next && !next.done ? pack(next.value) : nothing);
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
        yield unpack(bytes);
      }
    }
  } finally {
    await agreed(ranks, () => NO_RANK);
    await given.return(undefined);
  }
}

/** The words of this rank's share out of an array that rank 0 sends piece by piece. */
async function scattered(
  ranks: Ranks,
  array: SavedArray | ArrayInPieces | undefined,
  plan: { type: keyof typeof ARRAY_TYPES; length: number; perParticle?: number },
): Promise<SavedArray> {
  const width = plan.perParticle;
  const share = width === undefined ? { first: 0, count: plan.length } : shareOf(plan.length / width, ranks);
  const [from, to] = [(width ?? 1) * share.first, (width ?? 1) * (share.first + share.count)];
  const mine = new ARRAY_TYPES[plan.type](to - from);
  const source = array && piecesOf(array)[Symbol.asyncIterator]();
  try {
    for (let first = 0; first < plan.length; ) {
      const next = await source?.next();
      const bytes = await ranks.broadcast(next && !next.done ? packed({}, [next.value.piece]) : undefined);
      const piece = unpacked(bytes).arrays[0]!;
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
export async function allScattered(
  ranks: Ranks,
  plans: readonly ArrayPlan[],
  given: ArraysInPieces = {},
): Promise<Record<string, SavedArray>> {
  const arrays: Record<string, SavedArray> = {};
  for (const plan of plans) arrays[plan.name] = await scattered(ranks, given[plan.name], plan);
  return arrays;
}
