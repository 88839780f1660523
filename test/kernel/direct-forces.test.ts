/** Force kernels against float64: precision, sizes, exclusions, extremes, listed targets, and shapes among themselves. */
import { afterEach, beforeEach, describe, expect, it, type TestContext } from "vitest";
import {
  type BodyArrays,
  FORCE_ORDERS,
  type ForceArrays,
  type ForceOrder,
  packBodies,
  RECORD_BYTES,
  unpackForces,
} from "../../src/engine/direct/bodies.ts";
import { type ForceChoice, shapeFor, shapesOn, shapesUpTo } from "../../src/engine/direct/force-choice.ts";
import { availableShapes, FORCE_SHAPES, SLICE, STRETCH } from "../../src/engine/direct/force-shapes.ts";
import { DirectForces, type ForceOptions } from "../../src/engine/direct/forces.ts";
import { directForces } from "../../src/engine/reference/direct/forces.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import { pinnedShapes } from "../../src/foundation/gpu/shapes.ts";
import { firstDifference } from "../support/compare.ts";
import { moving } from "../support/direct-bodies.ts";
import { poison, useGpu } from "../support/gpu.ts";
import { plummerSphere } from "../support/particles.ts";

const gpu = useGpu();
const made: DirectForces[] = [];
const buffers: GPUBuffer[] = [];

afterEach(() => {
  for (const forces of made.splice(0)) forces.destroy();
  gpu().buffers.release(...buffers.splice(0));
  expect(gpu().buffers.bytes().total).toBe(0);
});

/** Of the plain shape where no other is given. */
async function create(options: Partial<ForceOptions> & { measured?: true }): Promise<DirectForces> {
  const { measured, ...given } = options;
  const defaults = { order: "acceleration", precision: "single", softening: 1 / 256 } as const;
  const forces = await DirectForces.create(gpu(), { ...defaults, ...(!measured && { shape: "plain" }), ...given });
  made.push(forces);
  return forces;
}

function uploaded(order: ForceOrder, bodies: BodyArrays): GPUBuffer {
  // A buffer is never empty.
  const data = new Uint8Array(Math.max(64, packBodies(order, bodies).byteLength));
  data.set(new Uint8Array(packBodies(order, bodies)));
  const buffer = gpu().buffers.upload("bodies", data, "other");
  buffers.push(buffer);
  return buffer;
}

/** A poisoned result of `count` records, and one more that nobody may touch. */
function resultBuffer(order: ForceOrder, count: number): GPUBuffer {
  const buffer = gpu().buffers.storage("result", (count + 1) * RECORD_BYTES[order], "other");
  buffers.push(buffer);
  poison(gpu(), buffer);
  return buffer;
}

const POISON = 0x7fc0dead;

/** The records of a result, after a look at the one behind them. */
async function records(order: ForceOrder, result: GPUBuffer, count: number): Promise<Uint32Array> {
  const words = new Uint32Array(await gpu().read(result));
  const used = (count * RECORD_BYTES[order]) / 4;
  expect(words.subarray(used).every((word) => word === POISON)).toBe(true);
  return words.slice(0, used);
}

async function recordsOf(forces: DirectForces, targets: BodyArrays, sources: BodyArrays): Promise<Uint32Array> {
  const { order } = forces;
  const result = resultBuffer(order, targets.count);
  const job = {
    targets: uploaded(order, targets),
    targetCount: targets.count,
    sources: uploaded(order, sources),
    sourceCount: sources.count,
    result,
  };
  const batch = gpu().batch("forces").stage("forces");
  forces.encode(batch, job);
  await batch.submit();
  return records(order, result, targets.count);
}

async function forcesOf(forces: DirectForces, targets: BodyArrays, sources: BodyArrays): Promise<ForceArrays> {
  const found = await recordsOf(forces, targets, sources);
  return unpackForces(forces.order, found.buffer as ArrayBuffer, targets.count);
}

