/** The page's stand-in for ndarray: the same views. */
import ndarray from "ndarray";
import { describe, expect, it } from "vitest";
import strided from "../../src/doors/site/worker/strided.ts";

describe("strided views", () => {
  it("are those of ndarray, transposed and cut", () => {
    const data = Float64Array.from({ length: 2 * 3 * 4 * 2 }, (_, i) => i);
    const [ours, theirs] = [strided(data, [2, 3, 4, 2]), ndarray(data, [2, 3, 4, 2])];
    const both = [
      [ours, theirs],
      [ours.transpose(1, 2, 0, 3), theirs.transpose(1, 2, 0, 3)],
      [ours.transpose(0, 2, 1, 3).hi(2, 4, 1, 2), theirs.transpose(0, 2, 1, 3).hi(2, 4, 1, 2)],
    ] as const;
    for (const [mine, its] of both) {
      expect(mine.data).toBe(its.data);
      expect([mine.shape, mine.stride, mine.offset]).toEqual([its.shape, its.stride, its.offset]);
    }
  });
});
