import { describe, expect, it } from "vitest";
import type { ExactParticles } from "../../src/engine/gpu-particles/buffers.ts";
import { monopole } from "../../src/engine/reference/mesh/escaped.ts";
import { packImage } from "../../src/physics/particles/fixed-point.ts";
import { firstDifference } from "../support/compare.ts";
import { exactState, keyOf, meshSettings, randomPositions, randomWords } from "../support/exact-particles.ts";
import { useGpu } from "../support/gpu.ts";
import {
  coordinates,
  type ParticleStage,
  particleStage,
  referenceForces,
  relativeError,
  type StageCase,
} from "../support/particle-stage.ts";
import { perParticle, readExact, readInBox } from "../support/read-particles.ts";

const gpu = useGpu();
const mesh = meshSettings(16, "cic", "4-point");

async function withStage<T>(given: StageCase, use: (stage: ParticleStage) => Promise<T>): Promise<T> {
  const stage = await particleStage(gpu(), given);
  try {
    return await use(stage);
  } finally {
    stage.destroy();
  }
}

/** Random particles; about an eighth of them some boxes away. */
function withEscapees(count: number, seed: number): ExactParticles {
  const word = randomWords(seed + 1);
  return exactState(randomPositions(count, seed), "isolated", () =>
    word() % 8 === 0 ? packImage((word() % 9) - 4, (word() % 3) - 1, (word() % 800) - 400) : 0,
  );
}

/** The monopole as the GPU holds it: G M and the centre in boxes. */
async function gpuMonopole({ escaped }: ParticleStage): Promise<{ strength: number; centre: number[] }> {
  const data = await gpu().read(escaped.monopole);
  const [x, y, z] = new Uint32Array(data);
  return { strength: new Float32Array(data)[3], centre: [x, y, z].map((u) => u / 2 ** 32) };
}

