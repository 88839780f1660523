/** Another implementation of Vulkan: the same bits where numbers are whole, the same to rounding where they aren't. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { GpuContext } from "../../src/gpu/context.ts";
import { nodeGpu } from "../../src/gpu/device.node.ts";
import { acquireContext } from "../../src/gpu/device.ts";
import { type AdapterResults, adapterResults } from "../support/adapter-results.ts";
import { firstDifference } from "../support/compare.ts";
import { useGpu } from "../support/gpu.ts";
import { relativeErrors } from "../support/mesh-mass.ts";
import { swiftShaderDriver } from "../support/swiftshader.ts";

const driver = swiftShaderDriver();
const gpu = useGpu();

describe.runIf(driver)("SwiftShader beside the machine's adapter", () => {
  let other: GpuContext | undefined;
  let here: AdapterResults;
  let there: AdapterResults;
  beforeAll(async () => {
    let t = performance.now();
    here = await adapterResults(gpu());
    console.log("here", performance.now() - t);
    t = performance.now();
    // Read whenever Vulkan is started; the machine's own adapter has been by now.
    vi.stubEnv("VK_DRIVER_FILES", driver!);
    other = await acquireContext(nodeGpu("SwiftShader"));
    there = await adapterResults(other);
    console.log("there", performance.now() - t);
  });
  afterAll(() => {
    other?.destroy();
    vi.unstubAllEnvs();
  });

  it("is another", () => {
    expect(other!.adapter.description).not.toBe(gpu().adapter.description);
  });

  it("whole numbers", () => {
    expect(Object.keys(here.integers).length).toBeGreaterThan(10);
    for (const [what, values] of Object.entries(here.integers)) {
      expect(`${what}: ${firstDifference(there.integers[what], values)}`).toBe(`${what}: same`);
    }
  });

  it("floats", () => {
    for (const [what, values] of Object.entries(here.floats)) {
      console.log(what, relativeErrors(there.floats[what], values));
    }
  });
});
