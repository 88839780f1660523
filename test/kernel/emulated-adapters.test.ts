/** Fallbacks for devices that can do less: what they compute has the bits of a device with all that the adapter offers. */
import { beforeAll, describe, expect, it } from "vitest";
import { DirectForces } from "../../src/engine/direct/forces.ts";
import { nodeGpu } from "../../src/foundation/gpu/device.node.ts";
import { type AdapterRequest, acquireContext } from "../../src/foundation/gpu/device.ts";
import { type AdapterResults, adapterResults, type Extent } from "../support/adapter-results.ts";
import { firstDifference } from "../support/compare.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const [EXTENT] = inFull<Extent>(["all"], ["some"]);

const EMULATIONS: [string, AdapterRequest][] = [
  ["WebGPU's default limits", { limits: "default" }],
  ["no timestamp-query", { features: ["subgroups"] }],
  ["no subgroups", { features: ["timestamp-query"] }],
  ["nothing beyond what every device has", { limits: "default", features: [] }],
];

describe("a device with", () => {
  let whole: AdapterResults;
  beforeAll(async () => {
    whole = await adapterResults(gpu(), EXTENT);
  });

  // The last has all that the first two lack.
  it.each(inFull(EMULATIONS, EMULATIONS.slice(2)))("%s: the same bits", async (_, options) => {
    const less = await acquireContext(nodeGpu(), { ...options, kernels: gpu().adapter.software ? "adapter" : "gpu" });
    try {
      const found = await adapterResults(less, EXTENT);
      for (const kind of ["integers", "floats"] as const) {
        expect(Object.keys(found[kind])).toEqual(Object.keys(whole[kind]));
        for (const [what, values] of Object.entries(whole[kind])) {
          expect(values.length).toBeGreaterThan(0);
          expect(`${what}: ${firstDifference(found[kind][what], values)}`).toBe(`${what}: same`);
        }
      }
    } finally {
      less.destroy();
    }
  });

  it("no subgroups refuses shapes by subgroups", async () => {
    const less = await acquireContext(nodeGpu(), { features: [] });
    try {
      const made = DirectForces.create(less, {
        order: "acceleration",
        precision: "single",
        softening: 0,
        shape: "subgroups",
      });
      await expect(made).rejects.toThrow(/expected one of plain, .*found "subgroups", which this adapter can't run/);
    } finally {
      less.destroy();
    }
  });
});
