/** Neighbours in float64 against places whose distances are known. */
import { describe, expect, it } from "vitest";
import { NO_NEIGHBOUR } from "../../src/engine/direct/summation.ts";
import { findNeighbours } from "../../src/engine/reference/direct/neighbours.ts";
import { sequence } from "../support/scenario-fixture.ts";

/** Bodies on the x axis, ids as given. */
function onAxis(places: number[], ids: number[]) {
  const positions = Float64Array.from(places.flatMap((x) => [x, 1, -1]));
  return { count: places.length, positions, ids: Uint32Array.from(ids) };
}

type Places = ReturnType<typeof onAxis>;

function nearestNeighbours(targets: Places, sources: Places) {
  const { nearestIds, nearestDistances } = findNeighbours({ targets, sources });
  return { ids: nearestIds, distances: nearestDistances };
}

function neighbourLists(targets: Places, sources: Places, radii: Float64Array, capacity: number) {
  return findNeighbours({ targets, sources, radii, capacity }).lists!;
}

describe("neighbours in float64", () => {
  const row = onAxis([0, 1, 3, 3.5, 10], [10, 11, 12, 13, 14]);

  it("finds the nearest other body and its distance", () => {
    const { ids, distances } = nearestNeighbours(row, row);
    expect([...ids]).toEqual([11, 10, 13, 12, 13]);
    expect([...distances]).toEqual([1, 1, 0.5, 0.5, 6.5]);
  });

  it("goes by id, not by place: a coincident body of another id is a neighbour", () => {
    const targets = onAxis([3, 3], [12, 99]);
    const { ids, distances } = nearestNeighbours(targets, row);
    expect([...ids]).toEqual([13, 12]);
    expect([...distances]).toEqual([0.5, 0]);
  });

  it("takes the smallest id of several at one distance", () => {
    const { ids } = nearestNeighbours(onAxis([0], [0]), onAxis([2, -1, 1], [7, 9, 8]));
    expect([...ids]).toEqual([8]);
  });

  it("says when there is none", () => {
    const alone = onAxis([1], [5]);
    const { ids, distances } = nearestNeighbours(alone, alone);
    expect([...ids]).toEqual([NO_NEIGHBOUR]);
    expect([...distances]).toEqual([Number.POSITIVE_INFINITY]);
    expect(nearestNeighbours(alone, onAxis([], [])).ids[0]).toBe(NO_NEIGHBOUR);
  });

  it("lists the sources inside each target's own radius, in source order", () => {
    const { counts, ids } = neighbourLists(row, row, Float64Array.of(1, 1.001, 2.5, 10, 0), 4);
    // A body exactly at the radius is outside.
    expect([...counts]).toEqual([0, 1, 2, 4, 0]);
    const n = NO_NEIGHBOUR;
    expect([...ids]).toEqual([
      ...[n, n, n, n],
      ...[10, n, n, n],
      ...[11, 13, n, n],
      ...[10, 11, 12, 14],
      ...[n, n, n, n],
    ]);
  });

  it("reports the true count when a list overflows", () => {
    const { counts, ids } = neighbourLists(row, row, new Float64Array(5).fill(100), 2);
    expect([...counts]).toEqual([4, 4, 4, 4, 4]);
    expect([...ids]).toEqual([11, 12, 10, 12, 10, 11, 10, 11, 10, 11]);
    expect([...neighbourLists(row, row, new Float64Array(5).fill(100), 0).counts]).toEqual([4, 4, 4, 4, 4]);
  });

  it("has the nearest neighbour in every list that isn't empty", () => {
    const random = sequence(3);
    const count = 200;
    const positions = Float64Array.from({ length: 3 * count }, () => random());
    const bodies = { count, positions, ids: Uint32Array.from({ length: count }, (_, i) => i) };
    const { ids: nearest, distances } = nearestNeighbours(bodies, bodies);
    const lists = neighbourLists(bodies, bodies, new Float64Array(count).fill(0.1), count);
    for (let i = 0; i < count; i++) {
      const list = lists.ids.subarray(count * i, count * i + lists.counts[i]);
      expect(list.includes(nearest[i])).toBe(distances[i] < 0.1);
    }
    expect(lists.counts.reduce((sum, c) => sum + c, 0)).toBeGreaterThan(50);
  });
});
