/** Displacement fields on the GPU: the generator and its deviates, against float64, refinement, pairs, memory. */
import { describe, expect, it } from "vitest";
import { gpuDisplacements } from "../../src/engine/lpt/displacements.ts";
import { paddedBytes } from "../../src/engine/mesh/fft/fft-slabs.ts";
import {
  displacementsInFloat64,
  eachMode,
  gaussianModes,
  linearModes,
} from "../../src/engine/reference/lpt/displacements.ts";
import { GravmeshError } from "../../src/foundation/base/errors.ts";
import type { WgslSource } from "../../src/foundation/gpu/compose.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { DisplacementRequest } from "../../src/physics/initial/model.ts";
import { philox4x32 } from "../../src/physics/initial/philox.ts";
import deviates from "../../wgsl/engine/lpt/deviates.wgsl";
import philox from "../../wgsl/lib/philox.wgsl";
import unitCircle from "../../wgsl/lib/unit-circle.wgsl";
import { firstDifference } from "../support/compare.ts";
import {
  allDisplacements,
  BOX,
  displacementRequest,
  divergenceModes,
  placeOf,
  relativeDifference,
  shellPower,
} from "../support/displacement.ts";
import { poison, useGpu, withLimits } from "../support/gpu.ts";

const gpu = useGpu();
const UNIT = (2 * Math.PI) / BOX;

/** `expression` of `words` [N, 4] (word: vec4u, and the next four as other: vec4u) to four words each. */
async function evaluated(
  sources: WgslSource[],
  expression: string,
  words: Uint32Array<ArrayBuffer>,
): Promise<ArrayBuffer> {
  const text = `
@group(0) @binding(0) var<storage, read> words: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> results: array<vec4u>;
@compute @workgroup_size(1)
fn evaluate(@builtin(workgroup_id) id: vec3u) {
  let word = words[2u * id.x];
  let other = words[2u * id.x + 1u];
  results[id.x] = ${expression};
}`;
  const kernel = await gpu().kernel({
    label: "displacement test",
    sources: [...sources, { path: "test", text }],
    entry: "evaluate",
  });
  const input = gpu().buffers.upload("words", words, "other");
  const result = gpu().buffers.storage("results", words.byteLength / 2, "other");
  try {
    poison(gpu(), result);
    await gpu()
      .batch("displacement test")
      .dispatch(kernel.bind(input, result), [words.length / 8])
      .submit();
    return await gpu().read(result);
  } finally {
    gpu().buffers.release(input, result);
  }
}

function randomWords(count: number): number[] {
  return Array.from({ length: count }, (_, i) => {
    const words = Uint32Array.of(i, 0, 0, 0);
    philox4x32(words, 77, 0);
    return words[0];
  });
}

