/** The pairs of P³M: the force of a pair against Ewald's sum at every distance, all particles of clustered sets, and the bits. */
import { describe, expect, it } from "vitest";
import { ewaldField } from "../../src/engine/diagnostics/ewald.ts";
import { hasLanes } from "../../src/engine/direct/force-shapes.ts";
import { DirectSummation } from "../../src/engine/direct-summation.ts";
import type { PairSettings } from "../../src/engine/mesh/settings.ts";
import { longRangeLaw, polynomialInSquare } from "../../src/engine/p3m/long-range.ts";
import { ReferencePipeline } from "../../src/engine/reference/mesh/pipeline.ts";
import { releasing } from "../../src/foundation/base/releasing.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import { pinnedShapes } from "../../src/foundation/gpu/shapes.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { EwaldSum } from "../../src/study/validate/ewald-sum.ts";
import { useGpu } from "../support/gpu.ts";
import { pipelineSettings, withPipeline } from "../support/pipeline.ts";
import { sequence } from "../support/scenario-fixture.ts";

const gpu = useGpu();
const NEWTON: PairSettings = { softening: 1e-6, softeningKernel: "plummer", reach: 5 };

function around(cells: number, distances: readonly number[], each: number, seed: number): ParticleSet {
  const random = sequence(seed);
  const centre = [0, 1, 2].map(() => 0.5 + random() / cells);
  const positions: number[] = [...centre];
  for (const r of distances) {
    for (let k = 0; k < each; k++) {
      const z = 2 * random() - 1;
      const angle = 2 * Math.PI * random();
      const flat = Math.sqrt(1 - z * z);
      const d = [flat * Math.cos(angle), flat * Math.sin(angle), z];
      positions.push(...d.map((x, axis) => centre[axis] + (r / cells) * x));
    }
  }
  const count = positions.length / 3;
  const masses = new Float64Array(count);
  masses[0] = 1;
  return {
    count,
    components: [{ name: "all", species: "stars", first: 0, count }],
    positions: Float64Array.from(positions),
    velocities: new Float64Array(3 * count),
    masses,
  };
}

describe("the force of a pair", () => {
  it("has a part of the mesh that is a polynomial to 5e-6 of Newton's", () => {
    const terms = polynomialInSquare((square) => longRangeLaw(square, 1.25).f, 6.25);
    for (let r = 0.1; r < 6.25; r += 0.05) {
      const value = terms.reduceRight((sum, c) => sum * (2 * (r / 6.25) ** 2 - 1) + c, 0);
      expect(Math.abs(value - longRangeLaw(r * r, 1.25).f) * r ** 3).toBeLessThan(5e-6);
    }
  });

  const distances = [0.1, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 10, 12];
  it.each([
    { cells: 32, boundary: "periodic", assignment: "tsc", rms: 3e-3, most: 8e-3 },
    { cells: 48, boundary: "isolated", assignment: "tsc", rms: 3e-3, most: 8e-3 },
    { cells: 32, boundary: "periodic", assignment: "cic", rms: 1.3e-2, most: 4e-2 },
  ] as const)("is that of a point at every distance: $boundary, $assignment", async (one) => {
    const { cells, boundary, assignment, rms, most } = one;
    const settings = pipelineSettings({ cells, assignment, kernel: "split" }, boundary, 1, { pairs: NEWTON });
    const errors = distances.map((): number[] => []);
    for (const seed of [11, 12, 13]) {
      const set = around(cells, distances, 50, seed);
      const field = await withPipeline(gpu(), settings, set, (pipeline) =>
        pipeline.readParticles({ accelerations: true, potential: true }),
      );
      for (let i = 1; i < set.count; i++) {
        const d = [0, 1, 2].map((axis) => set.positions[3 * i + axis] - set.positions[axis]);
        const r = Math.hypot(...d);
        const exact = boundary === "periodic" ? ewaldField(d[0], d[1], d[2]).acceleration : d.map((x) => -x / r ** 3);
        const apart = exact.map((a, axis) => field.accelerations![3 * i + axis] - a);
        errors[Math.floor((i - 1) / 50)].push(Math.hypot(...apart) / Math.hypot(...exact));
        if (boundary === "isolated") expect(field.potential![i] * -r).toBeCloseTo(1, 2);
      }
    }
    for (const some of errors) {
      expect(Math.hypot(...some) / Math.sqrt(some.length)).toBeLessThan(rms);
      expect(Math.max(...some)).toBeLessThan(most);
    }
  });
});

