import { afterEach, describe, expect, it, vi } from "vitest";
import { workgroups } from "../../src/foundation/gpu/batch.ts";
import { packUniform } from "../../src/foundation/gpu/buffers.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import { nodeGpu } from "../../src/foundation/gpu/device.node.ts";
import { adapterSummary, wrapDevice } from "../../src/foundation/gpu/device.ts";
import { combined } from "../../src/foundation/gpu/timing.ts";
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

afterEach(() => vi.unstubAllGlobals());

describe("the GPU layer", () => {
  it("sleeps while kernels are compiled, where Dawn would poll", async () => {
    const { setImmediate: inTurn } = globalThis;
    let turns = 0;
    const counted = (...args: Parameters<typeof inTurn>) => {
      turns += 1;
      return inTurn(...args);
    };
    vi.stubGlobal("setImmediate", counted);
    const since = performance.now();
    const spec = { label: "square", sources: [grid, SQUARE], entry: "main" };
    const first = Date.now() % 2 ** 31; // numbers that no cache of compiled kernels knows
    const numbers = Array.from({ length: 40 }, (_, i) => first + i);
    await Promise.all(numbers.map((EXTRA) => gpu().kernel({ ...spec, constants: { EXTRA } })));
    expect(turns).toBeGreaterThan(0);
    expect(turns).toBeLessThan(30 + 4 * (performance.now() - since)); // some 30 a millisecond without sleep
  });

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
    gpu().timer.wanted = true;
    await gpu().batch("test").stage("square").dispatch(bound, workgroups(count, 64)).submit();
    const result = new Uint32Array(await gpu().read(output));
    expect(result).toEqual(Uint32Array.from({ length: count }, (_, i) => (i % 1000) ** 2 + 12));
    expect(
      gpu()
        .timer.totals()
        .find(({ stage }) => stage === "square")!.ms,
    ).toBeGreaterThan(0);
  });

  it("times a copy into texels with its stage", async () => {
    const { buffers, timer } = gpu();
    const [side, rowBytes] = [64, 16 * 64];
    const force = buffers.storage("force", 16 * side ** 3, "mesh");
    const texture = buffers.texels("texels", side, side, "mesh");
    const times = () => timer.totals().find(({ stage }) => stage === "copied")?.ms ?? 0;
    timer.wanted = true;
    const batch = gpu().batch("copy").stage("copied");
    for (let i = 0; i < 8; i++) batch.copyIntoTexels(force, rowBytes, texture, side);
    await batch.submit();
    expect(times()).toBeGreaterThan(0);
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

  it("times stages by the wall clock where there are no timestamps and somebody asks, with the same results", async () => {
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
      const run = async () => {
        const before = { ...bare.traffic };
        let read = new Uint32Array(0);
        const batch = bare.batch("two stages").stage("one").clear(buffers[1]).dispatch(first, groups);
        batch.stage("two").dispatch(second, groups).stage("one").dispatch(first, groups);
        await batch
          .read(buffers[2], 0, 4 * count, (data) => {
            read = new Uint32Array(data);
          })
          .submit();
        return { result: read, traffic: combined(bare.traffic, before, -1) };
      };
      const untimed = await run();
      expect(untimed.traffic).toEqual({ submissions: 1, waits: 1, bytesRead: 4 * count });
      expect(bare.timer.totals()).toEqual([]);
      bare.timer.wanted = true;
      const { result, traffic } = await run();
      expect(traffic).toEqual({ submissions: 4, waits: 4, bytesRead: 4 * count });
      expect(untimed.result).toEqual(result);
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

  it("leaves uncaptured errors of a caller's own device to the caller, and error scopes as they were", async () => {
    const adapter = await nodeGpu().requestAdapter();
    const device = await adapter!.requestDevice({ label: "shared with a renderer" });
    const guest = wrapDevice(device);
    try {
      const theirs: string[] = [];
      const unhandled: boolean[] = [];
      device.addEventListener("uncapturederror", (event) => {
        theirs.push(event.error.message);
        unhandled.push(!event.defaultPrevented);
        event.preventDefault();
      });
      guest.batch("dropped").stage("nothing"); // recorded and never submitted
      device.createBuffer({ label: "the renderer's", size: 16, usage: 0xffff });
      await guest.wait(device.queue.onSubmittedWorkDone(), "a turn");
      expect(theirs).toEqual([expect.stringMatching(/usage/i)]);
      expect(unhandled).toEqual([true]);

      // The simulation goes on, and what it does wrong itself is told by its own promise alone.
      const buffer = guest.buffers.storage("mine", 16, "other");
      await guest.batch("right").clear(buffer).submit();
      const wrong = guest.batch("wrong").stage("copies").copy(buffer, 0, buffer, 0, 16);
      await expect(wrong.submit()).rejects.toThrow(/wrong \(copies\)/);
      await guest.batch("right again").clear(buffer).submit();
      expect(theirs.length).toBe(1);
      device.pushErrorScope("validation");
      device.createBuffer({ label: "the renderer's", size: 16, usage: 0xffff });
      expect((await device.popErrorScope())?.message).toMatch(/usage/i);
    } finally {
      guest.destroy();
      device.destroy();
    }
  });
});
