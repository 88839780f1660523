/** What an adapter can do: how fast it copies, and whether the arithmetic that the pipeline rests on is exact there. */

import probe from "../../wgsl/gpu/probe.wgsl";
import { type Batch, workgroups } from "./batch.ts";
import { u32 } from "./buffers.ts";
import type { GpuContext } from "./context.ts";
import { timeOfOne } from "./tune.ts";

/** Outcome of one check. */
export interface ProbeCheck {
  name: string;
  passed: boolean;
  /** What was found. */
  detail: string;
}

const WORKGROUP = 256;
const VEC4_BYTES = 16;

/** An entry of wgsl/gpu/probe.wgsl on buffers of its own, for as long as `use` takes. `source`: [count, 4], or its bytes. */
async function onBuffers<T>(
  gpu: GpuContext,
  entry: string,
  source: Uint32Array<ArrayBuffer> | number,
  use: (dispatch: (batch: Batch) => Batch, result: GPUBuffer, sums: GPUBuffer) => Promise<T>,
): Promise<T> {
  const bytes = typeof source === "number" ? source : source.byteLength;
  const count = Math.floor(bytes / VEC4_BYTES);
  const kernel = await gpu.kernel({ label: `probe/${entry}`, sources: [probe], entry });
  const own = gpu.buffers.pool();
  try {
    const there =
      typeof source === "number"
        ? own.storage("probe source", bytes, "other")
        : own.upload("probe source", source, "other");
    const result = own.storage("probe result", bytes, "other");
    const sums = own.storage("probe sums", 8 * Uint32Array.BYTES_PER_ELEMENT, "other");
    const bound = kernel.bind(own.uniform("probe", u32(count)), there, result, sums);
    return await use((batch) => batch.dispatch(bound, workgroups(count, WORKGROUP)), result, sums);
  } finally {
    own.destroyAll();
  }
}

/** Runs one entry of wgsl/gpu/probe.wgsl over `source` [count, 4]. */
function probeRun(gpu: GpuContext, entry: string, source: Uint32Array<ArrayBuffer>) {
  return onBuffers(gpu, entry, source, async (dispatch, result, sums) => {
    await dispatch(gpu.batch("probe").stage("probe")).submit();
    return { result: new Uint32Array(await gpu.read(result)), sums: new Uint32Array(await gpu.read(sums)) };
  });
}

const BANDWIDTH_BYTES = 64 * 2 ** 20;

/** Bytes read plus bytes written per second by a kernel that copies [byte/s]. The best of a few tries. */
export async function copyBandwidth(gpu: GpuContext): Promise<number> {
  const bytes = Math.min(BANDWIDTH_BYTES, gpu.device.limits.maxStorageBufferBindingSize);
  const count = Math.floor(bytes / VEC4_BYTES);
  return onBuffers(gpu, "copy", bytes, async (dispatch) => {
    const ms = await timeOfOne({ name: "copy", run: (times, clock) => clock.ofGpu("copies", times, dispatch) }, gpu);
    return (2 * VEC4_BYTES * count) / (ms / 1000);
  });
}

/** 32-bit words that look random, the same everywhere (Weyl sequence through a multiplicative hash). */
function words(length: number): Uint32Array<ArrayBuffer> {
  return Uint32Array.from({ length }, (_, i) => {
    const x = Math.imul(i + 1, 0x9e3779b9);
    return Math.imul(x ^ (x >>> 15), 0x85ebca6b);
  });
}

const CHECKED = 65_536;
const MASK = 0xffff_ffffn;
const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);
const bitsOf = (value: number): number => {
  float[0] = value;
  return bits[0];
};

/** Whether 64-bit sums, wide products, rounding and float32 are what the pipeline takes them to be. */
export async function arithmeticChecks(gpu: GpuContext): Promise<ProbeCheck[]> {
  const source = words(4 * CHECKED);
  const expectedSums = new BigUint64Array(4);
  for (let i = 0; i < CHECKED; i++) {
    source[4 * i + 1] &= 0x3fff; // the factor is a mesh size
    expectedSums[i % 4] += BigInt(source[4 * i]);
    const weight = (source[4 * i + 2] % 2 ** 22) + 0.25 * (i % 4); // halves too: ties go to even
    source[4 * i + 2] = bitsOf(weight);
    source[4 * i + 3] = bitsOf((source[4 * i + 3] / 2 ** 32) * 1e-3);
  }
  const { sums } = await probeRun(gpu, "carry", source);
  const wrongSums = expectedSums.filter(
    (expected, cell) => (BigInt(sums[2 * cell + 1]) << 32n) + BigInt(sums[2 * cell]) !== expected,
  ).length;
  const { result } = await probeRun(gpu, "arithmetic", source);
  const wrong = { product: 0, rounding: 0, float: 0 };
  const asFloat = new Float32Array(source.buffer);
  for (let i = 0; i < 4 * CHECKED; i += 4) {
    const product = BigInt(source[i]) * BigInt(source[i + 1]);
    if (BigInt(result[i]) !== product >> 32n || BigInt(result[i + 1]) !== (product & MASK)) wrong.product++;
    if (result[i + 2] !== roundedToEven(asFloat[i + 2])) wrong.rounding++;
    if (result[i + 3] !== bitsOf(asFloat[i + 2] + asFloat[i + 3])) wrong.float++;
  }
  const found = (count: number, of: number) => (count === 0 ? `${of} of ${of} exact` : `${count} of ${of} wrong`);
  return [
    { name: "64-bit sums by atomics with carry", passed: wrongSums === 0, detail: found(wrongSums, 4) },
    { name: "fixed-point products", passed: wrong.product === 0, detail: found(wrong.product, CHECKED) },
    { name: "rounding by addition", passed: wrong.rounding === 0, detail: found(wrong.rounding, CHECKED) },
    { name: "float32 sums, correctly rounded", passed: wrong.float === 0, detail: found(wrong.float, CHECKED) },
  ];
}

function roundedToEven(value: number): number {
  const floor = Math.floor(value);
  const above = value - floor;
  if (above !== 0.5) return above < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}