/** Clumps of a periodic box, or one sphere in an isolated one: crowded cells and empty ones, each particle of another mass. */
function clustered(count: number, spheres: number, seed: number): ParticleSet {
  const random = sequence(seed);
  const centres = Array.from({ length: spheres }, () => [0, 0, 0].map(() => (spheres > 1 ? random() : 0.5)));
  const positions = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) {
    const r = 0.02 / Math.sqrt((0.97 * random() + 0.01) ** (-2 / 3) - 1);
    const z = 2 * random() - 1;
    const angle = 2 * Math.PI * random();
    const flat = Math.sqrt(1 - z * z);
    const d = [r * flat * Math.cos(angle), r * flat * Math.sin(angle), r * z];
    for (const axis of [0, 1, 2]) positions[3 * i + axis] = (centres[i % spheres][axis] + d[axis] + 1) % 1;
  }
  const masses = Float64Array.from({ length: count }, () => (0.5 + random()) / count);
  const components = [{ name: "all", species: "stars" as const, first: 0, count }];
  return { count, components, positions, velocities: new Float64Array(3 * count), masses };
}

/** rms and 99th percentile of |Δa|/|a|, and |ΣF| over the rms force. */
function against(exact: ArrayLike<number>, found: ArrayLike<number>, masses: Float64Array) {
  const errors: number[] = [];
  const net = [0, 0, 0];
  let force2 = 0;
  for (let i = 0; i < masses.length; i++) {
    const a = [0, 1, 2].map((axis) => found[3 * i + axis]);
    const b = [0, 1, 2].map((axis) => exact[3 * i + axis]);
    errors.push(Math.hypot(...a.map((x, axis) => x - b[axis])) / Math.hypot(...b));
    for (const axis of [0, 1, 2]) net[axis] += masses[i] * a[axis];
    force2 += (masses[i] * Math.hypot(...a)) ** 2;
  }
  errors.sort((a, b) => a - b);
  const { length } = errors;
  return {
    rms: Math.hypot(...errors) / Math.sqrt(length),
    most: errors[Math.floor(0.99 * length)],
    net: Math.hypot(...net) / Math.sqrt(force2 / length),
  };
}

