import { describe, expect, it } from "vitest";
import { levelRanges, potentialWords } from "../../src/engine/mesh/multigrid/multigrid-arrays.ts";
import { allLevelSizes } from "../../src/engine/mesh/multigrid/multigrid-settings.ts";

const MIB = 2 ** 20;

describe("levels in slabs", () => {
  it.each([
    [512, 128 * MIB],
    [1024, 128 * MIB],
    [1536, 128 * MIB],
    [1536, 2048 * MIB - 4],
    [96, MIB / 4],
  ] as const)("%i cells a side, %i bytes a binding: each fits, an even number of planes", (n, binding) => {
    for (const cells of allLevelSizes(n).slice(1)) {
      const ranges = levelRanges({ binding, buffer: binding }, cells);
      const fits = 4 * cells ** 3 <= binding;
      expect(ranges.length === 1).toBe(fits);
      let next = 0;
      for (const range of ranges) {
        expect(range.first).toBe(next);
        if (!fits) expect(range.count % 2).toBe(0);
        expect(4 * potentialWords(cells, range)).toBeLessThanOrEqual(binding);
        next += range.count;
      }
      expect(next).toBe(cells);
    }
  });

  it("are no larger than is allowed, but for those of a workgroup", () => {
    const planes = (cells: number, most: number) =>
      levelRanges({ binding: 128 * MIB, buffer: 128 * MIB, windows: { planes: most } }, cells).map(
        ({ count }) => count,
      );
    expect(planes(16, 6)).toEqual([6, 6, 4]);
    expect(planes(16, 16)).toEqual([16]);
    expect(planes(12, 2)).toEqual([12]);
  });
});
