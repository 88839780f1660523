/** The suite `fujiwara2009` without an adapter: what it measures, published figures, what is timed in part, tables. */
import { describe, expect, it } from "vitest";
import { FORCE_SHAPES } from "../../src/engine/direct/force-shapes.ts";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import { targetsWithin } from "../../src/study/bench/force-timing.ts";
import {
  CPU,
  FORCE,
  gigaflops,
  HUNDRED,
  SCAN,
  scanCounts,
  suite,
} from "../../src/study/bench/suites/fujiwara2009/index.ts";
import {
  cpuEvaluation,
  type Evaluations,
  PROGRAMS,
  SYSTEMS,
  sampleOf,
  stepsWithin,
} from "../../src/study/bench/suites/fujiwara2009/measure.ts";
import { TABLE_2, UNROLLED } from "../../src/study/bench/suites/fujiwara2009/published.ts";
import { suiteHtml, suiteText } from "../../src/study/suite-page.ts";
import { presented } from "../support/suites.ts";

const QUICK = { quick: true };
const FULL = { quick: false };
const signal = new AbortController().signal;

describe("measurements", () => {
  it("are of every system with every unrolling, and of the scan over N", () => {
    const keys = suite.measurements(FULL).map(({ key }) => key);
    expect(keys).toHaveLength(4 * (2 + 4) + 9);
    expect(keys).toEqual(
      expect.arrayContaining([
        ...["force-7500", "cpu-10000", "steps-18000-plain", "steps-100000-targets-4-sources-4", "steps-7500-chosen"],
        ...["scan-1024", "scan-262144"],
      ]),
    );
    const quick = suite.measurements(QUICK).map(({ key }) => key);
    expect(quick.filter((key) => !keys.includes(key))).toEqual([]);
    expect(scanCounts(QUICK).at(-1)).toBeLessThan(scanCounts(FULL).at(-1)!);
  });

  it.each([
    ["figure-eight-3", 1 / 64, 0.1],
    ["figure-eight-4", 1 / 64, 0.1],
    ["cartwheel", 1 / 128, 0.01],
    ["random-100k", 0.01, 0.01],
  ] as const)("of %s are with the paper’s number, step and softening", async (deck, step, softening) => {
    const { scenario, particles } = await sampleOf(deck, signal);
    expect(particles.count).toBe(SYSTEMS.find((system) => system.deck === deck)!.count);
    expect(scenario.time.step).toBe(step);
    expect(scenario.direct).toMatchObject({ integrator: "leapfrog", steps: "shared", precision: "single", softening });
  });

  it("use shapes that there are", () => {
    const names = FORCE_SHAPES.map(({ name }) => name);
    expect(PROGRAMS.filter((program) => program !== "chosen" && !names.includes(program))).toEqual([]);
  });
});

describe("what takes too long", () => {
  it("is timed for as many targets as fit, a thousand at least", () => {
    const within = (count: number, whole: number, longest: number) =>
      targetsWithin({ count, whole, longest, least: 1024 });
    expect(within(7500, 0.4, 0.5)).toBe(7500);
    expect(within(100_000, 10, 1)).toBe(9216);
    expect(within(100_000, 1000, 0.5)).toBe(1024);
    expect(within(700, 1000, 0.5)).toBe(700);
  });

  it("makes fewer steps, or none", () => {
    expect(stepsWithin(0.01, 3600)).toBe(100);
    expect(stepsWithin(0.1, 6)).toBe(50);
    expect(stepsWithin(0.6, 2.5)).toBe(3);
    expect(stepsWithin(1, 2.5)).toBe(0);
  });

  it("on the CPU is scaled to all targets", async () => {
    const sample = await sampleOf("random-100k", signal, ["particles.uniform.count=20000"]);
    const fractions: number[] = [];
    const context = {
      gpu: {} as GpuContext,
      settings: QUICK,
      signal,
      progress: (done: number) => fractions.push(done),
    };
    const { seconds, targets } = await cpuEvaluation(sample, { repetitions: 1, longest: 1e-6 }, context);
    expect(targets).toBe(256);
    expect(seconds).toBeGreaterThan(0);
    expect(fractions.at(-1)).toBe(1);
  });
});

describe("rates", () => {
  it("count 38 operations for each of N² pairs, as in the paper’s text", () => {
    expect(gigaflops(1000, 1)).toBeCloseTo(0.038);
    // "319", "476" and "690" Gflop/s follow from table III.
    const rates = [UNROLLED.plain, UNROLLED["targets-4"], UNROLLED["targets-4-sources-4"]].map(({ steps: times }) =>
      Math.floor(100 * gigaflops(100_000, times[3])),
    );
    expect(rates).toEqual([319, 476, 690]);
  });
});

