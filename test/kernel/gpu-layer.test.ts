import { describe, expect, it } from "vitest";
import { workgroups } from "../../src/gpu/batch.ts";
import { packUniform } from "../../src/gpu/buffers.ts";
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
fn main(@builtin(workgroup_id) w: vec3u, @builtin(num_workgroups) n: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = flatIndex(w, n, l, 64u);
  if (i < params.count) { output[i] = input[i] * input[i] + params.offset + EXTRA; }
}`,
};
const BINDINGS = ["uniform", "read", "read-write"] as const;

describe("the GPU layer", () => {
  it("composes, binds, dispatches, times and reads back", async () => {
    const count = 100_003;
    const kernel = await gpu().kernel({
      label: "square",
      sources: [grid, SQUARE],
      entry: "main",
      bindings: BINDINGS,
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
    if (gpu().timer.enabled)
      expect(
        gpu()
          .timer.totals()
          .find(({ stage }) => stage === "square")!.ms,
      ).toBeGreaterThan(0);
  });

  it("points compiler errors at the file and line that a person edits", async () => {
    const broken = { path: "wgsl/broken.wgsl", text: "fn fine() {}\nfn bad() { let x: u32 = 1.5; }\n" };
    await expect(
      gpu().kernel({ label: "broken", sources: [grid, broken], entry: "bad", bindings: [], constants: { A: 1 } }),
    ).rejects.toThrow(/kernel broken does not compile:\nwgsl\/broken\.wgsl:2:\d+/);
  });

  it("rejects the submission's promise, naming the stage, when a dispatch is invalid", async () => {
    const kernel = await gpu().kernel({
      label: "square",
      sources: [grid, SQUARE],
      entry: "main",
      bindings: BINDINGS,
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
});
