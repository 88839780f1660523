import { describe, expect, it } from "vitest";
import { pinnedShapes } from "../../src/gpu/choices.ts";
import { GpuContext } from "../../src/gpu/context.ts";
import type { WindowLimits } from "../../src/gpu/windows.ts";
import { Deposit, type DepositShapeName } from "../../src/mesh/deposit.ts";
import { slabs } from "../../src/mesh/deposit-rows.ts";
import { cellGrid, createMeshBuffers } from "../../src/mesh/field.ts";
import type { Assignment, GradientScheme } from "../../src/mesh/settings.ts";
import type { Boundary } from "../../src/particles/box.ts";
import { ParticleBuffers } from "../../src/particles/buffers.ts";
import { MASS_UNITS, packImage } from "../../src/particles/fixed-point.ts";
import { Order } from "../../src/particles/order.ts";
import { firstDifference } from "../support/compare.ts";
import {
  baseOnAxis,
  edgePositions,
  exactState,
  keyOf,
  massUnits,
  meshSettings,
  placeholders,
  randomPositions,
  randomWords,
} from "../support/exact-particles.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";
import { poisonMesh, readMass } from "../support/mesh-mass.ts";

const gpu = useGpu();
const ASSIGNMENTS = ["ngp", "cic", "tsc"] as const;
const ALL_SHAPES: readonly DepositShapeName[] = ["rows", "runs-8", "runs-128", "tiles", "direct", "bounded", "host"];
const ONE = 2n ** 24n;

/** mass · weight / 2^24 to the nearest integer, half up. */
const share = (mass: bigint, weight: bigint) => (mass * weight + ONE / 2n) / ONE;

/** A mass split over the cells of one axis, by the definition of the weights; [cells from base, mass]. */
function split(assignment: Assignment, mass: bigint, offset: bigint): [number, bigint][] {
  if (assignment === "ngp") return [[0, mass]];
  if (assignment === "cic") {
    const next = share(mass, offset);
    return [
      [0, mass - next],
      [1, next],
    ];
  }
  const half = (x: bigint) => (x * x + ONE) / (2n * ONE); // x²/2 in units of 2^-24, half up
  const previous = share(mass, half(ONE - offset));
  const next = share(mass, half(offset));
  return [
    [-1, previous],
    [0, mass - previous - next],
    [1, next],
  ];
}

interface Case {
  cells: number;
  assignment: Assignment;
  boundary?: Boundary;
  gradient?: GradientScheme;
  positions: Uint32Array<ArrayBuffer>;
  images?: (id: number) => number;
  mass?: (id: number) => number;
  shapes?: readonly DepositShapeName[];
  windows?: WindowLimits;
}

/** Cell masses by plain integer arithmetic, a particle at a time; exact in float64 below 2^53. */
function oracle({ cells, assignment, boundary = "periodic", gradient, positions, images, mass }: Case): Float64Array {
  const settings = meshSettings(cells, assignment, gradient);
  const count = positions.length / 3;
  const heaviest = mass ? Math.max(...Array.from({ length: count }, (_, id) => mass(id))) : 1;
  const sums = new Float64Array(cells ** 3);
  for (let id = 0; id < count; id++) {
    const u = positions.subarray(3 * id, 3 * id + 3);
    if (keyOf(u, images?.(id) ?? 0, settings, boundary) === cells ** 3) continue;
    const [x, y, z] = [0, 1, 2].map((axis) => baseOnAxis(u[axis], cells, assignment));
    const units = BigInt(massUnits(mass?.(id) ?? 1, heaviest));
    const parts = (m: bigint, at: { offset: number }) => split(assignment, m, BigInt(Math.floor(at.offset / 256)));
    const wrap = (cell: number) => (cell + cells) % cells;
    for (const [dz, mz] of parts(units, z))
      for (const [dy, my] of parts(mz, y))
        for (const [dx, m] of parts(my, x))
          sums[(wrap(z.cell + dz) * cells + wrap(y.cell + dy)) * cells + wrap(x.cell + dx)] += Number(m);
  }
  return sums;
}

/** Cell masses by each shape, on poisoned buffers. */
async function deposits(test: Case): Promise<Map<DepositShapeName, Float64Array>> {
  const { cells, assignment, boundary = "periodic", gradient, positions, images, mass } = test;
  const settings = meshSettings(cells, assignment, gradient);
  const count = positions.length / 3;
  const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows: test.windows });
  const particles = await ParticleBuffers.create(context, placeholders(count, mass), { boxSize: 1, boundary });
  await particles.restore(exactState(positions, boundary, images));
  const mesh = createMeshBuffers(context, cells);
  const order = await Order.create(context, particles, mesh.starts, cellGrid(settings, particles.boundary), {
    scan: "sequential",
  });
  const found = new Map<DepositShapeName, Float64Array>();
  for (const shape of (test.shapes ?? ALL_SHAPES).filter((name) => name !== "tiles" || assignment !== "ngp")) {
    const deposit = await Deposit.create({ gpu: context, particles, mesh, settings }, { shape });
    poisonMesh(context, mesh);
    const batch = context.batch("order");
    order.encodeCount(batch);
    order.encodeSort(batch);
    await batch.submit();
    await deposit.run();
    found.set(shape, await readMass(context, mesh));
    deposit.destroy();
  }
  context.destroy();
  return found;
}