const evaluations = (count: number, seconds: number, targets = count): Evaluations => {
  const one = (factor: number) => ({ seconds: factor * seconds, targets, spread: 0 });
  return {
    count,
    programs: { plain: one(8), "targets-4": one(4), "targets-4-sources-4": one(2), chosen: one(1) },
    chosen: "tiles",
  };
};

const [three, , cartwheel, random] = SYSTEMS;
const steps = (program: (typeof PROGRAMS)[number], { deck }: (typeof SYSTEMS)[number] = three) =>
  HUNDRED.key({ deck, program });

const results = new Map<string, unknown>([
  [FORCE.key(three), evaluations(7500, 0.25)],
  [FORCE.key(random), evaluations(100_000, 12, 2048)],
  [CPU.key(three), { seconds: 20, targets: 1024, spread: 0 }],
  [steps("plain"), { seconds: 200, steps: 3 }],
  [steps("targets-4"), { seconds: 100, steps: 100 }],
  [steps("targets-4-sources-4"), { seconds: 80, steps: 100 }],
  [steps("plain", cartwheel), { leftOut: "about 2:00 min" }],
  [SCAN.key({ count: 1024 }), evaluations(1024, 1e-3)],
  [SCAN.key({ count: 2048 }), { leftOut: "about 9.00 s" }],
]);
const record = presented(suite, results, QUICK);

describe("published figures", () => {
  const rows = record.comparison;
  const find = (quantity: string) => rows.find((one) => one.quantity === quantity)!;

  it("are tables II and III and what the text says of them", () => {
    expect(TABLE_2.cpu).toEqual([5.6, 9.7, 32, 971]);
    expect(find("force evaluation, 100000, targets × 4, sources × 4").published).toBe(0.5);
    expect(find("100 steps, 18000, no unrolling").published).toBe(4.77);
    expect(find("speed-up over the CPU, targets × 4").published).toEqual([500, 1200]);
    expect(find("100 steps, 10000, targets × 4 over both × 4").published).toBe(1.35);
    expect(find("largest rate of the optimised code (ours: of any variant)").published).toBe(990);
  });

  it("have ours beside them", () => {
    const ours = (quantity: string) => find(quantity).ours;
    expect(ours("force evaluation, 7500, one thread of the CPU, float64")).toBe(20);
    expect(ours("force evaluation, 7500, no unrolling")).toBe(2);
    expect(ours("100 steps, 7500, targets × 4")).toBe(100);
    expect(ours("100 steps, 18000, no unrolling")).toBeNull();
    expect(ours("speed-up over the CPU, no unrolling")).toBe(10);
    expect(ours("100 steps, 7500, targets × 4 over both × 4")).toBe(1.25);
    expect(ours("largest rate in 100 steps, targets × 4")).toBeCloseTo(100 * gigaflops(7500, 100));
    expect(ours("largest rate of the optimised code (ours: of any variant)")).toBeCloseTo(gigaflops(1024, 1e-3));
    expect(find("100 steps, 7500, targets × 4").unit).toBe("s");
  });

  it("of 226304 particles stands beside the largest of the scan, scaled", () => {
    const row = (found: Map<string, unknown>) =>
      presented(suite, found, FULL).comparison.find(({ quantity }) => quantity.startsWith("force evaluation, 226304"))!;
    expect(row(results).ours).toBeNull();
    const largest = new Map([[SCAN.key({ count: 262_144 }), evaluations(262_144, 3)]]);
    expect(row(largest).ours).toBeCloseTo(3 * (226_304 / 262_144) ** 2);
  });
});

describe("tables", () => {
  const { tables, remarks } = record;

  it("say of how many targets and steps a time is", () => {
    const [force, steps, rates] = tables;
    const row = (rows: typeof force.rows, name: string) => rows.find(([first]) => first === name);
    expect(row(force.rows, "no unrolling")).toEqual(["no unrolling", "2", null, null, "96 (2048 targets)"]);
    expect(force.rows[0]).toEqual(["one thread of the CPU, float64", "20 (1024 targets)", null, null, null]);
    expect(force.rows[1].slice(1)).toEqual(["5.6", "9.7", "32", "971"]);
    expect(force.rows.at(-1)![0]).toBe("as chosen here: tiles");
    expect(row(steps.rows, "no unrolling")!.slice(1, 3)).toEqual(["200 (from 3 steps)", null]);
    expect(row(steps.rows, "targets × 4")![1]).toBe("100");
    expect(rates.columns).toEqual(["", "1024"]);
  });

  it("name what was left out", () => {
    expect(remarks.at(-1)).toContain(
      "100 steps, 18000, cartwheel, no unrolling (about 2:00 min); force evaluation, 2048 of the random system (about 9.00 s)",
    );
  });

  it("make a page and a text", () => {
    expect(suiteHtml(record)).not.toMatch(/NaN|undefined|Infinity/);
    expect(suiteText(record)).not.toMatch(/NaN|undefined|Infinity/);
  });
});
