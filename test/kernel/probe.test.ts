/** The adapter's arithmetic and copy bandwidth, as `gravmesh doctor` reports them. */
import { expect, it } from "vitest";
import { arithmeticChecks, copyBandwidth } from "../../src/gpu/probe.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();

it("finds the integer and float32 arithmetic exact", async () => {
  const checks = await arithmeticChecks(gpu());
  expect(checks).toHaveLength(4);
  for (const check of checks) expect(check, check.name).toMatchObject({ passed: true });
  expect(gpu().buffers.bytes().total).toBe(0);
});

it("measures a copy bandwidth that a machine can have", async () => {
  const bandwidth = await copyBandwidth(gpu());
  expect(bandwidth).toBeGreaterThan(1e8);
  expect(bandwidth).toBeLessThan(1e14);
  expect(gpu().buffers.bytes().total).toBe(0);
});