/** Bodies of test/support/direct-bodies.ts. */
function bodies(count: number, seed: number): BodyArrays {
  const { positions, velocities, accelerations, masses, ids } = moving(count, seed);
  return { count, positions, velocities, accelerations, masses, ids };
}

/** Rows of a set. */
function subset(of: BodyArrays, rows: number[]): BodyArrays {
  const vectors = (from: ArrayLike<number>) =>
    Float64Array.from(rows.flatMap((i) => [0, 1, 2].map((k) => from[3 * i + k])));
  return {
    count: rows.length,
    positions: vectors(of.positions),
    velocities: vectors(of.velocities!),
    accelerations: vectors(of.accelerations!),
    masses: Float64Array.from(rows, (i) => of.masses[i]),
    ids: Uint32Array.from(rows, (i) => of.ids[i]),
  };
}

function part(of: BodyArrays, first: number, last: number): BodyArrays {
  return subset(
    of,
    Array.from({ length: last - first }, (_, i) => first + i),
  );
}

/** Root of the mean square of |found − expected|/|expected| over vectors of `width` numbers. */
function relativeError(found: Float64Array, expected: Float64Array, width: number): number {
  expect(found.length).toBe(expected.length);
  let sum = 0;
  for (let i = 0; i < expected.length; i += width) {
    let [difference, square] = [0, 0];
    for (let k = i; k < i + width; k++) {
      difference += (found[k] - expected[k]) ** 2;
      square += expected[k] ** 2;
    }
    if (difference !== 0) sum += difference / square;
  }
  return Math.sqrt((sum * width) / expected.length);
}

function errorsOf(found: ForceArrays, expected: ForceArrays): Record<"a" | "phi" | "j" | "s", number> {
  return {
    a: relativeError(found.accelerations, expected.accelerations, 3),
    phi: relativeError(found.potentials, expected.potentials, 1),
    j: expected.jerks ? relativeError(found.jerks!, expected.jerks, 3) : 0,
    s: expected.snaps ? relativeError(found.snaps!, expected.snaps, 3) : 0,
  };
}

function expectClose(found: ForceArrays, expected: ForceArrays, allowed: number): void {
  for (const [what, error] of Object.entries(errorsOf(found, expected))) expect(error, what).toBeLessThan(allowed);
}

