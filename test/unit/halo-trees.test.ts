/** Merger trees from lists of particles: a merger, a flyby, a passage through another halo, half of the mass. */
import { expect, it } from "vitest";
import { HaloTrees, type TreeHalo } from "../../src/engine/diagnostics/halo-trees.ts";

/** Ids from … to − 1. */
const range = (from: number, to: number) => Uint32Array.from({ length: to - from }, (_, i) => from + i);
const joined = (...parts: Uint32Array[]) => Uint32Array.from(parts.flatMap((part) => [...part]));

/** Trees of outputs at a = 0.1, 0.2 …, each a list of haloes; ids are 10 × output + place, masses numbers of particles. */
function treesOf(outputs: readonly Uint32Array[][]): Map<number, TreeHalo> {
  const trees = new HaloTrees(10);
  outputs.forEach((members, output) => {
    const ids = members.map((_, place) => 10 * output + place);
    trees.add({ scaleFactor: (output + 1) / 10, ids, masses: members.map(({ length }) => length), members });
  });
  return new Map(trees.haloes().map((halo) => [halo.id, halo]));
}

it("counts a major merger", () => {
  const trees = treesOf([
    [range(0, 100), range(200, 240), range(300, 315)],
    [joined(range(0, 100), range(200, 240)), range(300, 314)],
  ]);
  const [big, small] = [trees.get(10)!, trees.get(11)!];
  expect([big.mainProgenitor?.id, big.progenitors, big.mergers, big.majorMergers]).toEqual([0, 2, 1, 1]);
  expect([big.lastMajorMerger, trees.get(1)!.root.id, small.mainProgenitor?.id]).toEqual([0.2, 10, 2]);
  expect(small.mergers).toBe(0);
});

it("takes no flyby for a merger: outskirts change hands, cores don't", () => {
  // The smaller one loses 60 of its 100 particles, among them more than the larger one ever had of its core.
  const trees = treesOf([
    [range(0, 150), range(200, 300)],
    [joined(range(0, 150), range(240, 300)), range(200, 240)],
  ]);
  expect([0, 1].map((id) => trees.get(id)!.descendant?.id)).toEqual([10, 11]);
  expect(trees.get(10)!.mergers).toBe(0);
});

it("follows a halo through another one, within which it isn't found", () => {
  const [host, guest] = [range(0, 150), range(200, 240)];
  const trees = treesOf([[host, guest], [joined(host, guest)], [host, guest]]);
  expect([trees.get(1)!.descendant?.id, trees.get(21)!.mainProgenitor?.id]).toEqual([21, 1]);
  expect([trees.get(10)!.mergers, trees.get(20)!.mainProgenitor?.id]).toEqual([0, 10]);
});

it("leaves a halo without a descendant where less than half of its core stays together", () => {
  const trees = treesOf([[range(0, 12)], [joined(range(100, 130), range(0, 4))]]);
  expect(trees.get(0)!.descendant).toBeUndefined();
  expect(trees.get(10)!.mainProgenitor).toBeUndefined();
});

it("tells when the main branch had half of the mass", () => {
  const trees = treesOf([[range(0, 20)], [range(0, 60)], [range(0, 80)]]);
  expect(trees.get(20)!.halfMass).toBeCloseTo(0.1 + (20 / 40) * 0.1, 12);
  expect(trees.get(0)!.halfMass).toBeNaN();
});
