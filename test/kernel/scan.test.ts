import { describe, expect, it } from "vitest";
import { Scan, type ScanShape } from "../../src/engine/gpu-particles/scan.ts";
import { firstDifference } from "../support/compare.ts";
import { poison, useGpu } from "../support/gpu.ts";

const gpu = useGpu();

function prefixSums(values: Uint32Array): Uint32Array {
  const sums = new Uint32Array(values.length);
  let sum = 0;
  values.forEach((value, i) => {
    sums[i] = sum;
    sum += value;
  });
  return sums;
}

describe.each<ScanShape>(["sequential", "workgroup"])("exclusive scan, %s", (shape) => {
  it.each([1, 2, 255, 256, 257, 2048, 2049, 8192, 65_537, 524_289, 2_097_155, 3_000_001])("%i words", async (count) => {
    const values = Uint32Array.from({ length: count }, (_, i) => (Math.imul(i + 1, 2654435761) >>> 20) % 1000);
    const guard = 3; // words behind the scanned ones that must stay as they are
    const buffer = gpu().buffers.storage("values", 4 * (count + guard), "other");
    poison(gpu(), buffer);
    const untouched = new Uint32Array(await gpu().read(buffer, 4 * count)).slice();
    gpu().device.queue.writeBuffer(buffer, 0, values);
    const scan = await Scan.create(gpu(), [{ buffer, count }], shape);
    const batch = gpu().batch("scan").stage("order");
    scan.encode(batch);
    await batch.submit();
    const result = new Uint32Array(await gpu().read(buffer));
    expect(firstDifference(result.subarray(0, count), prefixSums(values))).toBe("same");
    expect(result.subarray(count)).toEqual(untouched);
    scan.destroy();
    gpu().buffers.release(buffer);
  });

  it("goes on from part to part", async () => {
    const parts = [300, 3000, 5].map((count) => ({ buffer: gpu().buffers.storage("part", 4 * 3000, "other"), count }));
    for (const { buffer, count } of parts) gpu().device.queue.writeBuffer(buffer, 0, new Uint32Array(count).fill(2));
    const scan = await Scan.create(gpu(), parts, shape);
    const batch = gpu().batch("scan").stage("order");
    scan.encode(batch);
    await batch.submit();
    const firsts = parts.map(async ({ buffer }) => new Uint32Array(await gpu().read(buffer, 0, 4))[0]);
    expect(await Promise.all(firsts)).toEqual([0, 600, 6600]);
    scan.destroy();
    for (const { buffer } of parts) gpu().buffers.release(buffer);
  });
});

describe("the choice of shape", () => {
  it("picks one of the two and gives its scratch back", async () => {
    const buffer = gpu().buffers.storage("values", 4 * 10_000, "other");
    const before = gpu().buffers.bytes().total;
    const scan = await Scan.create(gpu(), [{ buffer, count: 10_000 }]);
    expect(["sequential", "workgroup"]).toContain(scan.shape);
    scan.destroy();
    expect(gpu().buffers.bytes().total).toBe(before);
  });
});
