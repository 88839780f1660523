/** Neighbours on the GPU against float64: the nearest, lists, overflow, ties, blocks. */
import { afterEach, describe, expect, it } from "vitest";
import {
  DirectSummation,
  type DirectSummationOptions,
  type Neighbours,
  NO_NEIGHBOUR,
} from "../../src/engine/direct-summation.ts";
import { findNeighbours } from "../../src/engine/reference/direct/neighbours.ts";
import { type Motion, moving } from "../support/direct-bodies.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const open: DirectSummation[] = [];

async function create(options: Partial<DirectSummationOptions> = {}): Promise<DirectSummation> {
  const direct = await DirectSummation.create({ gpu: gpu(), order: "acceleration", ...options });
  open.push(direct);
  return direct;
}

afterEach(async () => {
  for (const direct of open.splice(0)) await direct.destroy();
});

const places = (bodies: Motion) => ({ ...bodies, count: bodies.ids.length });
const still = ({ positions, masses, ids }: Motion) => ({ positions, masses, ids });

function expectNearest(found: Neighbours, targets: Motion, sources: Motion): void {
  const expected = findNeighbours({ targets: places(targets), sources: places(sources) });
  const distances = expected.nearestDistances;
  expect(found.nearestIds).toEqual(expected.nearestIds);
  found.nearestDistances.forEach((distance, target) => {
    if (distance !== distances[target]) expect(Math.abs(distance / distances[target] - 1)).toBeLessThan(5e-7);
  });
}

describe.each(["acceleration", "jerk", "snap"] as const)("neighbours in bodies of order %s", (order) => {
  it.each([
    [1, 1],
    [1, 2],
    [2, 257],
    [257, 5000],
    [3000, 700],
  ])("of %i targets among %i sources", async (targetCount, sourceCount) => {
    const [here, there] = [moving(targetCount, 1), moving(sourceCount, 2)];
    const direct = await create({ order });
    await direct.setSources(there);
    const radius = Float64Array.from({ length: targetCount }, (_, i) => 0.02 + 0.4 * ((i * 0.37) % 1));
    const found = await direct.neighbours({ positions: here.positions, ids: here.ids }, { radius, capacity: 16 });
    expectNearest(found, here, there);
    const expected = findNeighbours({ targets: places(here), sources: places(there), radii: radius, capacity: 16 })
      .lists!;
    const { counts, ids, capacity, overflowed } = found.lists!;
    expect(capacity).toBe(16);
    expect(counts).toEqual(expected.counts);
    expect(ids).toEqual(expected.ids);
    expect(Array.from(overflowed)).toEqual(
      [...expected.counts.keys()].filter((target) => expected.counts[target] > 16),
    );
    if (sourceCount === 5000) expect(overflowed.length).toBeGreaterThan(10);
  });
});

