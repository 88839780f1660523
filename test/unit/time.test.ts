/** Output schedules, segments and the adaptive step. */
import { describe, expect, it } from "vitest";
import {
  AdaptivePlan,
  adaptiveSegment,
  type Extremes,
  foreseen,
  stepLimit,
  TICKS,
} from "../../src/engine/time/adaptive.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import { scheduleOf } from "../../src/scenario/timetables.ts";
import { fixtureScenario } from "../support/scenario-fixture.ts";

function scheduleFor(time: Partial<Scenario["time"]>, output: Partial<Scenario["output"]>, maps = 0) {
  const scenario = fixtureScenario();
  const times = { time: { ...scenario.time, ...time }, output: { ...scenario.output, ...output } };
  return scheduleOf({ ...scenario, ...times, maps: { ...scenario.maps, count: maps } });
}

describe("a schedule", () => {
  it("divides the end time into whole steps, none too many for the rounding of end/step", () => {
    expect(scheduleFor({ end: 5, step: 0.01 }, {}).totalSteps).toBe(500);
    expect(scheduleFor({ end: 1.1, step: 0.1 }, {}).totalSteps).toBe(11);
    const { totalSteps, step } = scheduleFor({ end: 1, step: 0.3 }, {});
    expect([totalSteps, step]).toEqual([4, 0.25]);
  });

  it("spreads outputs evenly over steps, from the initial state to the end, each step once", () => {
    const { outputs } = scheduleFor({ end: 1, step: 0.1 }, { snapshots: 2, diagnostics: 5 });
    expect(outputs.map(({ step }) => step)).toEqual([0, 2, 4, 5, 6, 8, 10]);
    expect(outputs.filter(({ snapshot }) => snapshot).map(({ step }) => step)).toEqual([0, 5, 10]);
    expect(outputs.filter(({ diagnostics }) => diagnostics).map(({ step }) => step)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(outputs.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(outputs.at(-1)).toMatchObject({ time: 1, snapshot: true, diagnostics: true });
  });

  it("has no more outputs than steps, and always the last state", () => {
    const { outputs } = scheduleFor({ end: 1, step: 0.5 }, { snapshots: 10, diagnostics: 100 });
    expect(outputs.map(({ step }) => step)).toEqual([0, 1, 2]);
    const { outputs: few } = scheduleFor({ end: 1, step: 0.1 }, { snapshots: 0, diagnostics: 1 });
    expect(few.map(({ step, snapshot }) => [step, snapshot])).toEqual([
      [0, true],
      [10, true],
    ]);
  });

  it("has maps at times of their own, and none at all unless they are asked for", () => {
    const { outputs } = scheduleFor({ end: 1, step: 0.1 }, { snapshots: 1, diagnostics: 1 }, 5);
    expect(outputs.map(({ step, maps }) => [step, maps])).toEqual([0, 2, 4, 6, 8, 10].map((step) => [step, true]));
    expect(outputs.filter(({ snapshot, diagnostics }) => snapshot || diagnostics)).toHaveLength(2);
    const none = scheduleFor({ end: 1, step: 0.1 }, { snapshots: 1, diagnostics: 10 }).outputs;
    expect(none.some(({ maps }) => maps)).toBe(false);
    const adaptive = scheduleFor({ end: 3, step: "adaptive" }, { snapshots: 2, diagnostics: 1 }, 3).outputs;
    expect(adaptive.map(({ time, maps }) => [time, maps])).toEqual([
      [0, true],
      [1, true],
      [1.5, false],
      [2, true],
      [3, true],
    ]);
  });

  it("counts steps where the deck does, and has the start and the end as well", () => {
    const { outputs } = scheduleFor({ end: 1, step: 0.1 }, { every: 4, diagnosticsEvery: 3 });
    expect(outputs.filter(({ snapshot }) => snapshot).map(({ step }) => step)).toEqual([0, 4, 8, 10]);
    expect(outputs.filter(({ diagnostics }) => diagnostics).map(({ step }) => step)).toEqual([0, 3, 6, 9, 10]);
    const rare = scheduleFor({ end: 1, step: 0.1 }, { every: 1000, diagnosticsEvery: 5 }).outputs;
    expect(rare.map(({ step, snapshot }) => [step, snapshot])).toEqual([
      [0, true],
      [5, false],
      [10, true],
    ]);
    const comoving = { clock: "comoving", start: 0.1, step: 0.1, end: 1 } as const;
    const expanding = scheduleFor(comoving, { every: 4, diagnosticsEvery: 9 }).outputs;
    expect(expanding.map(({ step, time }) => [step, Number(time.toFixed(9))])).toEqual([
      [0, 0.1],
      [4, 0.5],
      [8, 0.9],
      [9, 1],
    ]);
  });

  it("goes on counting steps in a run with another end", () => {
    const outputs = { every: 4, diagnosticsEvery: 5 };
    const stepsOf = (time: Partial<Scenario["time"]>, kind: "snapshot" | "diagnostics") =>
      scheduleFor(time, outputs).outputs.flatMap((output) => (output[kind] ? [output.step] : []));
    const longer = { end: 2, continued: [1], step: 0.1 };
    expect(stepsOf(longer, "snapshot")).toEqual([0, 4, 8, 10, 12, 16, 20]);
    expect(stepsOf(longer, "diagnostics")).toEqual([0, 5, 10, 15, 20]);
    const expanding = { clock: "comoving" as const, start: 0.1, end: 1, step: 0.1, continued: [0.7] };
    expect(stepsOf(expanding, "snapshot")).toEqual([0, 4, 6, 8, 9]);
  });

  it("has rows, maps and subsamples at listed times, rows at the start and the end as well", () => {
    const scenario = fixtureScenario();
    const lists = {
      ...scenario,
      output: { ...scenario.output, snapshots: 1, diagnosticsTimes: [0.72, 0.3] },
      maps: { ...scenario.maps, count: 50, times: [0.3, 1] },
      subsample: { ...scenario.subsample, every: 10, count: 50, times: [0, 0.5] },
    };
    const kindsAt = (time: Scenario["time"]) =>
      scheduleOf({ ...lists, time }).outputs.map(({ index, time, step, ...kinds }) => [
        Number(time.toFixed(9)),
        Object.entries(kinds).flatMap(([kind, due]) => (due ? [kind] : [])),
      ]);
    const [start, end] = [
      ["snapshot", "diagnostics", "subsample"],
      ["snapshot", "diagnostics", "maps"],
    ];
    const between = (row: number) => [
      [0.3, ["diagnostics", "maps"]],
      [0.5, ["subsample"]],
      [row, ["diagnostics"]],
    ];
    expect(kindsAt({ ...scenario.time, end: 1, step: "adaptive" })).toEqual([[0, start], ...between(0.72), [1, end]]);
    // Of fixed steps those that end nearest.
    expect(kindsAt({ ...scenario.time, end: 1, step: 0.1 })).toEqual([[0, start], ...between(0.7), [1, end]]);
    const without = scheduleOf({ ...lists, time: scenario.time, subsample: { ...lists.subsample, every: 0 } });
    expect(without.outputs.some(({ subsample }) => subsample)).toBe(false);
  });

  it("has bars evenly spaced, after every so many steps, or at listed times alone", () => {
    const scenario = fixtureScenario();
    const rows = (bars: { count: number; every?: number; times?: number[] }, step: number | "adaptive" = 0.1) =>
      scheduleOf({ ...scenario, time: { ...scenario.time, end: 1, step }, bars: { ...scenario.bars, ...bars } })
        .outputs.filter(({ bars }) => bars)
        .map(({ time }) => Number(time.toFixed(9)));
    expect(rows({ count: 2 })).toEqual([0, 0.5, 1]);
    expect(rows({ count: 2, every: 4, times: [] })).toEqual([0, 0.4, 0.8, 1]);
    expect(rows({ count: 2, every: 0, times: [0.72, 0.3] })).toEqual([0.3, 0.7]);
    expect(rows({ count: 2, times: [0.72, 0.3] }, "adaptive")).toEqual([0.3, 0.72]);
    expect(rows({ count: 0 })).toEqual([]);
  });

  it("names times, not steps, when the step is adaptive", () => {
    const { outputs, totalSteps } = scheduleFor({ end: 3, step: "adaptive" }, { snapshots: 2, diagnostics: 3 });
    expect(totalSteps).toBeUndefined();
    expect(outputs.map(({ time }) => time)).toEqual([0, 1, 1.5, 2, 3]);
    expect(outputs.every(({ step }) => step === undefined)).toBe(true);
  });
});

describe("a comoving schedule", () => {
  const comoving = { clock: "comoving", start: 0.1, end: 1, step: 0.1 } as const;

  it("has maps between listed redshifts", () => {
    const listed = { redshifts: [1], diagnostics: 1 };
    const fixed = scheduleFor({ ...comoving, step: 0.05 }, listed, 6).outputs;
    expect(fixed.filter(({ maps }) => maps)).toHaveLength(7);
    expect(fixed.filter(({ snapshot }) => snapshot).map(({ time }) => time)).toEqual([0.1, 0.5, 1]);
    const adaptive = scheduleFor({ ...comoving, step: "adaptive" }, listed, 3).outputs;
    expect(adaptive.map(({ time, maps, snapshot }) => [Number(time.toFixed(9)), maps, snapshot])).toEqual([
      [0.1, true, true],
      [0.4, true, false],
      [0.5, false, true],
      [0.7, true, false],
      [1, true, true],
    ]);
    expect(adaptive.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
  });

  it("steps evenly in a or in ln a, and ends exactly", () => {
    const even = scheduleFor(comoving, { snapshots: 3, diagnostics: 9 });
    expect(even.totalSteps).toBe(9);
    expect(even.step).toBeUndefined();
    expect(Array.from(even.edges!, (a) => Number(a.toPrecision(12)))).toEqual([
      0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
    ]);
    expect(even.outputs.at(-1)).toMatchObject({ time: 1, step: 9, snapshot: true });
    const logarithmic = scheduleFor({ ...comoving, spacing: "log-a", step: 0.5 }, { snapshots: 1, diagnostics: 1 });
    expect(logarithmic.totalSteps).toBe(5);
    const ratios = Array.from(logarithmic.edges!)
      .map((a, i, all) => (i === 0 ? 0 : a / all[i - 1]))
      .slice(1);
    for (const ratio of ratios) expect(ratio).toBeCloseTo(10 ** 0.2, 12);
  });

  it("has its snapshots at the redshifts of the deck, with whole steps between", () => {
    const { outputs, edges } = scheduleFor(comoving, { redshifts: [1, 0, 3], diagnostics: 1 });
    const snapshots = outputs.filter(({ snapshot }) => snapshot);
    expect(snapshots.map(({ time }) => time)).toEqual([0.1, 0.25, 0.5, 1]);
    expect(snapshots.map(({ step }) => step)).toEqual([0, 2, 5, 10]);
    for (const { time, step } of snapshots) expect(edges![step!]).toBe(time);
    const longest = Math.max(
      ...Array.from(edges!)
        .slice(1)
        .map((a, i) => a - edges![i]),
    );
    expect(longest).toBeLessThanOrEqual(0.1 * (1 + 1e-9));
  });

  it("names scale factors when the step is adaptive", () => {
    const { outputs, edges } = scheduleFor({ ...comoving, step: "adaptive" }, { redshifts: [1] });
    expect(outputs.map(({ time }) => time)).toEqual([0.1, 0.5, 1]);
    expect(edges).toBeUndefined();
  });
});

describe("the adaptive step", () => {
  const time = { accuracy: 0.2, courant: 0.5, maxStep: 10 };

  it("obeys acceleration, speed and the cap", () => {
    expect(stepLimit(time, 0.25, { acceleration: 4, speed: 0 })).toBeCloseTo(0.05, 12);
    expect(stepLimit(time, 0.25, { acceleration: 0, speed: 5 })).toBeCloseTo(0.025, 12);
    expect(stepLimit(time, 0.25, { acceleration: 0, speed: 0 })).toBe(10);
  });

  it("lands on the end of its interval exactly, whatever the limits on the way", () => {
    const limits = [0.3, 0.011, 0.08, 0.5, 0.004, 1, 0.02];
    let tick = 0;
    for (let i = 0; tick < TICKS; i++) {
      const limit = limits[i % limits.length];
      const { steps, ticks } = adaptiveSegment(tick, 1, limit);
      expect(ticks / TICKS).toBeLessThanOrEqual(limit);
      expect(Number.isInteger(Math.log2(ticks))).toBe(true);
      expect(tick % ticks).toBe(0);
      expect(steps).toBeGreaterThanOrEqual(1);
      expect(steps).toBeLessThanOrEqual(10);
      tick += steps * ticks;
      expect(i).toBeLessThan(1000);
    }
    expect(tick).toBe(TICKS);
  });

  it("gives up with advice when it would become too small", () => {
    expect(() => adaptiveSegment(0, 1, 1e-12)).toThrow(/adaptive step fell below .* time\.step to a number/);
  });

  it("reckons with the growth that there was, and no more than fourfold", () => {
    const of = (acceleration: number, speed: number): Extremes => ({ acceleration, speed });
    expect(foreseen(of(2, 3), undefined)).toEqual(of(2, 3));
    expect(foreseen(of(2, 3), of(2.5, 4))).toEqual(of(2, 3)); // what falls may stop falling
    expect(foreseen(of(2, 3), of(1.6, 2.5)).acceleration).toBeCloseTo(2 * 1.25 ** 2, 12);
    expect(foreseen(of(2, 3), of(1.6, 2.5)).speed).toBeCloseTo(3 * 1.2 ** 2, 12);
    expect(foreseen(of(2, 3), of(0.1, 0))).toEqual(of(8, 3));
  });

  describe("on its way to the next output", () => {
    /** Forces that grow, and fall again: what is found at a tick depends on nothing else. */
    const found = (tick: number): Extremes => {
      return { acceleration: 1 + 30 * Math.exp(-(((tick / TICKS - 0.6) / 0.2) ** 2)), speed: 1 };
    };
    const limit = (_: number, { acceleration }: Extremes) => 0.01 / Math.sqrt(acceleration);
    const begun = (extremes: Extremes) => new AdaptivePlan(0, 1, limit, AdaptivePlan.from(extremes, undefined));
    type StepSegment = ReturnType<AdaptivePlan["next"]>;
    const end = ({ from, steps, ticks }: StepSegment) => from + steps * ticks;

    /** All segments; each is noted as late, when the one after the next is to be chosen, or at once. */
    function segments(plan: AdaptivePlan, late: boolean): StepSegment[] {
      const all: StepSegment[] = [];
      for (let segment = plan.next(); ; segment = plan.next()) {
        all.push(segment);
        if (end(segment) === TICKS) return all;
        const known = late ? all.at(-2) : segment;
        if (known) plan.note(found(end(known)));
      }
    }

    it("takes the same steps whenever the device tells what it found, shorter ones in time", () => {
      const all = segments(begun(found(0)), false);
      expect(segments(begun(found(0)), true)).toEqual(all);
      expect(all.every(({ steps }) => steps <= 10)).toBe(true);
      // By the criterion of its own moment each step may be longer by little, in spite of the segment between.
      for (const { from, steps, ticks } of all) {
        for (let i = 0; i < steps; i++) {
          expect(ticks / TICKS).toBeLessThan(1.5 * limit(0, found(from + i * ticks)));
        }
      }
    });

    it("goes on from wherever it was left, by a state that JSON holds", () => {
      const all = segments(begun(found(0)), false);
      const steps = all.flatMap(({ from, steps: count, ticks }) =>
        Array.from({ length: count }, (_, i) => ({ from: from + i * ticks, ticks })),
      );
      for (const taken of [0, 1, 9, 10, 11, 24, steps.length - 1]) {
        const first = begun(found(0));
        let done = 0;
        for (let segment = first.next(); ; segment = first.next()) {
          done += segment.steps;
          if (done > taken) break;
          first.note(found(end(segment)));
        }
        const { tick, state } = first.after(taken);
        expect(tick).toBe(steps[taken].from);
        const second = new AdaptivePlan(tick, 1, limit, JSON.parse(JSON.stringify(state)));
        const rest = segments(second, true).flatMap(({ from, steps: count, ticks }) =>
          Array.from({ length: count }, (_, i) => ({ from: from + i * ticks, ticks })),
        );
        expect(rest).toEqual(steps.slice(taken));
      }
    });
  });
});
