/** The GPU pipeline as a whole (against the float64 pipeline: the doctor's checks): conservation, order of convergence, identical bits. */
import { describe, expect, it } from "vitest";
import { multigridPresets } from "../../src/engine/mesh/multigrid/multigrid-settings.ts";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import { nodeGpu } from "../../src/foundation/gpu/device.node.ts";
import { wrapDevice } from "../../src/foundation/gpu/device.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";
import { particleSet, plummerSphere } from "../support/particles.ts";
import { pipelineSettings, withPipeline } from "../support/pipeline.ts";
import { sequence } from "../support/scenario-fixture.ts";

const gpu = useGpu();
const SCHEMES = ["ngp", "cic", "tsc"] as const;
const HENON_ENERGY = 0.25;

function norm(vector: ArrayLike<number>, first = 0): number {
  return Math.hypot(vector[first], vector[first + 1], vector[first + 2]);
}

/** |Σ m a| and Σ m |a|. */
function forceSums(masses: Float64Array, a: ArrayLike<number>): { net: number; gross: number } {
  const net = [0, 0, 0];
  let gross = 0;
  masses.forEach((mass, i) => {
    for (let axis = 0; axis < 3; axis++) net[axis] += mass * a[3 * i + axis];
    gross += mass * norm(a, 3 * i);
  });
  return { net: norm(net), gross };
}

function shuffled(set: ParticleSet, seed: number): { set: ParticleSet; order: number[] } {
  const random = sequence(seed);
  const order = Array.from({ length: set.count }, (_, i) => i);
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  const pick = (array: Float64Array | Float32Array) => order.flatMap((i) => [...array.subarray(3 * i, 3 * i + 3)]);
  const masses = order.map((i) => set.masses[i]);
  return { set: particleSet(pick(set.positions), pick(set.velocities), masses), order };
}

describe("conservation", () => {
  const sphere = plummerSphere(20_001, 10);
  for (const boundary of ["periodic", "isolated"] as const) {
    for (const assignment of SCHEMES) {
      it(`a lone particle feels no force of its own: ${boundary}, ${assignment}`, async () => {
        const random = sequence(5);
        // 40 mutually distant tries would disturb each other: one particle at a time, moved by restoring a state.
        const settings = pipelineSettings({ cells: 32, assignment }, boundary, 32);
        await withPipeline(gpu(), settings, particleSet([16.3, 15.1, 16.8], [0, 0, 0], [1]), async (pipeline) => {
          const state = await pipeline.saveState();
          for (let trial = 0; trial < 6; trial++) {
            for (let axis = 0; axis < 3; axis++) {
              state.arrays.positions[axis] = Math.floor((0.3 + 0.4 * random()) * 2 ** 32);
            }
            await pipeline.restoreState(state);
            const { accelerations } = await pipeline.readParticles({ accelerations: true });
            // In units of Gm/h² = 1.
            expect(norm(accelerations!)).toBeLessThan(1e-6);
          }
        });
      });

      it(`the forces on all particles cancel: ${boundary}, ${assignment}`, async () => {
        const settings = pipelineSettings({ cells: 32, assignment }, boundary, 10);
        await withPipeline(gpu(), settings, await sphere, async (pipeline) => {
          const { accelerations, masses } = await pipeline.readParticles({ accelerations: true });
          const { net, gross } = forceSums(masses, accelerations!);
          expect(net / gross).toBeLessThan(1e-6);
        });
      });
    }
  }

  it("keeps the energy of a Plummer sphere, with an error that falls as the square of the step", async () => {
    const particles = await sphere;
    const [cells] = inFull([48], [32]);
    const settings = pipelineSettings({ cells, assignment: "tsc" }, "isolated", 10);
    await withPipeline(gpu(), settings, particles, async (pipeline) => {
      const start = await pipeline.saveState();
      const { kinetic, potential } = await pipeline.sums();
      const end: Float64Array[] = [];
      for (const steps of inFull([16, 32, 64, 128], [8, 16, 32, 64])) {
        await pipeline.restoreState(start);
        await pipeline.advance(steps, 1 / steps);
        const after = await pipeline.sums();
        const error = Math.abs(after.kinetic + after.potential - kinetic - potential) / HENON_ENERGY;
        if (steps >= 64) expect(error).toBeLessThan(cells === 48 ? 1e-3 : 3e-3);
        end.push((await pipeline.readParticles()).positions);
      }
      // The mesh's own energy error doesn't fall with the step; the orbits converge at second order.
      const distance = (a: Float64Array, b: Float64Array) => {
        const moved = Array.from({ length: a.length / 3 }, (_, i) =>
          Math.hypot(a[3 * i] - b[3 * i], a[3 * i + 1] - b[3 * i + 1], a[3 * i + 2] - b[3 * i + 2]),
        );
        return moved.sort((x, y) => x - y)[Math.floor(moved.length / 2)];
      };
      const errors = [distance(end[0], end[1]), distance(end[1], end[2]), distance(end[2], end[3])];
      expect(Math.log2(errors[0] / errors[1])).toBeGreaterThan(1.9);
      expect(Math.log2(errors[1] / errors[2])).toBeGreaterThan(1.9);
    });
  });
});

