/** Where levels that follow particles lie, on the device and in float64: at the start, and about what comes apart. */
import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend/backend.ts";
import type { Level } from "../../src/engine/mesh/levels/level-settings.ts";
import { MeshPipeline } from "../../src/engine/pipeline/pipeline.ts";
import { ReferencePipeline } from "../../src/engine/reference/mesh/pipeline.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { useGpu } from "../support/gpu.ts";
import { particleSet, plummerSphere } from "../support/particles.ts";
import { pipelineSettings } from "../support/pipeline.ts";
import { ranksTogether } from "../support/ranks.ts";

const gpu = useGpu();
const BOX = 32;

type Place = readonly [number, number, number];
type Shape = readonly (readonly [count: number, place: Place, scale: number, velocity?: Place])[];

/** Plummer spheres, around the faces of a box of 1. */
async function spheres(shape: Shape): Promise<ParticleSet> {
  const [positions, velocities]: number[][] = [[], []];
  for (const [count, place, scale, velocity = [0, 0, 0]] of shape) {
    const about = (await plummerSphere(count, 1)).positions.map((x) => x - 0.5);
    const size = about.map(Math.abs).toSorted()[Math.floor(about.length / 2)];
    positions.push(...about.map((x, i) => (place[i % 3] + (scale / size) * x + 1) % 1));
    velocities.push(...about.map((_, i) => velocity[i % 3]));
  }
  return particleSet(positions, velocities);
}

function settingsOf(boundary: Boundary, count: number) {
  const level: Level = {
    ...{ name: "around it", parent: undefined, refinement: 2, cells: 48, place: [0.5, 0.5, 0.5], substeps: 1 },
    follows: [{ first: 0, count }],
  };
  const levels = [level, { ...level, parent: 0 }];
  return pipelineSettings({ cells: BOX, kernel: "split" }, boundary, 1, { levels, G: 1e-6 });
}

describe.each(["device", "float64"])("levels that follow particles, %s", (where) => {
  const made = (settings: ReturnType<typeof settingsOf>, set: ParticleSet): Promise<Backend> =>
    where === "device" ? MeshPipeline.create(gpu(), settings, set) : ReferencePipeline.create(settings, set);

  it.each<[string, Boundary, ParticleSet | Shape, (d: number[]) => number]>([
    ["around the corner of a periodic box", "periodic", [[400, [0, 0, 0], 0.01]], (d) => Math.hypot(...d)],
    [
      "with two parts, on the denser one",
      "isolated",
      [
        [200, [0.25, 0.5, 0.5], 0.02],
        [400, [0.75, 0.5, 0.5], 0.02],
      ],
      ([x, y, z]) => Math.hypot(x - 0.75, y - 0.5, z - 0.5),
    ],
    [
      ...(["a ring", "isolated"] as const),
      particleSet(
        Array.from({ length: 400 }, (_, i) => i * 2.4).flatMap((t) => [
          0.5 + 0.3 * Math.cos(t),
          0.5 + 0.3 * Math.sin(t),
          0.5,
        ]),
        new Array(1200).fill(0),
      ),
      ([x, y, z]) => Math.hypot(Math.hypot(x - 0.5, y - 0.5) - 0.3, z - 0.5),
    ],
  ])("are at the start where these are densest: %s", async (_, boundary, shape, off) => {
    const set = Array.isArray(shape) ? await spheres(shape) : (shape as ParticleSet);
    const pipeline = await made(settingsOf(boundary, set.count), set);
    for (const centre of await pipeline.levelCentres!()) {
      const d = boundary === "periodic" ? centre.map((x) => x - Math.round(x)) : centre;
      expect(off(d)).toBeLessThan(0.01);
    }
    pipeline.destroy();
  });

  it("stay in one another, on the dense part of what comes apart", async () => {
    const velocity = [1, 0.3, 0.1] as const;
    const set = await spheres([
      [400, [0.4, 0.4, 0.4], 0.008, velocity],
      [800, [0.4, 0.4, 0.4], 0.06],
    ]);
    const pipeline = await made(settingsOf("isolated", 1200), set);
    const [steps, dt] = [12, 0.015];
    await pipeline.advance(steps, dt);
    const [outer, inner] = await pipeline.levelCentres!();
    expect(inner).toEqual(outer);
    for (const [axis, x] of inner.entries()) expect(Math.abs(x - 0.4 - velocity[axis] * steps * dt)).toBeLessThan(0.01);
    pipeline.destroy();
  });
});

it("ranks find the same centre at the start as one does", async () => {
  const set = await spheres([[400, [0, 0, 0], 0.01]]);
  const settings = settingsOf("periodic", 400);
  const alone = await MeshPipeline.create(gpu(), settings, set);
  const shared = await Promise.all(
    ranksTogether(2).map(async (ranks) => {
      const pipeline = await MeshPipeline.create(gpu(), settings, set, { ranks });
      return pipeline.levelCentres();
    }),
  );
  expect(shared).toEqual([await alone.levelCentres(), await alone.levelCentres()]);
});