describe("precision on a Plummer sphere of 16384, ε = 1/256", () => {
  const COUNT = 16_384;
  const SOFTENING = 1 / 256;
  const BOX = 64;

  const spheres = new Map<number, ReturnType<typeof sphere>>();
  /** The sphere about (shift, −shift/3, 0), with its accelerations. */
  async function sphere(shift: number) {
    const { positions, velocities, masses } = await plummerSphere(COUNT, BOX, 3);
    const centre = [shift, -shift / 3, 0];
    const ids = Uint32Array.from({ length: COUNT }, (_, i) => i);
    const all: BodyArrays = {
      ...{ count: COUNT, masses, ids, velocities: Float64Array.from(velocities) },
      positions: positions.map((x, i) => x - BOX / 2 + centre[i % 3]),
    };
    const forces = await create({ precision: "double-single", softening: SOFTENING, measured: true });
    all.accelerations = (await forcesOf(forces, all, all)).accelerations;
    const rows = Array.from({ length: 256 }, (_, i) => Math.floor(((i + 0.5) * COUNT) / 256));
    const some = subset(all, rows);
    const expected = directForces({ order: "snap", softening: SOFTENING, targets: some, sources: all });
    return { all, rows, centre, expected };
  }

  // What docs/precision.md tells, with a margin of about a fifth.
  const cases = [
    { shift: 0, precision: "single", a: 3.5e-7, phi: 2.3e-8, j: 1.8e-6, s: 3.2e-6, net: 5e-10 },
    { shift: 10, precision: "single", a: 9e-6, phi: 1.5e-7, j: 4e-5, s: 5.5e-5, net: 5e-9 },
    { shift: 0, precision: "double-single", a: 5.5e-8, phi: 2e-8, j: 4.2e-7, s: 6.7e-7, net: 5e-10 },
    { shift: 10, precision: "double-single", a: 5.5e-8, phi: 2e-8, j: 4.2e-7, s: 6.7e-7, net: 5e-10 },
  ] as const;
  it.each(cases)("$precision, $shift units off-centre", async ({ shift, precision, net, ...allowed }) => {
    if (!spheres.has(shift)) spheres.set(shift, sphere(shift));
    const { all, rows, centre, expected } = await spheres.get(shift)!;
    const forces = await create({ order: "snap", precision, softening: SOFTENING, measured: true });
    const found = await forcesOf(forces, all, all);
    const picked = (from: Float64Array, width: number) =>
      Float64Array.from(rows.flatMap((i) => Array.from(from.subarray(width * i, width * (i + 1)))));
    const errors = errorsOf(
      {
        accelerations: picked(found.accelerations, 3),
        potentials: picked(found.potentials, 1),
        jerks: picked(found.jerks!, 3),
        snaps: picked(found.snaps!, 3),
      },
      expected,
    );
    for (const what of ["a", "phi", "j", "s"] as const) expect(errors[what], what).toBeLessThan(allowed[what]);
    // Total force and total torque vanish: what is left, over the sum of the magnitudes.
    const [force, torque] = [
      [0, 0, 0],
      [0, 0, 0],
    ];
    let [forces1, torques1] = [0, 0];
    for (let i = 0; i < COUNT; i++) {
      const f = [0, 1, 2].map((k) => all.masses[i] * found.accelerations[3 * i + k]);
      const x = [0, 1, 2].map((k) => all.positions[3 * i + k] - centre[k]);
      for (let k = 0; k < 3; k++) {
        force[k] += f[k];
        torque[k] += x[(k + 1) % 3] * f[(k + 2) % 3] - x[(k + 2) % 3] * f[(k + 1) % 3];
      }
      forces1 += Math.hypot(...f);
      torques1 += Math.hypot(...x) * Math.hypot(...f);
    }
    expect(Math.hypot(...force) / forces1).toBeLessThan(net);
    expect(Math.hypot(...torque) / torques1).toBeLessThan(net);
  });
});

const SHAPES = FORCE_SHAPES.map(({ name }) => name);

/** Orders to try with a shape: all meet all families, split and whole; compiling every pair would take a minute. */
function ordersOf(shape: string): readonly ForceOrder[] {
  if (shape === "plain" || shape === "split") return FORCE_ORDERS;
  if (shape === "split-subgroups") return ["acceleration", "snap"];
  return shape === "subgroups" ? ["acceleration", "jerk"] : ["acceleration"];
}

/** Skips, by name, what an adapter without subgroups of eight lanes can't run. */
function skipUnlessAvailable(shape: string, skip: TestContext["skip"]): void {
  const available = availableShapes(gpu()).some(({ name }) => name === shape);
  const ableTo = gpu().device.features.has("subgroups") && (gpu().device.adapterInfo.subgroupMinSize ?? 0) >= 8;
  expect(available || (shape.includes("subgroups") && !ableTo)).toBe(true);
  skip(!available, "needs subgroups of eight lanes");
}

