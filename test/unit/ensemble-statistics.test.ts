/** Statistics of an ensemble against numbers by hand and against other ways to compute them; times put beside each other. */
import { describe, expect, it } from "vitest";
import { gridOf, onGrid } from "../../src/study/ensemble/collect/grid.ts";
import { correlationOf, covarianceOf, spreadOf } from "../../src/study/ensemble/collect/statistics.ts";
import { sequence } from "../support/scenario-fixture.ts";

const floats = (...values: number[]) => Float64Array.from(values);

describe("the spread of a quantity", () => {
  it("is that by hand", () => {
    const found = spreadOf([10, 3, Number.NaN, 1, 4, Number.POSITIVE_INFINITY, 2]);
    expect(found).toMatchObject({ count: 5, mean: 4, median: 3, least: 1, greatest: 10 });
    expect(found.deviation).toBeCloseTo(Math.sqrt(50 / 4), 14);
    expect(found.q16).toBeCloseTo(1.64, 14);
    expect(found.q84).toBeCloseTo(4 + 0.36 * 6, 14);
    expect(spreadOf([1, 2, 3, 4]).median).toBe(2.5);
  });

  it("of one value is that value, and its deviation unknown; of none nothing is known", () => {
    const one = { count: 1, mean: 7, median: 7, least: 7, q16: 7, q84: 7, greatest: 7, deviation: Number.NaN };
    expect(spreadOf([7])).toEqual(one);
    const { count, ...others } = spreadOf([Number.NaN]);
    expect(count).toBe(0);
    for (const value of Object.values(others)) expect(value).toBeNaN();
  });

  it("of equal values is exactly zero, however large", () => {
    expect(spreadOf(Array(7).fill(0.1))).toMatchObject({ mean: 0.1, deviation: 0, q16: 0.1, q84: 0.1 });
    expect(spreadOf([1e15 + 1, 1e15 + 2, 1e15 + 3])).toMatchObject({ mean: 1e15 + 2, deviation: 1 });
  });
});

describe("a covariance", () => {
  it("is that by hand, with n − 1", () => {
    const { mean, covariance } = covarianceOf([floats(1, 2), floats(2, 4), floats(6, 3)]);
    expect([...mean]).toEqual([3, 3]);
    expect([...covariance]).toEqual([7, 0.5, 0.5, 1]);
    const correlation = correlationOf(covariance, 2);
    expect([correlation[0], correlation[3]]).toEqual([1, 1]);
    expect(correlation[1]).toBeCloseTo(0.5 / Math.sqrt(7), 14);
  });

  it("of one row, and where nothing varies, is no number", () => {
    expect([...covarianceOf([floats(1, 2)]).covariance]).toEqual(Array(4).fill(Number.NaN));
    const { covariance } = covarianceOf([floats(1, 2), floats(1, 3)]);
    expect([...covariance]).toEqual([0, 0, 0, 0.5]);
    expect([...correlationOf(covariance, 2)]).toEqual([Number.NaN, Number.NaN, Number.NaN, 1]);
  });

  it("of many draws is that which they were drawn with", () => {
    // x = L z: covariance L Lᵀ; the estimate of n draws has the variance (C_ij² + C_ii C_jj)/(n − 1).
    const L = [
      [2, 0, 0],
      [1, 3, 0],
      [-0.5, 2, 0.7],
    ];
    const random = sequence(11);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const draws = Array.from({ length: 6000 }, () => {
      const z = [normal(), normal(), normal()];
      return Float64Array.from(L, (row) => 1000 + row.reduce((sum, l, j) => sum + l * z[j], 0));
    });
    const { covariance } = covarianceOf(draws);
    const known = (i: number, j: number) => L[i].reduce((sum, l, k) => sum + l * L[j][k], 0);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        const error = Math.sqrt((known(i, j) ** 2 + known(i, i) * known(j, j)) / 5999);
        expect(Math.abs(covariance[3 * i + j] - known(i, j))).toBeLessThan(4 * error);
        expect(covariance[3 * i + j]).toBe(covariance[3 * j + i]);
      }
    }
    // A wrong divisor or mean would be far outside.
    expect(Math.abs(1000 * known(0, 0) - covariance[0])).toBeGreaterThan(100);
  });
});

describe("times of members", () => {
  it("are shared where all write at the same ones, as far as each has come", () => {
    const all = [floats(0, 0.5, 1), floats(0, 0.5), floats(), floats(0, 0.5 + 1e-9, 1)];
    const grid = gridOf(all);
    expect(grid).toEqual({ kind: "shared", times: all[0] });
    expect([...onGrid(grid, all[1], floats(3, 5))]).toEqual([3, 5, Number.NaN]);
    expect(gridOf([floats(), floats()]).times).toHaveLength(0);
  });

  it("are put together where they differ, and curves taken between their rows", () => {
    const grid = gridOf([floats(0, 1, 2), floats(0, 1.5, 3)]);
    expect(grid.kind).toBe("union");
    expect([...grid.times]).toEqual([0, 1, 1.5, 2, 3]);
    expect([...onGrid(grid, floats(0, 1, 2), floats(10, 20, 0))]).toEqual([10, 20, 10, 0, Number.NaN]);
    expect([...onGrid(grid, floats(0, 1.5, 3), floats(0, 3, 6))]).toEqual([0, 2, 3, 4, 6]);
    expect([...onGrid(grid, floats(1, 2), floats(1, 3))]).toEqual([Number.NaN, 1, 2, 3, Number.NaN]);
  });

  it("are equally spaced where they would be too many together", () => {
    const members = Array.from({ length: 9 }, (_, m) => Float64Array.from({ length: 5 }, (_, i) => i * (1 + m / 10)));
    const grid = gridOf(members);
    expect(grid.kind).toBe("even");
    expect([...grid.times]).toEqual([0, 1.8, 3.6, 5.4, 7.2]);
    const taken = onGrid(
      grid,
      members[0],
      members[0].map((t) => 2 * t + 1),
    );
    for (const [i, value] of [1, 4.6, 8.2].entries()) expect(taken[i]).toBeCloseTo(value, 12);
    expect([...taken.slice(3)]).toEqual([Number.NaN, Number.NaN]);
  });
});
