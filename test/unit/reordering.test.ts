/** How many steps an order of the particles serves, by how far they move. */
import { describe, expect, it } from "vitest";
import { evenPieces } from "../../src/particles/pieces.ts";
import { astray, stepsOfAnOrder } from "../../src/particles/reordering.ts";

/** [xyzxyz…] of particles whose displacements are spread evenly up to `most` on each axis. */
function moved(most: number, count = 999): Float32Array {
  return Float32Array.from({ length: 3 * count }, (_, i) => most * ((((i + 1) * 0.618) % 1) * 2 - 1));
}

describe("particles astray", () => {
  it("have left one cell along x, or two along y or z", () => {
    expect(astray(Float32Array.of(0.25, 0, 0), 1)).toBeCloseTo(0.25, 12);
    expect(astray(Float32Array.of(0, -0.25, 0), 2)).toBeCloseTo(0.25, 12);
    expect(astray(Float32Array.of(0, 0, 3), 1)).toBe(1);
    expect(astray(Float32Array.of(-0.5, 0.5, 1), 1)).toBeCloseTo(1 - 0.5 * 0.75 * 0.5, 12);
    expect(astray(Float32Array.of(0, 0, 0, 9, 9, 9), 4)).toBe(0.5);
  });
});

describe("steps of an order", () => {
  it("become fewer the further particles move", () => {
    const steps = [0, 0.001, 0.01, 0.03, 0.1, 0.3, 1, 10].map((most) => stepsOfAnOrder(moved(most)));
    expect(steps).toEqual([...steps].sort((a, b) => b - a));
    expect(steps[0]).toBe(16);
    expect(steps.at(-1)).toBe(1);
    expect(new Set(steps).size).toBeGreaterThan(4);
  });

  it("aren't made few by some that are quick", () => {
    const still = new Float32Array(300);
    const one = still.slice();
    one.fill(50, 0, 3);
    expect(stepsOfAnOrder(one)).toBeGreaterThan(3);
    expect(stepsOfAnOrder(Float32Array.of(Number.NaN, 0, 0))).toBe(1); // a fault, which the update reports
  });
});

describe("pieces of a sample", () => {
  it("are spread evenly, and all there is where that is less", () => {
    const pieces = evenPieces(1000, 100, 4);
    expect(pieces.map(({ count }) => count)).toEqual([25, 25, 25, 25]);
    expect(pieces.map(({ first }) => first)).toEqual([112, 362, 612, 862]);
    const all = evenPieces(7, 100, 4);
    expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(7);
    expect(all.every(({ first }, k) => k === 0 || first === all[k - 1].first + all[k - 1].count)).toBe(true);
    expect(all[0].first).toBe(0);
  });
});
