import { describe, expect, it } from "vitest";
import { ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import { ParticleOrder } from "../../src/engine/gpu-particles/order.ts";
import { Deposit, type DepositShapeName } from "../../src/engine/mesh/deposit/deposit.ts";
import { slabs } from "../../src/engine/mesh/deposit/deposit-rows.ts";
import { createMeshBuffers } from "../../src/engine/mesh/field.ts";
import type { Assignment, GradientScheme } from "../../src/engine/mesh/settings.ts";
import { cellGrid } from "../../src/engine/mesh/stage.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import { pinnedShapes, type ShapePins } from "../../src/foundation/gpu/shapes.ts";
import type { WindowLimits } from "../../src/foundation/gpu/windows.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { MASS_UNITS, packImage } from "../../src/physics/particles/fixed-point.ts";
import { wholeBoxGrid } from "../../src/physics/particles/grid.ts";
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
const ALL_SHAPES: readonly DepositShapeName[] = ["rows", "windows", "runs-128", "direct", "host"];
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
  const mesh = createMeshBuffers(context, wholeBoxGrid(cells, particles.boundary));
  const order = await ParticleOrder.create(context, particles, mesh.starts, cellGrid(settings, mesh.grid), {
    scan: "sequential",
  });
  const found = new Map<DepositShapeName, Float64Array>();
  for (const shape of test.shapes ?? ALL_SHAPES) {
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

async function checkDeposit(test: Case): Promise<void> {
  const expected = oracle(test);
  for (const [shape, found] of await deposits(test)) {
    expect(`${shape} ${firstDifference(found, expected)}`).toBe(`${shape} same`);
  }
}

describe.each(ASSIGNMENTS)("deposit, %s", (assignment) => {
  it.each(inFull([16, 24, 32, 48], [assignment === "cic" ? 48 : 24]))(
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
      const shapes = inFull(ALL_SHAPES, gradient === "4-point" ? ALL_SHAPES : (["rows", "windows", "direct"] as const));
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
      const inParts = ["rows", "runs-8", "runs-128", "direct", "host"] as const;
      const all = inParts.filter((name) => rows || name !== "rows");
      const some = ["rows", "runs-8", "direct", "host"] as const;
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

  it("70 000 particles in one cell, mass exact to the unit", async () => {
    const count = 70_000;
    const word = randomWords(29);
    const positions = Uint32Array.from({ length: 3 * count }, () => 2 ** 31 + (word() >>> 6));
    const found = await deposits({ cells: 24, assignment, positions });
    const first = found.get("rows")!;
    expect(first.reduce((a, b) => a + b)).toBe(count * MASS_UNITS);
    for (const [shape, masses] of found) expect(`${shape} ${firstDifference(masses, first)}`).toBe(`${shape} same`);
  });

  it("by windows, the same bits from a tenth of a particle to forty a cell", async () => {
    const word = randomWords(43);
    const at = (x: number) => Math.floor((((x + 0.5) % 1) + 1) * 2 ** 32) % 2 ** 32;
    const unit = () => (word() + 0.5) / 2 ** 32;
    const shapes = ["windows", "direct"] as const;
    const distributions: Record<string, () => number[]> = {
      uniform: () => [unit(), unit(), unit()],
      sphere: () => {
        const [r, z, angle] = [0.05 / Math.sqrt(unit() ** (-2 / 3) - 0.999), 2 * unit() - 1, 2 * Math.PI * unit()];
        const flat = r * Math.sqrt(1 - z * z);
        return [flat * Math.cos(angle), flat * Math.sin(angle), r * z];
      },
      disk: () => {
        const [r, angle] = [-0.06 * Math.log(unit() * unit()), 2 * Math.PI * unit()];
        return [r * Math.cos(angle), r * Math.sin(angle), 0.006 * (unit() - unit())];
      },
    };
    const all = Object.keys(distributions).flatMap((name) =>
      [0.1, 1, 8, 40].map((perCell) => [name, perCell] as const),
    );
    for (const [name, perCell] of inFull(all, [all[0], all[1], all[6], all[10]])) {
      const drawn = Array.from({ length: perCell * 24 ** 3 }, distributions[name]);
      const found = await deposits({ cells: 24, assignment, positions: Uint32Array.from(drawn.flat(), at), shapes });
      const difference = firstDifference(found.get("windows")!, found.get("direct")!);
      expect(`${name}, ${perCell} a cell: ${difference}`).toBe(`${name}, ${perCell} a cell: same`);
    }
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
    const mesh = createMeshBuffers(gpu(), wholeBoxGrid(16, particles.boundary));
    const order = await ParticleOrder.create(gpu(), particles, mesh.starts, cellGrid(settings, mesh.grid), {
      scan: "sequential",
    });
    const batch = gpu().batch("order");
    order.encodeCount(batch);
    order.encodeSort(batch);
    await batch.submit();
    const deposit = await Deposit.create({ gpu: gpu(), particles, mesh, settings });
    expect(deposit.needsHost).toBe(method === "host");
    const sorted = ["rows", "windows", "runs-128"];
    const allowed = { auto: sorted, sort: sorted, atomic: ["direct"], host: ["host"] };
    expect(allowed[method]).toContain(deposit.shape);
    expect(await deposit.choose()).toBe(deposit.shape);
    if (method === "host") expect(() => deposit.encode(gpu().batch("no"))).toThrow(/await run/);
    await deposit.run();
    expect(firstDifference(await readMass(gpu(), mesh), oracle({ cells: 16, assignment: "cic", positions }))).toBe(
      "same",
    );
  });

  it("goes by how crowded the cells are on a processor, unless a shape is pinned", async () => {
    const count = 300_000;
    const processor = gpu().adapter.software;
    const pins = (shapes?: ShapePins) => ({ owned: false, parent: gpu(), shapes });
    for (const [cells, pinned, before, after] of [
      [16, undefined, "runs-128", "runs-128"], // 73 particles a cell
      [64, undefined, "runs-128", "rows"], // 1.7 in one that holds any
      [64, "direct", "direct", "direct"],
    ] as const) {
      const context = new GpuContext(gpu().device, gpu().adapter, pins(pinned && pinnedShapes(`deposit=${pinned}`)));
      const settings = meshSettings(cells, "cic");
      const particles = await ParticleBuffers.create(context, placeholders(count), {
        boxSize: 1,
        boundary: "periodic",
      });
      await particles.restore(exactState(randomPositions(count, 41), "periodic"));
      const mesh = createMeshBuffers(context, wholeBoxGrid(cells, particles.boundary));
      const order = await ParticleOrder.create(context, particles, mesh.starts, cellGrid(settings, mesh.grid), {
        scan: "sequential",
      });
      const batch = context.batch("order");
      order.encodeCount(batch);
      order.encodeSort(batch);
      await batch.submit();
      const deposit = await Deposit.create({ gpu: context, particles, mesh, settings });
      expect(deposit.shape).toBe(pinned || processor ? before : "windows");
      expect(await deposit.choose()).toBe(pinned || processor ? after : "windows");
      deposit.destroy();
      context.destroy();
    }
  });
});
