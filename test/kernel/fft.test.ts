/** The GPU's Fourier transforms against float64 ones: all radices, both shapes, round trip, Parseval. */
import { describe, expect, it } from "vitest";
import { Fft3, meshLines } from "../../src/engine/mesh/fft/fft.ts";
import { LineKernels } from "../../src/engine/mesh/fft/fft-kernel.ts";
import {
  type FftShape,
  LENGTHS,
  linePlan,
  radices,
  shapesFor,
  twiddleTable,
} from "../../src/engine/mesh/fft/fft-plan.ts";
import { createPaddedSlabs } from "../../src/engine/mesh/fft/fft-slabs.ts";
import { LineFft } from "../../src/engine/mesh/fft/line-fft.ts";
import { fieldPitch } from "../../src/engine/mesh/field.ts";
import { RealFft3 } from "../../src/engine/reference/mesh/fft3.ts";
import type { WgslSource } from "../../src/foundation/gpu/compose.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import between from "../../wgsl/engine/mesh/fft/fft-between.wgsl";
import { firstDifference } from "../support/compare.ts";
import { inFull } from "../support/full.ts";
import { poison, useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const SHAPES: FftShape[] = ["line", "workgroup"];
/** Error of a float32 transform over the rms of its result: measured 1.0e-7 to 2.5e-7. */
const ROUNDING = 5e-7;

/** Frequency f divided by 1 + f: no two have the same factor. */
const OVER_FREQUENCY: WgslSource = {
  path: "test/kernel/fft.test.ts",
  text: [
    "fn prepareTransfer(place: Place) {}",
    "fn transferFactor(place: Place, k: u32) -> f32 { return 1.0 / f32(1u + k); }",
    "fn transferred(factor: f32, k: u32, v: vec2f) -> vec2f { return factor * v; }",
  ].join("\n"),
};

/** Deterministic numbers in [−1, 1). */
function noise(count: number, seed = 1): Float32Array<ArrayBuffer> {
  let state = seed >>> 0;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

/** rms of the difference over the rms of the expectation. */
function relativeError(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(found.length).toBe(expected.length);
  let difference = 0;
  let size = 0;
  for (let i = 0; i < found.length; i++) {
    difference += (found[i] - expected[i]) ** 2;
    size += expected[i] ** 2;
  }
  return Math.sqrt(difference / size);
}

/** [lines, 2n] float64 transforms of interleaved complex lines; the inverse is unnormalised. */
function exactLines(data: Float32Array, n: number, backwards: boolean): Float64Array {
  const fft = new LineFft(n);
  const result = new Float64Array(data.length);
  const out = new Float64Array(2 * n);
  for (let line = 0; line < data.length; line += 2 * n) {
    const input = Float64Array.from(data.subarray(line, line + 2 * n));
    if (backwards) for (let i = 1; i < 2 * n; i += 2) input[i] *= -1;
    fft.forward(out, input);
    if (backwards) for (let i = 1; i < 2 * n; i += 2) out[i] *= -1;
    result.set(out, line);
  }
  return result;
}

/** Transforms complex lines [lines, 2·n], of padded ones [lines, 2·filled], on the GPU; consecutive lines side by side, or rows one after another. */
async function transformLines(
  context: GpuContext,
  data: Float32Array<ArrayBuffer>,
  options: { n: number; shape: FftShape; rows?: boolean; filled?: number; backwards?: boolean; factors?: WgslSource },
): Promise<Float32Array> {
  const { n, shape, rows = false, filled = options.n, backwards = false, factors } = options;
  const [pointsIn, pointsOut] = backwards ? [n, filled] : [filled, n];
  const count = data.length / (2 * pointsIn);
  const kernels = new LineKernels(context, shape);
  const algorithm = factors ? "convolve" : backwards ? "inverse" : "forward";
  const modules = factors ? [between, factors] : [between];
  const kernel = await kernels.kernel("test lines", algorithm, { length: n, rows, filled }, modules);
  const source = kernels.table("source", rows ? data : transposed(data, count, pointsIn));
  const target = kernels.storage("target", 8 * count * pointsOut);
  poison(context, target);
  const layout = (points: number) => (rows ? { run: points, stride: 1 } : { run: 0, stride: count });
  const { kernel: bound, groups } = kernel.on(
    { count, lanes: rows ? 1 : count, source: layout(pointsIn), target: layout(pointsOut) },
    source,
    target,
  );
  await context.batch("lines").stage("fft").dispatch(bound, groups).submit();
  const result = new Float32Array(await context.read(target));
  kernels.destroy();
  return rows ? result : transposed(result, pointsOut, count);
}

/** [columns, rows] of complex [rows, columns]. */
function transposed(data: Float32Array, rows: number, columns: number): Float32Array<ArrayBuffer> {
  const result = new Float32Array(data.length);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      result.set(data.subarray(2 * (r * columns + c), 2 * (r * columns + c) + 2), 2 * (c * rows + r));
    }
  }
  return result;
}

