/** The field at points of all backends: the GPU's against the twins', and at the particles' own places what acts on these. */
import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend/backend.ts";
import type { MeshSettings, PairSettings } from "../../src/engine/mesh/settings.ts";
import { MeshPipeline } from "../../src/engine/pipeline/pipeline.ts";
import { ReferenceDirect } from "../../src/engine/reference/direct/pipeline.ts";
import { ReferencePipeline } from "../../src/engine/reference/mesh/pipeline.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { WindowLimits } from "../../src/foundation/gpu/windows.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import type { ExternalPotential } from "../../src/physics/potentials/potential.ts";
import { directSettings, withDirect } from "../support/direct-pipeline.ts";
import { useGpu } from "../support/gpu.ts";
import { uniformNumbers } from "../support/mesh-mass.ts";
import { particleSet, plummerSphere } from "../support/particles.ts";
import { pipelineSettings } from "../support/pipeline.ts";

const gpu = useGpu();
const BOX = 8;
const TURNING: ExternalPotential = {
  ...{ kind: "long-murali-bar", centre: [4, 4.5, 4], turn: { speed: 3, phase: 0.4 } },
  parameters: { mass: 0.5, halfLength: 1, width: 0.3, height: 0.2 },
};

/** Points in the box and around it; more than a submission takes where asked for. */
const pointsAround = (count: number, reach: number) =>
  Float64Array.from(uniformNumbers(3 * count, 7), (u) => BOX / 2 + reach * BOX * (u - 0.5));

/** Largest difference over the largest value. */
function apart(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(found.length).toBe(expected.length);
  const largest = Array.from(expected).reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return Array.from(expected).reduce((most, x, i) => Math.max(most, Math.abs(x - found[i])), 0) / largest;
}

async function expectSame(one: Backend, other: Backend, points: Float64Array, tolerance: number): Promise<void> {
  const [found, expected] = [await one.fieldAt!(points), await other.fieldAt!(points)];
  expect(apart(found.accelerations, expected.accelerations)).toBeLessThan(tolerance);
  expect(apart(found.potential, expected.potential)).toBeLessThan(tolerance);
}

/** `use` with a mesh on the GPU and its twin, which have made two steps. */
async function onMesh(
  given: {
    mesh: Partial<MeshSettings>;
    boundary: Boundary;
    particles: ParticleSet;
    windows?: WindowLimits;
    pairs?: PairSettings;
  },
  use: (mesh: MeshPipeline, twin: ReferencePipeline) => Promise<void>,
): Promise<void> {
  const { particles, windows = {} } = given;
  const { pairs } = given;
  const settings = pipelineSettings(given.mesh, given.boundary, BOX, { externalPotentials: [TURNING], pairs });
  const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows });
  const mesh = await MeshPipeline.create(context, settings, particles);
  try {
    const twin = await ReferencePipeline.create(settings, particles);
    for (const backend of [mesh, twin]) await backend.advance(2, 0.01);
    await use(mesh, twin);
  } finally {
    mesh.destroy();
  }
}

describe("on the mesh", () => {
  it.each([
    ["periodic", "tsc", {}],
    ["isolated", "cic", {}],
    ["isolated", "cic", { planes: 6 }],
  ] as const)("%s, %s, %j: as the twin's, inside the mesh and outside", async (boundary, assignment, windows) => {
    const particles = await plummerSphere(500, BOX);
    await onMesh({ mesh: { cells: 16, assignment }, boundary, particles, windows }, async (mesh, twin) => {
      await expectSame(mesh, twin, pointsAround(300, 0.7), 2e-5);
      await expectSame(mesh, twin, pointsAround(300, 5), 2e-5);
    });
  });

  it.each(["periodic", "isolated"] as const)(
    "%s, with pairs of P³M: whole, and a tracer's at its place",
    async (boundary) => {
      const particles = await plummerSphere(1500, BOX);
      particles.masses.fill(0, 10, 20);
      const pairs: PairSettings = { softening: 0.05, softeningKernel: "spline", reach: 5 };
      const mesh = { cells: 32, assignment: "tsc", gradient: "4-point", kernel: "split" } as const;
      await onMesh({ mesh, boundary, particles, pairs }, async (mesh, twin) => {
        await expectSame(mesh, twin, pointsAround(500, 0.2), 2e-5);
        await expectSame(mesh, twin, pointsAround(300, boundary === "periodic" ? 1 : 5), 2e-5);
        for (const one of [mesh, twin]) {
          const { positions, accelerations, potential } = await one.readParticles({
            accelerations: true,
            potential: true,
          });
          const tracers = await one.fieldAt(positions.slice(30, 60));
          expect(apart(tracers.accelerations, accelerations!.slice(30, 60))).toBeLessThan(1e-5);
          expect(apart(tracers.potential, potential!.slice(10, 20))).toBeLessThan(1e-5);
        }
      });
    },
  );

  it("is the monopole's of what is inside where a particle is outside, too", async () => {
    const particles = particleSet([4, 4, 4, 3, 4, 4, 20, 4, 4], [0, 0, 0, 0, 0, 0, 0, 0, 0], [1, 2, 0.5]);
    await onMesh({ mesh: { cells: 16 }, boundary: "isolated", particles }, (mesh, twin) =>
      expectSame(mesh, twin, pointsAround(100, 5), 2e-5),
    );
  });

  it("is what acts on the particles at their places; more points than a submission takes keep their order", async () => {
    const particles = await plummerSphere(2000, BOX);
    await onMesh({ mesh: { cells: 16 }, boundary: "isolated", particles }, async (mesh) => {
      const { positions, accelerations, potential } = await mesh.readParticles({
        accelerations: true,
        potential: true,
      });
      const points = new Float64Array(3 * 70_000);
      for (let k = 0; k < points.length; k++) points[k] = positions[k % positions.length];
      const found = await mesh.fieldAt(points);
      const expected = Float32Array.from(points, (_, k) => accelerations![k % positions.length]);
      expect(Float32Array.from(found.accelerations)).toEqual(expected);
      expect(Float32Array.from(found.potential.subarray(0, 2000))).toEqual(potential);
    });
  });

  it("refuses a point that is nowhere", async () => {
    const particles = await plummerSphere(10, BOX);
    await onMesh({ mesh: { cells: 16 }, boundary: "isolated", particles }, async (mesh) => {
      const found = mesh.fieldAt(Float64Array.of(1, 2, 3, 1, 5000, 3));
      await expect(found).rejects.toThrow("point 1: expected a coordinate at most 511 boxes of 8 away, found 5000");
    });
  });
});

describe("of a direct sum", () => {
  it("is the twin's, before steps and after them; tracers attract nothing", async () => {
    const particles = await plummerSphere(300, BOX);
    particles.masses.fill(0, 10, 20);
    const settings = directSettings({ integrator: "leapfrog" }, { boxSize: BOX, externalPotentials: [TURNING] });
    await withDirect(gpu(), settings, particles, async (direct) => {
      const twin = new ReferenceDirect(settings, particles);
      for (let steps = 0; steps < 2; steps++) {
        await expectSame(direct, twin, pointsAround(100, 3), 2e-6);
        for (const backend of [direct, twin]) await backend.advance(1, settings.step);
      }
      const { positions, accelerations } = await twin.readParticles({ accelerations: true });
      // A tracer's own place: a particle with mass would attract itself there, with no force but a potential.
      const tracer = await twin.fieldAt(positions.subarray(30, 33));
      expect(apart(tracer.accelerations, accelerations!.subarray(30, 33))).toBeLessThan(1e-6);
    });
  });
});
