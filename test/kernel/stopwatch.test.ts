/** What times kernels: by timestamps, and by the wall clock where there are none. */
import { afterEach, describe, expect, it } from "vitest";
import { workgroups } from "../../src/gpu/batch.ts";
import { u32 } from "../../src/gpu/buffers.ts";
import type { GpuContext } from "../../src/gpu/context.ts";
import { nodeGpu } from "../../src/gpu/device.node.ts";
import { acquireContext } from "../../src/gpu/device.ts";
import { Stopwatch, timeOfOne } from "../../src/gpu/stopwatch.ts";
import probe from "../../wgsl/gpu/probe.wgsl";

const WORDS = 2 ** 18;
let context: GpuContext | undefined;
afterEach(() => {
  context?.destroy();
  context = undefined;
});

/** A kernel that copies, on a part of its buffers. */
async function copying(gpu: GpuContext) {
  const kernel = await gpu.kernel({ label: "copy", sources: [probe], entry: "copy" });
  const [source, result] = ["source", "result"].map((label) => gpu.buffers.storage(label, 16 * WORDS, "other"));
  const sums = gpu.buffers.storage("sums", 32, "other");
  return (count: number) => {
    const bound = kernel.bind(gpu.buffers.uniform("count", u32(count)), source, result, sums);
    return { bound, groups: workgroups(count, 256), result };
  };
}

describe.each([
  ["timestamps", ["timestamp-query"], 4, 0.02],
  ["the wall clock", [], 20, 2],
] as const)("by %s", (_, features, longEnough, jitter) => {
  it("tells how long repetitions take, and which of two is quicker", async () => {
    context = await acquireContext(nodeGpu(), { features: [...features] });
    const of = await copying(context);
    const [little, much] = [of(WORDS / 64), of(WORDS)];
    const clock = new Stopwatch(context);
    const before = context.buffers.bytes().total;
    const run = (times: number) => clock.ofGpu("copies", times, (batch) => batch.dispatch(much.bound, much.groups));
    await run(1);
    // The shortest of a few, as other programs may have the processor meanwhile.
    const least = async (times: number) => Math.min(await run(times), await run(times), await run(times));
    const [few, many] = [await least(4), await least(32)];
    expect(clock.resolution).toEqual({ longEnough, jitter });
    expect(many / few).toBeGreaterThan(2);
    // What lies between passes counts: a buffer that is cleared before each, a thousand times as much as is copied.
    const large = context.buffers.storage("cleared", 16 * 1024 * (WORDS / 64), "other");
    const between = (clear: boolean) =>
      clock.ofGpu("copies", 8, (batch) => (clear ? batch.clear(large) : batch).dispatch(little.bound, little.groups));
    const shortest = async (clear: boolean) =>
      Math.min(await between(clear), await between(clear), await between(clear));
    expect(await shortest(true)).toBeGreaterThan(2 * (await shortest(false)));
    context.buffers.release(large);
    clock.destroy();
    expect(context.buffers.bytes().total).toBe(before);
    expect(context.timer.totals()).toEqual([]);

    const [slow, quick] = [
      await timeOfOne(context, "copies", (batch) => batch.dispatch(much.bound, much.groups)),
      await timeOfOne(context, "copies", (batch) => batch.dispatch(little.bound, little.groups)),
    ];
    expect(slow / quick).toBeGreaterThan(2);
  });
});