/** Cell masses by rows of particles that lie in the order of other positions. */
async function depositInOrderOf(former: Uint32Array<ArrayBuffer>, test: Case): Promise<Float64Array> {
  const { cells, assignment, positions, mass } = test;
  const settings = meshSettings(cells, assignment);
  const count = positions.length / 3;
  const shapes = pinnedShapes("reorder=every 3 steps");
  const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), shapes });
  const set = placeholders(count, mass);
  const particles = await ParticleBuffers.create(context, set, { boxSize: 1, boundary: "periodic" });
  await particles.restore(exactState(former, "periodic"));
  const mesh = createMeshBuffers(context, cells);
  const order = await Order.create(context, particles, mesh.starts, cellGrid(settings, "periodic"));
  const deposit = await Deposit.create({ gpu: context, particles, mesh, settings }, { shape: "rows" });
  await deposit.drifted!.prepare();
  const batch = context.batch("order");
  order.encodeCount(batch);
  order.encodeSort(batch);
  await batch.submit();
  const ids = await particles.readIds();
  const moved = new Uint32Array(3 * count);
  for (const [slot, id] of ids.entries()) moved.set(positions.subarray(3 * id, 3 * id + 3), 3 * slot);
  context.device.queue.writeBuffer(particles.positions[particles.current], 0, moved);
  particles.phase.advance("the test", "sorted", "drifted");
  poisonMesh(context, mesh);
  await deposit.run();
  const found = await readMass(context, mesh);
  deposit.destroy();
  context.destroy();
  return found;
}

async function checkDeposit(test: Case): Promise<void> {
  const expected = oracle(test);
  for (const [shape, found] of await deposits(test)) {
    expect(`${shape} ${firstDifference(found, expected)}`).toBe(`${shape} same`);
  }
}

describe("deposit of particles that have moved since they were ordered, cic", () => {
  const check = async (former: Uint32Array<ArrayBuffer>, test: Omit<Case, "assignment">) => {
    const moved: Case = { ...test, assignment: "cic" };
    expect(firstDifference(await depositInOrderOf(former, moved), oracle(moved))).toBe("same");
  };
  /** By so many cells at most, around the box's faces, too. */
  const movedBy = (cells: number, positions: Uint32Array, reach: number) => {
    const word = randomWords(31);
    const far = (reach * 2 ** 32) / cells;
    return Uint32Array.from(positions, (u) => u + Math.round((word() / 2 ** 31 - 1) * far));
  };

  it.each([24, 128])("few astray, many and nobody at home, on %i^3 cells", async (cells) => {
    const former = randomPositions(40_001, cells);
    for (const reach of [0, 0.05, 1.5]) await check(former, { cells, positions: movedBy(cells, former, reach) });
    await check(former, { cells, positions: randomPositions(40_001, 3) });
  });

  it("faces, centres and edges of the box", async () => {
    const former = edgePositions(5003, 24, 24);
    await check(former, { cells: 24, positions: movedBy(24, former, 0.5) });
    await check(randomPositions(5003, 9), { cells: 24, positions: former });
  });

  it("unequal masses; all into one cell, and out of it, with carries", async () => {
    const mass = (id: number) => 2 ** (-(id % 2200) / 100);
    const everywhere = randomPositions(20_001, 5);
    await check(everywhere, { cells: 24, positions: movedBy(24, everywhere, 1), mass });
    const together = Uint32Array.from(everywhere, (u) => 0x30000000 + (u >>> 8));
    await check(everywhere, { cells: 24, positions: together });
    await check(together, { cells: 24, positions: everywhere });
  });

  it("not offered where a shape needs the order, or the box is isolated", async () => {
    const shapes = pinnedShapes("reorder=every 3 steps");
    const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), shapes });
    const offered = async (assignment: Assignment, boundary: Boundary, shape: DepositShapeName) => {
      const particles = await ParticleBuffers.create(context, placeholders(100), { boxSize: 1, boundary });
      const mesh = createMeshBuffers(context, 16);
      const stage = { gpu: context, particles, mesh, settings: meshSettings(16, assignment) };
      return (await Deposit.create(stage, { shape })).drifted !== undefined;
    };
    expect(await offered("cic", "periodic", "rows")).toBe(true);
    expect(await offered("cic", "periodic", "runs-8")).toBe(false);
    expect(await offered("cic", "isolated", "rows")).toBe(false);
    expect(await offered("tsc", "periodic", "rows")).toBe(false);
    expect(await offered("ngp", "periodic", "rows")).toBe(false);
    context.destroy();
  });
});

