/** Double-single arithmetic on the adapter: exact where it should be, and refused where the compiler breaks it. */
import { describe, expect, it } from "vitest";
import { pairArithmeticSurvives } from "../../src/engine/direct/arithmetic.ts";
import { DirectForces } from "../../src/engine/direct/forces.ts";
import { packUniform } from "../../src/foundation/gpu/buffers.ts";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import { poison, useGpu } from "../support/gpu.ts";
import { sequence } from "../support/scenario-fixture.ts";
import evaluateWgsl from "./double-single.wgsl";

const gpu = useGpu();

const FUNCTIONS = 9;
const TURN = [1, -1, 0.5];
const ROWS = 20_000;

interface Operands {
  aHigh: number;
  aLow: number;
  bHigh: number;
  bLow: number;
}

/** Pairs of 44 bits and more between 2⁻⁶ and 2⁶; every fourth b nearly cancels a, every fourth is its double. */
function operandRows(): Operands[] {
  const random = sequence(11);
  const pair = () => {
    const x = (random() < 0.5 ? -1 : 1) * (1 + random() + random() * 2 ** -26) * 2 ** Math.floor(13 * random() - 6);
    const high = Math.fround(x);
    return [high, Math.fround(x - high)];
  };
  return Array.from({ length: ROWS }, (_, i) => {
    const [aHigh, aLow] = pair();
    let [bHigh, bLow] = pair();
    if (i % 4 === 1) [bHigh, bLow] = [-aHigh, Math.fround(-aLow * (1 + bLow))];
    if (i % 4 === 2) [bHigh, bLow] = [2 * aHigh, 2 * aLow];
    return { aHigh, aLow, bHigh, bLow };
  });
}

async function evaluate(rows: Operands[]): Promise<{ scalars: Float32Array; vectors: Float32Array }> {
  const kernel = await gpu().kernel({
    label: "double-single",
    sources: [evaluateWgsl],
    entry: "evaluate",
  });
  const { buffers } = gpu();
  const operands = Float32Array.from(rows.flatMap(({ aHigh, aLow, bHigh, bLow }) => [aHigh, aLow, bHigh, bLow]));
  const held = [
    buffers.uniform(
      "parameters",
      packUniform([
        ["u32", rows.length],
        ["u32", 0],
      ]),
    ),
    buffers.upload("operands", operands, "other"),
    buffers.storage("scalars", 8 * FUNCTIONS * rows.length, "other"),
    buffers.storage("vectors", 32 * FUNCTIONS * rows.length, "other"),
  ];
  for (const buffer of held.slice(2)) poison(gpu(), buffer);
  const batch = gpu().batch("double-single").stage("test");
  await batch.dispatch(kernel.bind(...held), [Math.ceil(rows.length / 64)]).submit();
  const [scalars, vectors] = [await gpu().read(held[2]), await gpu().read(held[3])];
  buffers.release(...held);
  return { scalars: new Float32Array(scalars), vectors: new Float32Array(vectors) };
}

/** Integer multiple of 2⁻¹⁰⁰: float32 numbers of the size that occur here are, and so are their sums and products. */
function fixed(x: number): bigint {
  const scaled = x * 2 ** 50;
  const whole = Math.trunc(scaled);
  return (BigInt(whole) << 50n) + BigInt((scaled - whole) * 2 ** 50);
}

const ratio = (numerator: bigint, denominator: bigint): number => Number(numerator) / Number(denominator);

/** What the function at a place of the kernel's list should give, times 2¹⁰⁰. */
function exact({ aHigh, aLow, bHigh, bLow }: Operands): bigint[] {
  const [a, b] = [fixed(aHigh) + fixed(aLow), fixed(bHigh) + fixed(bLow)];
  const [high, other] = [fixed(aHigh), fixed(bHigh)];
  const times = (x: bigint, y: bigint) => (x * y) >> 100n;
  return [
    high + other,
    high + other,
    times(high, other),
    a + other,
    a + b,
    a - b,
    times(a, other),
    times(a, b),
    times(b, b),
  ];
}