describe.each(SHAPES)("shape %s", (shape) => {
  beforeEach(({ skip }) => skipUnlessAvailable(shape, skip));

  it.each([
    [1, 1],
    [3, 127],
    [SLICE, 129],
    [600, 1025],
  ])("%i targets, %i sources, against float64", async (targetCount, sourceCount) => {
    const [targets, sources] = [bodies(targetCount, 1), bodies(sourceCount, 2)];
    sources.ids.forEach((id, i) => {
      sources.ids[i] = id + 1; // no target is among the sources
    });
    for (const order of ordersOf(shape)) {
      const expected = directForces({ order, softening: 0.02, targets, sources });
      const forces = await create({ order, softening: 0.02, precision: "double-single", shape });
      expectClose(await forcesOf(forces, targets, sources), expected, 2e-6);
    }
  });

  it("sums forces that a spline softens, against float64", async () => {
    const [targets, sources] = [bodies(127, 1), bodies(600, 2)];
    targets.positions.set(sources.positions.subarray(0, 9)); // at no distance, of other ids
    sources.ids.forEach((id, i) => {
      sources.ids[i] = id + 1;
    });
    const softened = { softening: 0.1, softeningKernel: "spline" } as const;
    for (const order of ordersOf(shape)) {
      const expected = directForces({ order, ...softened, targets, sources });
      const forces = await create({ order, ...softened, precision: "double-single", shape });
      expectClose(await forcesOf(forces, targets, sources), expected, 2e-6);
    }
  });

  it.each(ordersOf(shape))("%s: the same bits as the plain shape", async (order) => {
    const [targets, sources] = [bodies(700, 1), bodies(1100, 2)];
    const singles = order === "acceleration" ? (["single", "double-single"] as const) : (["double-single"] as const);
    for (const precision of singles) {
      for (const softening of order === "acceleration" ? [0, 0.01] : [0.01]) {
        const plain = await create({ order, precision, softening });
        const other = await create({ order, precision, softening, shape });
        const expected = await recordsOf(plain, targets, sources);
        expect(expected.some((word) => word !== 0)).toBe(true);
        expect(firstDifference(await recordsOf(other, targets, sources), expected)).toBe("same");
      }
    }
  });

  it.each(ordersOf(shape))("%s: the same bits over several stretches", async (order) => {
    const [targets, sources] = [bodies(70, 1), bodies(Math.floor((STRETCH + 6.3) * SLICE), 2)];
    const options = { order, precision: "double-single" } as const;
    const expected = await recordsOf(await create({ ...options, shape: "plain" }), targets, sources);
    expect(firstDifference(await recordsOf(await create({ ...options, shape }), targets, sources), expected)).toBe(
      "same",
    );
  });

  it("adds to what is there", async () => {
    const targets = bodies(50, 1);
    const sources = bodies(1000, 2);
    for (const order of ordersOf(shape)) {
      const forces = await create({ order, precision: "double-single", shape });
      const result = resultBuffer(order, targets.count);
      const held = uploaded(order, targets);
      const batch = gpu().batch("forces").stage("forces");
      for (const [first, last] of [
        [0, 333],
        [333, 334],
        [334, 1000],
      ]) {
        const some = uploaded(order, part(sources, first, last));
        const job = { targets: held, targetCount: targets.count, sources: some, sourceCount: last - first, result };
        forces.encode(batch, { ...job, accumulate: first > 0 });
      }
      await batch.submit();
      const found = await records(order, result, targets.count);
      const expected = directForces({ order, softening: 1 / 256, targets, sources });
      expectClose(unpackForces(order, found.buffer as ArrayBuffer, targets.count), expected, 1e-6);
    }
  });
});

describe("the fold for GPUs", () => {
  it("has the bits of the plain shape, over several turns of its invocations", async () => {
    const { device, adapter } = gpu();
    const hardware = new GpuContext(device, { ...adapter, software: false }, { owned: false });
    const [targets, sources] = [bodies(21, 1), bodies(18.5 * STRETCH * SLICE, 2)];
    for (const order of ["acceleration", "snap"] as const) {
      const options = { order, precision: "single", softening: 0.01 } as const; // with the same roots everywhere
      const expected = await recordsOf(await create(options), targets, sources);
      const forces = await DirectForces.create(hardware, { ...options, shape: "split" });
      expect(firstDifference(await recordsOf(forces, targets, sources), expected)).toBe("same");
      forces.destroy();
    }
    hardware.destroy();
  });
});

