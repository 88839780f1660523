import { describe, expect, it } from "vitest";
import { type ExactParticles, ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import { type OrderOptions, ParticleOrder } from "../../src/engine/gpu-particles/order.ts";
import { createMeshBuffers } from "../../src/engine/mesh/field.ts";
import type { MeshSettings } from "../../src/engine/mesh/settings.ts";
import { cellGrid } from "../../src/engine/mesh/stage.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { WindowLimits } from "../../src/foundation/gpu/windows.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { wholeBoxGrid } from "../../src/physics/particles/grid.ts";
import { firstDifference } from "../support/compare.ts";
import {
  edgePositions,
  exactState,
  keyOf,
  meshSettings,
  placeholders,
  randomPositions,
  randomWords,
} from "../support/exact-particles.ts";
import { poison, useGpu } from "../support/gpu.ts";
import { readExact } from "../support/read-particles.ts";

const gpu = useGpu();

interface Case {
  settings: MeshSettings;
  boundary: Boundary;
  exact: ExactParticles;
  options?: OrderOptions;
  windows?: WindowLimits;
  /** As on a device that can't bind all that an isolated particle has. */
  fewBindings?: boolean;
}

/** Sorts twice, from either half, and checks starts, order and that every particle kept what is its own. */
async function checkOrder({ settings, boundary, exact, options, windows, fewBindings }: Case): Promise<void> {
  const count = exact.positions.length / 3;
  const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows });
  const particles = await ParticleBuffers.create(context, placeholders(count), { boxSize: 1, boundary });
  if (fewBindings) Object.assign(particles, { fewBindings });
  await particles.restore(exact);
  const mesh = createMeshBuffers(context, wholeBoxGrid(settings.cells, boundary));
  const order = await ParticleOrder.create(context, particles, mesh.starts, cellGrid(settings, mesh.grid), options);
  const cells = settings.cells ** 3;
  const keys = Uint32Array.from({ length: count }, (_, id) =>
    keyOf(exact.positions.subarray(3 * id, 3 * id + 3), exact.images?.[id] ?? 0, settings, boundary),
  );
  const starts = new Uint32Array(cells + 2);
  for (const key of keys) starts[key + 1]++;
  for (let cell = 0; cell <= cells; cell++) starts[cell + 1] += starts[cell];

  for (const half of [1, 0] as const) {
    for (const { positions, velocities, ids, images, places } of particles.windows) {
      for (const pair of [positions, velocities, ids, images ?? []]) if (pair.length > 0) poison(context, pair[half]!);
      poison(context, places);
    }
    for (const { starts } of mesh.starts.slabs) poison(context, starts);
    const batch = context.batch("order");
    order.encodeCount(batch);
    order.encodeSort(batch);
    await batch.submit();
    expect(particles.current).toBe(half);
    const found = new Uint32Array(cells + 2);
    const plane = settings.cells ** 2;
    for (const slab of mesh.starts.slabs) {
      const isLast = slab.first + slab.planes === settings.cells;
      const words = new Uint32Array(await context.read(slab.starts, 0, 4 * (slab.planes * plane + (isLast ? 2 : 1))));
      found.set(words, slab.first * plane);
    }
    expect(firstDifference(found, starts)).toBe("same");
    const ids = await particles.readIds();
    expect(
      firstDifference(
        ids.slice().sort(),
        Uint32Array.from({ length: count }, (_, id) => id),
      ),
    ).toBe("same");
    const sorted = keys.slice().sort();
    expect(
      firstDifference(
        ids.map((id) => keys[id]),
        sorted,
      ),
    ).toBe("same");
    const after = await readExact(gpu(), particles);
    expect(firstDifference(after.positions, exact.positions)).toBe("same");
    expect(firstDifference(after.velocities, exact.velocities)).toBe("same");
    expect(firstDifference(after.images ?? [], exact.images ?? [])).toBe("same");
  }
  order.destroy();
  context.destroy();
}

describe("order by cell", () => {
  it.each(["ngp", "cic", "tsc"] as const)("%s, periodic, random, several meshes and odd counts", async (assignment) => {
    for (const [cells, count] of [
      [16, 1],
      [24, 63],
      [32, 10_007],
      [48, 65_537],
    ]) {
      const exact = exactState(randomPositions(count, cells), "periodic");
      await checkOrder({ settings: meshSettings(cells, assignment), boundary: "periodic", exact });
    }
  });

  it.each(["ngp", "cic", "tsc"] as const)("%s, faces, centres and edges of the box", async (assignment) => {
    for (const cells of [16, 24]) {
      const exact = exactState(edgePositions(3001, cells, 5), "periodic");
      await checkOrder({ settings: meshSettings(cells, assignment), boundary: "periodic", exact });
    }
  });

  it.each([
    ["as the device allows", false],
    ["in parts", true],
  ] as const)("isolated, with particles outside, moved %s", async (_, fewBindings) => {
    for (const gradient of ["2-point", "4-point", "spectral"] as const)
      for (const assignment of ["ngp", "cic", "tsc"] as const) {
        const word = randomWords(3);
        const imageOf = () => (word() % 7 === 0 ? word() >>> 2 : 0);
        const positions = edgePositions(2001, 24, 8);
        positions.set(randomPositions(1000, 4));
        const exact = exactState(positions, "isolated", imageOf);
        const settings = meshSettings(24, assignment, gradient);
        await checkOrder({ settings, boundary: "isolated", exact, fewBindings });
      }
  });

  it.each([{ planes: 2, particles: 4096 }, { planes: 10 }, { particles: 10_000 }])(
    "in sections of %o",
    async (windows) => {
      for (const boundary of ["periodic", "isolated"] as const) {
        const word = randomWords(3);
        const imageOf = () => (word() % 7 === 0 ? word() >>> 2 : 0);
        const exact = exactState(randomPositions(30_011, 6), boundary, imageOf);
        const settings = meshSettings(32, "cic");
        await checkOrder({ settings, boundary, exact, windows });
      }
    },
  );

  it("puts 200 000 particles into one cell without a traffic jam", async () => {
    const word = randomWords(2);
    const positions = Uint32Array.from({ length: 600_000 }, () => 2 ** 31 + (word() >>> 10));
    const exact = exactState(positions, "periodic");
    await checkOrder({ settings: meshSettings(32, "ngp"), boundary: "periodic", exact });
  });

  it.each([1, 8])("with %i particles an invocation", async (run) => {
    for (const boundary of ["periodic", "isolated"] as const) {
      const exact = exactState(randomPositions(5003, 1), boundary);
      await checkOrder({ settings: meshSettings(32, "cic"), boundary, exact, options: { run } });
    }
  });

  it.each(["sequential", "workgroup"] as const)("with the %s scan", async (scan) => {
    const exact = exactState(randomPositions(5003, 1), "periodic");
    await checkOrder({ settings: meshSettings(32, "cic"), boundary: "periodic", exact, options: { scan } });
  });
});
