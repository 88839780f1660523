/**
 * Grids as values: order, deposit, Poisson and gradient on a cube somewhere in the box, with boundaries that no deck has,
 * beside the same in float64.
 */
import { describe, expect, it } from "vitest";
import { ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import { ParticleOrder } from "../../src/engine/gpu-particles/order.ts";
import { Deposit, type DepositShapeName } from "../../src/engine/mesh/deposit/deposit.ts";
import { createMeshBuffers } from "../../src/engine/mesh/field.ts";
import { readField } from "../../src/engine/mesh/force/field-reading.ts";
import { MeshGradient } from "../../src/engine/mesh/force/gradient.ts";
import { createPoisson } from "../../src/engine/mesh/poisson/poisson.ts";
import type { Assignment } from "../../src/engine/mesh/settings.ts";
import { cellGrid } from "../../src/engine/mesh/stage.ts";
import { cellKeys, hostGridOf } from "../../src/engine/reference/mesh/cells.ts";
import { depositMass } from "../../src/engine/reference/mesh/deposit.ts";
import { differenceGradient } from "../../src/engine/reference/mesh/gradient.ts";
import { poissonSolvers } from "../../src/engine/reference/mesh/poisson.ts";
import { boundaries, type Grid, type GridBoundary } from "../../src/physics/particles/grid.ts";
import { readForce } from "../../src/study/doctor/mesh-reading.ts";
import { exactState, meshSettings, placeholders, randomPositions } from "../support/exact-particles.ts";
import { useGpu } from "../support/gpu.ts";
import { poisonMesh } from "../support/mesh-mass.ts";
import { coordinates, relativeError } from "../support/particle-stage.ts";

const gpu = useGpu();
const COUNT = 20_011;
const BOX = 3;
const G = 2;
const SHAPES: DepositShapeName[] = ["rows", "windows", "direct"];

/** Goes on at its opposite face, but particles beyond the faces aren't on it: as a fine mesh around a galaxy would. */
const level: GridBoundary = { name: "level", wraps: true, hasOutside: true };

/** A cube in the box, whose cells are no power of two of it, and one that goes around its faces. */
const CUBES: Pick<Grid, "perBox" | "first">[] = [
  { perBox: 33, first: [1, 16, 7] },
  { perBox: 64, first: [63, 0, 52] },
];

describe.each([level, boundaries.isolated])("a grid in the box, $name", (boundary) => {
  it.each(["ngp", "cic", "tsc"] as Assignment[])(
    "has order, mass, potential and force of float64, %s",
    async (assignment) => {
      for (const [k, cube] of CUBES.entries()) {
        const grid: Grid = { cells: 16, ...cube, boundary };
        const settings = { ...meshSettings(16, assignment, "4-point"), kernel: "cell-integrated" as const };
        const exact = exactState(randomPositions(COUNT, 3 + k), "periodic");
        const set = placeholders(COUNT, (id) => 1 + (id % 3));
        const particles = await ParticleBuffers.create(gpu(), set, { boxSize: BOX, boundary: "periodic" });
        await particles.restore(exact);
        const mesh = createMeshBuffers(gpu(), grid);
        const order = await ParticleOrder.create(gpu(), particles, mesh.starts, cellGrid(settings, grid));

        const twin = hostGridOf(settings, "periodic", BOX, grid);
        // A cube that goes around the box has particles on both sides of its seam.
        const positions = coordinates(exact, BOX).map((x, i) => (x < twin.corner[i % 3] ? x + BOX : x));
        const keys = cellKeys(twin, positions);
        const inside = Uint32Array.from(keys.keys()).filter((id) => keys[id] < 16 ** 3);
        const density = depositMass(twin, positions, set.masses as Float64Array, inside);
        const kind = boundary.wraps ? "periodic" : "isolated";
        const solver = await poissonSolvers.fft({ mesh: settings, boundary: kind, boxSize: twin.side, G });
        const potential = solver.potential(density);
        const h = twin.side / 16;
        const force = differenceGradient(potential, { n: 16, h, scheme: "4-point", wraps: boundary.wraps });

        const pipeline = { mesh: settings, boundary: "periodic", boxSize: BOX, G, externalPotentials: [] } as const;
        const poisson = await createPoisson(gpu(), particles, mesh, pipeline);
        const gradient = await MeshGradient.create(gpu(), mesh, { gradient: "4-point", boxSize: BOX });
        for (const shape of assignment === "ngp" ? SHAPES.slice(1) : SHAPES) {
          const deposit = await Deposit.create({ gpu: gpu(), particles, mesh, settings }, { shape });
          poisonMesh(gpu(), mesh);
          const batch = gpu().batch("a grid");
          order.encodeCount(batch);
          order.encodeSort(batch);
          deposit.encode(batch);
          await (await batch.through(poisson)).submit();
          const starts = new Uint32Array(await gpu().read(mesh.cellStart, 4 * 16 ** 3, 8));
          expect([...starts]).toEqual([inside.length, COUNT]);
          expect(relativeError(await readField(gpu(), mesh), potential)).toBeLessThan(2e-5);
          await gradient.encode(gpu().batch("gradient")).submit();
          const found = accelerations(await readForce(gpu(), mesh));
          expect(relativeError(found, accelerations(force))).toBeLessThan(2e-5);
          deposit.destroy();
        }
        for (const part of [order, gradient, poisson, particles]) part.destroy();
      }
    },
  );
});

/** [3n³] of [4n³, ax|ay|az|φ]. */
function accelerations(force: Float32Array | Float64Array): Float32Array | Float64Array {
  return force.filter((_, i) => i % 4 < 3);
}