describe("pairs that exert nothing", () => {
  it.for(SHAPES)("%s: equal ids, wherever the two are; coincident ones without softening", async (shape, { skip }) => {
    skipUnlessAvailable(shape, skip);
    const count = 300;
    const [targets, sources] = [bodies(count, 1), bodies(count, 2)];
    targets.ids = sources.ids.slice();
    // Sixteen of the sources sit on a target each, to the low word; the rest of the pairs are apart.
    for (let i = 0; i < 16; i++)
      for (let k = 0; k < 3; k++) sources.positions[3 * (i + 40) + k] = targets.positions[3 * i + k];
    for (const order of shape === "plain" ? FORCE_ORDERS : (["acceleration"] as const)) {
      const expected = directForces({ order, softening: 0, targets, sources });
      const forces = await create({ order, softening: 0, precision: "double-single", shape });
      const found = await forcesOf(forces, targets, sources);
      expect(found.accelerations.every(Number.isFinite)).toBe(true);
      expectClose(found, expected, 3e-6);
    }
  });

  it("a body by itself, and twins without softening, feel nothing", async () => {
    for (const order of FORCE_ORDERS) {
      const forces = await create({ order, softening: 0 });
      const one = bodies(1, 1);
      const twins = subset(bodies(1, 1), [0, 0]);
      twins.ids[1] = 77;
      for (const set of [one, twins]) {
        const { accelerations, potentials, jerks, snaps } = await forcesOf(forces, set, set);
        for (const values of [accelerations, potentials, jerks, snaps])
          expect(values?.every((x) => x === 0) ?? true).toBe(true);
      }
    }
  });

  it("twins with softening add to the potential and pull at nobody", async () => {
    const forces = await create({ softening: 0.25 });
    const twins = subset(bodies(1, 1), [0, 0]);
    twins.ids[1] = 77;
    const { accelerations, potentials } = await forcesOf(forces, twins, twins);
    expect(accelerations.every((x) => x === 0)).toBe(true);
    expect(potentials[0]).toBeCloseTo(-twins.masses[0] / 0.25, 6);
  });

  it("no sources: zero, or what was there", async () => {
    for (const { name: shape } of availableShapes(gpu())) {
      const forces = await create({ shape });
      const targets = bodies(5, 1);
      const found = await recordsOf(forces, targets, { ...bodies(1, 2), count: 0 });
      expect(found.every((word) => word === 0 || word === 0x8000_0000)).toBe(true);
    }
  });
});

describe("extremes", () => {
  // Separations over eleven decades, and masses as an integrator scales them by the square of a tiny step.
  it.each([1e-4, 1, 1e4])("masses of 1e-20 at distances down to 1e-6 of %f", async (scale) => {
    const count = 64;
    const sources = bodies(count, 3);
    sources.positions = sources.positions.map((x, i) => scale * x * 10 ** (-6 * (Math.floor(i / 3) / count)));
    sources.velocities = sources.velocities!.map((v) => v * scale);
    sources.accelerations = sources.accelerations!.map((a) => a * scale);
    sources.masses = sources.masses.map((m) => 1e-20 * m);
    for (const order of FORCE_ORDERS) {
      const forces = await create({ order, softening: 0, precision: "double-single" });
      const expected = directForces({ order, softening: 0, targets: sources, sources });
      const found = await forcesOf(forces, sources, sources);
      expect(expected.accelerations.every((a) => a !== 0)).toBe(true);
      expectClose(found, expected, 1e-5);
    }
  });

  it("a softening whose square is below float32 counts as none", async () => {
    const forces = await create({ softening: 1e-30 });
    const twins = subset(bodies(1, 1), [0, 0]);
    twins.ids[1] = 77;
    expect((await forcesOf(forces, twins, twins)).potentials.every((potential) => potential === 0)).toBe(true);
  });
});

