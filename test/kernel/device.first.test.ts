/** Which adapter a context is made on in Node, and how much of it is used. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import { acquireNodeContext, nodeGpu, withoutAbilities } from "../../src/foundation/gpu/device.node.ts";
import { acquireContext } from "../../src/foundation/gpu/device.ts";
import { memoryLimits } from "../../src/run/engine.ts";
import { chooseEngine } from "../../src/scenario/simulation/engine.ts";

afterEach(() => vi.unstubAllEnvs());

const DEFAULTS = {
  maxStorageBuffersPerShaderStage: 8,
  maxStorageBufferBindingSize: 2 ** 27,
  maxBufferSize: 2 ** 28,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupStorageSize: 16_384,
  maxComputeWorkgroupsPerDimension: 65_535,
};

/** The limits of DEFAULTS and the optional features that a context has. */
function abilities({ device }: GpuContext) {
  const limits = Object.keys(DEFAULTS).map((name) => [name, device.limits[name as keyof typeof DEFAULTS]]);
  const features = (["timestamp-query", "subgroups"] as const).filter((feature) => device.features.has(feature));
  return { limits: Object.fromEntries(limits), features };
}

async function of(made: Promise<GpuContext>) {
  const context = await made;
  try {
    const { description: name, software } = context.adapter;
    return { ...abilities(context), name, software, memory: memoryLimits(context).total };
  } finally {
    context.destroy();
  }
}

describe("a context", () => {
  it("has what every WebGPU device has when told to ask for no more", async () => {
    const bare = await of(acquireContext(nodeGpu(), { limits: "default", features: [] }));
    expect(bare).toMatchObject({ limits: DEFAULTS, features: [] });
  });

  it("does without what GRAVMESH_WITHOUT says, and has the rest", async () => {
    vi.stubEnv("GRAVMESH_WITHOUT", "");
    const all = await of(acquireNodeContext());
    vi.stubEnv("GRAVMESH_WITHOUT", "subgroups");
    const without = await of(acquireNodeContext());
    expect(without).toEqual({ ...all, features: all.features.filter((feature) => feature !== "subgroups") });
    vi.stubEnv("GRAVMESH_WITHOUT", "raised-limits, timestamp-query");
    const limited = await of(acquireNodeContext());
    const features = all.features.filter((feature) => feature !== "timestamp-query");
    expect(limited).toMatchObject({ limits: DEFAULTS, features, software: all.software });
    vi.stubEnv("GRAVMESH_WITHOUT", "software-kernels");
    expect(await of(acquireNodeContext())).toEqual({ ...all, software: false });
  });

  it("refuses words that it doesn't know, whatever the backend", async () => {
    expect(() => withoutAbilities("subgroups,shader-f16")).toThrow(
      'GRAVMESH_WITHOUT: "shader-f16" is none of raised-limits, timestamp-query, subgroups, software-kernels',
    );
    vi.stubEnv("GRAVMESH_WITHOUT", "everything");
    await expect(chooseEngine({})).rejects.toMatchObject({ kind: "usage" });
  });

  it("is made on the adapter that GRAVMESH_ADAPTER names, or refused with the names that there are", async () => {
    const { name } = await of(acquireNodeContext());
    const word = name.split(/[^a-z]/i)[0];
    vi.stubEnv("GRAVMESH_ADAPTER", word);
    expect(await of(acquireNodeContext())).toMatchObject({ name });
    vi.stubEnv("GRAVMESH_ADAPTER", "no such card");
    await expect(acquireNodeContext()).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(
        new RegExp(`^GRAVMESH_ADAPTER: no adapter has "no such card" in its name; found: .*${word}`),
      ),
    });
  });
});