describe.each(ASSIGNMENTS)("deposit, %s", (assignment) => {
  it.each(inFull([16, 24, 32, 48], assignment === "tsc" ? [24] : [24, 48]))(
    "random particles on %i^3 cells, all shapes alike",
    async (cells) => {
      for (const count of [1, 999, 20_001]) {
        const positions = randomPositions(count, cells + count);
        await checkDeposit({ cells, assignment, positions });
      }
    },
  );

  it("faces, centres and edges of the box", async () => {
    for (const cells of inFull([16, 24], [24]))
      await checkDeposit({ cells, assignment, positions: edgePositions(5003, cells, cells) });
  });

  it("unequal masses, from massless to the heaviest", async () => {
    const word = randomWords(17);
    const masses = Float64Array.from({ length: 5001 }, (_, id) => (id % 10 === 0 ? 0 : 2 ** (-(word() % 2200) / 100)));
    const mass = (id: number) => masses[id];
    await checkDeposit({ cells: 24, assignment, positions: randomPositions(5001, 2), mass });
  });

  it("isolated, with particles outside and an empty region", async () => {
    for (const gradient of ["2-point", "4-point"] as const) {
      const positions = edgePositions(4001, 24, 6);
      positions.set(randomPositions(1500, 7).map((u) => u >>> 1)); // one octant
      const images = (id: number) => (id % 5 === 0 ? packImage((id % 3) - 1, (id % 7) - 3, 0) : 0);
      // What the gradient changes, who is inside, is in one function.
      const shapes = inFull(ALL_SHAPES, gradient === "4-point" ? ALL_SHAPES : (["rows", "runs-8", "bounded"] as const));
      await checkDeposit({ cells: 24, assignment, boundary: "isolated", gradient, positions, images, shapes });
    }
  });

  it.each([{ planes: 2, particles: 4096 }, { planes: 10 }, { particles: 10_000 }])(
    "in sections of %o",
    async (windows) => {
      const word = randomWords(17);
      // A cell past 32 bits, whose pencil goes on from window to window.
      const crowd = Uint32Array.from({ length: 3 * 6000 }, () => 16.5 * 2 ** 27 + (word() >>> 8));
      const isCrowded = (id: number) => id >= 12_000 && id < 18_000;
      const masses = Float64Array.from({ length: 20_011 }, (_, id) =>
        isCrowded(id) ? 1 : 2 ** (-(word() % 700) / 100),
      );
      // Rows: not for NGP, and the scratch of two planes has no room for TSC's sums.
      const rows = assignment === "cic" || (assignment === "tsc" && windows.planes !== 2);
      const all = ALL_SHAPES.filter((name) => name !== "tiles" && (rows || name !== "rows"));
      const some = ["rows", "runs-8", "bounded", "host"] as const;
      const shapes = inFull(
        all,
        some.filter((name) => all.includes(name)),
      );
      const boundaries = ["periodic", "isolated"] as const;
      for (const boundary of inFull(boundaries, boundaries.slice(windows.planes === 10 ? 1 : 0).slice(0, 1))) {
        const positions = edgePositions(20_011, 32, 8);
        positions.set(randomPositions(12_000, 7));
        positions.set(crowd, 36_000);
        const images = (id: number) => (id % 5 === 0 ? packImage((id % 3) - 1, (id % 7) - 3, 0) : 0);
        const mass = (id: number) => masses[id];
        await checkDeposit({ cells: 32, assignment, boundary, positions, images, mass, shapes, windows });
      }
    },
  );

  it("no particle inside at all", async () => {
    const positions = new Uint32Array(3 * 65);
    await checkDeposit({ cells: 24, assignment, boundary: "isolated", positions });
  });

  it("crowded cells past 32 bits, at window and slab edges", async () => {
    const cells = 48;
    const word = randomWords(23);
    const edges = [0, 15, 16, 47];
    const inCell = (cell: number) => Math.floor(((cell + word() / 2 ** 32) * 2 ** 32) / cells);
    const positions = Uint32Array.from({ length: 3 * 100_003 }, () => inCell(edges[word() % 4]));
    await checkDeposit({ cells, assignment, positions });
  });

  it("a million particles in one cell, mass exact to the unit", async () => {
    const count = 1_000_000;
    const word = randomWords(29);
    const positions = Uint32Array.from({ length: 3 * count }, () => 2 ** 31 + (word() >>> 6));
    const found = await deposits({ cells: 24, assignment, positions });
    const first = found.get("rows")!;
    expect(first.reduce((a, b) => a + b)).toBe(count * MASS_UNITS);
    for (const [shape, masses] of found) expect(`${shape} ${firstDifference(masses, first)}`).toBe(`${shape} same`);
  });

  it("the same bits for particles in another order", async () => {
    const positions = randomPositions(10_001, 31);
    const reversed = new Uint32Array(positions.length);
    for (let i = 0; i < positions.length; i += 3) reversed.set(positions.subarray(i, i + 3), positions.length - 3 - i);
    const [a, b] = [
      await deposits({ cells: 24, assignment, positions }),
      await deposits({ cells: 24, assignment, positions: reversed }),
    ];
    for (const [shape, masses] of a) expect(firstDifference(masses, b.get(shape)!)).toBe("same");
  });
});

