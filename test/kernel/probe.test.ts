/** The adapter's arithmetic and copy bandwidth, as `gravmesh doctor` reports them. */
import { expect, it } from "vitest";
import { arithmeticChecks, copyBandwidth } from "../../src/foundation/gpu/probe.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();

it("finds integers and sums exact, and functions as near as the specification wants them", async () => {
  const checks = await arithmeticChecks(gpu());
  expect(checks.map(({ name }) => name)).toEqual([
    "64-bit sums by atomics with carry",
    "fixed-point products",
    "float32 sums and products, correctly rounded",
    "rounding, and conversions between integers and float32",
    "float32 division",
    "float32 square root",
    "float32 reciprocal root",
    "float32 fma",
  ]);
  for (const check of checks) expect(check, check.name).toMatchObject({ passed: true });
  expect(gpu().buffers.bytes().total).toBe(0);
});

it("measures a copy bandwidth that a machine can have", async () => {
  const bandwidth = await copyBandwidth(gpu());
  expect(bandwidth).toBeGreaterThan(1e8);
  expect(bandwidth).toBeLessThan(1e14);
  expect(gpu().buffers.bytes().total).toBe(0);
});
