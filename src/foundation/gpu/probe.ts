/** What an adapter can do: how fast it copies, and whether the arithmetic that the pipeline rests on is exact there. */

import probe from "../../../wgsl/foundation/gpu/probe.wgsl";
import { type Batch, workgroups } from "./batch.ts";
import { u32 } from "./buffers.ts";
import type { GpuContext } from "./context.ts";

export interface ProbeCheck {
  name: string;
  passed: boolean;
  detail: string;
}

const WORKGROUP = 256;
const VEC4_BYTES = 16;

/** An entry of wgsl/foundation/gpu/probe.wgsl on buffers of its own, for as long as `use` takes. `source`: [count, 4], or its bytes. */
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

/** Runs one entry of wgsl/foundation/gpu/probe.wgsl over `source` [count, 4]. */
function probeRun(gpu: GpuContext, entry: string, source: Uint32Array<ArrayBuffer>) {
  return onBuffers(gpu, entry, source, async (dispatch, result, sums) => {
    await dispatch(gpu.batch("probe").stage("probe")).submit();
    return { result: new Uint32Array(await gpu.read(result)), sums: new Uint32Array(await gpu.read(sums)) };
  });
}

const BANDWIDTH_BYTES = 64 * 2 ** 20;

/** Copies of which several submissions are timed last so long that waiting for one doesn't count [ms]. */
const LONG_ENOUGH = 100;
const MOST_COPIES = 4096;
const TRIES = 3;