describe("Philox4x32-10 on the GPU", () => {
  it("gives the published output of Random123, and that of the CPU", async () => {
    const counters = [
      [0, 0, 0, 0],
      [1, 1, 1, 1].map(() => 0xffffffff),
      [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
    ];
    const keys = [
      [0, 0],
      [0xffffffff, 0xffffffff],
      [0xa4093822, 0x299f31d0],
    ];
    const random = randomWords(6 * 50);
    for (let i = 0; i < random.length; i += 6) {
      counters.push(random.slice(i, i + 4));
      keys.push(random.slice(i + 4, i + 6));
    }
    const words = Uint32Array.from(counters.flatMap((counter, i) => [...counter, ...keys[i], 0, 0]));
    const found = new Uint32Array(await evaluated([philox], "philox4x32(word, other.xy)", words));
    expect([...found.slice(0, 12)]).toEqual([
      ...[0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
      ...[0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
      ...[0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
    ]);
    counters.forEach((counter, i) => {
      const expected = Uint32Array.from(counter);
      philox4x32(expected, keys[i][0], keys[i][1]);
      expect([...found.slice(4 * i, 4 * i + 4)]).toEqual([...expected]);
    });
  });
});

describe("deviates on the GPU", () => {
  // Ends, where ranges meet, powers of two and their neighbours.
  const powers = Array.from({ length: 32 }, (_, i) => 2 ** i).flatMap((word) => [word - 1, word, word + 1]);
  const others = [
    0xffffffff, 0xfffffffe, 0xffffff80, 3037000499, 3037000500, 3037000501, 0x60000000, 0xa0000000, 0xe0000000,
  ];
  const words = [...powers, ...others, ...others.map((word) => word - 1), ...randomWords(500)];
  const input = Uint32Array.from(words.flatMap((word) => [word, 0, 0, 0, 0, 0, 0, 0]));
  const expression = "bitcast<vec4u>(vec4f(exponentialDeviate(word.x), unitCircle(word.x), 0.0))";

  it("are right to 5e-7: −ln u relative to itself, cosine and sine", async () => {
    const found = new Float32Array(await evaluated([deviates, unitCircle], expression, input));
    let [exponential, circle] = [0, 0];
    words.forEach((word, i) => {
      const expected = -Math.log1p(-(2 ** 32 - word - 0.5) / 2 ** 32);
      exponential = Math.max(exponential, Math.abs(found[4 * i] / expected - 1));
      const angle = (2 * Math.PI * word) / 2 ** 32;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      circle = Math.max(circle, Math.abs(found[4 * i + 1] - c), Math.abs(found[4 * i + 2] - s));
    });
    expect(exponential).toBeLessThan(5e-7);
    expect(circle).toBeLessThan(5e-7);
  });
});

describe("displacements on the GPU", () => {
  it.each([
    { perSide: 16, fixedAmplitudes: false, opposite: false },
    { perSide: 24, fixedAmplitudes: true, opposite: false },
    { perSide: 32, fixedAmplitudes: false, opposite: true },
    { perSide: 24, fixedAmplitudes: false, opposite: true, local: { fNL: -0.1, response: (k: number) => 10 * k ** 2 } },
  ])("equal float64 to 1e-6, and so do their modes: %o", async (changes) => {
    const request = displacementRequest(changes);
    const found = await allDisplacements(gpuDisplacements(gpu()), request);
    const expected = await allDisplacements(displacementsInFloat64, request);
    expect(relativeDifference(found.first, expected.first)).toBeLessThan(1e-6);
    expect(relativeDifference(found.second!, expected.second!)).toBeLessThan(1e-6);
    const n = request.perSide;
    expect(relativeDifference(divergenceModes(found.first, n), linearModes(request))).toBeLessThan(1e-5);
  });

  it("have the same large-scale modes on 16³ and 32³, 32³ and 64³", async () => {
    const make = async (perSide: number) => {
      const { first } = await allDisplacements(gpuDisplacements(gpu()), displacementRequest({ perSide, order: 1 }));
      return { perSide, modes: divergenceModes(first, perSide) };
    };
    const lattices = [await make(16), await make(32), await make(64)];
    for (const [i, coarse] of lattices.slice(0, 2).entries()) {
      const fine = lattices[i + 1];
      const common = new Float64Array(coarse.modes.length);
      eachMode(coarse.perSide, (at, m) => {
        const there = placeOf(fine.perSide, m);
        common[at] = fine.modes[there];
        common[at + 1] = fine.modes[there + 1];
      });
      expect(relativeDifference(common, coarse.modes)).toBeLessThan(1e-6);
    }
  });

  it("of crossed plane waves are exact in both orders", async () => {
    // One wave along each axis, δ = Σ_i A cos(k x_i + θ_i): φ₁,ii are the waves, φ₁,ij = 0.
    const n = 24;
    const power = 2e5;
    const request = displacementRequest({ perSide: n, fixedAmplitudes: true, power: shellPower([1], power) });
    const found = await allDisplacements(gpuDisplacements(gpu()), request);
    const modes = gaussianModes(request);
    const amplitude = 2 * Math.sqrt(power / BOX ** 3);
    const phases = [0, 1, 2].map((axis) => {
      const at = placeOf(n, [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0]);
      return Math.atan2(modes[at + 1], modes[at]);
    });
    const expected = { first: new Float64Array(3 * n ** 3), second: new Float64Array(3 * n ** 3) };
    for (let i = 0; i < n ** 3; i++) {
      const cells = [i % n, Math.floor(i / n) % n, Math.floor(i / n ** 2)];
      const angles = cells.map((cell, axis) => (2 * Math.PI * (cell + 0.5)) / n + phases[axis]);
      const wave = angles.map((angle) => amplitude * Math.cos(angle));
      for (let axis = 0; axis < 3; axis++) {
        const slope = amplitude * Math.sin(angles[axis]);
        expected.first[3 * i + axis] = -slope / UNIT;
        // φ₂ = −Σ_{i>j} (wave i)(wave j)/(2k²)
        const others = wave[(axis + 1) % 3] + wave[(axis + 2) % 3];
        expected.second[3 * i + axis] = (slope * others) / (2 * UNIT);
      }
    }
    expect(relativeDifference(found.first, expected.first)).toBeLessThan(1e-6);
    expect(relativeDifference(found.second!, expected.second)).toBeLessThan(1e-6);
  });

  it("have exactly P/V in each mode with fixed amplitudes", async () => {
    const request = displacementRequest({ perSide: 16, order: 1, fixedAmplitudes: true });
    const { first, second } = await allDisplacements(gpuDisplacements(gpu()), request);
    expect(second).toBeUndefined();
    const modes = divergenceModes(first, 16);
    let [error, greatest] = [0, 0];
    eachMode(16, (at, [x, y, z]) => {
      const expected = request.power(UNIT * Math.hypot(x, y, z)) / BOX ** 3;
      greatest = Math.max(greatest, expected);
      error = Math.max(error, Math.abs(modes[at] ** 2 + modes[at + 1] ** 2 - expected));
    });
    expect(error).toBeLessThan(2e-6 * greatest);
  });

  it("of opposite phases change sign at first order, to the bit, and are the same at second", async () => {
    const make = (request: DisplacementRequest) => allDisplacements(gpuDisplacements(gpu()), request);
    const [a, b] = [await make(displacementRequest()), await make(displacementRequest({ opposite: true }))];
    const unequal = (x: ArrayLike<number>, y: ArrayLike<number>, sign: number) =>
      Array.from(x).filter((value, i) => value !== sign * y[i]).length;
    expect(relativeDifference(a.first, new Float32Array(a.first.length).fill(1))).toBeGreaterThan(0.1);
    expect(unequal(a.first, b.first, -1)).toBe(0);
    expect(unequal(a.second!, b.second!, 1)).toBe(0);
  });

  it("leave nothing on the GPU, made or refused", async () => {
    const make = (request: DisplacementRequest) => allDisplacements(gpuDisplacements(gpu()), request);
    await make(displacementRequest());
    const before = gpu().buffers.bytes().total;
    await make(displacementRequest());
    expect(gpu().buffers.bytes().total).toBe(before);
    const refused = await make(displacementRequest({ power: () => Number.NaN })).catch((error) => error);
    expect(refused).toBeInstanceOf(GravmeshError);
    expect(refused.kind).toBe("usage");
    expect(gpu().buffers.bytes().total).toBe(before);
  });

  it.each([2, 10])("have the same bits in slabs of %i planes, whole and plane by plane", async (planes) => {
    const request = displacementRequest({ perSide: 32 });
    const whole = await allDisplacements(gpuDisplacements(gpu()), request);
    const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows: { planes } });
    const found = await allDisplacements(gpuDisplacements(context), request);
    expect(firstDifference(found.first, whole.first)).toBe("same");
    expect(firstDifference(found.second!, whole.second!)).toBe("same");
    const fields = await gpuDisplacements(context)(request);
    for (const [z, height] of [
      [0, 3],
      [3, 12],
      [15, 16],
      [31, 1],
    ]) {
      const { first, second } = await fields.read(z, height);
      const points = [3 * 32 ** 2 * z, 3 * 32 ** 2 * (z + height)];
      expect(firstDifference(first, whole.first.subarray(...points))).toBe("same");
      expect(firstDifference(second!, whole.second!.subarray(...points))).toBe("same");
    }
    // Six padded meshes are held, and nothing else.
    expect(context.buffers.bytes()).toMatchObject({ total: 6 * paddedBytes(32, 32), mesh: 6 * paddedBytes(32, 32) });
    fields.destroy?.();
    expect(context.buffers.bytes().total).toBe(0);
    context.destroy();
  });

  it("of a lattice of which the adapter binds no two planes are refused, and of another size", async () => {
    const device = withLimits(gpu().device, { maxStorageBufferBindingSize: 4 * 34 * 32 });
    const limited = new GpuContext(device, gpu().adapter, { owned: false, parent: gpu() });
    const large = await gpuDisplacements(limited)(displacementRequest({ perSide: 32 })).catch((e) => e);
    expect(large.kind).toBe("memory");
    expect(large.message).toMatch(/32³ cells/);
    const error = await gpuDisplacements(gpu())(displacementRequest({ perSide: 100 })).catch((e) => e);
    expect(error).toBeInstanceOf(GravmeshError);
    expect(error.kind).toBe("usage");
    expect(error.message).toMatch(/found 100; try 96 or 128/);
  });
});
