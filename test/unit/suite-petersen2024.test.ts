/** The suite `petersen2024` without an adapter: its quiet start, the fit of a growth rate, tables. */
import { describe, expect, it } from "vitest";
import { poleStrength } from "../../src/physics/particles/harmonics.ts";
import { reductionsOf } from "../../src/physics/particles/host-reductions.ts";
import { COPIES, growthRate, LARGEST_LINEAR, quietStart } from "../../src/study/bench/suites/petersen2024/growth.ts";
import { cases, GROWING, GROWTH, suite } from "../../src/study/bench/suites/petersen2024/index.ts";
import { presented } from "../support/suites.ts";
import { plummer, sampleOf } from "./initial-samples.ts";

describe("the quiet start", () => {
  const SIZE = 16;
  const multipoles = async (stretch: number) => {
    const drawn = await sampleOf([plummer({ count: 100 })], SIZE);
    const made = quietStart(drawn, SIZE, stretch);
    const set = { ...made, count: 100 * COPIES, components: [] };
    const poles = await reductionsOf(set, { size: SIZE, boundary: "isolated" }).multipoles({
      centre: [SIZE / 2, SIZE / 2, SIZE / 2],
      edges: [0, SIZE],
    });
    return { set, drawn, strengths: [1, 2, 3, 4].map((l) => poleStrength(poles, l)[0]) };
  };

  it("has no multipoles of l = 1 to 3, the mass and the energy of what was drawn", async () => {
    const { set, drawn, strengths } = await multipoles(0);
    for (const strength of strengths.slice(0, 3)) expect(strength).toBeLessThan(1e-7);
    expect(strengths[3]).toBeGreaterThan(1e-3);
    const mass = (masses: Float64Array) => masses.reduce((sum, one) => sum + one, 0);
    expect(mass(set.masses)).toBeCloseTo(mass(drawn.masses), 12);
    const square = (v: ArrayLike<number>) => Array.from(v).reduce((sum, one) => sum + one * one, 0);
    expect(square(set.velocities) / square(drawn.velocities)).toBeCloseTo(COPIES, 8);
    // 24 different places for each particle.
    expect(new Set(Array.from({ length: COPIES }, (_, i) => set.positions.slice(3 * i, 3 * i + 3).join())).size).toBe(
      24,
    );
  });

  it("gets the quadrupole that a stretch makes, and no dipole", async () => {
    const { strengths } = await multipoles(0.01);
    // P₂ of a point at the angle θ changes by 3 cos²θ sin²θ · ¾·2 ε …: 6/5 ε on average over all directions.
    expect(strengths[1] / (0.01 * 1.2)).toBeCloseTo(0.75, 0);
    expect(strengths[0]).toBeLessThan(1e-7);
  });
});

describe("the growth rate", () => {
  const times = Array.from({ length: 76 }, (_, i) => 4 * i);
  const amplitudes = (rate: number, noise = 0) =>
    times.map(
      (t, i) => Math.min(0.33, 1e-3 * Math.exp(rate * t) * (1 + noise * Math.cos(3 * i))) + 2e-3 * Math.exp(-t / 10),
    );

  it("is that of an exponential, from when the start has mixed until it saturates", () => {
    const fit = growthRate(times, amplitudes(0.03), 60)!;
    expect(fit.rate).toBeCloseTo(0.03, 4);
    expect(fit.from).toBe(60);
    expect(fit.to).toBeLessThan(Math.log(LARGEST_LINEAR / 1e-3) / 0.03);
    expect(fit.to).toBeGreaterThan(145);
    expect(fit.error).toBeLessThan(1e-3);
  });

  it("has the error that the scatter about it makes", () => {
    const fit = growthRate(times, amplitudes(0.01, 0.2), 60)!;
    expect(Math.abs(fit.rate - 0.01)).toBeLessThan(3 * fit.error);
    expect(fit.error).toBeGreaterThan(1e-4);
  });

  it("isn't told where it grows for too short a time", () => {
    expect(growthRate(times, amplitudes(0.2), 60)).toBeUndefined();
    expect(growthRate(times.slice(0, 20), amplitudes(0.03), 60)).toBeUndefined();
  });
});

describe("the suite", () => {
  it("measures what the paper prints, in a hurry one of each kind", () => {
    const keys = suite.measurements({ quick: false }).map(({ key }) => key);
    expect(keys).toHaveLength(GROWTH.isochrone.rates.length + GROWTH.plummer.rates.length);
    expect(keys.slice(0, 3)).toEqual(["isochrone-1", "plummer-0.75", "plummer-0.8"]);
    const quick = suite.measurements({ quick: true });
    expect(quick.map(({ key }) => key)).toEqual(["isochrone-1", "plummer-0.75"]);
    for (const { parameters } of [...quick, ...suite.measurements({ quick: false })]) {
      expect((parameters as { count: number }).count % COPIES).toBe(0);
    }
  });

  it("sets rates beside the paper's", () => {
    const [one] = cases({ quick: true });
    const growth = { rate: 0.0252, error: 0.0004, from: 60, to: 170, times: [0, 100], amplitudes: [0.01, 0.1] };
    const { tables, comparison } = presented(suite, new Map([[GROWING.key(one), growth]]), { quick: true });
    expect(tables[0].rows).toEqual([["isochrone, r_a = 1", "0.0252 ± 0.0004", "0.0229", "1.1", "60", "170"]]);
    expect(comparison[0]).toMatchObject({ quantity: "γ, isochrone, r_a = 1", published: 0.0229, ours: 0.0252 });
  });
});
