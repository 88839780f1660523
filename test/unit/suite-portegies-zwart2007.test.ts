/** The suite `portegies-zwart2007` without an adapter: what it measures, published figures, tables, standard units. */
import { describe, expect, it } from "vitest";
import { directForces } from "../../src/engine/reference/direct/forces.ts";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { ENGINES, largestStep, type RunPart, type SumEngine } from "../../src/study/bench/suites/hermite.ts";
import { COSTS, ENERGY, energies, RUN, suite } from "../../src/study/bench/suites/portegies-zwart2007/index.ts";
import {
  expectedPairs,
  quarterOf,
  scenarioOf,
  toStandardUnits,
} from "../../src/study/bench/suites/portegies-zwart2007/measure.ts";
import {
  COUNTS,
  paperBlocks,
  paperMembers,
  paperSpeedUp,
  TABLE_2,
} from "../../src/study/bench/suites/portegies-zwart2007/published.ts";
import { isLeftOut } from "../../src/study/spec.ts";
import { suiteHtml, suiteText } from "../../src/study/suite-page.ts";
import { plummerSphere } from "../support/particles.ts";
import { presented } from "../support/suites.ts";

const QUICK = { quick: true };
const FULL = { quick: false };
const runKey = (count: number, engine: SumEngine) => RUN.key({ count, engine });
const energyKey = (count: number, engine: SumEngine, nu: number) => ENERGY.key({ count, engine, nu });
const costsKey = (engine: SumEngine) => COSTS.key({ engine });

describe("measurements", () => {
  it("are of every size and engine, of energy against ν, and of the costs", () => {
    const keys = suite.measurements(FULL).map(({ key }) => key);
    expect(keys).toHaveLength(3 + 9 * 3 + 2 * 9 * 3);
    expect(keys).toEqual(
      expect.arrayContaining(["costs-cpu", "run-256-single", "run-65536-double-single", "run-1024-cpu"]),
    );
    expect(keys).toEqual(expect.arrayContaining(["energy-1024-single-0", "energy-16384-cpu-8"]));
    const quick = suite.measurements(QUICK).map(({ key }) => key);
    expect(quick).toHaveLength(3 + 9 * 3 + 5 * 3);
    expect(quick.filter((key) => !keys.includes(key))).toEqual([]);
  });

  it("are as in the paper: Hermite 4, block steps, ε = 1/256, ν = 0.01 and 0.1/2ᵏ, largest step 1/8", () => {
    const scenario = scenarioOf(2048, "single");
    expect(scenario.direct).toMatchObject({ integrator: "hermite-4", steps: "block", softening: 1 / 256, nu: 0.01 });
    expect(scenario.direct.precision).toBe("single");
    expect(largestStep(scenario)).toBe(1 / 8);
    expect(energies(FULL).counts).toEqual([1024, 16_384]);
    expect(energies(FULL).nus).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8].map((k) => 0.1 / 2 ** k));
    expect(scenarioOf(1024, "cpu", 0.1 / 256).direct.nu).toBe(0.1 / 256);
  });

  it("leave out, without touching the adapter, what would take too long", async () => {
    const context = {
      gpu: {} as GpuContext,
      settings: QUICK,
      signal: new AbortController().signal,
      progress: () => {},
    };
    const result = await quarterOf({ count: 4096, engine: "cpu", nu: 0.01, before: 1, longest: 1e-3 }, context);
    expect(isLeftOut(result)).toBe(true);
    expect(result).toEqual({ leftOut: expect.stringMatching(/^about .*(s|min|h)$/) });
  });

  it("expect as many interactions as the paper’s fits say, more with a smaller ν", () => {
    const [one, two] = [expectedPairs(1024, 0.01, 1), expectedPairs(1024, 0.01, 2)];
    expect(two).toBe(2 * one);
    expect(expectedPairs(1024, 0.01 / 4, 1)).toBeCloseTo(2 * one);
    // 1069 blocks of 57.4 on 1024 were measured.
    expect(one / (1069 * 57.4 * 1024)).toBeGreaterThan(0.8);
    expect(one / (1069 * 57.4 * 1024)).toBeLessThan(1.6);
  });
});

describe("the paper’s fits", () => {
  it("are eqs. 14 and 17", () => {
    expect(COUNTS.slice(0, 3).map((count) => Math.round(paperMembers(count)))).toEqual([18, 31, 55]);
    expect(COUNTS.slice(0, 3).map((count) => Math.round(paperBlocks(count)))).toEqual([1720, 2193, 2794]);
  });
});

