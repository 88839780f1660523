/** Rows of cells with high words are marked, by every deposit, and what solves for them misses none. */
import { describe, expect, it } from "vitest";
import { GpuContext } from "../../src/gpu/context.ts";
import type { WindowLimits } from "../../src/gpu/windows.ts";
import { Deposit, type DepositShapeName } from "../../src/mesh/deposit.ts";
import { createMeshBuffers } from "../../src/mesh/field.ts";
import { PoissonFft } from "../../src/mesh/poisson-fft.ts";
import type { PoissonSettings } from "../../src/mesh/poisson-solver.ts";
import { cellGrid } from "../../src/mesh/stage.ts";
import { ParticleBuffers } from "../../src/particles/buffers.ts";
import { Order } from "../../src/particles/order.ts";
import { firstDifference } from "../support/compare.ts";
import { exactState, meshSettings, placeholders, randomPositions, randomWords } from "../support/exact-particles.ts";
import { FFT_SHAPES } from "../support/fft-solver.ts";
import { useGpu } from "../support/gpu.ts";
import {
  meshWithMass,
  poisonMesh,
  readField,
  readMarks,
  readMass,
  releaseMesh,
  rowsOf,
  writeMarks,
} from "../support/mesh-mass.ts";

const gpu = useGpu();
const CELLS = 32;
const COUNT = 12_000;
/** More than fill 32 bits of a cell, of the heaviest mass and with TSC. */
const CROWD = 4000;
const SHAPES: readonly DepositShapeName[] = ["rows", "runs-8", "runs-128", "direct", "host"];
const CUT: WindowLimits = { planes: 10, particles: 5000 };

type Cell = readonly [number, number, number];

/** A crowd in each of these cells, and the others anywhere. */
function crowds(cells: readonly Cell[], seed: number): Uint32Array<ArrayBuffer> {
  const positions = randomPositions(COUNT, seed);
  const word = randomWords(seed + 1);
  const inCell = (cell: number) => Math.floor(cell * (2 ** 32 / CELLS) + word() / CELLS);
  for (const [k, cell] of cells.entries())
    for (let i = CROWD * k; i < CROWD * (k + 1); i++) positions.set(cell.map(inCell), 3 * i);
  return positions;
}

const LAST: Cell = [31, 31, 31];
const SHARED: Cell = [16, 10, 10];
/** One after another on the same mesh: rows lose their marks, and others get some. */
const DEPOSITED = [crowds([[3, 7, 2], LAST, SHARED], 3), crowds([], 5), crowds([[0, 20, 9], SHARED], 7)];

describe.each(["ngp", "cic", "tsc"] as const)("the deposit, %s", (assignment) => {
  it.each([
    ["in one piece", undefined],
    ["in parts", CUT],
  ])("marks rows with high words and no others, of a mesh %s that held others before", async (_, windows) => {
    const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows });
    const settings = meshSettings(CELLS, assignment);
    const boundary = "periodic";
    const particles = await ParticleBuffers.create(context, placeholders(COUNT), { boxSize: 1, boundary });
    const mesh = createMeshBuffers(context, CELLS);
    expect(mesh.slabs.length > 1).toBe(windows !== undefined);
    const order = await Order.create(context, particles, mesh.starts, cellGrid(settings, boundary), {
      scan: "sequential",
    });
    poisonMesh(context, mesh);
    for (const shape of SHAPES.filter((name) => name !== "rows" || assignment !== "ngp" || !windows)) {
      const deposit = await Deposit.create({ gpu: context, particles, mesh, settings }, { shape });
      for (const positions of DEPOSITED) {
        await particles.restore(exactState(positions, boundary));
        const batch = context.batch("order");
        order.encodeCount(batch);
        order.encodeSort(batch);
        await batch.submit();
        await deposit.run();
        const units = await readMass(context, mesh);
        const high = units.map((mass) => Math.floor(mass / 2 ** 32));
        const rows = rowsOf(CELLS, high);
        expect([rows.includes(0), rows.includes(1)]).toEqual([true, positions !== DEPOSITED[1]]);
        expect(`${shape} ${firstDifference(await readMarks(context, mesh), rows)}`).toBe(`${shape} same`);
      }
      deposit.destroy();
    }
    context.destroy();
  });
});

const SOLVER: PoissonSettings = {
  ...{ boundary: "periodic", green: "exact", kernel: "truncated", spectralGradient: false },
  ...{ boxSize: 1, G: 1, massUnit: 2 ** -32 },
};

describe.each(FFT_SHAPES)("a solution, shape %s", (shape) => {
  // What is less than the mean borrows from the high word, whether there is one or not.
  it.each([
    ["periodic", 2 ** 30],
    ["periodic", 2 ** 32 + 5],
    ["isolated", 0],
  ] as const)(
    "that reads marked rows alone has the bits of one that reads all: %s, mean %i",
    async (boundary, mean) => {
      const word = randomWords(11);
      const units = Float64Array.from({ length: CELLS ** 3 }, (_, cell) => {
        const row = Math.floor(cell / CELLS);
        const isLight = row % 16 >= 8 || row % 3 === 0; // eight together, and single ones
        return isLight || cell % 7 > 0 ? word() : word() * 2 ** 12;
      });
      for (const windows of [undefined, CUT]) {
        const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows });
        const potentials: Float32Array[] = [];
        for (const all of [false, true]) {
          const mesh = meshWithMass(context, CELLS, units);
          expect(mesh.slabs.length > 1).toBe(windows !== undefined);
          const marks = await readMarks(context, mesh);
          expect([marks.includes(0), marks.includes(1)]).toEqual([true, true]);
          if (all) writeMarks(context, mesh, marks.fill(1));
          const settings = { ...SOLVER, boundary, shape, totalUnits: mean * CELLS ** 3 };
          const solver = await PoissonFft.create(context, mesh, settings);
          await solver.encode(context.batch("solution")).submit();
          potentials.push(await readField(context, mesh));
          solver.destroy();
          releaseMesh(context, mesh);
        }
        expect(firstDifference(potentials[0], potentials[1])).toBe("same");
        expect(potentials[0].every((value) => Number.isFinite(value) && value !== 0)).toBe(true);
        context.destroy();
      }
    },
  );
});
