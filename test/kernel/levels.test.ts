/** Levels: meshes with smaller cells in that of the box, beside one mesh of the smallest cells and float64, and the bits of their runs. */
import { describe, expect, it, vi } from "vitest";
import { type Backend, plainPlan } from "../../src/engine/backend/backend.ts";
import { stencilReach } from "../../src/engine/mesh/deposit/stencil.ts";
import { BLEND, levelGeometry } from "../../src/engine/mesh/levels/level-grid.ts";
import type { Level } from "../../src/engine/mesh/levels/level-settings.ts";
import type { Assignment } from "../../src/engine/mesh/settings.ts";
import { MeshPipeline } from "../../src/engine/pipeline/pipeline.ts";
import { ReferencePipeline } from "../../src/engine/reference/mesh/pipeline.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { StepPhase } from "../../src/physics/particles/phase.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { useGpu } from "../support/gpu.ts";
import { particleSet, randomParticles } from "../support/particles.ts";
import { pipelineSettings, withPipeline } from "../support/pipeline.ts";
import { ranksTogether } from "../support/ranks.ts";

const gpu = useGpu();

type Place = [number, number, number];

/** Plummer spheres of radius 0.02 in a box of 1, by a counter's quasi-random numbers. */
function spheres(count: number, centres: readonly Place[], speed = 0): ParticleSet {
  const share = (k: number, base: number) => ((k + 0.5) * base) % 1;
  const positions = new Float64Array(3 * count);
  const velocities = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) {
    const r = 0.02 / Math.sqrt((0.999 * share(i, 0.7548776662466927) + 5e-4) ** (-2 / 3) - 1);
    const z = 2 * share(i, 0.5698402909980532) - 1;
    const angle = 2 * Math.PI * share(i, 0.6180339887498949);
    const flat = Math.sqrt(1 - z * z);
    const [x, y, w] = centres[i % centres.length];
    positions.set([x + r * flat * Math.cos(angle), y + r * flat * Math.sin(angle), w + r * z], 3 * i);
    velocities[3 * i] = speed;
  }
  const masses = new Float64Array(count).fill(1 / count);
  return { count, components: [{ name: "all", species: "stars", first: 0, count }], positions, velocities, masses };
}

function level(place: Place, rest: Partial<Level>): Level {
  return { name: "around it", parent: undefined, refinement: 2, cells: 48, follows: [], place, substeps: 1, ...rest };
}

async function fieldOf(
  set: ParticleSet,
  {
    cells,
    boundary,
    assignment,
    levels,
  }: { cells: number; boundary: Boundary; assignment: Assignment; levels?: Level[] },
) {
  const settings = pipelineSettings({ cells, assignment, kernel: "split" }, boundary, 1, levels && { levels });
  return withPipeline(gpu(), settings, set, async (pipeline) => {
    const { accelerations, potential } = await pipeline.readParticles({ accelerations: true, potential: true });
    const sums = await pipeline.sums();
    const atPoints = await pipeline.fieldAt(set.positions.slice(0, 90));
    return { accelerations: accelerations!, potential: potential!, sums, atPoints };
  });
}

/** Sorted relative differences of accelerations, of particles in the core of a level, and in its blend. */
function differences(
  set: ParticleSet,
  place: Place,
  { core, perCell }: { core: number; perCell: number },
  a: Float64Array | Float32Array,
  b: Float64Array | Float32Array,
) {
  const found: Record<"core" | "blend", number[]> = { core: [], blend: [] };
  for (let i = 0; i < set.count; i++) {
    const [d, e, f] = [0, 1, 2].map((k) => {
      const at = 3 * i + k;
      return [Math.abs(set.positions[at] - place[k]) / perCell, (a[at] - b[at]) ** 2, b[at] ** 2];
    });
    const far = Math.max(d[0], e[0], f[0]);
    const error = Math.sqrt((d[1] + e[1] + f[1]) / (d[2] + e[2] + f[2]));
    if (far < core - BLEND) found.core.push(error);
    else if (far < core) found.blend.push(error);
  }
  return { core: found.core.sort((x, y) => x - y), blend: found.blend.sort((x, y) => x - y) };
}
const quantile = (sorted: readonly number[], share: number) => sorted[Math.floor(share * (sorted.length - 1))];

const PLACE: Place = [0.47, 0.53, 0.51];