describe("all particles", () => {
  it.each(["plummer", "spline"] as const)("of a clustered box against Ewald sums, %s", async (softeningKernel) => {
    const set = clustered(4000, 5, 3);
    const pairs: PairSettings = { softening: 0.004, softeningKernel, reach: 5 };
    const settings = pipelineSettings({ cells: 32, assignment: "tsc" }, "periodic", 1, { pairs });
    const { accelerations } = await withPipeline(gpu(), settings, set, (one) =>
      one.readParticles({ accelerations: true }),
    );
    const sum = await EwaldSum.create({ ...set, G: 1, size: 1 });
    const rows = Array.from({ length: set.count }, (_, i) => i);
    const exact = await sum.accelerations(rows, { softening: 0.004, softeningKernel });
    const { rms, most, net } = against(exact, accelerations!, set.masses);
    expect(rms).toBeLessThan(3e-3);
    expect(most).toBeLessThan(1e-2);
    expect(net).toBeLessThan(1e-4);
  });

  it.each(["periodic", "isolated"] as const)("as in float64, %s", async (boundary) => {
    const set = clustered(1500, boundary === "periodic" ? 5 : 1, 6);
    const pairs: PairSettings = { softening: 0.004, softeningKernel: "spline", reach: 5 };
    const settings = pipelineSettings({ cells: 48, assignment: "tsc", kernel: "split" }, boundary, 1, { pairs });
    const want = { accelerations: true, potential: true };
    const found = await withPipeline(gpu(), settings, set, (one) => one.readParticles(want));
    const twin = await (await ReferencePipeline.create(settings, set)).readParticles(want);
    expect(against(twin.accelerations!, found.accelerations!, set.masses).most).toBeLessThan(1e-4);
    const deepest = Math.min(...twin.potential!);
    const apart = twin.potential!.map((phi, i) => Math.abs(phi - found.potential![i]));
    expect(Math.max(...apart) / -deepest).toBeLessThan(1e-5);
  });

  it("of a Plummer sphere against direct sums, with their potential and energy", async () => {
    const set = clustered(4000, 1, 4);
    const pairs: PairSettings = { softening: 0.002, softeningKernel: "plummer", reach: 5 };
    const settings = pipelineSettings({ cells: 48, assignment: "tsc", kernel: "split" }, "isolated", 1, { pairs });
    const { accelerations, potential, sums } = await withPipeline(gpu(), settings, set, async (one) => {
      return { ...(await one.readParticles({ accelerations: true, potential: true })), sums: await one.sums() };
    });
    const direct = await DirectSummation.create({
      ...{ order: "acceleration", softening: 0.002, G: 1, capacity: set.count, backend: "cpu" },
    });
    await direct.setSources(set);
    const exact = await direct.forces({ rows: Uint32Array.from({ length: set.count }, (_, i) => i) });
    await direct.destroy();
    const { rms, most, net } = against(exact.accelerations, accelerations!, set.masses);
    let energy = 0;
    for (let i = 0; i < set.count; i++) energy += 0.5 * set.masses[i] * exact.potentials[i];
    expect(potential![7] / exact.potentials[7]).toBeCloseTo(1, 2);
    expect(rms).toBeLessThan(3e-3);
    expect(most).toBeLessThan(1e-2);
    expect(net).toBeLessThan(1e-4);
    expect(Math.abs(sums.potential / energy - 1)).toBeLessThan(3e-3);
  });
});

describe("bits", () => {
  it("are those of another run, of one in other submissions, of one that was resumed, and of each shape", async () => {
    const still = clustered(3000, 4, 9);
    const random = sequence(10);
    const set = { ...still, velocities: still.velocities.map(() => random() - 0.5) };
    const pairs: PairSettings = { softening: 0.005, softeningKernel: "plummer", reach: 5 };
    const settings = pipelineSettings({ cells: 24, assignment: "tsc" }, "periodic", 1, { pairs });
    const whole = await withPipeline(gpu(), settings, set, async (one) => {
      await one.advance(2, 0.01); // which closes the last step's kick
      await one.advance(4, 0.01);
      return one.saveState();
    });
    const half = await withPipeline(gpu(), settings, set, async (one) => {
      one.pairs!.itemsAtOnce = 7;
      await one.advance(2, 0.01);
      return one.saveState();
    });
    const resumed = await withPipeline(gpu(), settings, set, async (one) => {
      await one.restoreState(half);
      await one.advance(4, 0.01);
      return one.saveState();
    });
    const shapes = hasLanes(gpu()) ? ["tiles", "subgroups"] : ["tiles"];
    const shaped = shapes.map((shape) =>
      releasing(
        new GpuContext(gpu().device, gpu().adapter, {
          owned: false,
          parent: gpu(),
          shapes: pinnedShapes(`pairs=${shape}`),
        }),
        (own) =>
          withPipeline(own, settings, set, async (one) => {
            await one.advance(2, 0.01);
            await one.advance(4, 0.01);
            return one.saveState();
          }),
      ),
    );
    for (const state of [resumed, ...(await Promise.all(shaped))]) {
      for (const name of ["positions", "velocities"])
        expect(state.arrays[name].every((x, i) => x === whole.arrays[name][i])).toBe(true);
    }
  });
});
