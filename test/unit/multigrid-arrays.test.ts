import { describe, expect, it } from "vitest";
import { levelRanges, potentialWords } from "../../src/mesh/multigrid-arrays.ts";
import { allLevelSizes } from "../../src/mesh/multigrid-settings.ts";

const MIB = 2 ** 20;

describe("levels in slabs", () => {
  it.each([
    [512, 128 * MIB, "periodic"],
    [1024, 128 * MIB, "isolated"],
    [1536, 128 * MIB, "isolated"],
    [1536, 2048 * MIB - 4, "periodic"],
    [96, MIB / 4, "isolated"],
  ] as const)(
    "%i cells a side, %i bytes a binding, %s: each fits, an even number of planes",
    (n, binding, boundary) => {
      for (const cells of allLevelSizes(n).slice(1)) {
        const ranges = levelRanges({ binding, buffer: binding }, cells, boundary);
        const isolated = boundary === "isolated";
        const fits = 4 * (cells ** 3 + (isolated ? 6 * (cells + 2) ** 2 : 0)) <= binding;
        expect(ranges.length === 1).toBe(fits);
        let next = 0;
        for (const range of ranges) {
          expect(range.first).toBe(next);
          if (!fits) expect(range.count % 2).toBe(0);
          expect(4 * potentialWords(cells, range, boundary)).toBeLessThanOrEqual(binding);
          next += range.count;
        }
        expect(next).toBe(cells);
      }
    },
  );

  it("are no larger than is allowed, but for those of a workgroup", () => {
    const planes = (cells: number, most: number) =>
      levelRanges({ binding: 128 * MIB, buffer: 128 * MIB, windows: { planes: most } }, cells, "periodic").map(
        ({ count }) => count,
      );
    expect(planes(16, 6)).toEqual([6, 6, 4]);
    expect(planes(16, 16)).toEqual([16]);
    expect(planes(12, 2)).toEqual([12]);
  });
});