describe("escaped particles", () => {
  it.each([
    ["equal", () => 1],
    ["unequal", (id: number) => (id % 7 === 0 ? 0 : 1 / (1 + (id % 1000)))],
  ] as const)("feel the monopole of the mass inside, %s masses", async (_, massOf) => {
    for (const count of [2, 77, 20_011]) {
      const exact = withEscapees(count, count);
      exact.images![0] = packImage(0, 1, 0); // at least one
      const given: StageCase = { mesh, boundary: "isolated", exact, massOf, G: 2 };
      await withStage(given, async (stage) => {
        await stage.prepare();
        const outside = (id: number) =>
          keyOf(exact.positions.subarray(3 * id, 3 * id + 3), exact.images![id], mesh, "isolated") === 16 ** 3;
        const inside = Uint32Array.from({ length: count }, (_, id) => id).filter((id) => !outside(id));
        const masses = Float64Array.from({ length: count }, (_, id) => massOf(id));
        const expected = monopole(coordinates(exact), masses, inside);
        const found = await gpuMonopole(stage);
        expect(Math.abs(found.strength / 2 - expected.mass)).toBeLessThanOrEqual(1e-6 * expected.mass);
        if (expected.mass > 0) expect(relativeError(found.centre, expected.centre)).toBeLessThan(2e-6);
        const { accelerations, meshPotential, escaped } = referenceForces(given);
        expect(escaped.length).toBe(count - inside.length);
        const particle = await perParticle(gpu(), stage.particles, stage.diagnostics);
        expect(relativeError(particle.accelerations, accelerations)).toBeLessThan(2e-6);
        expect(relativeError(particle.potential, meshPotential)).toBeLessThan(2e-6);
      });
    }
  });

  it("have no monopole while there are none", async () => {
    const exact = exactState(
      randomPositions(1000, 3).map((u) => 2 ** 30 + u / 2),
      "isolated",
    );
    await withStage({ mesh, boundary: "isolated", exact }, async (stage) => {
      await stage.prepare();
      expect((await gpuMonopole(stage)).strength).toBe(0);
    });
  });

  it("go on for ever in a straight line without mass, and exactly", async () => {
    const exact = exactState(new Uint32Array(6).fill(2 ** 31), "isolated");
    exact.velocities.set([0.25, -0.5, 0.125, 0, 0, 0]);
    const given: StageCase = { mesh, boundary: "isolated", exact, G: 0, force: new Float32Array(4 * 16 ** 3) };
    await withStage(given, async ({ prepare, particles, leapfrog }) => {
      for (let step = 0; step < 60; step++) {
        await prepare();
        await leapfrog.encode(gpu().batch("drift"), 1, 0.75).submit();
      }
      await leapfrog.health.check();
      const { positions } = await readInBox(gpu(), particles);
      expect([...positions]).toEqual([0.5 + 45 * 0.25, 0.5 - 45 * 0.5, 0.5 + 45 * 0.125, 0.5, 0.5, 0.5]);
    });
  });

  it("fall back in and are on the mesh again", async () => {
    // One heavy particle at the centre, one that starts a box away at rest and falls through.
    const exact: ExactParticles = {
      positions: new Uint32Array(6).fill(2 ** 31),
      velocities: new Float32Array(6),
      images: Uint32Array.of(0, packImage(1, 0, 0)),
    };
    const given: StageCase = {
      mesh,
      boundary: "isolated",
      exact,
      massOf: (id) => (id === 0 ? 1 : 1e-4),
      force: new Float32Array(4 * 16 ** 3),
    };
    await withStage(given, async ({ prepare, particles, leapfrog, diagnostics }) => {
      const states: boolean[] = [];
      let last = 1.5;
      // Out, in, and out again on the far side.
      while (states.length < 3 && leapfrog.steps < 60) {
        await prepare();
        const outside = (await diagnostics.sums()).outside === 1;
        if (outside !== states.at(-1)) states.push(outside);
        await leapfrog.encode(gpu().batch("fall"), 0.05, 0.05).submit();
        const x = (await readInBox(gpu(), particles)).positions[3];
        expect(x).toBeLessThan(last);
        last = x;
      }
      await leapfrog.health.check();
      expect(states).toEqual([true, false, true]);
      expect(last).toBeLessThan(0.2);
    });
  });

  it("give the same bits whatever the order of the particles", async () => {
    const exact = withEscapees(5003, 9);
    const massOf = (id: number) => 1 + (id % 13);
    const bits = async (reverse: boolean) => {
      const count = 5003;
      const source = (id: number) => (reverse ? count - 1 - id : id);
      const given: ExactParticles = {
        positions: exact.positions.map((_, i) => exact.positions[3 * source(Math.floor(i / 3)) + (i % 3)]),
        velocities: exact.velocities.map((_, i) => exact.velocities[3 * source(Math.floor(i / 3)) + (i % 3)]),
        images: exact.images!.map((_, id) => exact.images![source(id)]),
      };
      return withStage(
        { mesh, boundary: "isolated", exact: given, massOf: (id) => massOf(source(id)) },
        async (stage) => {
          for (let step = 0; step < 3; step++) {
            await stage.prepare();
            await stage.leapfrog.encode(gpu().batch("step"), 0.01, 0.02).submit();
          }
          await stage.prepare();
          const state = await readExact(gpu(), stage.particles);
          const byId = (values: ArrayLike<number>, words: number) =>
            Array.from(values, (_, i) => values[words * source(Math.floor(i / words)) + (i % words)]);
          return {
            sums: await stage.diagnostics.sums(),
            positions: byId(state.positions, 3),
            velocities: byId(state.velocities, 3),
            images: byId(state.images!, 1),
          };
        },
      );
    };
    const [one, other] = [await bits(false), await bits(true)];
    expect(one.sums.outside).toBeGreaterThan(100);
    expect(other.sums).toEqual(one.sums);
    expect(firstDifference(other.positions, one.positions)).toBe("same");
    expect(firstDifference(other.velocities, one.velocities)).toBe("same");
    expect(firstDifference(other.images, one.images)).toBe("same");
  });
});
