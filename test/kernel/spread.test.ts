/** Workgroups dealt out among a processor's threads: every one is taken once, by each thread's stretch some of each part. */
import { expect, it } from "vitest";
import grid from "../../wgsl/lib/grid.wgsl";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();

const KERNEL = `
@group(0) @binding(0) var<storage, read_write> dealt: array<u32>; // [workgroups]

@compute @workgroup_size(1)
fn deal(invocation: Invocation) {
  dealt[flatWorkgroup(invocation)] = spreadWorkgroup(invocation, SPREAD);
}
`;

async function dealt(groups: [number, number], spread: number): Promise<number[]> {
  const source = { path: "test/deal.wgsl", text: KERNEL, needs: [grid] };
  const kernel = await gpu().kernel({
    label: "deal",
    sources: [source],
    entry: "deal",
    constants: { SPREAD: `${spread}u` },
  });
  const buffer = gpu().buffers.storage("dealt", 4 * groups[0] * groups[1], "other");
  await gpu().batch("deal").stage("order").dispatch(kernel.bind(buffer), groups).submit();
  const numbers = [...new Uint32Array(await gpu().read(buffer))];
  gpu().buffers.release(buffer);
  return numbers;
}

it.each([
  [1, 1, 2],
  [7, 1, 1],
  [7, 1, 3],
  [22, 1, 2],
  [5, 1, 8],
  [16, 5, 8],
  [101, 3, 7],
])("%i × %i workgroups by %i", async (x, y, spread) => {
  const numbers = await dealt([x, y], spread);
  const all = Array.from(numbers, (_, i) => i);
  expect([...numbers].sort((a, b) => a - b)).toEqual(all);
  if (spread === 1) expect(numbers).toEqual(all);
  // A thread's stretch has its share of the first half.
  const stretch = Math.floor(numbers.length / spread);
  for (let thread = 0; thread < spread; thread++) {
    const own = numbers.slice(thread * stretch, (thread + 1) * stretch);
    const early = own.filter((number) => number < (stretch * spread) / 2).length;
    expect(Math.abs(early - stretch / 2)).toBeLessThanOrEqual(1);
  }
});