describe("a level has the field of one mesh of its cells", () => {
  // A quarter of a cell is in test/unit/reference-levels.test.ts: the twin is the same.
  it.each([{ refinement: 2, cells: 64, box: 48, assignment: "tsc", median: 1e-4, most: 5e-4 }] as const)(
    "$assignment, refinement $refinement",
    async ({ refinement, cells, box, assignment, median, most }) => {
      const set = spheres(6000, [PLACE]);
      const one = { boundary: "isolated" as const, assignment };
      const levels = [level(PLACE, { refinement, cells })];
      const fine = await fieldOf(set, { ...one, cells: box * refinement });
      const found = await fieldOf(set, { ...one, cells: box, levels });
      const [{ core }] = levelGeometry(levels, box, stencilReach({ assignment, gradient: "4-point" }));
      const errors = differences(set, PLACE, { core, perCell: 1 / box }, found.accelerations, fine.accelerations);
      expect(errors.core.length).toBeGreaterThan(4000);
      expect(quantile(errors.core, 0.5)).toBeLessThan(median);
      expect(quantile(errors.core, 0.99)).toBeLessThan(most);
      expect(quantile(errors.blend, 0.5)).toBeLessThan(8e-3);
      expect(found.sums.potential / fine.sums.potential).toBeCloseTo(1, 3);
      // At points, as at the particles.
      expect([...found.atPoints.accelerations]).toEqual([...found.accelerations.slice(0, 90)]);
      expect([...found.atPoints.potential]).toEqual([...found.potential.slice(0, 30)]);
    },
  );

  it("and so has one within another, and levels that overlap", async () => {
    const [a, b]: [Place, Place] = [
      [0.44, 0.5, 0.5],
      [0.56, 0.5, 0.51],
    ];
    const set = spheres(6000, [a, b]);
    const one = { boundary: "isolated" as const, assignment: "cic" as const };
    const fine = await fieldOf(set, { ...one, cells: 128 });
    const levels = [level(a, {}), level(a, { parent: 0 }), level(b, {}), level(b, { parent: 2 })];
    const found = await fieldOf(set, { ...one, cells: 32, levels });
    const geometry = levelGeometry(levels, 32, stencilReach({ assignment: "cic", gradient: "4-point" }));
    for (const [l, place] of [
      [1, a],
      [3, b],
    ] as const) {
      const { core, perBox } = geometry[l];
      const errors = differences(set, place, { core, perCell: 2 / perBox }, found.accelerations, fine.accelerations);
      expect(errors.core.length).toBeGreaterThan(1200);
      expect(quantile(errors.core, 0.5)).toBeLessThan(1e-4);
      expect(quantile(errors.core, 0.99)).toBeLessThan(3e-4);
    }
    const rms = Math.sqrt(found.accelerations.reduce((sum, x) => sum + x * x, 0) / 6000);
    for (const axis of [0, 1, 2]) {
      const sum = found.accelerations.reduce((total, x, i) => (i % 3 === axis ? total + x : total), 0);
      expect(Math.abs(sum) / 6000 / rms).toBeLessThan(1e-4);
    }
  });
});

describe("levels have the field of their twin in float64", () => {
  const beside: Place = [0.56, 0.55, 0.5];
  const around: Place = [0.98, 0.5, 0.02];
  it.each<[string, Boundary, Place, Level[]]>([
    // Its core would reach those behind the opposite face, if there were a way around.
    ["of which one has its centre at a face", "isolated", [0.06, 0.5, 0.5], [level([0.001, 0.5, 0.5], { cells: 80 })]],
    [
      "one within another whose cells, about it, reach beyond a face",
      "isolated",
      [1 / 6, 0.5, 0.5],
      [level([1 / 6, 0.5, 0.5], { cells: 64 }), level([1 / 6, 0.5, 0.5], { cells: 64, parent: 0 })],
    ],
    [
      "of which one of halved cells lies in one of quarters",
      "isolated",
      PLACE,
      [level(PLACE, { refinement: 4, cells: 96 }), level(PLACE, { parent: 0 })],
    ],
    [
      "that lie around faces",
      "periodic",
      around,
      [level(beside, { refinement: 4, cells: 80 }), level(around, { cells: 64 }), level(around, { parent: 1 })],
    ],
  ])("%s, %s", async (_, boundary, place, levels) => {
    const [sphere, field] = [spheres(1000, [place, beside]), randomParticles(3000, 1)];
    const inBox = sphere.positions.map((x) => (x + 1) % 1);
    const set = particleSet([...inBox, ...field.positions], new Array(12000).fill(0));
    const settings = pipelineSettings({ cells: 48, kernel: "split", green: "exact" }, boundary, 1, { levels });
    const wanted = { accelerations: true, potential: true };
    const expected = await (await ReferencePipeline.create(settings, set)).readParticles(wanted);
    const ofDevice = () => withPipeline(gpu(), settings, set, (pipeline) => pipeline.readParticles(wanted));
    const found = await ofDevice();
    // Levels look for particles in their planes alone: none of theirs are in other slots.
    const inOrder = vi.spyOn(StepPhase.prototype, "inOrder", "get").mockReturnValue(false);
    expect(await ofDevice()).toEqual(found);
    inOrder.mockRestore();
    for (const name of ["accelerations", "potential"] as const) {
      const [a, b] = [found[name]!, expected[name]!];
      const rms = Math.sqrt(b.reduce((sum, x) => sum + x * x, 0) / b.length);
      // Measured 7e-6.
      expect(Math.max(...a.map((x, i) => Math.abs(x - b[i]))) / rms).toBeLessThan(3e-5);
    }
  });
});

