/**
 * A little of everything that is computed on an adapter, from the same particles: to set one device beside another. What
 * is whole numbers by construction is apart from what is rounded.
 */
import { FriendsOfFriends } from "../../src/engine/diagnostics/friends-of-friends.ts";
import { PowerSpectrum } from "../../src/engine/diagnostics/power-spectrum.ts";
import { DirectSummation } from "../../src/engine/direct-summation.ts";
import { ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import { ParticleOrder } from "../../src/engine/gpu-particles/order.ts";
import { Deposit } from "../../src/engine/mesh/deposit/deposit.ts";
import { createMeshBuffers } from "../../src/engine/mesh/field.ts";
import { multigridPresets } from "../../src/engine/mesh/multigrid/multigrid-settings.ts";
import { cellGrid } from "../../src/engine/mesh/stage.ts";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import { packImage } from "../../src/physics/particles/fixed-point.ts";
import { wholeBoxGrid } from "../../src/physics/particles/grid.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { clusteredPositions } from "./clustered.ts";
import { moving } from "./direct-bodies.ts";
import { exactState, meshSettings, placeholders } from "./exact-particles.ts";
import { readMass, releaseMesh } from "./mesh-mass.ts";
import { plummerSphere, randomParticles } from "./particles.ts";
import { pipelineSettings, withPipeline } from "./pipeline.ts";

type Values = ArrayLike<number>;
export type Extent = "all" | "some";

export interface AdapterResults {
  integers: Record<string, Values>;
  floats: Record<string, Values>;
}

const BOX = 10;
const CELLS = 24;
const CLUSTERED = clusteredPositions(7, { clumps: 40, members: 60, spread: 0.004, field: 1500 });
const COUNT = CLUSTERED.length / 3;
/** A tenth of the particles is outside an isolated mesh. */
const imageOf = (id: number) => (id % 10 === 0 ? packImage(1, 0, -1) : 0);

/** Starts of the cells, who is outside, and cell masses by each shape of the deposit. */
async function meshIntegers(gpu: GpuContext): Promise<AdapterResults["integers"]> {
  const found: AdapterResults["integers"] = {};
  for (const [boundary, assignment, shapes] of [
    ["periodic", "tsc", ["rows", "windows"]],
    ["isolated", "cic", ["runs-128", "direct"]],
  ] as const) {
    const settings = meshSettings(CELLS, assignment);
    const set = placeholders(COUNT, (id) => 0.25 + (id % 7) / 8);
    const particles = await ParticleBuffers.create(gpu, set, { boxSize: BOX, boundary });
    const mesh = createMeshBuffers(gpu, wholeBoxGrid(CELLS, boundary));
    const order = await ParticleOrder.create(gpu, particles, mesh.starts, cellGrid(settings, mesh.grid));
    for (const shape of shapes) {
      await particles.restore(exactState(CLUSTERED, boundary, imageOf));
      const deposit = await Deposit.create({ gpu, particles, mesh, settings }, { shape });
      const batch = gpu.batch("order");
      order.encodeCount(batch);
      order.encodeSort(batch);
      await batch.submit();
      await deposit.run();
      found[`cell masses, ${boundary} ${assignment}, ${shape}`] = await readMass(gpu, mesh);
      deposit.destroy();
    }
    found[`starts of the cells, ${boundary} ${assignment}`] = new Uint32Array(await gpu.read(mesh.cellStart));
    order.destroy();
    particles.destroy();
    releaseMesh(gpu, mesh);
  }
  return found;
}

/** Labels of friends of friends, and a power spectrum. */
async function clustering(gpu: GpuContext): Promise<AdapterResults> {
  const set = placeholders(COUNT);
  const particles = await ParticleBuffers.create(gpu, set, { boxSize: BOX, boundary: "periodic" });
  try {
    await particles.restore(exactState(CLUSTERED, "periodic"));
    const friends = await FriendsOfFriends.create(gpu, particles, { minimumMembers: 10 });
    const { labels, catalogue } = await friends.find();
    const spectrum = await PowerSpectrum.create(gpu, particles, { cells: 32 });
    const { modes, power } = await spectrum.measure();
    spectrum.destroy();
    return {
      integers: { "friends of friends": labels, "members of haloes": catalogue.members, "modes of a bin": modes },
      floats: { "power spectrum": power },
    };
  } finally {
    particles.destroy();
  }
}

/** Steps of the mesh pipeline: isolated; and periodic, and by multigrid. */
async function steps(gpu: GpuContext, extent: Extent): Promise<AdapterResults> {
  const found: AdapterResults = { integers: {}, floats: {} };
  const uniform = randomParticles(3001, BOX);
  const sphere = await plummerSphere(3001, BOX);
  const multigrid = { ...multigridPresets.default, maxCycles: 3 };
  const runs: [string, ParticleSet, Parameters<typeof pipelineSettings>][] = [
    ["isolated", sphere, [{ cells: CELLS, assignment: "cic" }, "isolated", BOX]],
    ["periodic", uniform, [{ cells: CELLS, assignment: "tsc", gradient: "4-point" }, "periodic", BOX]],
    ["multigrid", sphere, [{ cells: 16, poisson: "multigrid" }, "isolated", BOX, { multigrid }]],
  ];
  for (const [name, set, settings] of extent === "all" ? runs : runs.slice(0, 1)) {
    await withPipeline(gpu, pipelineSettings(...settings), set, async (pipeline) => {
      const { arrays } = await pipeline.saveState();
      found.integers[`positions before the first step, ${name}`] = arrays.positions;
      const { accelerations, potential } = await pipeline.readParticles({ accelerations: true, potential: true });
      await pipeline.advance(4, 0.01);
      const { positions, velocities } = await pipeline.readParticles();
      const { kinetic, potential: energy, virial, outside } = await pipeline.sums();
      found.integers[`particles outside, ${name}`] = [outside];
      Object.assign(found.floats, {
        [`accelerations, ${name}`]: accelerations!,
        [`potential, ${name}`]: potential!,
        [`positions after four steps, ${name}`]: positions,
        [`velocities after four steps, ${name}`]: velocities,
        [`energies after four steps, ${name}`]: [kinetic, energy, virial],
      });
    });
  }
  return found;
}

/** Forces over all pairs in double-single, or both precisions, and neighbours. */
async function pairs(gpu: GpuContext, extent: Extent): Promise<AdapterResults> {
  const found: AdapterResults = { integers: {}, floats: {} };
  const { positions, velocities, masses, ids } = moving(700, 3);
  for (const precision of ["double-single", "single"] as const) {
    if (precision === "single" && extent === "some") continue;
    const direct = await DirectSummation.create({ gpu, order: "jerk", precision, softening: 0.01 });
    try {
      await direct.setSources({ positions, velocities, masses, ids });
      const { accelerations, potentials, jerks } = await direct.forces();
      Object.assign(found.floats, {
        [`accelerations, ${precision}`]: accelerations,
        [`potentials, ${precision}`]: potentials,
        [`jerks, ${precision}`]: jerks!,
      });
      if (precision === "single") continue;
      const { nearestIds, nearestDistances, lists } = await direct.neighbours(undefined, { radius: 0.3, capacity: 16 });
      Object.assign(found.integers, { "nearest bodies": nearestIds, "numbers of neighbours": lists!.counts });
      found.floats["distances of the nearest"] = nearestDistances;
    } finally {
      await direct.destroy();
    }
  }
  return found;
}

/** "some": a quick selection. */
export async function adapterResults(gpu: GpuContext, extent: Extent): Promise<AdapterResults> {
  const parts = [
    { integers: await meshIntegers(gpu), floats: {} },
    await clustering(gpu),
    await steps(gpu, extent),
    await pairs(gpu, extent),
  ];
  return {
    integers: Object.assign({}, ...parts.map(({ integers }) => integers)),
    floats: Object.assign({}, ...parts.map(({ floats }) => floats)),
  };
}
