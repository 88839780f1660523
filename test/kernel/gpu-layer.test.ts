import { describe, expect, it } from "vitest";
import { workgroups } from "../../src/gpu/batch.ts";
import { packUniform } from "../../src/gpu/buffers.ts";
import { GpuContext } from "../../src/gpu/context.ts";
import { nodeGpu } from "../../src/gpu/device.node.ts";
import { adapterSummary } from "../../src/gpu/device.ts";
import grid from "../../wgsl/lib/grid.wgsl";
import { poison, useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const SQUARE = {
  path: "test/square.wgsl",
  text: `struct Params { count: u32, offset: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(64)
fn main(invocation: Invocation) {
  let i = flatIndex(invocation, 64u);
  if (i < params.count) { output[i] = input[i] * input[i] + params.offset + EXTRA; }
}`,
};

describe("the GPU layer", () => {
  it("composes, binds, dispatches, times and reads back", async () => {
    const count = 100_003;
    const kernel = await gpu().kernel({
      label: "square",
      sources: [grid, SQUARE],
      entry: "main",
      constants: { EXTRA: 5 },
    });
    const input = gpu().buffers.upload(
      "input",
      Uint32Array.from({ length: count }, (_, i) => i % 1000),
      "other",
    );
    const output = gpu().buffers.storage("output", 4 * count, "other");
    poison(gpu(), output);
    const params = gpu().buffers.uniform(
      "params",
      packUniform([
        ["u32", count],
        ["u32", 7],
      ]),
    );
    const bound = kernel.bind(params, input, output);
    await gpu().batch("test").stage("square").dispatch(bound, workgroups(count, 64)).submit();
    const result = new Uint32Array(await gpu().read(output));
    expect(result).toEqual(Uint32Array.from({ length: count }, (_, i) => (i % 1000) ** 2 + 12));
    expect(
      gpu()
        .timer.totals()
        .find(({ stage }) => stage === "square")!.ms,
    ).toBeGreaterThan(0);
  });

  it("points compiler errors at the file and line that a person edits", async () => {
    const broken = { path: "wgsl/broken.wgsl", text: "fn fine() {}\nfn bad() { let x: u32 = 1.5; }\n" };
    await expect(
      gpu().kernel({ label: "broken", sources: [grid, broken], entry: "bad", constants: { A: 1 } }),
    ).rejects.toThrow(/kernel broken does not compile:\nwgsl\/broken\.wgsl:2:\d+/);
  });

  it("rejects the submission's promise, naming the stage, when a dispatch is invalid", async () => {
    const kernel = await gpu().kernel({
      label: "square",
      sources: [grid, SQUARE],
      entry: "main",
      constants: { EXTRA: 0 },
    });
    const buffer = gpu().buffers.storage("aliased", 256, "other");
    const params = gpu().buffers.uniform(
      "params",
      packUniform([
        ["u32", 4],
        ["u32", 7],
      ]),
    );
    const bound = kernel.bind(params, buffer, buffer); // read and write of one buffer in one dispatch
    await expect(gpu().batch("bad batch").stage("squares").dispatch(bound, [1]).submit()).rejects.toThrow(
      /bad batch \(squares\)/,
    );
  });

  it("refuses a buffer past the adapter's limits with the figures", () => {
    expect(() => gpu().buffers.storage("huge", 2 ** 42, "mesh")).toThrow(/huge needs .* adapter binds at most .* try/);
  });

  it("times stages by the wall clock where there are no timestamps, with the same results", async () => {
    const adapter = await nodeGpu().requestAdapter();
    const device = await adapter!.requestDevice({ label: "bare" });
    const bare = new GpuContext(device, adapterSummary(adapter!.info), { owned: true });
    try {
      expect(bare.timer.timestamps).toBe(false);
      const kernel = await bare.kernel({
        label: "square",
        sources: [grid, SQUARE],
        entry: "main",
        constants: { EXTRA: 0 },
      });
      const count = 5000;
      const buffers = ["a", "b", "c"].map((label) => bare.buffers.storage(label, 4 * count, "other"));
      device.queue.writeBuffer(
        buffers[0],
        0,
        Uint32Array.from({ length: count }, (_, i) => i % 10),
      );
      const params = bare.buffers.uniform(
        "params",
        packUniform([
          ["u32", count],
          ["u32", 1],
        ]),
      );
      const [first, second] = [
        kernel.bind(params, buffers[0], buffers[1]),
        kernel.bind(params, buffers[1], buffers[2]),
      ];
      const groups = workgroups(count, 64);
      const batch = bare.batch("two stages").stage("one").clear(buffers[1]).dispatch(first, groups);
      await batch.stage("two").dispatch(second, groups).stage("one").dispatch(first, groups).submit();
      const result = new Uint32Array(await bare.read(buffers[2]));
      expect(result).toEqual(Uint32Array.from({ length: count }, (_, i) => ((i % 10) ** 2 + 1) ** 2 + 1));
      const times = Object.fromEntries(bare.timer.totals().map(({ stage, ms, count: n }) => [stage, { ms, n }]));
      expect(Object.keys(times).sort()).toEqual(["one", "two"]);
      expect(times.one).toMatchObject({ n: 1 });
      expect(times.one.ms).toBeGreaterThan(0);
      expect(times.two.ms).toBeGreaterThan(0);
    } finally {
      bare.destroy();
    }
  });

  it("turns an uncaptured error into a rejection of the work that is waited for next", async () => {
    const adapter = await nodeGpu().requestAdapter();
    const device = await adapter!.requestDevice({ label: "wronged" });
    const wronged = new GpuContext(device, adapterSummary(adapter!.info), { owned: true });
    try {
      device.createBuffer({ label: "impossible", size: 16, usage: 0xffff });
      await expect(wronged.wait(new Promise(() => {}), "stage deposit")).rejects.toThrow(
        /stage deposit: uncaptured GPU error/,
      );
      expect(() => wronged.batch("more")).toThrow(/uncaptured GPU error/);
    } finally {
      wronged.destroy();
    }
  });
});
