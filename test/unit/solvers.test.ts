/** Which ranks solve for whom: by the devices that they share, by their adapters, and by what the user wants. */
import { describe, expect, it } from "vitest";
import { type Present, solversOf } from "../../src/engine/ranked/solvers.ts";
import { placementHere } from "../../src/foundation/ranks/rank-placement.node.ts";
import { type SolverWish, solverWish, THIS_PLACEMENT } from "../../src/foundation/ranks/rank-placement.ts";
import { solvingBy, sumOnSolvers } from "../../src/foundation/ranks/solving.ts";
import { ranksTogether } from "../support/ranks.ts";

const gpuOn = (host: string, devices: string, adapter = "GPU"): Present => ({
  ...{ adapter, software: false, seat: { ...THIS_PLACEMENT, host, devices } },
});
const coresOn = (host: string, cores: string): Present => ({
  ...{ adapter: "llvmpipe", software: true, seat: { ...THIS_PLACEMENT, host, cores } },
});
const wishing = (solvers: SolverWish, all: Present[]) =>
  all.map((one) => ({ ...one, seat: { ...one.seat!, solvers } }));

describe("the groups that have one solution", () => {
  const oneEach = [gpuOn("a", "nvidia0"), gpuOn("a", "nvidia1"), gpuOn("b", "nvidia0"), gpuOn("b", "nvidia1")];
  const shared = [coresOn("a", "0-7"), coresOn("b", "0-7"), coresOn("a", "0-7"), coresOn("b", "8-15")];
  const unlike = [gpuOn("a", "nvidia0"), gpuOn("b", "nvidia0", "another GPU")];

  it("are the ranks by themselves where each has a device, on whatever host", () => {
    expect(solversOf(oneEach)).toMatchObject({ groups: [0, 1, 2, 3], text: "each of 4 ranks solves" });
  });

  it("are those of a device, or of the same cores under a software adapter", () => {
    expect(solversOf(shared)).toMatchObject({
      groups: [0, 1, 0, 2],
      text: "3 of 4 ranks solve, one on each device",
    });
    expect(solversOf(shared.slice(0, 1).concat(shared[2]))).toMatchObject({
      groups: [0, 0],
      text: "rank 0 solves for all 2 on one device",
    });
  });

  it("are all where adapters differ", () => {
    expect(solversOf(unlike)).toEqual({
      groups: [0, 0],
      adapters: ["GPU", "another GPU"],
      hosts: ["a", "b"],
      text: "rank 0 solves for all 2: their adapters differ",
    });
    expect(() => solversOf(wishing("each", unlike))).toThrow(
      /GRAVMESH_SOLVERS=each needs adapters of one kind, found rank 0: GPU; rank 1: another GPU/,
    );
  });

  it("are as the user wants them", () => {
    expect(solversOf(wishing("one", oneEach))).toMatchObject({ groups: [0, 0, 0, 0], text: "rank 0 solves for all 4" });
    expect(solversOf(wishing("each", shared)).groups).toEqual([0, 1, 2, 3]);
  });
});

it("wishes are checked, and a seat knows its cores", () => {
  expect(solverWish(undefined)).toBe("auto");
  expect(solverWish("one")).toBe("one");
  expect(() => solverWish("two")).toThrow(/GRAVMESH_SOLVERS: expected one of auto, each, one, found "two"/);
  const seat = placementHere({ GRAVMESH_SOLVERS: "each" });
  expect(seat).toMatchObject({ host: expect.stringMatching(/./), solvers: "each" });
  if (process.platform === "linux") expect(seat.cores).toMatch(/^\d/);
});

it.each([
  ["each", [0, 1, 2, 3], [10n, 10n, 10n, 10n]],
  ["one for all, which has its own", [0, 0, 0, 0], [9n]],
  ["two for two each", [0, 1, 0, 1], [10n, 10n]],
  ["one for three, one for itself", [0, 0, 1, 0], [10n, undefined, 10n]],
])("%s: those that solve have the sum over all that they lack", async (_, groups, sums) => {
  const found = await Promise.all(
    ranksTogether(4).map(async (one) => {
      const solving = await solvingBy(one, groups);
      const words = BigInt64Array.of(BigInt(one.rank + 1));
      await sumOnSolvers(solving, words);
      const handed = Uint8Array.of(solving.group.rank === 0 ? 7 + one.rank : 0);
      await solving.group.handOn(handed);
      expect(handed[0]).toBe(7 + groups.indexOf(groups[one.rank]));
      return words[0];
    }),
  );
  for (const [rank, sum] of sums.entries()) if (sum !== undefined) expect(found[rank]).toBe(sum);
});