/** [n, n, n+2] rows with the padding filled by a value that must not matter. */
function padded(values: Float32Array, n: number): Float32Array<ArrayBuffer> {
  const mesh = new Float32Array(n * n * (n + 2)).fill(Number.NaN);
  for (let row = 0; row < n * n; row++) mesh.set(values.subarray(row * n, (row + 1) * n), row * (n + 2));
  return mesh;
}

function unpadded(mesh: Float32Array, n: number): Float32Array {
  const values = new Float32Array(n ** 3);
  for (let row = 0; row < n * n; row++) values.set(mesh.subarray(row * (n + 2), row * (n + 2) + n), row * n);
  return values;
}

describe("the plan of a transform", () => {
  it("splits every length into radices that the kernels know", () => {
    const lengths = [8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096];
    expect(LENGTHS).toEqual(expect.arrayContaining(lengths));
    for (const length of LENGTHS) {
      for (const shape of SHAPES) {
        for (const algorithm of ["forward", "inverse", "convolve", "realForward", "realInverse"] as const) {
          for (const padded of [false, true]) {
            const [a, b, c] = radices(shape, {
              ...{ length, algorithm, rows: false, filled: padded ? length / 2 : length },
            });
            expect(a * b * c).toBe(length);
            for (const radix of [padded && a % 2 === 0 ? a / 2 : a, b, c])
              expect([1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 16]).toContain(radix);
          }
        }
      }
    }
    expect(() => radices("line", { length: 20, algorithm: "forward", rows: false })).toThrow(
      /expected one of 8, 12, 16, .*4096, found 20/,
    );
  });

  it("puts eight strided lines side by side where the adapter allows, and fits the least that WebGPU promises", () => {
    const device = (invocations: number, bytes: number) =>
      ({
        device: {
          limits: {
            maxComputeInvocationsPerWorkgroup: invocations,
            maxComputeWorkgroupSizeX: invocations,
            maxComputeWorkgroupStorageSize: bytes,
          },
        },
      }) as GpuContext;
    const strided = { algorithm: "forward", rows: false } as const;
    for (const length of [128, 192, 256, 384, 512]) {
      expect(linePlan(device(1024, 32_768), "workgroup", { ...strided, length }).lines).toBeGreaterThanOrEqual(8);
    }
    expect(linePlan(device(1024, 49_152), "workgroup", { ...strided, length: 768 }).lines).toBe(8);
    expect(linePlan(device(1024, 65_536), "workgroup", { ...strided, length: 1024 }).lines).toBe(8);
    for (const length of [8, 64, 128, 256, 384, 512, 768, 1024, 1536]) {
      for (const rows of [false, true]) {
        const { lines, threads, pitch } = linePlan(device(256, 16_384), "workgroup", { ...strided, rows, length });
        expect(lines).toBeGreaterThanOrEqual(1);
        expect(lines * threads).toBeLessThanOrEqual(256);
        expect(8 * lines * pitch).toBeLessThanOrEqual(16_384);
      }
    }
  });

  it("begins long rows of the field at whole cache lines", () => {
    expect([16, 64, 192].map(fieldPitch)).toEqual([18, 66, 194]);
    for (const n of [256, 384, 512, 768, 1024]) {
      expect(fieldPitch(n) % 32).toBe(0);
      expect(fieldPitch(n)).toBeGreaterThanOrEqual(n + 2);
      expect(fieldPitch(n)).toBeLessThanOrEqual(1.125 * n);
    }
  });

  it("has twiddles rounded from float64", () => {
    for (const n of [16, 24, 384]) {
      const table = twiddleTable(n);
      for (let j = 0; j < n; j++) {
        expect(table[2 * j]).toBeCloseTo(Math.cos((2 * Math.PI * j) / n), 7);
        expect(table[2 * j + 1]).toBeCloseTo(-Math.sin((2 * Math.PI * j) / n), 7);
      }
      expect(Math.abs(table[n / 2])).toBe(0); // a quarter turn
    }
  });
});

