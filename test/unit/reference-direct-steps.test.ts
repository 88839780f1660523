/** Time steps of direct summation: powers of two in ticks, blocks, criteria. */
import { describe, expect, it } from "vitest";
import {
  hermite4FirstStep,
  hermite4Step,
  hermite6FirstStep,
  hermite6Step,
  leapfrogStep,
} from "../../src/engine/direct/integrators/criteria.ts";
import type { StepScheme } from "../../src/engine/direct/settings.ts";
import {
  chooseFirstSteps,
  chooseSteps,
  LARGEST_STEP,
  listActive,
  nextTicks,
  nextTime,
  type StepContext,
  ticksWithin,
} from "../../src/engine/reference/direct/steps.ts";

const TICK = 1 / LARGEST_STEP;

function context(scheme: StepScheme, now = 0): StepContext {
  return { scheme, tick: TICK, now, time: 3 };
}

describe("ticks", () => {
  it("are the largest power of two within the step wanted, at most the largest step", () => {
    expect([1, 1.99, 2, 3, 4, 1000, 1024, LARGEST_STEP - 1].map(ticksWithin)).toEqual([
      ...[1, 1, 2, 2, 4, 512, 1024],
      LARGEST_STEP / 2,
    ]);
    expect([LARGEST_STEP, 1e12, Number.POSITIVE_INFINITY].map(ticksWithin)).toEqual([
      LARGEST_STEP,
      LARGEST_STEP,
      LARGEST_STEP,
    ]);
    expect([0.999, 0, -1, Number.NaN].map(ticksWithin)).toEqual([0, 0, 0, 0]);
  });

  it("are halved as often as need be", () => {
    expect(nextTicks(64, 4, 4096)).toBe(4);
    expect(nextTicks(64, 64, 4096)).toBe(64);
    expect(nextTicks(64, 0, 4096)).toBe(0);
  });

  it("are doubled once, and only where the doubled step may begin", () => {
    expect(nextTicks(64, 1024, 1024)).toBe(128);
    expect(nextTicks(64, 128, 64 * 3)).toBe(64);
    expect(nextTicks(64, 128, 128 * 3)).toBe(128);
    expect(nextTicks(LARGEST_STEP, LARGEST_STEP, LARGEST_STEP)).toBe(LARGEST_STEP);
  });

  it("make a block of the particles whose steps end together", () => {
    const steps = { times: Uint32Array.of(8, 4, 6, 0), ticks: Uint32Array.of(8, 4, 2, 8) };
    const rows = new Uint32Array(4);
    expect(nextTime(steps)).toBe(8);
    expect(listActive(steps, 8, rows)).toBe(3);
    expect([...rows.subarray(0, 3)]).toEqual([1, 2, 3]);
  });
});

