/** Sums and what is handed on over MPI, with a library in this process: of few ranks and many, in one piece and several. */
import { describe, expect, it } from "vitest";
import { MpiRanks } from "../../src/foundation/ranks/mpi.node.ts";
import { THIS_PLACEMENT } from "../../src/foundation/ranks/rank-placement.ts";
import { emulatedMpi } from "../support/mpi-library.ts";

const KINDS = ["openmpi", "mpich"] as const;
/** Words and bytes of a message at most: as a count of 32 bits is for long ones. */
const WORDS = 8;

function ranksOn(size: number, kind: (typeof KINDS)[number]) {
  const { libraries, calls } = emulatedMpi(size, kind, 8 * WORDS);
  const limits = { pieceBytes: 8 * WORDS };
  return { ranks: libraries.map((library) => new MpiRanks(library, THIS_PLACEMENT, library.world, limits)), calls };
}

/** Larger than 2⁵³, and such that sums wrap round. */
const wordsOf = (rank: number, length: number) =>
  BigInt64Array.from({ length }, (_, i) => 2n ** 61n * BigInt(rank) + BigInt(1000 * i + rank));

const sumFrom = (first: number, size: number, length: number) =>
  BigInt64Array.from({ length }, (_, i) => {
    let sum = 0n;
    for (let rank = first; rank < size; rank++) sum += wordsOf(rank, length)[i];
    return sum;
  });

describe.each(KINDS)("on %s", (kind) => {
  it.each([
    [2, 5],
    [3, 8],
    [8, 21],
    [9, 5],
    [9, 21],
    [20, 16],
  ])("%i ranks give the first the sum of the others, of %i words", async (size, length) => {
    const { ranks, calls } = ranksOn(size, kind);
    const words = ranks.map((_, rank) => wordsOf(rank, length));
    words[0].fill(-77n); // of no use
    await Promise.all(ranks.map((one, rank) => one.sumOfOthers(words[rank])));
    expect(words[0]).toEqual(sumFrom(1, size, length));
    // Beyond eight ranks a tree adds; up to then the first takes the words of each in turn.
    const received = calls.filter(({ name }) => name === "MPI_Irecv").length;
    const pieces = Math.ceil(length / WORDS);
    expect(received).toBe(size > 8 ? 0 : pieces * (size - 1));
    const tree = calls.filter(({ name }) => name === (kind === "openmpi" ? "MPI_Reduce" : "MPI_Iallreduce"));
    expect(tree).toHaveLength(size > 8 ? pieces : 0);
  });

  it("sums go on one after the other, with other words each time", async () => {
    const { ranks } = ranksOn(9, kind);
    const found = await Promise.all(
      ranks.map(async (one, rank) => {
        const results: BigInt64Array[] = [];
        for (const length of [3, 20, 9]) {
          const words = wordsOf(rank, length);
          await one.sumOfOthers(words);
          await one.barrier();
          results.push(words.slice());
          const all = wordsOf(rank, length);
          await one.sumOnFirst(all);
          await one.barrier();
          results.push(all.slice());
        }
        return results;
      }),
    );
    expect(found[0]).toEqual([3, 20, 9].flatMap((length) => [sumFrom(1, 9, length), sumFrom(0, 9, length)]));
  });

  it("what rank 0 hands on in pieces is whole on every rank", async () => {
    const { ranks, calls } = ranksOn(9, kind);
    const whole = Uint8Array.from({ length: 8 * WORDS * 3 + 5 }, (_, i) => 251 * i);
    const given = ranks.map((_, rank) => (rank === 0 ? whole.slice() : new Uint8Array(whole.length)));
    await Promise.all(ranks.map((one, rank) => one.handOn(given[rank])));
    for (const bytes of given) expect(bytes).toEqual(whole);
    expect(calls.filter(({ name }) => name === "MPI_Ibcast").map(({ length }) => length)).toHaveLength(4);
  });
});