describe("identical bits", () => {
  it("on repetition, for any order of the particles, with every deposit, and after a resume", async () => {
    const particles = await plummerSphere(10_001, 10);
    const { set: mixed, order } = shuffled(particles, 3);
    const run = (set: ParticleSet, deposit: "sort" | "atomic" | "host", resumeAt?: number) =>
      withPipeline(gpu(), pipelineSettings({ cells: 32, deposit }, "isolated", 10), set, async (pipeline) => {
        await pipeline.advance(4, 0.02);
        if (resumeAt !== undefined) {
          const state = await pipeline.saveState();
          await pipeline.advance(3, 0.05); // somewhere else, and back
          await pipeline.restoreState(state);
        }
        await pipeline.advance(4, 0.02);
        return { state: await pipeline.saveState(), sums: await pipeline.sums() };
      });
    const first = await run(particles, "sort");
    for (const deposit of ["sort", "atomic", "host"] as const) {
      const again = await run(particles, deposit);
      expect(again.state.arrays.positions).toEqual(first.state.arrays.positions);
      expect(again.state.arrays.velocities).toEqual(first.state.arrays.velocities);
      expect(again.sums).toEqual(first.sums);
    }
    const resumed = await run(particles, "sort", 4);
    expect(resumed.state.arrays.positions).toEqual(first.state.arrays.positions);
    expect(resumed.state.arrays.velocities).toEqual(first.state.arrays.velocities);
    const other = await run(mixed, "sort");
    const positions = other.state.arrays.positions;
    order.forEach((i, j) => {
      for (let axis = 0; axis < 3; axis++) {
        expect(positions[3 * j + axis]).toBe(first.state.arrays.positions[3 * i + axis]);
      }
    });
    expect(other.sums.potential).toBe(first.sums.potential);
  });
});

describe("identical bits with multigrid, which starts from its last potential", () => {
  for (const boundary of ["periodic", "isolated"] as const) {
    for (const tolerance of inFull([0, 1e-3], [boundary === "periodic" ? 0 : 1e-3])) {
      it(`after a resume: ${boundary}, tolerance ${tolerance}`, async () => {
        const particles = await plummerSphere(10_001, 10);
        const multigrid = { ...multigridPresets.default, tolerance, maxCycles: tolerance === 0 ? 2 : 20 };
        const settings = pipelineSettings({ cells: 32, poisson: "multigrid" }, boundary, 10, { multigrid });
        const run = (resume: boolean) =>
          withPipeline(gpu(), settings, particles, async (pipeline) => {
            await pipeline.advance(4, 0.02);
            if (!resume) {
              await pipeline.advance(4, 0.02);
              return pipeline.saveState();
            }
            const state = await pipeline.saveState();
            return withPipeline(gpu(), settings, particles, async (other) => {
              await other.restoreState(state);
              await other.advance(4, 0.02);
              return other.saveState();
            });
          });
        expect((await run(true)).arrays).toEqual((await run(false)).arrays);
      });
    }
  }
});

describe("particles that leave an isolated mesh", () => {
  it("stay, fall towards the rest, are counted, and come back", async () => {
    // A heavy clump at the centre and two light particles: one thrown out fast, one that turns round outside.
    const heavy = [16, 16, 16];
    const positions = [...heavy, 28, 16, 16, 28, 20, 16];
    const velocities = [0, 0, 0, 4, 0, 0, 0.155, 0, 0];
    const settings = pipelineSettings({ cells: 32 }, "isolated", 32);
    const set = particleSet(positions, velocities, [1, 1e-6, 1e-6]);
    await withPipeline(gpu(), settings, set, async (pipeline) => {
      expect((await pipeline.sums()).outside).toBe(0);
      const dt = 0.2;
      const path: number[] = [];
      let outside = 0;
      for (let segment = 0; segment < 30; segment++) {
        await pipeline.advance(10, dt);
        const state = await pipeline.readParticles();
        path.push(state.positions[6]);
        outside = Math.max(outside, (await pipeline.sums()).outside);
        // The fast one: ballistic, slowed a little by the unit mass; far beyond any wrap.
        const expected = 28 + 4 * (segment + 1) * 10 * dt;
        expect(state.positions[3]).toBeLessThan(expected);
        expect(state.positions[3]).toBeGreaterThan(expected - 0.1 * (expected - 28));
      }
      expect(outside).toBe(2);
      expect(Math.max(...path)).toBeGreaterThan(29.5); // the slow one went outside, three cells before the face, …
      expect(path.at(-1)).toBeLessThan(29); // … and came back
      expect((await pipeline.sums()).outside).toBe(1);
      expect((await pipeline.sums()).mass).toBeCloseTo(1 + 2e-6, 6);
    });
  });
});

describe("a caller's own device with the limits that every implementation has", () => {
  for (const [boundary, mesh] of [
    ["periodic", { gradient: "spectral" }],
    ["isolated", { poisson: "multigrid" }],
  ] as const) {
    it(`runs the pipeline: ${boundary} ${JSON.stringify(mesh)}`, async () => {
      const device = await (await nodeGpu().requestAdapter())!.requestDevice({ label: "default limits" });
      const plain = wrapDevice(device);
      try {
        const particles = await plummerSphere(5001, 10);
        const settings = pipelineSettings({ cells: 32, ...mesh }, boundary, 10);
        const run = (context: GpuContext) =>
          withPipeline(context, settings, particles, async (pipeline) => {
            pipeline.timeStages();
            await pipeline.advance(3, 0.02);
            return { ...(await pipeline.readParticles()), stages: pipeline.stageTimes() };
          });
        const [own, full] = [await run(plain), await run(gpu())];
        expect(own.stages.map(({ stage }) => stage)).toEqual(expect.arrayContaining(["order", "deposit", "update"]));
        let worst = 0;
        own.positions.forEach((x, j) => {
          worst = Math.max(worst, Math.abs(x - full.positions[j]));
        });
        expect(worst).toBeLessThan(1e-6);
      } finally {
        plain.destroy();
        device.destroy();
      }
    });
  }
});
