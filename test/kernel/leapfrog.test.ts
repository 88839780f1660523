import { describe, expect, it } from "vitest";
import type { ExactParticles } from "../../src/engine/gpu-particles/buffers.ts";
import type { Assignment } from "../../src/engine/mesh/settings.ts";
import { MOST_UPDATES_IN_A_BATCH } from "../../src/engine/time/leapfrog.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { LARGEST_IMAGE, packImage } from "../../src/physics/particles/fixed-point.ts";
import type { ExternalPotential } from "../../src/physics/potentials/potential.ts";
import { firstDifference } from "../support/compare.ts";
import { edgePositions, exactState, keyOf, meshSettings, randomPositions } from "../support/exact-particles.ts";
import { inFull } from "../support/full.ts";
import { poison, useGpu } from "../support/gpu.ts";
import {
  forceIsGiven,
  type ParticleStage,
  particleStage,
  referenceForces,
  relativeError,
  type StageCase,
} from "../support/particle-stage.ts";
import { readExact, readInIdOrder } from "../support/read-particles.ts";

const gpu = useGpu();

async function withStage<T>(given: StageCase, use: (stage: ParticleStage) => Promise<T>): Promise<T> {
  const stage = await particleStage(gpu(), given);
  try {
    return await use(stage);
  } finally {
    stage.destroy();
  }
}

/** One kick and drift; the state after it in id order, with counts and ranks by slot. */
async function update(given: StageCase, kick: number, drift: number) {
  return withStage(given, async ({ prepare, particles, leapfrog, mesh }) => {
    await prepare();
    poison(gpu(), particles.places);
    await leapfrog.encode(gpu().batch("update"), kick, drift).submit();
    await leapfrog.health.check();
    return {
      state: await readExact(gpu(), particles),
      counts: new Uint32Array(await gpu().read(mesh.cellStart)),
      ranks: await readInIdOrder(gpu(), particles, ({ places }) => places, 1),
    };
  });
}