/** Names, and the relative error that is allowed: none for the error-free transformations. */
const CHECKS: [string, number][] = [
  ["two-sum", 0],
  ["quick two-sum", 0],
  ["two-product", 0],
  ["pair + float", 2 ** -46],
  ["pair + pair", 2 ** -46],
  ["pair − pair", 2 ** -46],
  ["pair · float", 2 ** -46],
  ["pair · pair", 2 ** -46],
  ["square of a pair", 2 ** -46],
];

describe("double-single arithmetic", () => {
  it("is exact in sums and products of floats, and within 2⁻⁴⁶ in those of pairs", async () => {
    const rows = operandRows();
    const { scalars, vectors } = await evaluate(rows);
    const worst = new Float64Array(FUNCTIONS);
    const withLow = new Uint32Array(FUNCTIONS);
    rows.forEach((row, i) => {
      exact(row).forEach((expected, k) => {
        const at = FUNCTIONS * i + k;
        const found = [[scalars[2 * at], scalars[2 * at + 1], 1]];
        for (let axis = 0; axis < 3; axis++)
          found.push([vectors[8 * at + axis], vectors[8 * at + 4 + axis], TURN[axis]]);
        for (const [high, low, turn] of found) {
          const error = fixed(high / turn) + fixed(low / turn) - expected;
          const relative = error === 0n ? 0 : Math.abs(ratio(error, expected));
          worst[k] = Math.max(worst[k], Number.isNaN(relative) ? Number.POSITIVE_INFINITY : relative);
          if (Math.fround(high + low) !== high) worst[k] = Number.POSITIVE_INFINITY; // normalised
        }
        if (found[0][1] !== 0) withLow[k]++;
      });
    });
    CHECKS.forEach(([name, allowed], k) => {
      expect(worst[k], name).toBeLessThanOrEqual(allowed);
      expect(withLow[k], `low words of ${name}`).toBeGreaterThan(0.5 * ROWS);
    });
  });
});

/** The adapter as it would look if its compiler simplified two-sums: results come back without their low words. */
function withoutLowWords(context: GpuContext): GpuContext {
  const read = async (...range: Parameters<GpuContext["read"]>) => {
    const words = new Uint32Array(await context.read(...range));
    for (let i = 0; i < words.length; i++) if (i % 36 < 32 && i % 8 >= 4) words[i] = 0;
    return words.buffer;
  };
  // Another device as well: the check is made once for each.
  const device = like(context.device, {});
  return like(context, { read, device });
}

/** An object that is `original` but for some of its members. */
function like<T extends object>(original: T, members: Partial<T>): T {
  return new Proxy(original, {
    get(target, key) {
      if (key in members) return Reflect.get(members, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("the start-up probe", () => {
  it("passes here, once per device", async () => {
    const check = await pairArithmeticSurvives(gpu());
    expect(check).toMatchObject({ name: "double-single arithmetic", passed: true });
    expect(await pairArithmeticSurvives(gpu())).toBe(check);
    expect(gpu().buffers.bytes().total).toBe(0);
  });

  it("fails where low words are lost; double-single is refused then, and single is not", async () => {
    const broken = withoutLowWords(gpu());
    const check = await pairArithmeticSurvives(broken);
    expect(check.passed).toBe(false);
    expect(check.detail).toMatch(/\d+ of 12288 sums, \d+ of 12288 products, \d+ of 12288 pairs wrong/);
    const options = { order: "acceleration", softening: 0.1, shape: "plain" } as const;
    await expect(DirectForces.create(broken, { ...options, precision: "double-single" })).rejects.toMatchObject({
      kind: "device",
      message: expect.stringMatching(/double-single.*doesn't keep pair arithmetic.*try direct\.precision = "single"/),
    });
    const single = await DirectForces.create(broken, { ...options, precision: "single" });
    single.destroy();
  });
});