describe("neighbours", () => {
  it("in several blocks are what they are in one", async () => {
    const there = moving(3000, 3);
    const search = { radius: 0.3, capacity: 20 };
    const [whole, parts] = [await create(), await create({ largestBinding: 128 * 32 })];
    for (const direct of [whole, parts]) await direct.setSources(still(there));
    const found = await whole.neighbours(undefined, search);
    expect(await parts.neighbours(undefined, search)).toEqual(found);
    expectNearest(found, there, there);
    const rows = [2999, 5, 128];
    const some = await parts.neighbours({ rows }, search);
    expect(some.lists!.counts).toEqual(Uint32Array.from(rows, (row) => found.lists!.counts[row]));
    expect(Array.from(some.nearestIds)).toEqual(rows.map((row) => found.nearestIds[row]));
  });

  it("of several at one distance are the one of the smallest id", async () => {
    const direct = await create({ largestBinding: 128 * 32 });
    const count = 1200;
    const ids = Uint32Array.from({ length: count }, (_, row) => 5000 - row);
    const axes = [1, 0, 0, 0, -1, 0, 0, 0, 1];
    const positions = Float64Array.from({ length: 3 * count }, (_, i) => axes[i % 9]);
    await direct.setSources({ positions, masses: 1, ids });
    const found = await direct.neighbours({ positions: [0, 0, 0] });
    expect([found.nearestIds[0], found.nearestDistances[0]]).toEqual([5000 - count + 1, 1]);
  });

  it("at no distance count, and a body of the same id doesn't", async () => {
    const direct = await create();
    await direct.setSources({ positions: [0, 0, 0, 0, 0, 0, 0, 3, 4], masses: 1 });
    const found = await direct.neighbours(undefined, { radius: [0, 1, 6] });
    expect(Array.from(found.nearestIds)).toEqual([1, 0, 0]);
    expect(Array.from(found.nearestDistances)).toEqual([0, 0, 5]);
    expect(Array.from(found.lists!.counts)).toEqual([0, 1, 2]);
    expect(Array.from(found.lists!.ids.subarray(64, 66))).toEqual([0, NO_NEIGHBOUR]);
  });

  it("don't exist without other sources", async () => {
    const direct = await create();
    const none = { nearestIds: new Uint32Array([NO_NEIGHBOUR]), nearestDistances: new Float64Array([Infinity]) };
    await direct.setSources({ positions: [], masses: [] });
    expect(await direct.neighbours({ positions: [0, 0, 0] })).toEqual(none);
    await direct.setSources({ positions: [1, 2, 3], masses: 1, ids: [4] });
    expect(await direct.neighbours()).toEqual(none);
    const { lists } = await direct.neighbours(undefined, { radius: 9, capacity: 2 });
    expect(lists).toEqual({
      ...{ capacity: 2, counts: new Uint32Array(1), overflowed: new Uint32Array(0) },
      ids: new Uint32Array(2).fill(NO_NEIGHBOUR),
    });
  });

  it("of a list that is just full don't overflow; one more does, and the first are kept", async () => {
    const direct = await create();
    const ids = [30, 20, 10, 40];
    await direct.setSources({ positions: ids.flatMap((_, i) => [i + 1, 0, 0]), masses: 1, ids });
    const lists = async (radius: number) =>
      (await direct.neighbours({ positions: [0, 0, 0] }, { radius, capacity: 3 })).lists!;
    const full = await lists(3.5);
    expect([Array.from(full.ids), full.counts[0], full.overflowed.length]).toEqual([[30, 20, 10], 3, 0]);
    const over = await lists(4.5);
    expect([Array.from(over.ids), over.counts[0], Array.from(over.overflowed)]).toEqual([[30, 20, 10], 4, [0]]);
    expect((await lists(4)).counts[0]).toBe(3); // closer than the radius, not at it
  });

  it("are those at the time of the prediction", async () => {
    const direct = await create({ order: "acceleration" });
    await direct.setSources({
      positions: [1, 0, 0, 2, 0, 0],
      velocities: [1, 0, 0, -1, 0, 0],
      masses: 1,
      times: [0, 1],
    });
    const nearest = async () => Array.from((await direct.neighbours({ positions: [0, 0, 0] })).nearestDistances);
    expect(await nearest()).toEqual([1]);
    await direct.predict(2);
    expect(await nearest()).toEqual([1]); // the other one
    expect(Array.from((await direct.neighbours({ positions: [0, 0, 0] })).nearestIds)).toEqual([1]);
  });

  it("are told apart where float32 positions are not", async () => {
    const direct = await create();
    const far = 1000;
    await direct.setSources({ positions: [-far, 0, 0, far, 0, 0, far + 3e-7, 0, 0, far + 1e-6, 0, 0], masses: 1 });
    const { nearestIds, nearestDistances } = await direct.neighbours({ rows: [1, 2, 3] });
    expect(Array.from(nearestIds)).toEqual([2, 1, 2]);
    expect(Math.abs(nearestDistances[0] / 3e-7 - 1)).toBeLessThan(1e-3);
  });
});