/** Rounds as WGSL does. */
function halfToEven(x: number): number {
  const rounded = Math.round(x);
  return rounded - x === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

const KICK = 0.25;
const DRIFT = 0.03;

async function checkUpdate(given: StageCase): Promise<void> {
  const { exact, mesh, boundary, boxSize = 1 } = given;
  const count = exact.positions.length / 3;
  const { accelerations } = referenceForces(given);
  const { state, counts, ranks } = await update(given, KICK, DRIFT);
  const velocities = exact.velocities.map((v, i) => v + KICK * accelerations[i]);
  expect(relativeError(state.velocities, velocities)).toBeLessThan(1e-6);
  // The drift is exact up to the float32 product that it rounds.
  const perVelocity = Math.fround((DRIFT * 2 ** 32) / boxSize);
  const moved = state.velocities.map((v) => Math.round(Math.fround(v * perVelocity)));
  const wrong = state.positions.findIndex((u, i) => {
    const difference = (u - exact.positions[i] - moved[i]) % 2 ** 32;
    return Math.min(Math.abs(difference), 2 ** 32 - Math.abs(difference)) > 1;
  });
  expect(wrong).toBe(-1);
  // Every particle is counted in its new cell, with a rank of its own.
  const expected = new Uint32Array(counts.length);
  const taken = new Set<string>();
  for (let id = 0; id < count; id++) {
    const key = keyOf(state.positions.subarray(3 * id, 3 * id + 3), state.images?.[id] ?? 0, mesh, boundary);
    expected[key]++;
    taken.add(`${key} ${ranks[id]}`);
  }
  expect(firstDifference(counts, expected)).toBe("same");
  expect(taken.size).toBe(count);
  expect(ranks.every((rank) => rank < count)).toBe(true);
}

const SHAPES = [
  { run: 1, texels: false },
  { run: 8, texels: false },
  { run: 16, texels: false },
  { run: 8, texels: true },
  { run: 32, texels: true },
];

describe("the update", () => {
  describe.each(["ngp", "cic", "tsc"] as Assignment[])("%s", (assignment) => {
    const boundaries: Boundary[] = ["periodic", "isolated"];
    it.each(inFull(boundaries, [boundaries[assignment === "cic" ? 1 : 0]]))(
      "%s agrees with float64",
      async (boundary) => {
        for (const [index, count] of [1, 63, 10_007, 4000, 4001].entries()) {
          const mesh = meshSettings(inFull([24], [16])[0], assignment, "4-point");
          const exact = exactState(randomPositions(count, 3 + count), boundary);
          await checkUpdate({ mesh, boundary, exact, shape: SHAPES[index] });
        }
      },
    );

    it("holds at cell faces and at the edges of the box", async () => {
      for (const boundary of ["periodic", "isolated"] as Boundary[]) {
        const exact = exactState(edgePositions(999, 16, 8), boundary);
        await checkUpdate({ mesh: meshSettings(16, assignment), boundary, exact, boxSize: 8 });
      }
    });

    // With a particle an invocation a subgroup counts those of a cell together.
    it.each([8, 1])("takes all particles in one cell, and in few, %i in a run", async (run) => {
      for (const spread of [7, 3]) {
        const exact = exactState(
          randomPositions(4999, 1).map((u) => 2 ** 31 + u / 2 ** spread),
          "periodic",
        );
        const shape = { run, texels: false };
        await checkUpdate({ mesh: meshSettings(16, assignment), boundary: "periodic", exact, shape });
      }
    });
  });

  it("kicks alone without moving or counting", async () => {
    const exact = exactState(randomPositions(501, 4), "periodic");
    const given: StageCase = { mesh: meshSettings(16, "cic"), boundary: "periodic", exact };
    await withStage(given, async ({ prepare, particles, leapfrog, mesh }) => {
      await prepare();
      const starts = new Uint32Array(await gpu().read(mesh.cellStart));
      await leapfrog.encodeKick(gpu().batch("kick"), KICK).submit();
      await leapfrog.health.check();
      const state = await readExact(gpu(), particles);
      expect(firstDifference(state.positions, exact.positions)).toBe("same");
      const { accelerations } = referenceForces(given);
      const velocities = exact.velocities.map((v, i) => v + KICK * accelerations[i]);
      expect(relativeError(state.velocities, velocities)).toBeLessThan(1e-6);
      expect(new Uint32Array(await gpu().read(mesh.cellStart))).toEqual(starts);
    });
  });

  it("takes several updates of different length in one batch, from both halves of the buffers", async () => {
    const exact = exactState(randomPositions(300, 6), "periodic");
    const force = new Float32Array(4 * 16 ** 3);
    const mesh = meshSettings(16, "cic");
    await withStage({ mesh, boundary: "periodic", exact, force }, async ({ prepare, particles, leapfrog, order }) => {
      await prepare();
      const batch = gpu().batch("three steps");
      for (const drift of [0.01, 0.02, 0.005]) {
        leapfrog.encode(batch, 0, drift);
        order.encodeSort(batch);
        forceIsGiven(particles);
      }
      await batch.submit();
      const step = (v: number, drift: number) => halfToEven(Math.fround(v * Math.fround(drift * 2 ** 32)));
      const state = await readExact(gpu(), particles);
      expect(firstDifference(state.velocities, exact.velocities)).toBe("same");
      const expected = exact.positions.map(
        (u, i) => u + [0.01, 0.02, 0.005].reduce((sum, drift) => sum + step(exact.velocities[i], drift), 0),
      );
      expect(firstDifference(state.positions, expected)).toBe("same");
    });
    await expect(
      withStage({ mesh, boundary: "periodic", exact }, async ({ prepare, particles, leapfrog }) => {
        await prepare();
        const batch = gpu().batch("too many");
        for (let i = 0; i <= MOST_UPDATES_IN_A_BATCH; i++) {
          forceIsGiven(particles);
          leapfrog.encode(batch, 0, 0);
        }
      }),
    ).rejects.toThrow(/too many: at most 64 updates/);
  });

  it("carries and borrows at the faces of an isolated box, in both directions and on every axis", async () => {
    // Each particle sits a little inside a face and moves a little further than that, out or in.
    const cases: { u: number; image: number; v: number; after: number }[] = [
      { u: 2 ** 32 - 10, image: 0, v: 1, after: 1 },
      { u: 10, image: 0, v: -1, after: -1 },
      { u: 10, image: 1, v: -1, after: 0 },
      { u: 2 ** 32 - 10, image: -1, v: 1, after: 0 },
      { u: 0, image: 0, v: -1, after: -1 },
      { u: 2 ** 32 - 1, image: -3, v: 1, after: -2 },
      { u: 2 ** 31, image: 5, v: 1, after: 5 },
      { u: 0, image: 7, v: 0, after: 7 },
    ];
    const distance = 2 ** 20;
    const count = 3 * cases.length;
    const exact: ExactParticles = {
      positions: new Uint32Array(3 * count).fill(2 ** 31),
      velocities: new Float32Array(3 * count),
      images: new Uint32Array(count),
    };
    const expected = new Uint32Array(count);
    const packedOn = (axis: number, image: number) => {
      const boxes = [0, 0, 0];
      boxes[axis] = image;
      return packImage(boxes[0], boxes[1], boxes[2]);
    };
    for (let axis = 0; axis < 3; axis++) {
      cases.forEach(({ u, image, v, after }, c) => {
        const id = 3 * c + axis;
        exact.positions[3 * id + axis] = u;
        exact.velocities[3 * id + axis] = v;
        exact.images![id] = packedOn(axis, image);
        expected[id] = packedOn(axis, after);
      });
    }
    const force = new Float32Array(4 * 16 ** 3);
    const given: StageCase = { mesh: meshSettings(16, "cic"), boundary: "isolated", exact, force, G: 0 };
    const { state } = await update(given, 0, distance / 2 ** 32);
    expect(firstDifference(state.images!, expected)).toBe("same");
    const moved = exact.positions.map((u, i) => u + distance * exact.velocities[i]);
    expect(firstDifference(state.positions, moved)).toBe("same");
  });

  it.each([
    [
      "NaN",
      { velocity: Number.NaN },
      /stage update, step 3: expected finite velocities, found NaN or infinity.*time\.step/,
    ],
    [
      "a long step",
      { velocity: 100 },
      /stage update, step 3: a particle moved half a box or more in one step.*time\.step/,
    ],
    [
      "a distant one",
      { velocity: 1, image: LARGEST_IMAGE },
      /stage update, step 3: a particle is more than 511 boxes away/,
    ],
  ])(
    "names step and cause of %s",
    async (_, { velocity, image = 0 }: { velocity: number; image?: number }, message) => {
      const exact = exactState(new Uint32Array(300).fill(2 ** 32 - 5), "isolated", () => packImage(0, image, 0));
      exact.velocities.fill(0);
      const given: StageCase = { mesh: meshSettings(16, "cic"), boundary: "isolated", exact, G: 0 };
      await withStage(given, async ({ prepare, particles, leapfrog }) => {
        await prepare();
        const steps = (count: number) => {
          const batch = gpu().batch("steps");
          for (let i = 0; i < count; i++) {
            forceIsGiven(particles);
            leapfrog.encode(batch, 0, 0.01);
          }
          return batch.submit();
        };
        await steps(2);
        await leapfrog.health.check();
        gpu().device.queue.writeBuffer(particles.velocities[particles.current], 4 * 31, Float32Array.of(velocity));
        await steps(4);
        await expect(leapfrog.health.check()).rejects.toThrow(message);
        await expect(leapfrog.health.check()).rejects.toMatchObject({ kind: "numerical" });
        leapfrog.health.reset();
        await leapfrog.health.check();
      });
    },
  );

  it.each(["periodic", "isolated"] as Boundary[])("adds external fields, %s", async (boundary) => {
    const fields: ExternalPotential[] = [
      { kind: "plummer", centre: [2, 2, 2], parameters: { mass: 3, scale: 0.4 } },
      { kind: "hernquist", centre: [0.1, 3.9, 2.5], parameters: { mass: 2, scale: 0.7 } },
      { kind: "hernquist", centre: [-1, 5, 1], parameters: { mass: 1, scale: 0.2 } },
    ];
    const exact = exactState(randomPositions(2003, 12), boundary, (id) => (id % 5 === 0 ? packImage(1, -2, 0) : 0));
    exact.positions.fill(2 ** 31, 3, 6); // at the centre of the first
    const given: StageCase = {
      mesh: meshSettings(16, "cic"),
      boundary,
      exact,
      boxSize: 4,
      G: 1.5,
      externalPotentials: fields,
    };
    await checkUpdate(given);
  });

  it("refuses more external fields than fit", async () => {
    const exact = exactState(randomPositions(3, 1), "periodic");
    const field: ExternalPotential = { kind: "plummer", centre: [0, 0, 0], parameters: { mass: 1, scale: 1 } };
    const given: StageCase = { mesh: meshSettings(16, "cic"), boundary: "periodic", exact };
    await withStage({ ...given, externalPotentials: new Array(1023).fill(field) }, async () => {});
    await expect(particleStage(gpu(), { ...given, externalPotentials: new Array(1024).fill(field) })).rejects.toThrow(
      /at most 1023 rigid components.*found 1024/,
    );
  });

  it.each(["ngp", "cic", "tsc"] as Assignment[])(
    "%s: every shape gives the same bits, from pairs and from vectors",
    async (assignment) => {
      for (const boundary of ["periodic", "isolated"] as Boundary[]) {
        const exact = exactState(randomPositions(4001, 77), boundary);
        const given: StageCase = { mesh: meshSettings(16, assignment), boundary, exact, boxSize: 3 };
        const pairs = SHAPES.map((shape) => ({ ...given, shape }));
        const [, runs, , texels] = pairs;
        const vectors = [...(assignment === "tsc" ? [] : [runs]), texels].map((one) => ({ ...one, vectors: true }));
        const [first, ...others] = await Promise.all([...pairs, ...vectors].map((one) => update(one, KICK, DRIFT)));
        for (const { state } of others) {
          expect(firstDifference(state.velocities, first.state.velocities)).toBe("same");
          expect(firstDifference(state.positions, first.state.positions)).toBe("same");
        }
      }
    },
  );
});
