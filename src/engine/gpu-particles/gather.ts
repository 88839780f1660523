/**
 * Reads particles in blocks of consecutive ids: kernels look in which slot each is, once, and bring those of a block into a
 * staging buffer in id order (wgsl/engine/gpu-particles/gather.wgsl). While the host uses a block the device gathers the next.
 */
import gatherWgsl from "../../../wgsl/engine/gpu-particles/gather.wgsl";
import { workgroups } from "../../foundation/gpu/batch.ts";
import { type BufferPool, packUniform, u32 } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { BLOCK_PARTICLES, blockRanges, everyCount } from "../../physics/particles/blocks.ts";

const GROUP = 64;
const RUN = 16;
const ABSENT = 0xffff_ffff;
const UNIFORM_WORDS = 8;

/** Buffers of a window of slots; what isn't there can't be asked for. */
export interface SlotWindow {
  /** [n] */
  ids: GPUBuffer;
  /** [3n] fixed point */
  positions?: GPUBuffer | undefined;
  /** [3n] */
  velocities?: GPUBuffer | undefined;
  /** [n] packed */
  images?: GPUBuffer | undefined;
  /** [3n] */
  accelerations?: GPUBuffer | undefined;
  /** [n] */
  potential?: GPUBuffer | undefined;
}

export type GatheredQuantity = Exclude<keyof SlotWindow, "ids">;

/** In the order of the kernel's bindings and of the uniform. */
export const WIDTHS = {
  positions: 3,
  velocities: 3,
  images: 1,
  accelerations: 3,
  potential: 1,
} as const satisfies Record<GatheredQuantity, number>;
const QUANTITIES = Object.keys(WIDTHS) as GatheredQuantity[];

/** c particles as the device holds them, in id order: of each quantity that was asked for `width`·c words. */
export interface GatheredBlock {
  /** The first id, in units of `every`. */
  first: number;
  count: number;
  words: Partial<Record<GatheredQuantity, Uint32Array<ArrayBuffer>>>;
}

export interface Gathering {
  /** N */
  count: number;
  windows: readonly SlotWindow[];
  quantities: readonly GatheredQuantity[];
  /** Only ids that it divides. */
  every?: number | undefined;
  block?: number | undefined;
  /** The words of a block are wanted until the next is asked for: their memory is used again. */
  reuse?: boolean | undefined;
  /** Room for a word a particle, cut as the slots are; made when left out. */
  scratch?: readonly GPUBuffer[] | undefined;
  /** Called before each block is read: throws where the windows don't hold the particles any more. */
  requireThere?: (() => void) | undefined;
}

/** The particles of all windows in blocks of ids. Nothing may move them before the last block is there. */
export async function* gathered(gpu: GpuContext, gathering: Gathering): AsyncGenerator<GatheredBlock> {
  const own = gpu.buffers.pool();
  let coming: Promise<GatheredBlock> | undefined;
  try {
    const next = await gatherer(gpu, own, gathering);
    coming = next();
    for (let block = await coming; block.count > 0; block = await coming) {
      coming = next();
      coming.catch(() => {}); // reported when it is awaited, if it still is
      yield block;
    }
  } finally {
    await coming?.catch(() => {});
    own.destroyAll();
  }
}

/** Gives block after block, in the end one of no particles. */
async function gatherer(gpu: GpuContext, own: BufferPool, gathering: Gathering): Promise<() => Promise<GatheredBlock>> {
  const { count, windows, quantities, every = 1, block = BLOCK_PARTICLES } = gathering;
  const total = everyCount(count, every);
  const capacity = Math.min(block, total);
  const wanted = QUANTITIES.filter((quantity) => quantities.includes(quantity));
  const words = wanted.reduce((sum, quantity) => sum + WIDTHS[quantity], 0);
  const staging = own.storage("staged particles", 4 * words * capacity, "other");
  const uniform = own.uniform("block of particles", 4 * UNIFORM_WORDS);
  const lengths = windows.map(({ ids }) => ids.size / 4);
  const slotsOf = gathering.scratch ?? lengths.map((length) => own.storage("slots of particles", 4 * length, "other"));
  await own.settle();
  const compiled = (entry: "find" | "gather") =>
    gpu.kernel({ label: `particles/${entry}`, sources: [gatherWgsl], entry, constants: { RUN } });
  const [find, gather] = await Promise.all([compiled("find"), compiled("gather")]);
  const firsts = lengths.map((_, w) => lengths.slice(0, w).reduce((sum, length) => sum + length, 0));
  /** By windows of ids, for every window of slots. */
  const pairs = lengths.map((ids, v) =>
    windows.map((window, w) => {
      const pair = own.uniform("window of slots, window of ids", u32(firsts[w], lengths[w], firsts[v], ids));
      // What isn't read needs a buffer all the same.
      const inputs = QUANTITIES.map((quantity) => window[quantity] ?? window.ids);
      return {
        find: find.bind(pair, uniform, window.ids, ...Array(5).fill(window.ids), slotsOf[v]),
        gather: gather.bind(pair, uniform, ...inputs, staging, slotsOf[v]),
        slots: workgroups(Math.ceil(lengths[w] / RUN), GROUP),
      };
    }),
  );
  const search = gpu.batch("looking where the particles are").stage("reading");
  for (const { find: kernel, slots } of pairs.flat()) search.dispatch(kernel, slots);
  await search.submit();
  const ranges = blockRanges(total, block);
  // The host uses one block while the next is read.
  const rooms = gathering.reuse ? [0, 1].map(() => new ArrayBuffer(4 * words * capacity)) : [];
  const roomFor = (bytes: number) => {
    const room = rooms.shift() ?? new ArrayBuffer(bytes);
    if (gathering.reuse) rooms.push(room);
    return room;
  };
  return async () => {
    const range = ranges.next();
    if (range.done) return { first: total, count: 0, words: {} };
    gathering.requireThere?.();
    const { first, count: length } = range.value;
    const at = new Map<GatheredQuantity, number>();
    for (const [k, quantity] of wanted.entries()) {
      const before = wanted.slice(0, k).reduce((sum, other) => sum + WIDTHS[other], 0);
      at.set(quantity, before * length);
    }
    const placed = QUANTITIES.map((quantity) => at.get(quantity) ?? ABSENT);
    const found = roomFor(4 * words * length);
    const batch = gpu.batch("reading a block of particles").stage("reading");
    batch.write(uniform, 0, packUniform(u32(first, length, every, ...placed)));
    const invocations = workgroups(Math.ceil(length / RUN), GROUP);
    for (const [v, ofIds] of pairs.entries()) {
      if (every * first >= firsts[v] + lengths[v] || every * (first + length - 1) < firsts[v]) continue;
      for (const { gather: kernel } of ofIds) batch.dispatch(kernel, invocations);
    }
    await batch.readInto(new Uint8Array(found, 0, 4 * words * length), staging, 0).submit();
    const column = (quantity: GatheredQuantity) =>
      new Uint32Array(found, 4 * at.get(quantity)!, WIDTHS[quantity] * length);
    return { first, count: length, words: Object.fromEntries(wanted.map((quantity) => [quantity, column(quantity)])) };
  };
}
