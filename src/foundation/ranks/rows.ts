/** Rows of arrays of which each rank has computed a part, whole on every rank, with a note from each. */
import { type Ranks, type Share, shareOf, startsOf } from "./ranks.ts";

/** Rows of `width` elements. */
export interface RowArray {
  array: Uint8Array | Uint32Array | Float64Array;
  width: number;
}

const WORD_BYTES = 4;

export class RowExchange {
  /** Spent in exchanges [ms], the wait for the last rank included. */
  spent = 0;
  times = 0;
  #kept = new Uint8Array(0);

  constructor(readonly ranks: Ranks) {}

  shareOf(count: number): Share {
    return shareOf(count, this.ranks);
  }

  /** Fills in the others' rows of [0, count), shared out as `shareOf` does. Resolves to the notes of all ranks. */
  async exchange(count: number, columns: readonly RowArray[], note: Uint32Array): Promise<Uint32Array[]> {
    const { ranks } = this;
    const begun = performance.now();
    const bytes = columns.map(({ array, width }) => ({
      all: new Uint8Array(array.buffer, array.byteOffset, array.byteLength),
      row: width * array.BYTES_PER_ELEMENT,
    }));
    const rowBytes = bytes.reduce((sum, { row }) => sum + row, 0);
    const shares = Array.from({ length: ranks.size }, (_, rank) => shareOf(count, { rank, size: ranks.size }));
    const lengths = shares.map((share) => note.byteLength + rowBytes * share.count);
    const starts = startsOf(lengths);
    const total = starts[ranks.size - 1] + lengths[ranks.size - 1];
    // Memory that was used before is quicker than new one, whose pages are still to be made.
    if (this.#kept.length < total) this.#kept = new Uint8Array(total);
    const whole = this.#kept.subarray(0, total);
    /** Each column of a rank's part, in the message and in its array. */
    const places = (rank: number) => {
      const { first, count: rows } = shares[rank];
      let at = starts[rank] + note.byteLength;
      return bytes.map(({ all, row }) => {
        const there = whole.subarray(at, at + row * rows);
        at += row * rows;
        return { there, here: all.subarray(row * first, row * (first + rows)) };
      });
    };
    whole.set(new Uint8Array(note.buffer, note.byteOffset, note.byteLength), starts[ranks.rank]);
    for (const { there, here } of places(ranks.rank)) there.set(here);
    await ranks.allGather(whole, lengths);
    const notes = starts.map((start) => {
      const words = whole.slice(start, start + note.byteLength);
      return new Uint32Array(words.buffer, 0, words.length / WORD_BYTES);
    });
    for (let rank = 0; rank < ranks.size; rank++) {
      if (rank !== ranks.rank) for (const { there, here } of places(rank)) here.set(there);
    }
    this.spent += performance.now() - begun;
    this.times += 1;
    return notes;
  }
}
