/**
 * Whether ids are distinct, in a bounded memory: those that ascend need none; of others each pass sorts a part of them, told
 * by a hash, so that 10⁸ ids take six passes of 128 MiB.
 */

const MOST_HELD = 2 ** 24;
const WORD = 2 ** 32;

export class DistinctIds {
  /** How often all ids are to be taken, unless `done` says before that it is known. */
  readonly passes: number;
  #pass = 0;
  #ascending = true;
  #last: number | bigint = -1;
  #ids = new BigUint64Array(0);
  #held = 0;
  /** An id that was there before. */
  repeated: number | bigint | undefined;

  constructor(count: number, most = MOST_HELD) {
    this.passes = Math.max(1, Math.ceil(count / most));
  }

  take(id: number | bigint): void {
    if (this.#pass === 0) {
      // Ids of 32 and of 64 bits are told apart by their value alone.
      if (id >= this.#last && id <= this.#last) this.repeated = id;
      else if (id < this.#last) this.#ascending = false;
      this.#last = id;
    }
    if (this.passes > 1 && partOf(Number(id), this.passes) !== this.#pass) return;
    if (this.#held === this.#ids.length) {
      const larger = new BigUint64Array(Math.max(1024, 2 * this.#held));
      larger.set(this.#ids);
      this.#ids = larger;
    }
    this.#ids[this.#held++] = BigInt(id);
  }

  /** After all ids were taken once more: whether nothing is left to be known. */
  done(): boolean {
    if (this.#pass === 0 && this.#ascending) return true;
    const ids = this.#ids.subarray(0, this.#held).sort();
    const twice = ids.find((id, i) => i > 0 && id === ids[i - 1]);
    this.repeated ??= twice !== undefined && twice <= Number.MAX_SAFE_INTEGER ? Number(twice) : twice;
    this.#held = 0;
    this.#pass++;
    return this.repeated !== undefined || this.#pass === this.passes;
  }
}

/** From 0 up to `parts` - 1, whatever order there is in the ids. */
function partOf(id: number, parts: number): number {
  const mixed = Math.imul((id % WORD) ^ Math.imul(Math.floor(id / WORD), 0x9e3779b1), 0x85ebca6b) >>> 0;
  return Math.floor((mixed / WORD) * parts);
}

/** The message on ids that aren't distinct, and what to try. */
export const repeatedWords = (id: number | bigint): [found: string, advice: string] => [
  `the id ${id} of ParticleIDs is there more than once.`,
  'Give each particle an id of its own, or have them numbered anew in the order of the file: ids = "new" (--ids new).',
];
