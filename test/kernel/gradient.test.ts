import { describe, expect, it } from "vitest";
import { createMeshBuffers } from "../../src/engine/mesh/field.ts";
import { MeshGradient } from "../../src/engine/mesh/force/gradient.ts";
import { differenceGradient } from "../../src/engine/reference/mesh/gradient.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { wholeBoxGrid } from "../../src/physics/particles/grid.ts";
import { randomWords } from "../support/exact-particles.ts";
import { poison, useGpu } from "../support/gpu.ts";
import { readForce } from "../support/mesh-mass.ts";
import { relativeError } from "../support/particle-stage.ts";

const gpu = useGpu();

interface GradientCase {
  n: number;
  scheme: "2-point" | "4-point";
  boundary: Boundary;
  boxSize: number;
  potential: Float32Array;
  run?: number;
  vectors?: boolean;
}

/** [4n³] force on the GPU, from a field whose padding is poisoned and a force that was never written. */
async function gpuGradient(given: GradientCase): Promise<Float32Array> {
  const { n, scheme, boundary, boxSize, potential, run, vectors = false } = given;
  const mesh = createMeshBuffers(gpu(), wholeBoxGrid(n, boundary), { vectors });
  const gradient = await MeshGradient.create(gpu(), mesh, {
    gradient: scheme,
    boxSize,
    ...(run && { run }),
  });
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
  // The doctor's checks have all four on 16³.
  it.each([
    ["2-point", "periodic"],
    ["4-point", "isolated"],
  ] as const)("%s, %s agrees with float64 in every cell", async (scheme, boundary) => {
    for (const [n, run, boxSize] of [
      [16, 16, 100],
      [24, 8, 0.3],
    ] as const) {
      const word = randomWords(n);
      const potential = Float32Array.from({ length: n ** 3 }, () => word() / 2 ** 31 - 1);
      const given = { n, scheme, boundary, boxSize, potential, ...(run && { run }) };
      const found = await gpuGradient(given);
      if (n % 16 === 0) expect(await gpuGradient({ ...given, vectors: true })).toEqual(found);
      const expected = differenceGradient(Float64Array.from(potential), {
        n,
        h: boxSize / n,
        scheme,
        wraps: boundary === "periodic",
      });
      // The potential is left as it is, the differences are right to rounding.
      const inCell = (values: ArrayLike<number>, part: number) =>
        Float64Array.from({ length: n ** 3 }, (_, i) => values[4 * i + part]);
      expect(inCell(found, 3)).toEqual(Float64Array.from(potential));
      for (const axis of [0, 1, 2])
        expect(relativeError(inCell(found, axis), inCell(expected, axis))).toBeLessThan(4e-7);
    }
  });

  it.each([
    ["2-point", 2],
    ["4-point", 4],
  ] as const)("%s converges with order %d on a wave", async (scheme, order) => {
    const error = async (n: number) => {
      const wave = (i: number) => 2 * Math.PI * ((i + 0.5) / n);
      const potential = Float32Array.from({ length: n ** 3 }, (_, i) => Math.sin(wave(i % n)));
      const force = await gpuGradient({ n, scheme, boundary: "periodic", boxSize: 1, potential });
      const expected = Float64Array.from({ length: n ** 3 }, (_, i) => -2 * Math.PI * Math.cos(wave(i % n)));
      return relativeError(
        Float64Array.from({ length: n ** 3 }, (_, i) => force[4 * i]),
        expected,
      );
    };
    expect(Math.log2((await error(16)) / (await error(32)))).toBeGreaterThan(order - 0.05);
  });
});
