/** Processes of one run. All call the same functions in the same order; their sums are of integers, thus exact. */
import { GravmeshError } from "../base/errors.ts";
import { type RankPlacement, THIS_PLACEMENT } from "./rank-placement.ts";

export interface Ranks {
  readonly rank: number;
  readonly size: number;
  readonly seat: RankPlacement;
  /** Spent so far until the last of all was there [ms]. */
  readonly waited: number;
  /** Adds up `words` of all ranks, word by word modulo 2⁶⁴, in place on every rank. */
  sum(words: BigInt64Array): Promise<void>;
  /** The same on rank 0 alone; what the others have is left undefined. */
  sumOnFirst(words: BigInt64Array): Promise<void>;
  /** The sum of what the other ranks give, in place on rank 0, whatever it held; what the others have is left undefined. */
  sumOfOthers(words: BigInt64Array): Promise<void>;
  /** The largest of all ranks, word by word, in place on every rank. */
  largest(words: BigInt64Array): Promise<void>;
  /** What each rank gives, in the order of ranks, on rank 0; undefined on the others. */
  gather(bytes: Uint8Array): Promise<Uint8Array[] | undefined>;
  /** Gathers parts of an array on all, rank after rank, of known `lengths` [byte]; each has its own in place. */
  allGather(whole: Uint8Array, lengths: readonly number[]): Promise<void>;
  /** What rank 0 gives, on every rank. */
  broadcast(bytes: Uint8Array | undefined): Promise<Uint8Array>;
  /** The same into `bytes`, of which every rank knows the length. */
  handOn(bytes: Uint8Array): Promise<void>;
  /** Those of them that name the same number, in the same order. */
  split(group: number): Promise<Ranks>;
  barrier(): Promise<void>;
  /** Ends all ranks at once: what one of them can't go on with ends the run. */
  abort(code: number): never;
  /** Nothing may be called afterwards. */
  finish(): Promise<void>;
}

export interface Share {
  first: number;
  count: number;
}

/** The ids of a rank: equal parts in id order, the first ones a particle larger where they can't be. */
export function shareOf(count: number, { rank, size }: Pick<Ranks, "rank" | "size">): Share {
  const [whole, rest] = [Math.floor(count / size), count % size];
  return { first: rank * whole + Math.min(rank, rest), count: whole + (rank < rest ? 1 : 0) };
}

/** Where parts of these lengths begin, one after the other. */
export function startsOf(lengths: readonly number[]): number[] {
  let next = 0;
  return lengths.map((length) => {
    next += length;
    return next - length;
  });
}

/** Throws "usage" where a rank would have no particle. */
export function requireEnough(count: number, { size }: Pick<Ranks, "size">): void {
  if (count >= size) return;
  throw new GravmeshError(
    "usage",
    `${size} ranks share ${count} particles: expected one each at least; try fewer ranks`,
  );
}

/** JSON has no infinite numbers; no table of a deck has a key like this. */
const NUMBER = "not finite";

const encoded = (data: unknown) =>
  new TextEncoder().encode(
    JSON.stringify(data, (_, value) =>
      typeof value === "number" && !Number.isFinite(value) ? { [NUMBER]: String(value) } : value,
    ),
  );

const decoded = <T>(bytes: Uint8Array) =>
  JSON.parse(new TextDecoder().decode(bytes), (_, value) =>
    value !== null && typeof value === "object" && NUMBER in value ? Number(value[NUMBER]) : value,
  ) as T;

/** Plain data that rank 0 makes, on every rank. */
export async function agreed<T>(ranks: Ranks, make: () => T): Promise<T> {
  if (ranks.size === 1) return make();
  return decoded(await ranks.broadcast(ranks.rank === 0 ? encoded(make()) : undefined));
}

/** Plain data of every rank, in the order of ranks, on rank 0; undefined on the others. */
export async function answers<T>(ranks: Ranks, mine: T): Promise<T[] | undefined> {
  return (await ranks.gather(encoded(mine)))?.map((bytes) => decoded(bytes));
}

/** Notes the time of joint work by name [ms]. */
export type JointTimes = { add(times: ReadonlyMap<string, number>): void };

/** What the table of stages calls the time that goes into the other ranks. */
export const JOINT_STAGES = {
  packing: "packing for ranks",
  waiting: "waiting for ranks",
  sum: "sum over ranks",
  /** The solved field, to those that haven't solved. */
  handing: "handing the field on",
  /** In P³M. */
  positions: "positions of other ranks",
  /** In P³M; in a direct sum, waiting for the last rank included. */
  forces: "forces of other ranks",
} as const;

/**
 * Does joint work and notes its time, and that of waiting but for what this device still worked, to `idleSince` [ms].
 */
export async function timedTogether(
  ranks: Ranks,
  times: JointTimes | undefined,
  work: () => Promise<void>,
  name: string = JOINT_STAGES.sum,
  idleSince: () => number = () => 0,
): Promise<void> {
  if (ranks.size === 1 || !times) return work();
  const [begun, waited] = [performance.now(), ranks.waited];
  await work();
  const waiting = ranks.waited - waited;
  const busy = Math.min(waiting, Math.max(0, idleSince() - begun));
  times.add(
    new Map([
      [JOINT_STAGES.waiting, waiting - busy],
      [name, performance.now() - begun - waiting],
    ]),
  );
}

export const SINGLE_RANK: Ranks = {
  rank: 0,
  size: 1,
  seat: THIS_PLACEMENT,
  waited: 0,
  sum: async () => {},
  sumOnFirst: async () => {},
  sumOfOthers: async (words) => void words.fill(0n),
  largest: async () => {},
  gather: async (bytes) => [bytes],
  allGather: async () => {},
  broadcast: async (bytes) => bytes ?? new Uint8Array(0),
  handOn: async () => {},
  split: async () => SINGLE_RANK,
  barrier: async () => {},
  abort: (code) => {
    throw new Error(`ended with ${code}`);
  },
  finish: async () => {},
};
