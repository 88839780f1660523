/** Ranks share out the targets of a direct sum: the bits of a run don't depend on how many there are. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Backend, ExactState } from "../../src/engine/backend/backend.ts";
import { hostPotentials } from "../../src/engine/direct/diagnostics.ts";
import { DirectPipeline } from "../../src/engine/direct/pipeline.ts";
import type { DirectPipelineSettings, DirectSettings } from "../../src/engine/direct/settings.ts";
import { TargetSharing } from "../../src/engine/direct/target-sharing.ts";
import { RankedDirect } from "../../src/engine/ranked/direct.ts";
import { ReferenceDirect } from "../../src/engine/reference/direct/pipeline.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { abortAfter, directSettings } from "../support/direct-pipeline.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";
import { plummerSphere } from "../support/particles.ts";
import { ranksTogether } from "../support/ranks.ts";
import { servedRanks } from "../support/served-ranks.ts";

const gpu = useGpu();

const COUNT = 200;
const BODIES = await plummerSphere(COUNT, 40, 7);
/** A tracer: without mass it is a target like any other. */
BODIES.masses[11] = 0;
const EXTERNAL = {
  kind: "hernquist" as const,
  centre: [20, 20, 20.5] as [number, number, number],
  parameters: { mass: 0.5, scale: 1 },
};
/** From 20 members on a block is shared: most of them, but not all. */
const WORTH = 20 * COUNT;

interface Case {
  backend: "webgpu" | "cpu";
  direct: Partial<DirectSettings>;
  rest?: Partial<DirectPipelineSettings>;
}
const CASES: Record<string, Case> = {
  "Hermite 4, block steps": { backend: "webgpu", direct: { integrator: "hermite-4", steps: "block" } },
  "Hermite 6, block steps, a field": {
    ...{ backend: "webgpu", direct: { integrator: "hermite-6", steps: "block" } },
    rest: { externalPotentials: [EXTERNAL] },
  },
  "Hermite 4, shared steps, single": {
    ...{ backend: "webgpu", direct: { integrator: "hermite-4", steps: "shared", precision: "single" } },
    rest: { step: 1 / 64 },
  },
  "leapfrog, adaptive steps": {
    ...{ backend: "webgpu", direct: { integrator: "leapfrog", steps: "adaptive", softening: 1 / 16 } },
  },
  "Hermite 4 in float64, block steps": { backend: "cpu", direct: { integrator: "hermite-4", steps: "block" } },
  "Hermite 6 in float64, shared steps, a field": {
    ...{ backend: "cpu", direct: { integrator: "hermite-6", steps: "shared" } },
    rest: { externalPotentials: [EXTERNAL], step: 1 / 64 },
  },
};

const settingsOf = ({ direct, rest }: Case) => directSettings(direct, { step: 1 / 32, ...rest });

/** The backend of a case, on rank 0 or alone. */
function made(one: Case, ranks: Parameters<Parameters<typeof servedRanks>[2]>[0]): Promise<Backend> {
  const device = one.backend === "webgpu" ? gpu() : undefined;
  const settings = settingsOf(one);
  if (ranks) return RankedDirect.create(device, ranks, settings, BODIES, WORTH);
  return device
    ? DirectPipeline.create(device, settings, BODIES)
    : Promise.resolve(new ReferenceDirect(settings, BODIES));
}

const bytes = (array: ArrayBufferView) =>
  createHash("sha256")
    .update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
    .digest("hex");
const exact = ({ format, arrays }: ExactState) => [
  format,
  ...Object.entries(arrays).map(([name, array]) => [name, bytes(array)]),
];

const STEPS = 2;

/** What a run tells on the way: sums, extremes, forces and state at every step from `from` on; states for going on. */
async function toTheEnd(backend: Backend, { step }: DirectPipelineSettings, from = 0) {
  const told = [];
  const states: ExactState[] = [];
  for (let at = from; at < STEPS; at++) {
    await backend.advance(1, step);
    const sums = await backend.sums();
    const extremes = await backend.extremes();
    const { potential, accelerations } = await backend.readParticles({ potential: true, accelerations: true });
    const state = await backend.saveState();
    states.push(state);
    told.push([at, sums, extremes, bytes(potential!), bytes(accelerations!), exact(state), backend.counters?.()]);
  }
  const exchanges = backend.stageTimes().find(({ stage }) => stage === "forces of other ranks")?.count ?? 0;
  backend.destroy();
  return { told, states, exchanges };
}

