/**
 * What a step asks of the device with a GPU's kernels: it creates nothing, maps nothing but what a submission reads back, and
 * dispatches nothing indirectly, for which Dawn allocates memory on the host's side, a millisecond each on NVIDIA.
 */
import { expect, it } from "vitest";
import { MeshPipeline } from "../../src/engine/pipeline/pipeline.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { WindowLimits } from "../../src/foundation/gpu/windows.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import type { Deck } from "../../src/scenario/scenario.ts";
import { engineMeshSettings } from "../../src/scenario/simulation/engine.ts";
import { particlesOf } from "../../src/study/bench/stages.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();

/** Steps are submitted one by one, however busy the machine is. */
const ONE = { submission: 1e-3 };

const CREATES = /^create(?!CommandEncoder)/;

/** A device that counts, by name, what is created on it, indirect dispatches, and buffers that are mapped. */
function counting(device: GPUDevice, calls: Record<string, number>): GPUDevice {
  const note = (name: string) => {
    calls[name] = (calls[name] ?? 0) + 1;
  };
  const watched = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, key) {
        const value = Reflect.get(target, key, target);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => {
          const name = String(key);
          if (CREATES.test(name) || name === "dispatchWorkgroupsIndirect") note(name);
          const made = value.apply(target, given);
          if (name === "createBuffer") {
            const map = made.mapAsync.bind(made);
            made.mapAsync = (...range: unknown[]) => {
              note("mapAsync");
              return map(...range);
            };
          }
          return /^(createCommandEncoder|beginComputePass)$/.test(name) ? watched(made) : made;
        };
      },
    });
  return watched(device);
}

const SPHERE = { kind: "plummer", name: "sphere", count: 6000, scale: 0.05, cutoff: 0.4 } as const;
const isolated = { size: 1, boundary: "isolated" } as const;
const CASES: Record<string, { deck: Partial<Deck>; windows?: WindowLimits }> = {
  periodic: {
    deck: { box: { size: 1, boundary: "periodic" }, particles: [{ kind: "uniform", count: 6000, mass: 1 }] },
  },
  isolated: { deck: { box: isolated } },
  "with levels": {
    deck: { box: isolated, mesh: { cells: 32 }, level: [{ around: "sphere", refinement: 2, cells: 48 }] },
  },
  MOND: { deck: { box: isolated, mond: { formulation: "qumond", a0: 64 } } },
  "on a mesh in slabs": { deck: { box: isolated }, windows: { planes: 2, particles: 4096 } },
};

it.each(Object.keys(CASES))("%s: creates nothing", async (name) => {
  const { deck, windows } = CASES[name];
  const scenario = completeScenario({
    ...{ title: name, mesh: { cells: 16 }, particles: [SPHERE], time: { end: 1, step: 1e-3 } },
    ...deck,
  } as Deck);
  const calls: Record<string, number> = {};
  const onGpu = { ...gpu().adapter, software: false };
  const context = new GpuContext(counting(gpu().device, calls), onGpu, { owned: false, parent: gpu(), windows });
  const set = await particlesOf(scenario);
  const pipeline = await MeshPipeline.create(context, engineMeshSettings(scenario, [], set.components), set);
  try {
    await pipeline.advance(8, 1e-3, ONE); // finds how many steps a submission takes, and makes what it reads back into
    await pipeline.advance(8, 1e-3, ONE);
    for (const key of Object.keys(calls)) delete calls[key];
    pipeline.resetTimes();
    await pipeline.advance(16, 1e-3, ONE);
    const { mapAsync = 0, ...made } = calls;
    expect(made).toEqual({});
    expect(mapAsync).toBeLessThanOrEqual(pipeline.traffic().submissions);
  } finally {
    pipeline.destroy();
  }
});
