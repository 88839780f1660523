/** Shares of ids, totals of several words over ranks, and what launchers leave in the environment. */
import { describe, expect, it } from "vitest";
import { allScattered, relayedPieces } from "../../src/engine/ranked/relay.ts";
import { launcherOf, mpiRanks, rankIn, sizeIn } from "../../src/foundation/ranks/mpi.node.ts";
import { SINGLE_RANK, shareOf } from "../../src/foundation/ranks/ranks.ts";
import { largestOf, sumTotals } from "../../src/foundation/ranks/totals.ts";
import { ranksTogether } from "../support/ranks.ts";

describe("a share", () => {
  it.each([
    [10, 3],
    [3, 3],
    [1e9 + 7, 16],
  ])("of %i ids among %i ranks: all of them, in order, and even", (count, size) => {
    const shares = Array.from({ length: size }, (_, rank) => shareOf(count, { rank, size }));
    let next = 0;
    for (const { first, count: some } of shares) {
      expect(first).toBe(next);
      next += some;
    }
    expect(next).toBe(count);
    const counts = shares.map(({ count: some }) => some);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });
});

describe("totals", () => {
  it("carry from word to word, and wrap as two's complement", async () => {
    const parts = [
      [0xffff_ffff, 0xffff_ffff, 0, 0xffff_fffe, 0xffff_ffff, 7],
      [2, 0, 0, 1, 0, 8],
    ];
    const ranks = ranksTogether(2);
    const found = await Promise.all(
      ranks.map(async (one, rank) => {
        const words = Uint32Array.from(parts[rank]);
        await sumTotals(one, words, [
          { at: 0, count: 1, width: 3 },
          { at: 3, count: 1, width: 2 },
          { at: 5, count: 1, width: 1 },
        ]);
        return [...words];
      }),
    );
    // 2⁶⁴ − 1 + 2, and −2 + 1
    expect(found[0]).toEqual([1, 0, 1, 0xffff_ffff, 0xffff_ffff, 15]);
    expect(found[1]).toEqual(found[0]);
  });

  it("may lie apart, word from word", async () => {
    const ranks = ranksTogether(2);
    const found = await Promise.all(
      ranks.map(async (one) => {
        const words = Uint32Array.of(0x8000_0000, 3, 5, 6);
        await sumTotals(one, words, [{ at: 0, count: 2, width: 2, each: 1, stride: 2 }]);
        return [...words];
      }),
    );
    expect(found[1]).toEqual([0, 6, 11, 12]);
  });

  it("of the largest float go by its bits", async () => {
    const values = [
      [0, 2.5, 1e-30],
      [1e-40, 2.25, 3e38],
    ];
    const found = await Promise.all(
      ranksTogether(2).map(async (one, rank) => {
        const words = new Uint32Array(Float32Array.from(values[rank]).buffer);
        await largestOf(one, words, 0, 3);
        return [...new Float32Array(words.buffer)];
      }),
    );
    expect(found[0]).toEqual([Math.fround(1e-40), 2.5, Math.fround(3e38)]);
    expect(found[1]).toEqual(found[0]);
  });
});

it("an array in parts is whole on every rank", async () => {
  const lengths = [2, 0, 3];
  const found = await Promise.all(
    ranksTogether(3).map(async (one, rank) => {
      const whole = new Uint8Array(5);
      whole.fill(
        rank + 1,
        ...([
          [0, 2],
          [2, 2],
          [2, 5],
        ][rank] as [number, number]),
      );
      await one.allGather(whole, lengths);
      return [...whole];
    }),
  );
  for (const whole of found) expect(whole).toEqual([1, 1, 3, 3, 3]);
});

describe("a launcher", () => {
  it("is known by its environment", async () => {
    const openMpi = { OMPI_COMM_WORLD_SIZE: "4", OMPI_COMM_WORLD_RANK: "3" };
    const mpich = { PMI_SIZE: "2", PMI_RANK: "1" };
    expect([launcherOf(openMpi), sizeIn(openMpi), rankIn(openMpi)]).toEqual(["openmpi", 4, 3]);
    expect([launcherOf(mpich), sizeIn(mpich), rankIn(mpich)]).toEqual(["mpich", 2, 1]);
    expect([launcherOf({}), sizeIn({}), rankIn({})]).toEqual([undefined, 1, 0]);
    expect(await mpiRanks({})).toBe(SINGLE_RANK);
    expect(await mpiRanks({ PMI_SIZE: "1", PMI_RANK: "0" })).toBe(SINGLE_RANK);
  });

  it("whose library is missing is told with what to install", async () => {
    const environment = { PMI_SIZE: "2", PMI_RANK: "0", GRAVMESH_MPI: "/nowhere/libmpi.so" };
    await expect(mpiRanks(environment)).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(/MPICH.*wasn't found: tried \/nowhere\/libmpi\.so.*Debian: mpich/),
    });
  });
});

describe("an array that comes from a file piece by piece", () => {
  /** One whose end is counted, as that of a file that is closed. */
  function counted(pieces: number) {
    const ends = { begun: 0, ended: 0 };
    const array = {
      type: "Float32Array" as const,
      length: 2 * pieces,
      async *pieces() {
        ends.begun++;
        try {
          for (let i = 0; i < pieces; i++) yield Float32Array.of(2 * i, 2 * i + 1);
        } finally {
          ends.ended++;
        }
      },
    };
    return { array, ends };
  }

  it("is ended when its last piece has gone to all ranks", async () => {
    const { array, ends } = counted(3);
    const plans = [{ name: "x", type: "Float32Array" as const, length: 6, perParticle: 1 }];
    const found = await Promise.all(
      ranksTogether(2).map((one, rank) => allScattered(one, plans, rank === 0 ? { x: array } : undefined)),
    );
    expect(found.map(({ x }) => [...x])).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    expect(ends).toEqual({ begun: 1, ended: 1 });
  });

  it("is ended on every rank where rank 0 wants no more of it", async () => {
    const all = ranksTogether(3).map((one) => ({ one, ...counted(4) }));
    await Promise.all(
      all.map(async ({ one, array }) => {
        for await (const piece of relayedPieces(one, array)) if (piece[0] === 2) break;
      }),
    );
    expect(all.map(({ ends }) => ends)).toEqual(all.map(() => ({ begun: 1, ended: 1 })));
  });
});