describe.each(Object.keys(CASES))("%s", (name) => {
  const one = CASES[name];

  it("has the same bits on 1, 2 and 3 ranks, and resumed on another number", async () => {
    const settings = settingsOf(one);
    const on = <T>(size: number, work: (backend: Backend) => Promise<T>) =>
      servedRanks(size, gpu, async (ranks) => work(await made(one, ranks)));
    const alone = await on(1, (backend) => toTheEnd(backend, settings));
    for (const size of inFull([2, 3, 4], [3])) {
      const { told, states, exchanges } = await on(size, (backend) => toTheEnd(backend, settings));
      expect(told).toEqual(alone.told);
      expect(exchanges).toBeGreaterThan(settings.direct.steps === "block" ? 8 : STEPS);
      const onward = await on(2, async (backend) => {
        await backend.restoreState(states[0]);
        return toTheEnd(backend, settings, 1);
      });
      expect(onward.told).toEqual(alone.told.slice(1));
    }
  });

  it("stops on all ranks within a step, and goes on to the same bits", async () => {
    const settings = settingsOf(one);
    const alone = await servedRanks(1, gpu, async (ranks) => toTheEnd(await made(one, ranks), settings));
    const { told, stopped } = await servedRanks(2, gpu, async (ranks) => {
      const backend = await made(one, ranks);
      const signal = abortAfter(1);
      await expect(backend.advance(STEPS, settings.step, { signal })).rejects.toMatchObject({ kind: "aborted" });
      const state = await backend.saveState();
      const done = Math.floor(one.backend === "cpu" ? (state.arrays.clock[0] as number) : state.arrays.control[3]);
      return { ...(await toTheEnd(backend, settings, done)), stopped: done };
    });
    expect(stopped).toBeLessThan(STEPS);
    expect(told.at(-1)).toEqual(alone.told.at(-1));
  });
});

it("sums potentials on parts of the particles to the bits of one rank", async () => {
  const { positions, masses } = BODIES;
  const alone = await hostPotentials(positions, masses, 1, { softening: 1 / 256 });
  const all = await Promise.all(
    ranksTogether(3).map((ranks) => {
      const sharing = TargetSharing.of({ ranks }, COUNT, "software");
      return hostPotentials(positions, masses, 1, { softening: 1 / 256 }, sharing);
    }),
  );
  for (const found of all) expect(bytes(found)).toEqual(bytes(alone));
});

it("says so where ranks have come apart", async () => {
  const found = await Promise.all(
    ranksTogether(2).map((ranks, rank) => {
      const sharing = TargetSharing.of({ ranks }, COUNT, "cpu")!;
      return sharing.exchange(4, [{ array: new Float64Array(4), width: 1 }], [7, rank]).catch((error) => error.message);
    }),
  );
  for (const message of found) expect(message).toContain("have come to different states");
});

it("refuses more ranks than bodies", async () => {
  const [first] = ranksTogether(3);
  const two = await plummerSphere(2, 40);
  await expect(RankedDirect.create(undefined, first, directSettings({}), two)).rejects.toMatchObject({ kind: "usage" });
});

it("refuses a deck on ranks whose adapters differ, with what each has; in float64 it runs on them", async () => {
  const { device, adapter } = gpu();
  const another = new GpuContext(
    device,
    { ...adapter, description: "of another name" },
    { owned: false, parent: gpu() },
  );
  const scenario = completeScenario({
    title: "a direct sum",
    gravity: "direct",
    box: { size: 40, boundary: "isolated" },
    particles: [{ kind: "plummer", count: 50, mass: 1, scale: 0.6, cutoff: 8 }],
    time: { end: 1 / 16, step: 1 / 16 },
    output: { snapshots: 1, diagnostics: 1 },
  });
  const run = async (simulation: Simulation) => {
    await simulation.advance();
    const { positions } = await simulation.readParticles();
    simulation.destroy();
    return positions;
  };
  const alone = await run(await Simulation.create(scenario, { backend: "cpu" }));
  const shared = await servedRanks(
    2,
    () => another,
    async (ranks) => {
      const onGpu = Simulation.create(scenario, { gpu: gpu(), ranks });
      await expect(onGpu).rejects.toMatchObject({
        kind: "device",
        message: expect.stringContaining("rank 1: of another name. GRAVMESH_ADAPTER"),
      });
      const simulation = await Simulation.create(scenario, { backend: "cpu", ranks });
      expect(simulation.sharing?.adapters).toEqual(["CPU, float64", "CPU, float64"]);
      return run(simulation);
    },
  );
  expect(shared).toEqual(alone);
});
