/** Crowded cells hold more than 32 bits of mass, by every deposit, on a mesh that held others before. */
import { describe, expect, it } from "vitest";
import { ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import { ParticleOrder } from "../../src/engine/gpu-particles/order.ts";
import { Deposit, type DepositShapeName } from "../../src/engine/mesh/deposit/deposit.ts";
import { createMeshBuffers } from "../../src/engine/mesh/field.ts";
import { cellGrid } from "../../src/engine/mesh/stage.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { WindowLimits } from "../../src/foundation/gpu/windows.ts";
import { wholeBoxGrid } from "../../src/physics/particles/grid.ts";
import { firstDifference } from "../support/compare.ts";
import { exactState, meshSettings, placeholders, randomPositions, randomWords } from "../support/exact-particles.ts";
import { useGpu } from "../support/gpu.ts";
import { poisonMesh, readMass } from "../support/mesh-mass.ts";

const gpu = useGpu();
const CELLS = 32;
const COUNT = 12_000;
/** More than fill 32 bits of a cell, of the heaviest mass and with TSC. */
const CROWD = 4000;
const SHAPES: readonly DepositShapeName[] = ["rows", "windows", "runs-8", "runs-128", "direct", "host"];
/** Not for meshes in slabs, which keep runs. */
const WHOLE_ALONE: readonly DepositShapeName[] = ["windows"];
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
/** One after another on the same mesh: cells lose their high words, and others get some. */
const DEPOSITED = [crowds([[3, 7, 2], LAST, SHARED], 3), crowds([], 5), crowds([[0, 20, 9], SHARED], 7)];

describe("the deposit", () => {
  it.each([
    ["ngp", "in one piece", undefined],
    ["cic", "in parts", CUT],
    ["tsc", "in one piece", undefined],
  ] as const)(
    "%s, puts the same mass into the cells of a mesh %s that held others before",
    async (assignment, _, windows) => {
      const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows });
      const settings = meshSettings(CELLS, assignment);
      const boundary = "periodic";
      const particles = await ParticleBuffers.create(context, placeholders(COUNT), { boxSize: 1, boundary });
      const mesh = createMeshBuffers(context, wholeBoxGrid(CELLS, boundary));
      expect(mesh.slabs.length > 1).toBe(windows !== undefined);
      const order = await ParticleOrder.create(context, particles, mesh.starts, cellGrid(settings, mesh.grid), {
        scan: "sequential",
      });
      poisonMesh(context, mesh);
      const expected = new Map<Uint32Array, Float64Array>();
      const able = SHAPES.filter((name) => !windows || !WHOLE_ALONE.includes(name));
      for (const shape of able.filter((name) => name !== "rows")) {
        const deposit = await Deposit.create({ gpu: context, particles, mesh, settings }, { shape });
        for (const positions of DEPOSITED) {
          await particles.restore(exactState(positions, boundary));
          const batch = context.batch("order");
          order.encodeCount(batch);
          order.encodeSort(batch);
          await batch.submit();
          await deposit.run();
          const units = await readMass(context, mesh);
          expect(units.some((mass) => mass >= 2 ** 32)).toBe(positions !== DEPOSITED[1]);
          expect(units.reduce((sum, mass) => sum + mass, 0)).toBe(Number(particles.totalMassUnits));
          const first = expected.get(positions) ?? units;
          expected.set(positions, first);
          expect(`${shape} ${firstDifference(units, first)}`).toBe(`${shape} same`);
        }
        deposit.destroy();
      }
      context.destroy();
    },
  );
});
