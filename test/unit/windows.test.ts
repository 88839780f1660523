/** How large arrays are cut, and what a caller may ask of it. */
import { describe, expect, it } from "vitest";
import { ranges, windowLimits } from "../../src/foundation/gpu/windows.ts";

describe("ranges", () => {
  it("are one where all fits, and otherwise as few and as equal as the step allows", () => {
    expect(ranges(100, 100, 8)).toEqual([{ first: 0, count: 100 }]);
    expect(ranges(100, 99, 8)).toEqual([
      { first: 0, count: 56 },
      { first: 56, count: 44 },
    ]);
    expect(ranges(32, 10, 2).map(({ count }) => count)).toEqual([8, 8, 8, 8]);
    for (const [total, most, step] of [
      [1_000_003, 4096, 4096],
      [512, 62, 2],
      [7, 2, 1],
    ]) {
      const cut = ranges(total, most, step);
      let next = 0;
      for (const { first, count } of cut) {
        expect(first).toBe(next);
        expect(first % step).toBe(0);
        expect(count).toBeGreaterThan(0);
        expect(count).toBeLessThanOrEqual(most);
        next += count;
      }
      expect(next).toBe(total);
      expect(cut.length).toBeGreaterThanOrEqual(Math.ceil(total / most));
    }
  });

  it("can't be smaller than a step", () => {
    expect(() => ranges(100, 7, 8)).toThrow("holds less than 8 of 100");
  });
});

describe("GRAVMESH_WINDOWS", () => {
  it("names planes and particles", () => {
    expect(windowLimits("")).toEqual({});
    expect(windowLimits("planes=2, particles=10000")).toEqual({ planes: 2, particles: 10000 });
    expect(windowLimits("particles = 4096")).toEqual({ particles: 4096 });
  });

  it.each(["planes=1", "particles=4095", "planes", "planes=2.5", "cells=3", "planes=many"])("refuses %s", (text) => {
    expect(() => windowLimits(text)).toThrow(
      `GRAVMESH_WINDOWS: expected "planes=P, particles=N" with whole numbers from 2 and 4096, found "${text}"`,
    );
  });
});