describe("jobs", () => {
  it("are told apart by counts and buffers, and may be repeated", async () => {
    const forces = await create({ shape: "split" });
    const all = bodies(500, 1);
    const held = uploaded("acceleration", all);
    for (const [targetCount, sourceCount] of [
      [500, 500],
      [20, 500],
      [20, 129],
      [500, 500],
    ]) {
      const result = resultBuffer("acceleration", targetCount);
      const batch = gpu().batch("forces").stage("forces");
      for (let k = 0; k < 2; k++)
        forces.encode(batch, { targets: held, targetCount, sources: held, sourceCount, result });
      await batch.submit();
      const [targets, sources] = [part(all, 0, targetCount), part(all, 0, sourceCount)];
      const found = await records("acceleration", result, targetCount);
      const expected = directForces({ order: "acceleration", softening: 1 / 256, targets, sources });
      expectClose(unpackForces("acceleration", found.buffer as ArrayBuffer, targetCount), expected, 1e-5);
    }
  });

  it.each([
    ["split 100, plain 200, targets-4", 2500],
    ["split 200, targets-4", 1500],
    ["plain", 300],
  ])("targets that the GPU lists, with the variants %s, %i sources", async (choice, sourceCount) => {
    const mostTargets = 300;
    const all = bodies(mostTargets, 1);
    const sources = bodies(sourceCount, 2);
    for (const order of ["acceleration", "snap"] as const) {
      const options = { order, precision: "double-single", softening: 1 / 256 } as const;
      const forces = await DirectForces.create(gpu(), { ...options, shape: choiceOf(choice) });
      made.push(forces);
      const rows = Uint32Array.from({ length: mostTargets }, (_, i) => (i * 7) % mostTargets);
      const list = gpu().buffers.upload("list", rows, "other");
      const count = gpu().buffers.storage("count", 4, "other");
      buffers.push(list, count);
      const result = resultBuffer(order, mostTargets);
      const job = {
        ...{ targets: uploaded(order, all), targetCount: mostTargets, listed: { rows: list, count } },
        ...{ sources: uploaded(order, sources), sourceCount, result },
      };
      for (const listed of [0, 1, 99, 100, 199, 200, mostTargets]) {
        poison(gpu(), result);
        gpu().device.queue.writeBuffer(count, 0, Uint32Array.of(listed));
        const batch = gpu().batch("forces").stage("forces");
        forces.encode(batch, job);
        await batch.submit();
        const found = await records(order, result, listed);
        const targets = subset(all, Array.from(rows.subarray(0, listed)));
        const expected = directForces({ order, softening: 1 / 256, targets, sources });
        if (listed > 0) expectClose(unpackForces(order, found.buffer as ArrayBuffer, listed), expected, 1e-6);
      }
    }
  });

  it("with more targets than a dispatch takes", async () => {
    const count = 2 ** 18 + 3;
    const [targets, sources] = [bodies(count, 1), bodies(3, 2)];
    const forces = await create({});
    const found = await forcesOf(forces, targets, sources);
    const ends = [...Array(3).keys(), ...Array.from({ length: 6 }, (_, i) => count - 1 - i)];
    const expected = directForces({
      order: "acceleration",
      softening: 1 / 256,
      targets: subset(targets, ends),
      sources,
    });
    const picked = Float64Array.from(ends.flatMap((i) => Array.from(found.accelerations.subarray(3 * i, 3 * i + 3))));
    expect(relativeError(picked, expected.accelerations, 3)).toBeLessThan(1e-5);
    expect(found.potentials.every((potential) => potential < 0)).toBe(true);
  });

  it("that don't fit their buffers, and shapes that aren't there, are refused", async () => {
    const forces = await create({});
    const held = uploaded("acceleration", bodies(10, 1));
    const result = resultBuffer("acceleration", 10);
    const job = { targets: held, targetCount: 10, sources: held, sourceCount: 10, result };
    const batch = gpu().batch("forces").stage("forces");
    expect(() => forces.encode(batch, { ...job, sourceCount: 11 })).toThrow(
      /sources should hold 11 records of 32 bytes, found 10/,
    );
    expect(() => forces.encode(batch, { ...job, targetCount: 11 })).toThrow(/targets should hold 11 records/);
    const short = uploaded("acceleration", bodies(5, 1));
    expect(() => forces.encode(batch, { ...job, result: short })).toThrow(
      /result should hold 10 records of 32 bytes, found 5/,
    );
    await batch.submit();
    await expect(create({ shape: "hexagons" })).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(/expected one of plain, .*split.*, found "hexagons"/),
    });
  });
});

