/** The order of the mesh gradient; the doctor's checks compare it with float64 in every cell. */
import { describe, expect, it } from "vitest";
import { createMeshBuffers } from "../../src/engine/mesh/field.ts";
import { MeshGradient } from "../../src/engine/mesh/force/gradient.ts";
import { wholeBoxGrid } from "../../src/physics/particles/grid.ts";
import { poison, useGpu } from "../support/gpu.ts";
import { readForce } from "../support/mesh-mass.ts";
import { relativeError } from "../support/particle-stage.ts";

const gpu = useGpu();

/** [4n³] force on the GPU in a unit box, from a field whose padding is poisoned and a force that was never written. */
async function gpuGradient(n: number, scheme: "2-point" | "4-point", potential: Float32Array): Promise<Float32Array> {
  const mesh = createMeshBuffers(gpu(), wholeBoxGrid(n, "periodic"));
  const gradient = await MeshGradient.create(gpu(), mesh, { gradient: scheme, boxSize: 1 });
  poison(gpu(), mesh.field);
  poison(gpu(), mesh.force);
  for (let row = 0; row < n * n; row++)
    gpu().device.queue.writeBuffer(mesh.field, 4 * row * mesh.pitch, potential.slice(row * n, (row + 1) * n));
  await gradient.encode(gpu().batch("gradient")).submit();
  const force = await readForce(gpu(), mesh);
  gradient.destroy();
  gpu().buffers.release(mesh.field, mesh.high, mesh.cellStart, mesh.force);
  return force;
}

describe("the gradient on the mesh", () => {
  it.each([
    ["2-point", 2],
    ["4-point", 4],
  ] as const)("%s converges with order %d on a wave", async (scheme, order) => {
    const error = async (n: number) => {
      const wave = (i: number) => 2 * Math.PI * ((i + 0.5) / n);
      const potential = Float32Array.from({ length: n ** 3 }, (_, i) => Math.sin(wave(i % n)));
      const force = await gpuGradient(n, scheme, potential);
      const expected = Float64Array.from({ length: n ** 3 }, (_, i) => -2 * Math.PI * Math.cos(wave(i % n)));
      return relativeError(
        Float64Array.from({ length: n ** 3 }, (_, i) => force[4 * i]),
        expected,
      );
    };
    expect(Math.log2((await error(16)) / (await error(32)))).toBeGreaterThan(order - 0.05);
  });
});
