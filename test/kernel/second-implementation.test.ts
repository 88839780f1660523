/**
 * Another implementation of Vulkan beside the machine's own: the same bits where numbers are whole, the same to rounding
 * where they aren't. Skipped, by name, on a machine that has none. And another of WebGPU, which is that of Firefox: the same
 * bits altogether.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import { nodeGpu } from "../../src/foundation/gpu/device.node.ts";
import { acquireContext } from "../../src/foundation/gpu/device.ts";
import { type AdapterResults, adapterResults, type Extent } from "../support/adapter-results.ts";
import { firstDifference } from "../support/compare.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";
import { relativeErrors } from "../support/mesh-mass.ts";
import { swiftShaderDriver } from "../support/swiftshader.ts";
import { onWgpu } from "../support/wgpu.ts";

/** Over the rms value, and over the largest: 2.2e-7 and 4.6e-7 between llvmpipe and SwiftShader, of forces in a mesh. */
const ROUNDING = { rms: 5e-7, worst: 1e-6 };

const driver = swiftShaderDriver();
const gpu = useGpu();
const [EXTENT] = inFull<Extent>(["all"], ["some"]);

describe.runIf(driver)("SwiftShader beside the machine's adapter", () => {
  let other: GpuContext | undefined;
  let [here, there]: AdapterResults[] = [];
  beforeAll(async () => {
    here = await adapterResults(gpu(), EXTENT);
    // Vulkan looks for drivers whenever it is started; it has found the machine's own by now.
    vi.stubEnv("VK_DRIVER_FILES", driver!);
    other = await acquireContext(nodeGpu("SwiftShader"));
    there = await adapterResults(other, EXTENT);
  });
  afterAll(() => {
    other?.destroy();
    vi.unstubAllEnvs();
  });

  it("is another implementation", () => {
    expect(other!.adapter.description).toMatch(/SwiftShader/);
    expect(gpu().adapter.description).not.toMatch(/SwiftShader/);
  });

  it("has the same bits of cell masses, order, groups, neighbours and counts", () => {
    const { integers } = here;
    expect(Object.keys(integers).length).toBeGreaterThan(10);
    expect(Object.keys(there.integers)).toEqual(Object.keys(integers));
    for (const [what, values] of Object.entries(integers)) {
      expect(values.length).toBeGreaterThan(0);
      expect(`${what}: ${firstDifference(there.integers[what], values)}`).toBe(`${what}: same`);
    }
  });

  it("has potentials, forces, motion and spectra to rounding", () => {
    const { floats } = here;
    expect(Object.keys(floats).length).toBeGreaterThan(8);
    for (const [what, values] of Object.entries(floats)) {
      const { rms, worst } = relativeErrors(there.floats[what], values);
      expect(rms, what).toBeLessThan(ROUNDING.rms);
      expect(worst, what).toBeLessThan(ROUNDING.worst);
    }
  });
});

describe.runIf(process.env.GRAVMESH_NO_DENO !== "1")("wgpu and naga beside Dawn and Tint", () => {
  it("have the same bits of all that is computed on a processor, on GPUs of whole numbers", async () => {
    const [here, { adapter, results }] = [await adapterResults(gpu(), EXTENT), await onWgpu({ results: EXTENT })];
    expect(adapter.software).toBe(gpu().adapter.software);
    for (const kind of ["integers", "floats"] as const) {
      expect(Object.keys(results![kind])).toEqual(Object.keys(here[kind]));
      for (const [what, values] of Object.entries(here[kind])) {
        const found = results![kind][what];
        expect(values.length, what).toBeGreaterThan(0);
        if (kind === "integers" || adapter.software) {
          expect(`${what}: ${firstDifference(found, values)}`).toBe(`${what}: same`);
        } else expect(relativeErrors(found, values).worst, what).toBeLessThan(ROUNDING.worst);
      }
    }
  });
});