/** Bytes read plus bytes written per second by a kernel that copies [byte/s]. The best of a few tries. */
export async function copyBandwidth(gpu: GpuContext): Promise<number> {
  const bytes = Math.min(BANDWIDTH_BYTES, gpu.device.limits.maxStorageBufferBindingSize);
  const count = Math.floor(bytes / VEC4_BYTES);
  const account = gpu.account(); // these copies are no part of anybody's times
  try {
    return await onBuffers(account, "copy", bytes, async (dispatch) => {
      const copies = async (times: number) => {
        const batch = account.batch("copies");
        for (let k = 0; k < times; k++) dispatch(batch.stage("timing"));
        const started = performance.now();
        await batch.submit();
        return performance.now() - started;
      };
      await copies(1); // compiles and warms up
      let times = 1;
      while ((await copies(times)) < LONG_ENOUGH && times < MOST_COPIES) times *= 2;
      // What a submission takes by itself drops out of the difference.
      const tries: number[] = [];
      for (let k = 0; k < TRIES; k++) tries.push((await copies(2 * times)) - (await copies(times)));
      const ms = Math.max(Number.MIN_VALUE, Math.min(...tries.filter((one) => one > 0)));
      return (2 * VEC4_BYTES * count * times) / (ms / 1000);
    });
  } finally {
    account.destroy();
  }
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
/** Units in the last place by which WGSL lets functions of float32 be off. */
const ALLOWED = { division: 2.5, "square root": 5, "reciprocal root": 2 };

/** Whether 64-bit sums, wide products, conversions and float32 are what the pipeline takes them to be. */
export async function arithmeticChecks(gpu: GpuContext): Promise<ProbeCheck[]> {
  return [...(await exactChecks(gpu)), ...(await conversionChecks(gpu)), ...(await functionChecks(gpu))];
}

function counted(name: string, wrong: number, of = CHECKED): ProbeCheck {
  return { name, passed: wrong === 0, detail: wrong === 0 ? `${of} of ${of} exact` : `${wrong} of ${of} wrong` };
}

/** Words of [CHECKED, 4], the last two of each row replaced by floats. */
function sourceOf(floats: (z: number, w: number, i: number) => [number, number]) {
  const source = words(4 * CHECKED);
  const asFloat = new Float32Array(source.buffer);
  for (let i = 0; i < CHECKED; i++) {
    const pair = floats(source[4 * i + 2] / 2 ** 32, source[4 * i + 3] / 2 ** 32, i);
    asFloat.set(pair, 4 * i + 2);
  }
  return { source, asFloat };
}

async function exactChecks(gpu: GpuContext): Promise<ProbeCheck[]> {
  const { source, asFloat } = sourceOf((z, w) => [2 ** 22 * z, 1e-3 * w]);
  const expectedSums = new BigUint64Array(4);
  for (let i = 0; i < CHECKED; i++) {
    source[4 * i + 1] &= 0x3fff; // the factor is a mesh size
    expectedSums[i % 4] += BigInt(source[4 * i]);
  }
  const { sums } = await probeRun(gpu, "carry", source);
  const wrongSums = expectedSums.filter(
    (expected, cell) => (BigInt(sums[2 * cell + 1]) << 32n) + BigInt(sums[2 * cell]) !== expected,
  ).length;
  const { result } = await probeRun(gpu, "arithmetic", source);
  const found = new Float32Array(result.buffer);
  const wrong = { product: 0, float: 0 };
  for (let i = 0; i < 4 * CHECKED; i += 4) {
    const product = BigInt(source[i]) * BigInt(source[i + 1]);
    if (BigInt(result[i]) !== product >> 32n || BigInt(result[i + 1]) !== (product & MASK)) wrong.product++;
    const [z, w] = [asFloat[i + 2], asFloat[i + 3]];
    if (found[i + 2] !== Math.fround(z + w) || found[i + 3] !== Math.fround(z * w)) wrong.float++;
  }
  return [
    counted("64-bit sums by atomics with carry", wrongSums, 4),
    counted("fixed-point products", wrong.product),
    counted("float32 sums and products, correctly rounded", wrong.float),
  ];
}

/** Rounding and conversions, with halves among them: ties go to the even neighbour. */
async function conversionChecks(gpu: GpuContext): Promise<ProbeCheck[]> {
  const { source, asFloat } = sourceOf((z, w, i) => [
    (i % 2 === 0 ? 1 : -1) * (Math.floor(2 ** 21 * z) + 0.25 * (i % 8)),
    2 ** 31 * (2 * w - 1),
  ]);
  const { result } = await probeRun(gpu, "conversions", source);
  const asInteger = new Int32Array(result.buffer);
  const found = new Float32Array(result.buffer);
  let wrong = 0;
  for (let i = 0; i < 4 * CHECKED; i += 4) {
    const [z, w] = [asFloat[i + 2], asFloat[i + 3]];
    const nearest = roundedToEven(z);
    const right =
      asInteger[i] === nearest &&
      result[i + 1] === Math.abs(nearest) &&
      asInteger[i + 2] === Math.trunc(Math.min(w, 2 ** 31 - 128)) &&
      found[i + 3] === (source[i] >>> 8) / 2 ** 24;
    if (!right) wrong++;
  }
  return [counted("rounding, and conversions between integers and float32", wrong)];
}

/** Functions that need not be exact: how far they are off. */
async function functionChecks(gpu: GpuContext): Promise<ProbeCheck[]> {
  const { source, asFloat } = sourceOf((z, w, i) => [
    (i % 2 === 0 ? 1 : -1) * (1 + z),
    (1 + w) * 2 ** ((i % 121) - 60),
  ]);
  const found = new Float32Array((await probeRun(gpu, "functions", source)).result.buffer);
  const most = { division: 0, "square root": 0, "reciprocal root": 0 };
  const fma = { once: 0, twice: 0, wrong: 0 };
  for (let i = 0; i < 4 * CHECKED; i += 4) {
    const [z, w] = [asFloat[i + 2], asFloat[i + 3]];
    const expected = { division: z / w, "square root": Math.sqrt(w), "reciprocal root": 1 / Math.sqrt(w) };
    for (const [k, name] of (["division", "square root", "reciprocal root"] as const).entries()) {
      most[name] = Math.max(most[name], unitsApart(found[i + k], expected[name]));
    }
    // Exact in float64 where z·w isn't far from z; the rest can't tell once from twice.
    const [once, twice] = [Math.fround(z * w - z), Math.fround(Math.fround(z * w) - z)];
    if (found[i + 3] !== once && found[i + 3] !== twice) fma.wrong++;
    else if (once !== twice) fma[found[i + 3] === once ? "once" : "twice"]++;
  }
  const fused = fma.twice === 0 ? "rounds once" : fma.once === 0 ? "rounds product and sum" : "rounds once or twice";
  return [
    ...Object.entries(ALLOWED).map(([name, allowed]) => {
      const off = most[name as keyof typeof ALLOWED];
      return {
        name: `float32 ${name}`,
        passed: off <= allowed,
        detail: `off by ${off.toFixed(2)} units in the last place at most, ${allowed} allowed`,
      };
    }),
    {
      name: "float32 fma",
      passed: fma.wrong === 0,
      detail: fma.wrong === 0 ? fused : `${fma.wrong} of ${CHECKED} wrong`,
    },
  ];
}

/** |found − expected| in units of the last place that `expected` has in float32; infinite where it is no number. */
function unitsApart(found: number, expected: number): number {
  const unit = 2 ** (Math.floor(Math.log2(Math.abs(expected))) - 23);
  const units = Math.abs(found - expected) / unit;
  return Number.isNaN(units) ? Number.POSITIVE_INFINITY : units;
}

function roundedToEven(value: number): number {
  const floor = Math.floor(value);
  const above = value - floor;
  if (above !== 0.5) return above < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}
