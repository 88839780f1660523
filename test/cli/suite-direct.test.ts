/** Measurements of the suites on direct summation on the adapter, small: that they hold together, not how fast they are. */
import { describe, expect, it } from "vitest";
import {
  evaluations,
  hundredSteps,
  PROGRAMS,
  randomSample,
  type Steps,
} from "../../src/study/bench/suites/fujiwara2009/measure.ts";
import { ENGINES, type RunPart } from "../../src/study/bench/suites/hermite.ts";
import { type Costs, costsOf, quarterOf } from "../../src/study/bench/suites/portegies-zwart2007/measure.ts";
import type { MeasurementContext } from "../../src/study/spec.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const fractions: number[] = [];
const context = (signal = new AbortController().signal): MeasurementContext => ({
  gpu: gpu(),
  settings: { quick: true },
  signal,
  progress: (fraction) => void fractions.push(fraction),
});
const LONG = 600;

describe("portegies-zwart2007", () => {
  it("runs the same quarter with every engine", async () => {
    const found: RunPart[] = [];
    for (const engine of ENGINES) {
      const run = { count: 64, engine, nu: 0.02, before: 1, longest: LONG } as const;
      found.push((await quarterOf(run, context())) as RunPart);
      expect(fractions.at(-1)).toBe(1);
      expect(gpu().buffers.bytes().total).toBe(0); // nothing is left on the device
    }
    const cpu = found[2];
    expect(cpu.blocks).toBeGreaterThan(50);
    for (const { blocks, particleSteps, energyError, seconds } of found) {
      expect(Math.abs(blocks / cpu.blocks - 1)).toBeLessThan(0.1);
      expect(Math.abs(particleSteps / cpu.particleSteps - 1)).toBeLessThan(0.1);
      expect(Math.abs(energyError)).toBeLessThan(1e-5);
      expect(seconds).toBeGreaterThan(0);
    }
  });

  it("stops when it is told to", async () => {
    const run = { count: 64, engine: "single", nu: 0.01, before: 1, longest: LONG } as const;
    await expect(quarterOf(run, context(AbortSignal.abort()))).rejects.toMatchObject({ kind: "aborted" });
    expect(gpu().buffers.bytes().total).toBe(0);
  });

  it("times a force with every engine, and what a particle costs", async () => {
    for (const engine of ENGINES) {
      const costs = (await costsOf(engine, context())) as Costs;
      expect(Object.keys(costs).sort()).toEqual(engine === "cpu" ? ["host", "pair"] : ["pair", "receive", "send"]);
      for (const seconds of Object.values(costs)) expect(seconds).toBeGreaterThan(0);
      expect(gpu().buffers.bytes().total).toBe(0);
    }
  });
});

describe("fujiwara2009", () => {
  it("evaluates forces with every program, and makes a hundred steps", async () => {
    const sample = await randomSample(1000, context().signal);
    const found = await evaluations(sample, { repetitions: 1, longest: LONG }, context());
    expect(Object.keys(found.programs)).toEqual([...PROGRAMS]);
    for (const program of PROGRAMS) {
      expect(found.programs[program].targets).toBe(1000);
      expect(found.programs[program].seconds).toBeGreaterThan(0);
    }
    expect(gpu().buffers.bytes().total).toBe(0);
    const { steps, seconds } = (await hundredSteps(
      sample,
      { program: "targets-4", longest: LONG },
      context(),
    )) as Steps;
    expect([steps, seconds > 0]).toEqual([100, true]);
    expect(gpu().buffers.bytes().total).toBe(0);
  });
});