describe("portions of a job", () => {
  it.each([
    ["plain", 2 ** 18 + 3, 3, 2],
    ["split", 20_000, 20_000, 1],
    ["split", 20_000, 140_000, 3],
    ["plain", 65_536, 131_072, 2],
  ])("%s, %i targets, %i sources: every target once", async (shape, targetCount, sourceCount, expected) => {
    const forces = await create({ shape });
    const held = gpu().buffers.storage("bodies", 32 * Math.max(targetCount, sourceCount), "other");
    buffers.push(held);
    const portions = forces.portions({ targets: held, targetCount, sources: held, sourceCount, result: held });
    expect(portions).toHaveLength(expected);
    expect(portions.reduce((sum, { interactions }) => sum + interactions, 0)).toBe(targetCount * sourceCount);
  });
});

/** "split 100 2049, plain": variants, fewer targets than what each is for, sources at least. */
function choiceOf(text: string): ForceChoice {
  return text.split(", ").map((tier) => {
    const [name, below, sources = 0] = tier.split(" ");
    const shape = FORCE_SHAPES.find((one) => one.name === name)!;
    return { shape, below: Number(below ?? Number.POSITIVE_INFINITY), sources: Number(sources) };
  });
}

describe("the choice of variants", () => {
  const choice = choiceOf("split 1000 2049, plain 8000, targets-4");

  it.each([
    [3, 5000, "split"],
    [3, 2048, "plain"],
    [999, 2049, "split"],
    [1000, 5000, "plain"],
    [8000, 5000, "targets-4"],
  ])("for %i targets and %i sources is %s", (targets, sources, name) => {
    expect(shapeFor(choice, targets, sources).name).toBe(name);
  });

  it.each([
    [999, 5000, ["split 0 999"]],
    [1000, 5000, ["split 0 999", "plain 1000 1000"]],
    [16_000, 5000, ["split 0 999", "plain 1000 7999", "targets-4 8000 16000"]],
    [2000, 2000, ["plain 0 2000"]],
  ])("for up to %i targets and %i sources is %j", (targets, sources, expected) => {
    const spans = shapesUpTo(choice, targets, sources);
    expect(spans.map(({ shape: { name }, fewest, most }) => `${name} ${fewest} ${most}`)).toEqual(expected);
  });

  it("leaves out what is for no number of targets", () => {
    const spans = shapesUpTo(choiceOf("split 1000 2049, plain 1000, targets-4"), 3000, 5000);
    expect(spans.map(({ shape: { name } }) => name)).toEqual(["split", "targets-4"]);
  });

  it("follows from the kind of adapter, or from a pin", () => {
    const { device, adapter } = gpu();
    const lanes = availableShapes(gpu()).some(({ through }) => through === "subgroups");
    const names = (software: boolean, pin?: string) => {
      const shapes = pin === undefined ? undefined : pinnedShapes(pin);
      const context = new GpuContext(device, { ...adapter, software }, { owned: false, ...(shapes && { shapes }) });
      return shapesOn(context).map(({ shape: { name } }) => name);
    };
    expect(names(true)).toEqual(lanes ? ["split-subgroups", "subgroups"] : ["split", "plain", "targets-4"]);
    expect(names(false)).toEqual(["split-tiles", "tiles"]);
    expect(names(true, "direct=plain")).toEqual(["plain"]);
  });
});