describe.each(SHAPES)("lines, shape %s", (shape) => {
  const lengths =
    shape === "line"
      ? inFull([96, 128, 192, 256, 384], [128, 192])
      : inFull([16, 32, 48, 64, 96, 128, 192, 256, 512, 1024], [16, 48, 192, 512, 1024]);
  it.each(lengths)("of %i points, there and back", async (n) => {
    const lines = 37; // fills no workgroup
    const data = noise(2 * n * lines, n);
    const there = await transformLines(gpu(), data, { n, shape });
    expect(relativeError(there, exactLines(data, n, false))).toBeLessThan(ROUNDING);
    const back = await transformLines(gpu(), data, { n, shape, backwards: true });
    expect(relativeError(back, exactLines(data, n, true))).toBeLessThan(ROUNDING);
  });

  it.each(shape === "line" ? inFull([96, 192, 256], [192]) : inFull([96, 192], [96]))(
    "of %i points, with factors between there and back",
    async (n) => {
      const lines = 37;
      const data = noise(2 * n * lines, n);
      const found = await transformLines(gpu(), data, { n, shape, factors: OVER_FREQUENCY });
      const spectra = Float32Array.from(exactLines(data, n, false), (v, i) => v / (1 + (Math.floor(i / 2) % n)));
      expect(relativeError(found, exactLines(spectra, n, true))).toBeLessThan(ROUNDING);
    },
  );

  it.each(
    shape === "line"
      ? inFull([36, 48, 60, 80, 108, 144, 256, 384, 512], [36, 48, 80, 108, 384])
      : inFull([48, 60, 108, 384], [48, 60]),
  )("of %i real numbers in rows, there and back", async (n) => {
    const [lines, modes] = [21, n / 2 + 1];
    const data = noise(n * lines, n);
    const kernels = new LineKernels(gpu(), shape);
    const kernel = await kernels.kernel("test rows", "realForward", { length: n / 2, rows: true }, [between]);
    const source = kernels.table("source", data);
    const target = kernels.storage("target", 8 * modes * lines);
    poison(gpu(), target);
    const [from, to] = [n / 2, modes].map((run) => ({ run, stride: 1 }));
    const there = kernel.on({ count: lines, lanes: 1, source: from, target: to }, source, target);
    await gpu().batch("rows").stage("fft").passes([there]).submit();
    const found = new Float32Array(await gpu().read(target));
    const complex = new Float32Array(2 * data.length);
    for (const [i, value] of data.entries()) complex[2 * i] = value;
    const exact = exactLines(complex, n, false);
    const half = Float64Array.from(found, (_, i) => exact[2 * n * Math.floor(i / (2 * modes)) + (i % (2 * modes))]);
    expect(relativeError(found, half)).toBeLessThan(ROUNDING);

    const inverse = await kernels.kernel("test rows back", "realInverse", { length: n / 2, rows: true }, [between]);
    const result = kernels.storage("result", source.size);
    poison(gpu(), result);
    const back = inverse.on({ count: lines, lanes: 1, source: to, target: from }, target, result);
    await gpu().batch("rows").stage("fft").passes([back]).submit();
    const numbers = new Float32Array(await gpu().read(result));
    kernels.destroy();
    const times = data.map((value) => n * value);
    expect(relativeError(numbers, times)).toBeLessThan(2 * ROUNDING);
  });

  it.each([16])("of %i points in rows", async (n) => {
    const data = noise(2 * n * 21, n);
    const there = await transformLines(gpu(), data, { n, shape, rows: true });
    expect(relativeError(there, exactLines(data, n, false))).toBeLessThan(ROUNDING);
  });

  const paddedLines =
    shape === "line"
      ? inFull(
          [
            ...[16, 24, 48, 128, 192, 384].map((n): [number, number] => [n, n / 2]),
            ...([
              [36, 24],
              [60, 48],
              [80, 36],
              [80, 64],
              [108, 52],
              [108, 96],
              [144, 128],
              [216, 192],
              [288, 256],
            ] as [number, number][]),
          ],
          [
            [16, 8],
            [48, 24],
            [192, 96],
            [60, 48],
            [80, 36],
            [108, 96],
          ],
        )
      : inFull(
          [
            [32, 16],
            [192, 96],
            [512, 256],
            [54, 48],
            [80, 64],
            [144, 68],
          ],
          [
            [32, 16],
            [192, 96],
            [80, 64],
          ],
        );
  it.each(paddedLines)("of %i points, those from %i on zero and not stored", async (n, filled) => {
    const lines = 19;
    const data = noise(2 * filled * lines, n);
    const full = new Float32Array(2 * n * lines);
    for (let line = 0; line < lines; line++)
      full.set(data.subarray(2 * line * filled, 2 * (line + 1) * filled), 2 * line * n);
    const there = await transformLines(gpu(), data, { n, shape, filled });
    expect(relativeError(there, exactLines(full, n, false))).toBeLessThan(ROUNDING);
    const spectra = noise(2 * n * lines, n + 1);
    const exact = exactLines(spectra, n, true);
    const back = await transformLines(gpu(), spectra, { n, shape, filled, backwards: true });
    for (let line = 0; line < lines; line++) exact.copyWithin(2 * line * filled, 2 * line * n, 2 * (line * n + filled));
    expect(relativeError(back, exact.subarray(0, 2 * filled * lines))).toBeLessThan(ROUNDING);
  });
});

