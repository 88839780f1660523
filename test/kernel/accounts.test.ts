/** Several simulations on one device: stage times and bytes of each are its own, kernels are compiled once. */
import { expect, it, vi } from "vitest";
import { DirectPipeline } from "../../src/engine/direct/pipeline.ts";
import { MeshPipeline } from "../../src/engine/pipeline/pipeline.ts";
import { acquireNodeContext } from "../../src/foundation/gpu/device.node.ts";
import { directSettings } from "../support/direct-pipeline.ts";
import { useGpu } from "../support/gpu.ts";
import { plummerSphere } from "../support/particles.ts";
import { pipelineSettings } from "../support/pipeline.ts";

const gpu = useGpu();

it("keeps times and bytes of two simulations on one device apart", async () => {
  const before = gpu().buffers.bytes().total;
  const mesh = await MeshPipeline.create(
    gpu(),
    pipelineSettings({ cells: 16 }, "isolated", 10),
    await plummerSphere(500, 10),
  );
  const alone = mesh.memory();
  expect(gpu().buffers.bytes().total - before).toBe(alone.total);
  const settings = directSettings();
  const direct = await DirectPipeline.create(gpu(), settings, await plummerSphere(200, settings.boxSize));
  expect(mesh.memory()).toEqual(alone);
  expect(direct.memory().mesh).toBe(0);
  expect(gpu().buffers.bytes().total - before).toBe(alone.total + direct.memory().total);
  for (const pipeline of [mesh, direct]) {
    pipeline.resetTimes();
    pipeline.timeStages();
  }
  await Promise.all([mesh.advance(2, 0.01), direct.advance(1, settings.step)]);
  const stages = (pipeline: { stageTimes(): { stage: string }[] }) => pipeline.stageTimes().map(({ stage }) => stage);
  expect(stages(mesh).sort()).toEqual(["deposit", "gradient", "order", "poisson", "update"]);
  expect(stages(direct)).not.toContain("poisson");
  const times = mesh.stageTimes();
  await direct.advance(1, settings.step);
  expect(mesh.stageTimes()).toEqual(times);
  direct.destroy();
  expect(mesh.memory()).toEqual(alone);
  await mesh.advance(1, 0.01);
  mesh.destroy();
  expect(gpu().buffers.bytes().total).toBe(before);
});

it("compiles a kernel once for a device, and again after it failed", async () => {
  const own = await acquireNodeContext(); // for which nobody else has compiled any
  const make = vi.spyOn(own.device, "createComputePipelineAsync");
  const one = async () => {
    const set = await plummerSphere(300, 10);
    (await MeshPipeline.create(own, pipelineSettings({ cells: 24 }, "periodic", 10), set)).destroy();
  };
  await one();
  const first = make.mock.calls.length;
  expect(first).toBeGreaterThan(10);
  await one();
  expect(make.mock.calls.length).toBe(first);
  const broken = { label: "broken", sources: [{ path: "b.wgsl", text: "fn" }], entry: "main" };
  for (let time = 0; time < 2; time++) await expect(own.kernel(broken)).rejects.toThrow(/broken does not compile/);
  own.destroy();
});