it("substeps share kicks and drifts that differ from step to step as in float64", async () => {
  const set = spheres(2000, [PLACE], 0.4);
  const levels = [level(PLACE, { cells: 64, substeps: 3 }), level(PLACE, { parent: 0, substeps: 3 })];
  const settings = pipelineSettings({ cells: 48, kernel: "split" }, "periodic", 1, { levels });
  const factors = { openings: [2e-3, 3e-3, 1e-3], drifts: [5e-3, 6e-3, 4e-3], closings: [4e-3, 2e-3, 3e-3] };
  const moved = async (backend: Backend) => {
    await backend.follow!(plainPlan(factors));
    return backend.readParticles();
  };
  const expected = await moved(await ReferencePipeline.create(settings, set));
  const found = await withPipeline(gpu(), settings, set, moved);
  const fastest = Math.max(...expected.velocities);
  const errors = Array.from(found.velocities, (v, i) => Math.abs(v - expected.velocities[i]) / fastest);
  // Measured 2e-5.
  expect(Math.max(...errors)).toBeLessThan(1e-4);
});

describe.each([
  ["periodic", 1],
  ["isolated", 3],
] as const)("a level that moves, %s, substeps %d", (boundary, substeps) => {
  const start: Place = boundary === "periodic" ? [0.98, 0.5, 0.5] : [0.4, 0.5, 0.5];
  const set = spheres(6001, [start], 0.5);
  const levels = [
    level(start, { follows: [{ first: 0, count: 6001 }], cells: 64, substeps }),
    level(start, { follows: [{ first: 0, count: 6001 }], parent: 0, substeps }),
  ];
  const settings = pipelineSettings({ cells: 48, kernel: "split" }, boundary, 1, { levels, G: 1e-4 });
  const [steps, dt] = [3, 0.016];

  it("follows its particles to the same bits however they are cut, submitted, shared by ranks, and resumed", async () => {
    const { fixed, ...whole } = await withPipeline(gpu(), settings, set, async (pipeline) => {
      await pipeline.advance(2, dt);
      await pipeline.advance(steps - 2, dt);
      const fixed = [...(await pipeline.saveState()).arrays.positions];
      const { positions, velocities } = await pipeline.readParticles();
      // A step is drifted before its force is found: the centre is that of the positions.
      for (const [x, y, z] of await pipeline.levelCentres()) {
        expect(Math.abs(((x - start[0] - 0.5 * dt * steps + 1.5) % 1) - 0.5)).toBeLessThan(2e-3);
        expect(Math.hypot(y - start[1], z - start[2])).toBeLessThan(2e-3);
      }
      return { positions: [...positions], velocities: [...velocities], fixed };
    });
    const resumed = await withPipeline(gpu(), settings, set, async (pipeline) => {
      await pipeline.advance(2, dt, { submission: 1 });
      const state = await pipeline.saveState();
      return withPipeline(gpu(), settings, set, async (other) => {
        await other.restoreState(state);
        await other.advance(steps - 2, dt);
        const { positions, velocities } = await other.readParticles();
        return { positions: [...positions], velocities: [...velocities] };
      });
    });
    expect(resumed).toEqual(whole);
    const { device, adapter } = gpu();
    const windows = { planes: 8, particles: 4096 };
    const inPieces = new GpuContext(device, adapter, { owned: false, parent: gpu(), windows });
    const cut = await withPipeline(inPieces, settings, set, async (pipeline) => {
      await pipeline.advance(2, dt);
      await pipeline.advance(steps - 2, dt);
      const { positions, velocities } = await pipeline.readParticles();
      return { positions: [...positions], velocities: [...velocities] };
    });
    expect(cut).toEqual(whole);
    const shares = await Promise.all(
      ranksTogether(2).map(async (ranks) => {
        const own = new GpuContext(device, adapter, { owned: false, parent: gpu() });
        const pipeline = await MeshPipeline.create(own, settings, set, { ranks });
        await pipeline.advance(2, dt);
        await pipeline.advance(steps - 2, dt);
        const { arrays } = await pipeline.saveState();
        pipeline.destroy();
        return [...arrays.positions];
      }),
    );
    expect(shares.flat()).toEqual(fixed);
  });
});

describe("levels are refused with a reason", () => {
  it.each([
    ["a mesh as large as the box", [level(PLACE, { cells: 96 })], /88.*96/],
    [
      "one larger than its parent's core",
      [level(PLACE, { cells: 64 }), level(PLACE, { cells: 96, parent: 0 })],
      /core/,
    ],
    ["a core of nothing", [level(PLACE, { cells: 32 })], /core/],
    ["substeps that differ", [level(PLACE, {}), level(PLACE, { substeps: 2 })], /expected 1 substeps.*found 2/],
    ["more substeps than fit", [level(PLACE, { substeps: 33 })], /expected 1 to 32 substeps, found 33/],
  ])("%s", async (_, levels, message) => {
    const settings = pipelineSettings({ cells: 48, kernel: "split" }, "isolated", 1, { levels });
    await expect(MeshPipeline.create(gpu(), settings, spheres(10, [PLACE]))).rejects.toThrow(message);
  });
});