describe("published figures", () => {
  const rows = presented(suite, new Map(), QUICK).comparison;
  const value = (quantity: RegExp) => rows.find((one) => quantity.test(one.quantity))?.published;

  it("are table 2, the fits, the energies and table 3", () => {
    expect(value(/^quarter time unit, 256, GRAPE/)).toBe(0.07098);
    expect(value(/^quarter time unit, 4096, 8800GTX/)).toBe(128.3);
    expect(value(/^quarter time unit, 16384, FX1400/)).toBe(3398);
    expect(value(/^quarter time unit, 65536, Xeon/)).toBe(19_290);
    expect(value(/^mean block, 1024/)).toBe(paperMembers(1024));
    expect(value(/^mean \|ΔE\/E\|.*8800GTX/)).toBe(1.7);
    expect(value(/^force between two particles, 8800GTX/)).toBe(0.815);
    expect(value(/^sending a particle/)).toBe(17_600);
    expect(paperSpeedUp("GRAPE-6Af")(65_536)).toBeCloseTo(19_290 / 178.2);
    for (const list of Object.values(TABLE_2)) expect(list).toHaveLength(COUNTS.length);
  });

  it("have ours beside them", () => {
    const quarter: RunPart = { seconds: 2, span: 0.25, blocks: 1000, particleSteps: 50_000, energyError: -3e-9 };
    const cpu = { ...quarter, seconds: 8 };
    const costs = { host: 4e-8, pair: 2e-9, send: 1e-9, receive: 5e-9 };
    const found = new Map<string, unknown>([
      [runKey(1024, "single"), quarter],
      [runKey(1024, "double-single"), { leftOut: "about 1:00 h" }],
      [runKey(1024, "cpu"), cpu],
      [costsKey("single"), costs],
      [costsKey("cpu"), costs],
    ]);
    const { comparison } = presented(suite, found, QUICK);
    const ours = (quantity: RegExp) => comparison.find((one) => quantity.test(one.quantity))?.ours;
    expect(ours(/^quarter time unit, 1024, 8800GTX/)).toBe(2);
    expect(ours(/^quarter time unit, 1024, GRAPE/)).toBeNull();
    expect(ours(/^quarter time unit, 1024, Xeon/)).toBe(8);
    expect(ours(/^mean block, 1024/)).toBe(50);
    expect(ours(/^blocks of a time unit, 1024/)).toBe(4000);
    expect(ours(/^mean \|ΔE\/E\|.*8800GTX/)).toBeCloseTo(3e-3);
    expect(ours(/^a particle predicted and corrected/)).toBeCloseTo(40);
    expect(ours(/^force between two particles, 8800GTX/)).toBeCloseTo(2);
    expect(ours(/^sending a particle/)).toBeCloseTo(1);
    expect(ours(/^receiving a particle/)).toBeCloseTo(5);
    expect(ours(/^speed-up over the host, 1024/)).toBe(4);
  });
});

describe("tables", () => {
  const nus = energies(QUICK).nus;
  const results = new Map<string, unknown>();
  for (const [e, engine] of ENGINES.entries()) {
    for (const count of [256, 512]) {
      const quarter: RunPart = {
        seconds: count * (e + 1),
        span: 0.25,
        blocks: 500,
        particleSteps: 11_000,
        energyError: 1e-9,
      };
      results.set(runKey(count, engine), quarter);
    }
    for (const nu of nus) {
      results.set(energyKey(1024, engine, nu), { seconds: 1, blocks: 9, particleSteps: 90, energyError: -nu * 1e-6 });
    }
    results.set(costsKey(engine), { pair: 1e-9 });
  }
  results.set(runKey(1024, "single"), { leftOut: "about 20.0 s" });
  results.set(energyKey(1024, "cpu", nus[4]), { leftOut: "about 30.0 s" });

  const record = presented(suite, results, QUICK);
  const { tables, remarks } = record;
  const table = (title: RegExp) => tables.find((one) => title.test(one.title))!;

  it("set our times beside table 2’s four columns", () => {
    expect(table(/table 2/).rows).toEqual([
      ["256", "256", "512", "768", "0.071", "2.71", "3.42", "0.133"],
      ["512", "512", "1020", "1540", "0.141", "8.78", "10.6", "0.594"],
    ]);
  });

  it("hold blocks against the fits, and energy against ν", () => {
    expect(table(/eqs\. 17 and 14/).rows[0]).toEqual(["256", "2000", "1720", "1.16", "22", "17.9", "1.23"]);
    const byNu = table(/figure 2/).rows;
    expect(byNu).toHaveLength(5);
    expect(byNu[0]).toEqual(["0.1", "1.0e-7", "1.0e-7", "1.0e-7", "9"]);
    expect(byNu[4][3]).toBeNull();
  });

  it("name what was left out", () => {
    const last = remarks.at(-1)!;
    expect(last).toContain("1024 particles from t = 0.25 to 0.5, GPU, single (about 20.0 s)");
    expect(last).toContain("1024 particles to t = 0.25, ν = 3.9e-4, CPU, float64 (about 30.0 s)");
  });

  it("make a page and a text", () => {
    expect(suiteHtml(record)).not.toMatch(/NaN|undefined|Infinity/);
    expect(suiteText(record)).not.toMatch(/NaN|undefined|Infinity/);
  });
});

describe("initial conditions", () => {
  const BOX = 12;

  it("are scaled to virial equilibrium at rest about the centre: K = 1/4, W = −1/2", async () => {
    const drawn = await plummerSphere(300, BOX, 5);
    const energiesOf = ({ count, positions, velocities, masses }: ParticleSet) => {
      const bodies = { count, positions, masses, ids: Uint32Array.from({ length: count }, (_, i) => i) };
      const { potentials } = directForces({ order: "acceleration", softening: 0, targets: bodies, sources: bodies });
      const potential = potentials.reduce((sum, phi, i) => sum + 0.5 * masses[i] * phi, 0);
      const kinetic = Float64Array.from(velocities).reduce(
        (sum, v, k) => sum + 0.5 * masses[Math.floor(k / 3)] * v * v,
        0,
      );
      return { potential, kinetic };
    };
    const before = energiesOf(drawn);
    expect(Math.abs(before.potential + 0.5)).toBeGreaterThan(1e-3);
    const scaled = toStandardUnits(drawn, before.potential, BOX);
    const { potential, kinetic } = energiesOf(scaled);
    expect(potential).toBeCloseTo(-0.5, 12);
    expect(kinetic).toBeCloseTo(0.25, 7);
    for (let axis = 0; axis < 3; axis++) {
      const mean = (vectors: ArrayLike<number>) =>
        scaled.masses.reduce((sum, mass, i) => sum + mass * vectors[3 * i + axis], 0);
      expect(mean(scaled.positions)).toBeCloseTo(BOX / 2, 10);
      expect(mean(scaled.velocities)).toBeCloseTo(0, 7);
    }
  });
});