describe("the deposit", () => {
  it("cuts the mesh into slabs whose partial sums fit the force's 12 bytes a cell", () => {
    for (const cells of [16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 768])
      for (const span of [3, 4]) {
        const parts = slabs(cells, span);
        expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(cells / 2);
        parts.forEach((slab, k) => {
          expect(slab.first).toBe(k === 0 ? 0 : parts[k - 1].first + parts[k - 1].count);
          expect(4 * span ** 2 * slab.planes * (cells / 2) * cells).toBeLessThanOrEqual(12 * cells ** 3);
          expect(slab.planes).toBe(Math.min(cells / 2, slab.count + span - 2));
        });
        expect(parts.length).toBe(span === 3 ? 1 : 2);
      }
  });

  it.each(["auto", "sort", "atomic", "host"] as const)("method %s chooses among its shapes", async (method) => {
    const settings = { ...meshSettings(16, "cic"), deposit: method };
    const particles = await ParticleBuffers.create(gpu(), placeholders(5000), { boxSize: 1, boundary: "periodic" });
    const positions = randomPositions(5000, 37);
    await particles.restore(exactState(positions, "periodic"));
    const mesh = createMeshBuffers(gpu(), 16);
    const order = await Order.create(gpu(), particles, mesh.starts, cellGrid(settings, particles.boundary), {
      scan: "sequential",
    });
    const batch = gpu().batch("order");
    order.encodeCount(batch);
    order.encodeSort(batch);
    await batch.submit();
    const deposit = await Deposit.create({ gpu: gpu(), particles, mesh, settings });
    expect(deposit.needsHost).toBe(method === "host");
    const sorted = ["rows", "runs-8", "runs-128", "tiles"];
    const direct = ["direct", "bounded"];
    const allowed = { auto: [...sorted, ...direct], sort: sorted, atomic: direct, host: ["host"] };
    expect(allowed[method]).toContain(deposit.shape);
    expect(await deposit.choose()).toBe(deposit.shape);
    if (method === "host") expect(() => deposit.encode(gpu().batch("no"))).toThrow(/await run/);
    await deposit.run();
    expect(firstDifference(await readMass(gpu(), mesh), oracle({ cells: 16, assignment: "cic", positions }))).toBe(
      "same",
    );
  });

  it("takes the shape that a run had come to, until it looks at the particles again", async () => {
    // More particles than the usual shape is taken for unmeasured.
    const count = 300_000;
    const settings = meshSettings(16, "cic");
    const about = "deposit cic, 16^3 cells, 2^18 particles, 2^";
    const come = { [`${about}3 a cell`]: "runs-8", [`${about}20 a cell`]: "direct" };
    // Where it looks at them, in as crowded cells as they are in, the answer is there.
    const crowded = `${about}${Math.round(Math.log2(count / 16 ** 3))} a cell`;
    const choices = { get: (key: string) => (key.endsWith(`|${crowded}`) ? "rows" : undefined), set: () => {} };
    const parent = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), choices });
    for (const [earlier, shape] of [
      [come, "direct"], // the last one
      [{ ...come, [`${about}5 a cell`]: "a shape of another version" }, "rows"],
      [undefined, "rows"],
    ] as const) {
      const context = parent.account(earlier);
      const particles = await ParticleBuffers.create(context, placeholders(count), {
        boxSize: 1,
        boundary: "periodic",
      });
      await particles.restore(exactState(randomPositions(count, 41), "periodic"));
      const mesh = createMeshBuffers(context, 16);
      const order = await Order.create(context, particles, mesh.starts, cellGrid(settings, particles.boundary), {
        scan: "sequential",
      });
      const batch = context.batch("order");
      order.encodeCount(batch);
      order.encodeSort(batch);
      await batch.submit();
      const deposit = await Deposit.create({ gpu: context, particles, mesh, settings });
      expect(deposit.shape).toBe(shape);
      expect(await deposit.choose()).toBe("rows");
      deposit.destroy();
      context.destroy();
    }
    parent.destroy();
  });
});
