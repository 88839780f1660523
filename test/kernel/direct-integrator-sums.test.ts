/** Sums over the particles of a direct sum, and what is read out of it, against float64. */
import { describe, expect, it } from "vitest";
import { hostPotentials, sumsOnHost } from "../../src/engine/direct/diagnostics.ts";
import { DirectState } from "../../src/engine/direct/state.ts";
import { directForces } from "../../src/engine/reference/direct/forces.ts";
import { ReferenceDirect } from "../../src/engine/reference/direct/pipeline.ts";
import type { ExternalPotential } from "../../src/physics/potentials/potential.ts";
import { BOX, directSettings, withDirect } from "../support/direct-pipeline.ts";
import { useGpu } from "../support/gpu.ts";
import { particleSet, plummerSphere } from "../support/particles.ts";
import { sequence } from "../support/scenario-fixture.ts";

const gpu = useGpu();

const FIELDS: ExternalPotential[] = [
  { kind: "plummer", centre: [20.5, 19, 20], parameters: { mass: 0.7, scale: 0.3 } },
  { kind: "hernquist", centre: [20, 20.25, 21], parameters: { mass: 1.3, scale: 0.8 } },
];

/** Unequal masses about a centre off the box's, two of them in one place. */
function scattered(count: number) {
  const random = sequence(count);
  const positions = Array.from({ length: 3 * count }, (_, k) => 20 + 3 * random() + (k % 3));
  positions.splice(-3, 3, ...positions.slice(0, 3));
  const velocities = Array.from({ length: 3 * count }, () => random() - 0.3);
  return particleSet(
    positions,
    velocities,
    Array.from({ length: count }, () => (0.5 + random()) / count),
  );
}

describe("potentials for the energy", () => {
  it.each([
    [2, 0.1, "plummer"],
    [65, 0, "plummer"],
    [500, 1 / 256, "plummer"],
    [500, 0.3, "spline"],
  ] as const)(
    "of %i particles, softening %f, %s: are summed on the host in float64",
    async (count, softening, softeningKernel) => {
      const softened = { softening, softeningKernel };
      const set = scattered(count);
      const settings = directSettings(softened, { G: 2 });
      const own = gpu().account();
      const state = new DirectState(own, settings, set);
      try {
        const { positions } = await state.phase(0);
        const host = await hostPotentials(positions, state.masses, 2, softened);
        const bodies = {
          ...{ count, positions, masses: state.masses.map((m) => 2 * m) },
          ids: Uint32Array.from({ length: count }, (_, i) => i),
        };
        const { potentials } = directForces({ order: "acceleration", ...softened, targets: bodies, sources: bodies });
        for (let i = 0; i < count; i++) {
          expect(Math.abs(host[i] / potentials[i] - 1)).toBeLessThan(1e-13);
        }
      } finally {
        own.destroy();
      }
    },
  );

  it("come from the host for few particles, from the forces for many", () => {
    expect([100, 8192, 8193].map((count) => sumsOnHost(false, count))).toEqual([true, true, false]);
    expect([32_768, 32_769].map((count) => sumsOnHost(true, count))).toEqual([true, false]);
  });
});

describe("a direct sum", () => {
  it("has the sums, extremes and particles of the float64 one", async () => {
    const count = 300;
    const set = scattered(count);
    const settings = directSettings({ softening: 0.05 }, { externalPotentials: FIELDS });
    const reference = new ReferenceDirect(settings, set);
    await withDirect(gpu(), settings, set, async (pipeline) => {
      const sums = await pipeline.sums();
      const expected = await reference.sums();
      // Masses are float32 in units of the heaviest; velocities are as given.
      const close = (found: number, known: number, tolerance: number) =>
        expect(Math.abs(found - known)).toBeLessThan(tolerance * Math.max(1, Math.abs(known)));
      close(sums.kinetic, expected.kinetic, 1e-8);
      close(sums.potential, expected.potential, 1e-8);
      close(sums.mass, expected.mass, 1e-8);
      close(sums.virial, expected.virial, 1e-6);
      for (let axis = 0; axis < 3; axis++) {
        close(sums.momentum[axis], expected.momentum[axis], 1e-8);
        close(sums.angularMomentum[axis], expected.angularMomentum[axis], 1e-8);
        close(sums.centreOfMass[axis], expected.centreOfMass[axis], 1e-8);
      }
      expect(sums.outside).toBe(0);
      sums.lagrangianRadii.forEach((radius, k) => {
        close(radius, expected.lagrangianRadii[k], 1e-7);
      });
      const [most, known] = [await pipeline.extremes(), await reference.extremes()];
      close(most.acceleration, known.acceleration, 1e-6);
      close(most.speed, known.speed, 1e-12);
      const particles = await pipeline.readParticles({ potential: true, accelerations: true });
      const wanted = await reference.readParticles({ potential: true, accelerations: true });
      expect(particles.masses).toEqual(set.masses);
      expect(particles.components).toEqual(set.components);
      for (let k = 0; k < 3 * count; k++) {
        expect(Math.abs(particles.positions[k] - set.positions[k])).toBeLessThan(BOX * 2 ** -48);
        expect(Math.abs(particles.velocities[k] - set.velocities[k])).toBeLessThan(2 ** -48);
        close(particles.accelerations![k], wanted.accelerations![k], 3e-6);
      }
      for (let i = 0; i < count; i++) close(particles.potential![i], wanted.potential![i], 1e-6);
      expect(await pipeline.readParticles()).not.toHaveProperty("potential");
    });
  });

  it("keeps equal masses exact, whatever they are", async () => {
    const set = await plummerSphere(33, BOX);
    for (const [G, step] of [
      [1, 1 / 8],
      [43007.1, 0.0013],
      [1e-6, 7.7],
    ]) {
      await withDirect(gpu(), directSettings({}, { G, step }), set, async (pipeline) => {
        expect((await pipeline.sums()).mass).toBeCloseTo(1, 14);
      });
    }
  });
});