describe("choice of steps", () => {
  const particles = () => ({ times: new Uint32Array(3), ticks: Uint32Array.of(64, 64, 64) });
  const rows = Uint32Array.of(0, 2);

  it("is each particle's own with block steps", () => {
    const steps = particles();
    chooseSteps(steps, rows, 2, Float64Array.of(17 * TICK, 1), context("block", 128));
    expect([...steps.ticks]).toEqual([16, 64, 128]);
    expect([...steps.times]).toEqual([128, 0, 128]);
  });

  it("is the smallest wanted for all with adaptive steps, none with shared ones", () => {
    const all = Uint32Array.of(0, 1, 2);
    const wanted = Float64Array.of(1, 40 * TICK, 50 * TICK);
    const adaptive = particles();
    chooseSteps(adaptive, all, 3, wanted, context("adaptive", 128));
    expect([...adaptive.ticks]).toEqual([32, 32, 32]);
    const shared = particles();
    chooseSteps(shared, all, 3, wanted, context("shared", 128));
    expect([...shared.ticks]).toEqual([64, 64, 64]);
    expect([...shared.times]).toEqual([128, 128, 128]);
  });

  it.each(["adaptive", "block"] as const)("names time and particle when a step is below a tick (%s)", (scheme) => {
    const wanted = Float64Array.of(1, TICK / 4);
    expect(() => chooseSteps(particles(), rows, 2, wanted, context(scheme, 128))).toThrow(
      /^stage correct, time 3: the step of particle 2 fell below 9.31e-10, 2\^-30 of the largest: .* 2.33e-10; .*direct.softening/,
    );
    const first = { times: new Uint32Array(2), ticks: new Uint32Array(2) };
    expect(() => chooseFirstSteps(first, wanted, Float64Array.of(1, 0, 0, 1, 0, 0), context(scheme))).toThrow(
      "the step of particle 1 fell below",
    );
  });

  it("finds a force that is no number, whatever the scheme", () => {
    for (const scheme of ["shared", "adaptive", "block"] as const) {
      const wanted = Float64Array.of(1, Number.NaN);
      expect(() => chooseSteps(particles(), rows, 2, wanted, context(scheme, 128))).toThrow(
        "expected a finite force on particle 2, found NaN",
      );
    }
  });

  it("starts a body whose acceleration cancels with the smallest step of the others", () => {
    const steps = { times: new Uint32Array(4).fill(9), ticks: new Uint32Array(4) };
    const accelerations = Float64Array.of(1, 0, 0, 0, 0, 0, 0, 2, 0, 1e-17, 0, 0);
    chooseFirstSteps(steps, Float64Array.of(300 * TICK, 0, 70 * TICK, TICK / 8), accelerations, context("block"));
    expect([...steps.ticks]).toEqual([256, 64, 64, 64]);
    expect([...steps.times]).toEqual([0, 0, 0, 0]);
    chooseFirstSteps(steps, Float64Array.of(300 * TICK, 0, 70 * TICK, TICK / 8), accelerations, context("adaptive"));
    expect([...steps.ticks]).toEqual([64, 64, 64, 64]);
    const alone = { times: new Uint32Array(1), ticks: new Uint32Array(1) };
    chooseFirstSteps(alone, Float64Array.of(0), new Float64Array(3), context("block"));
    expect(alone.ticks[0]).toBe(LARGEST_STEP);
  });
});

describe("criteria", () => {
  it("are those of the papers, the first steps an eighth of them", () => {
    expect(leapfrogStep(0.02, 0.25, 4)).toBeCloseTo(Math.sqrt((2 * 0.02 * 0.25) / 4), 15);
    expect(hermite4FirstStep(0.01, 3, 5)).toBeCloseTo(0.006 / 8, 15);
    expect(hermite4Step(0.01, 2, 3, 5, 7)).toBeCloseTo(Math.sqrt((0.01 * (2 * 5 + 9)) / (3 * 7 + 25)), 15);
    expect(hermite6FirstStep(0.1, 8, 2)).toBeCloseTo(0.2 / 8, 15);
    expect(hermite6Step(0.1, [2, 3, 5, 7, 11, 13])).toBeCloseTo(0.1 * ((2 * 5 + 9) / (7 * 13 + 121)) ** (1 / 6), 15);
  });

  it("scale with time: derivatives in a unit of time twice as long ask for half the number", () => {
    const derivatives = [2, 3, 5, 7, 11, 13];
    const [a, j, s, c, a4, a5] = derivatives;
    const [a_, j_, s_, c_, a4_, a5_] = derivatives.map((d, n) => d * 2 ** (n + 2));
    expect(hermite4Step(1, a_, j_, s_, c_)).toBeCloseTo(hermite4Step(1, a, j, s, c) / 2, 14);
    expect(hermite6Step(1, [a_, j_, s_, c_, a4_, a5_])).toBeCloseTo(hermite6Step(1, [a, j, s, c, a4, a5]) / 2, 14);
    expect(hermite4FirstStep(1, a_, j_)).toBeCloseTo(hermite4FirstStep(1, a, j) / 2, 14);
    expect(hermite6FirstStep(1, a_, s_)).toBeCloseTo(hermite6FirstStep(1, a, s) / 2, 14);
  });

  it("ask for nothing where nothing pulls", () => {
    const infinite = Number.POSITIVE_INFINITY;
    expect(leapfrogStep(1, 0, 0)).toBe(infinite);
    expect(hermite4FirstStep(1, 0, 0)).toBe(infinite);
    expect(hermite4Step(1, 0, 0, 0, 0)).toBe(infinite);
    expect(hermite6FirstStep(1, 0, 0)).toBe(infinite);
    expect(hermite6Step(1, [0, 0, 0, 0, 0, 0])).toBe(infinite);
    expect(hermite4FirstStep(1, Number.NaN, 0)).toBeNaN();
    expect(leapfrogStep(1, 1, Number.NaN)).toBeNaN();
  });
});
