/**
 * Whether ids are distinct, in a bounded memory: those that ascend need none; of others each pass sorts a part of them, told
 * by a hash, so that 10⁸ ids take six passes of 128 MiB.
 */

/** Ids of a pass, about. */
const MOST_HELD = 2 ** 24;
const WORD = 2 ** 32;

export class DistinctIds {
  /** How often all ids are to be taken, unless `done` says before that it is known. */
  readonly passes: number;
  #pass = 0;
  #ascending = true;
  #last: number | bigint = -1;
  #numbers = new Float64Array(0);
  /** Ids above 2⁵³, which numbers don't tell apart. */
  #large = new BigUint64Array(0);
  #held = { numbers: 0, large: 0 };
  /** An id that was there before. */
  repeated: number | bigint | undefined;

  constructor(count: number, most = MOST_HELD) {
    this.passes = Math.max(1, Math.ceil(count / most));
  }

  take(value: number | bigint): void {
    const id = typeof value === "bigint" && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
    if (this.#pass === 0) {
      if (id === this.#last) this.repeated = id;
      else if (id < this.#last) this.#ascending = false;
      this.#last = id;
    }
    if (this.passes > 1 && partOf(Number(id), this.passes) !== this.#pass) return;
    if (typeof id === "bigint") {
      this.#large = withRoom(this.#large, this.#held.large);
      this.#large[this.#held.large++] = id;
    } else {
      this.#numbers = withRoom(this.#numbers, this.#held.numbers);
      this.#numbers[this.#held.numbers++] = id;
    }
  }

  /** After all ids were taken once more: whether nothing is left to be known. */
  done(): boolean {
    if (this.#pass === 0 && this.#ascending) return true;
    this.repeated ??=
      twice(this.#numbers.subarray(0, this.#held.numbers)) ?? twice(this.#large.subarray(0, this.#held.large));
    this.#held = { numbers: 0, large: 0 };
    this.#pass++;
    return this.repeated !== undefined || this.#pass === this.passes;
  }
}

/** From 0 up to `parts` - 1, whatever order there is in the ids. */
function partOf(id: number, parts: number): number {
  const mixed = Math.imul((id % WORD) ^ Math.imul(Math.floor(id / WORD), 0x9e3779b1), 0x85ebca6b) >>> 0;
  return Math.floor((mixed / WORD) * parts);
}

function withRoom<T extends Float64Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>>(values: T, held: number): T {
  if (held < values.length) return values;
  const length = Math.max(1024, 2 * held);
  const larger = values instanceof Float64Array ? new Float64Array(length) : new BigUint64Array(length);
  larger.set(values as never);
  return larger as T;
}

function twice(ids: Float64Array | BigUint64Array): number | bigint | undefined {
  ids.sort();
  for (let i = 1; i < ids.length; i++) if (ids[i] === ids[i - 1]) return ids[i];
  return undefined;
}

/** The message on ids that aren't distinct, and what to try. */
export const repeatedWords = (id: number | bigint): [found: string, advice: string] => [
  `the id ${id} of ParticleIDs is there more than once.`,
  "Give each particle an id of its own, or leave ids out: the order is then that of the file. " +
    "gravmesh convert FILE FILE.tipsy leaves them out.",
];