describe("lines too long for a private array", () => {
  it("of 2048 points, refused where workgroup memory is too small", async () => {
    const n = 2048;
    const { maxComputeWorkgroupStorageSize: memory } = gpu().device.limits;
    if (memory < 2 * 16_384) {
      expect(() => shapesFor(gpu(), [n])).toThrow(`2048 points need more than the adapter's ${memory} bytes`);
      return;
    }
    expect(shapesFor(gpu(), [n])).toEqual(["workgroup"]);
    const data = noise(2 * n * 3, n);
    const there = await transformLines(gpu(), data, { n, shape: "workgroup" });
    expect(relativeError(there, exactLines(data, n, false))).toBeLessThan(ROUNDING);
  });
});

describe.each(SHAPES)("meshes, shape %s", (shape) => {
  it.each(shape === "line" ? inFull([16, 24, 32, 48, 64], [16, 24, 32, 48]) : [24])(
    "of %i³ against float64, round trip, Parseval",
    async (n) => {
      const values = noise(n ** 3, n);
      const mesh = gpu().buffers.upload("mesh", padded(values, n), "mesh");
      const fft = await Fft3.create(gpu(), n, { shape });
      const bound = fft.bind(mesh);
      await bound.forward(gpu().batch("forward").stage("fft")).submit();
      const spectrum = new Float32Array(await gpu().read(mesh));
      expect(relativeError(spectrum, new RealFft3(n).forward(Float64Array.from(values)))).toBeLessThan(ROUNDING);

      // Modes with 0 < kx < n/2 stand for their conjugates as well.
      let power = 0;
      spectrum.forEach((value, i) => {
        const kx = (i >> 1) % (n / 2 + 1);
        power += (kx === 0 || kx === n / 2 ? 1 : 2) * value ** 2;
      });
      const squares = values.reduce((sum, value) => sum + value ** 2, 0);
      expect(power / n ** 3 / squares).toBeCloseTo(1, 6);

      await bound.inverse(gpu().batch("inverse").stage("fft")).submit();
      const back = unpadded(new Float32Array(await gpu().read(mesh)), n).map((value) => value / n ** 3);
      expect(relativeError(back, values)).toBeLessThan(2 * ROUNDING);
      gpu().buffers.release(mesh);
      fft.destroy();
    },
  );
});

describe("Fft3", () => {
  it.each([2, 12])("has the same bits in slabs of %i planes, there and back", async (planes) => {
    const n = 32;
    const values = padded(noise(n ** 3, n), n).map((value) => (Number.isNaN(value) ? 0 : value));
    const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows: { planes } });
    const whole = context.buffers.upload("mesh", values, "mesh");
    const fft = await Fft3.create(context, n);
    const slabs = createPaddedSlabs(context, context.buffers, n, { label: "mesh" });
    expect(slabs.length).toBe(Math.ceil(n / planes));
    const plane = n * (n + 2);
    for (const { first, planes, buffer } of slabs)
      context.device.queue.writeBuffer(buffer, 0, values, plane * first, plane * planes);
    const transforms = [fft.bind(whole), fft.bind(slabs)];
    for (const way of ["forward", "inverse"] as const) {
      const batch = context.batch(way).stage("fft");
      for (const transform of transforms) transform[way](batch);
      await batch.submit();
      const expected = new Uint32Array(await context.read(whole));
      const found = new Uint32Array(expected.length);
      for (const { first, buffer } of slabs) found.set(new Uint32Array(await context.read(buffer)), plane * first);
      expect(firstDifference(found, expected)).toBe("same");
    }
    fft.destroy();
    context.destroy();
  });

  it("measures the shapes, keeps one and no measuring mesh", async () => {
    const before = gpu().buffers.bytes().mesh;
    const fft = await Fft3.create(gpu(), 32);
    expect(SHAPES).toContain(fft.shape);
    expect(gpu().buffers.bytes().mesh).toBe(before);
    expect(meshLines(32).x.count).toBe(1024);
    fft.destroy();
  });
});
