/** Measurements of the suite `aubert2009` on the adapter, at its smallest size: that they hold together, not how fast. */
import { describe, expect, it } from "vitest";
import { suite } from "../../src/study/bench/suites/aubert2009/index.ts";
import {
  energyOver,
  Found,
  HISTOGRAMS,
  STAGES,
  type StepTimes,
} from "../../src/study/bench/suites/aubert2009/measure.ts";
import { type MeasurementContext, Results } from "../../src/study/spec.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const settings = { quick: true };
const fractions: number[] = [];
const context = (): MeasurementContext => ({
  gpu: gpu(),
  settings,
  signal: new AbortController().signal,
  progress: (fraction) => void fractions.push(fraction),
});
const measured = new Map<string, unknown>();

async function measure(key: string): Promise<StepTimes> {
  const measurement = suite.measurements(settings).find((one) => one.key === key)!;
  expect(measurement.skip?.(context())).toBeUndefined();
  const result = (await measurement.run(context())) as StepTimes;
  measured.set(key, result);
  return result;
}

describe("a step of 32³", () => {
  it.each([...HISTOGRAMS.map((one) => `gpu-32-disk-fft-${one}`), "cpu-32-disk-fft"])(
    "%s has all its stages",
    async (key) => {
      const { step, stages, steps } = await measure(key);
      expect(Object.keys(stages)).toEqual([...STAGES]);
      for (const stage of STAGES) expect(stages[stage], stage).toBeGreaterThan(0);
      expect(step.best).toBeLessThanOrEqual(step.median);
      expect(steps).toBeGreaterThanOrEqual(1);
      expect(fractions.at(-1)).toBe(1);
      expect(gpu().buffers.bytes().total).toBe(0); // nothing is left on the device
    },
  );

  it("gives speed-ups, in the tables and beside the paper's", () => {
    const results = new Results(measured);
    const found = new Found(results);
    const gain = found.speedUp({ cells: 32, distribution: "disk" }, "fft", "sort")!;
    const [cpu, sort] = ["cpu-32-disk-fft", "gpu-32-disk-fft-sort"].map(
      (key) => (measured.get(key) as StepTimes).step.best,
    );
    expect(gain).toBe(cpu / sort);
    const { comparison, tables } = suite.present(results, settings);
    const row = comparison.find(({ quantity }) => quantity === "speed-up of a step, FFT, sort (full GPU), 32³")!;
    expect([row.published, row.ours]).toEqual([1.6, gain]);
    const [stages, steps] = tables;
    expect(stages.rows.map(([name]) => name)).toEqual(["32³ disk, GPU", "  CPU"]);
    expect(steps.rows).toHaveLength(1);
    expect(steps.rows[0].slice(1)).not.toContain(null);
  });

  it("stops when it is told to", async () => {
    const [first] = suite.measurements(settings);
    await expect(first.run({ ...context(), signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: "aborted" });
    expect(gpu().buffers.bytes().total).toBe(0);
  });
});

describe("energy", () => {
  it("is the same with every histogram, to the last bit", async () => {
    const errors: Awaited<ReturnType<typeof energyOver>>[] = [];
    for (const histogram of HISTOGRAMS) {
      const one = { cells: 32, distribution: "disk", solver: "fft", scheme: "paper", histogram } as const;
      errors.push(await energyOver(one, context()));
    }
    expect(errors[0].steps).toBe(10);
    expect(Math.abs(errors[0].energyError)).toBeGreaterThan(0);
    expect(errors.map(({ energyError }) => energyError)).toEqual(errors.map(() => errors[0].energyError));
  });
});
