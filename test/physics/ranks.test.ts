/** Ranks share the particles and add up the mass: the bits of a run don't depend on how many there are. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { endService } from "../../src/engine/ranked/rank-channel.ts";
import { serve } from "../../src/engine/ranked/service.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { WindowLimits } from "../../src/foundation/gpu/windows.ts";
import type { RankPlacement } from "../../src/foundation/ranks/rank-placement.ts";
import type { Ranks } from "../../src/foundation/ranks/ranks.ts";
import { completeScenario, parseScenario } from "../../src/scenario/parse.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import type { SimulationCheckpoint } from "../../src/scenario/simulation/checkpoint.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";
import { ranksTogether } from "../support/ranks.ts";

const gpu = useGpu();

const SPHERE = ["mesh.cells=16", "particles.plummer.count=3001", "time.end=0.2", "time.step=0.05"];
const OUTPUTS = ["output.snapshots=2", "output.diagnostics=2"];
const LEAVING = ["box.size=4", "particles.plummer.cutoff=2", "particles.plummer.velocity=[3, 0, 0]"];
const mond = (formulation: string) => [`mond.formulation=${formulation}`, "mond.a0=1"];
const LEVEL = '\n[[level]]\naround = "plummer"\nrefinement = 2\ncells = 64\n';
const DECKS: Record<string, [string, string[], string?]> = {
  "plummer, of which some leave the mesh": ["plummer", [...SPHERE, ...OUTPUTS, ...LEAVING]],
  "plummer by multigrid": ["plummer", [...SPHERE, ...OUTPUTS, "mesh.poisson=multigrid"]],
  "plummer in QUMOND, by multigrid": ["plummer", [...SPHERE, ...OUTPUTS, "mesh.poisson=multigrid", ...mond("qumond")]],
  "plummer in AQUAL": ["plummer", [...SPHERE, ...OUTPUTS, ...mond("aqual")]],
  "plummer with adaptive steps": ["plummer", [...SPHERE, ...OUTPUTS, 'time.step="adaptive"']],
  "plummer with two levels, of which some leave the mesh": [
    "plummer",
    [...SPHERE, ...OUTPUTS, ...LEAVING, "mesh.cells=48", "time.step=0.1"],
    LEVEL + LEVEL,
  ],
  "disk with a halo": [
    "disk",
    ["mesh.cells=16", "particles.disk.count=3000", "time.end=0.4", "time.step=0.1", ...OUTPUTS],
  ],
  "P³M of a sphere, of which some leave the mesh": [
    "plummer",
    [...SPHERE, ...OUTPUTS, ...LEAVING, "mesh.cells=24", "gravity=p3m", "p3m.softening=0.02"],
  ],
  "P³M of two masses in a comoving box": [
    "lcdm",
    [
      ...["mesh.cells=24", "particles.0.perSide=16", "time.start=0.25", "time.step=0.25", "gravity=p3m"],
      ...["output.redshifts=[1, 0]", "output.diagnostics=2"],
    ],
    '\n[[particles]]\nkind = "uniform"\nname = "gas"\ncount = 900\nmass = 1_200_000.0\n',
  ],
  "a comoving box": [
    "lcdm",
    [
      ...["mesh.cells=16", "particles.0.perSide=16", "time.start=0.25", "time.step=0.25"],
      ...["output.redshifts=[1, 0]", "output.diagnostics=2"],
    ],
  ],
};

function scenarioOf(name: string): Scenario {
  return scenarioFrom(...DECKS[name]);
}

function scenarioFrom(deck: string, overrides: string[], levels = ""): Scenario {
  const text = readFileSync(new URL(`../../scenarios/${deck}.toml`, import.meta.url), "utf8");
  return parseScenario(text + levels, { overrides });
}

interface Where {
  seatOf?: (rank: number) => Partial<RankPlacement>;
  /** Of the ranks other than 0. */
  context?: () => GpuContext;
}

/** What rank 0 does while the others serve. */
async function onRanks<T>(
  size: number,
  work: (ranks: Ranks | undefined) => Promise<T>,
  { seatOf, context = gpu }: Where = {},
): Promise<T> {
  if (size === 1) return work(undefined);
  const [first, ...others] = ranksTogether(size, seatOf);
  const served = Promise.all(others.map((one) => serve(one, { acquire: async () => context() })));
  const result = await work(first);
  expect(await endService(first)).toBe(true);
  await served;
  return result;
}

const bytes = (array: ArrayBufferView) =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");

/** What a report is made of, of all particles, of a part that lies on one rank, and of one that lies on several. */
async function reduced(simulation: Simulation) {
  const of = simulation.reductions();
  const half = simulation.scenario.box.size / 2;
  const centre: [number, number, number] = [half, half, half];
  const edges = [0, 0.1, 0.3, 0.8].map((share) => share * half);
  const views = [{ axis: "z" as const, centre, span: half, width: 24, height: 16 }];
  const velocity: [number, number, number] = [0.1, 0, 0];
  const found = [];
  for (const ranges of [undefined, [{ first: 5, count: 40 }], [{ first: 900, count: 1300 }]]) {
    found.push(
      await of.maps(views, ranges),
      await of.centre(ranges, { centre, radius: half }),
      await of.meanVelocity(ranges),
      await of.radius(0.5, { centre, flat: false }, ranges),
      await of.shells(edges, { centre, flat: true }, ranges),
      await of.rings({ centre, velocity, edges, accelerations: true }, ranges),
      await of.waves({ centre, edges, normal: [0, 1, 1] }, ranges),
      await of.multipoles({ centre, edges }, ranges),
      await of.velocityMaps(views, velocity, ranges),
    );
  }
  return found;
}

/** Rows, states and particles at every output from where `simulation` is, and the checkpoints. */
async function toTheEnd(simulation: Simulation) {
  const outputs = [];
  const checkpoints: SimulationCheckpoint[] = [];
  while (!simulation.done) {
    await simulation.advance({ output: simulation.output + 1 });
    const row = await simulation.diagnostics();
    const checkpoint = await simulation.checkpoint();
    const arrays = Object.entries(checkpoint.state.arrays).map(([name, array]) => [name, bytes(array)]);
    const some = [];
    for await (const { first, count, positions, masses } of simulation.readBlocks({ every: 7, potential: true })) {
      for (let i = 0; i < count; i++) some.push([first + i, ...positions.slice(3 * i, 3 * i + 3), masses[i]]);
    }
    const periodic = simulation.scenario.box.boundary === "periodic";
    const spectrum = periodic ? await simulation.powerSpectrum() : undefined;
    const haloes = periodic ? await simulation.haloes() : undefined;
    const phantom = await simulation.phantomMatter();
    const density = phantom && bytes(phantom.density);
    const last = simulation.done && (await reduced(simulation));
    outputs.push({ row, arrays, some, spectrum, haloes, density, last });
    checkpoints.push(checkpoint);
  }
  simulation.destroy();
  return { outputs, checkpoints };
}

const runOn = (size: number, scenario: Scenario) =>
  onRanks(size, async (ranks) => toTheEnd(await Simulation.create(scenario, { gpu: gpu(), ranks })));

/** Multigrid is in another of these; AQUAL and several components are summed over ranks as the rest is. */
const FEW = Object.keys(DECKS).filter((name) => !/AQUAL|disk|plummer by multigrid/.test(name));

describe.each(inFull(Object.keys(DECKS), FEW))("%s", (name) => {
  it("has the same bits on 1, 2 and 3 ranks, and resumed on another number", async () => {
    const scenario = scenarioOf(name);
    const alone = await runOn(1, scenario);
    if (name.includes("leave")) expect(alone.outputs.at(-1)!.row.outside).toBeGreaterThan(50);
    for (const size of inFull([2, 3, 4], [name.startsWith("P³M") ? 4 : 3])) {
      const { outputs, checkpoints } = await runOn(size, scenario);
      expect(outputs).toEqual(alone.outputs);
      const onward = await onRanks(5 - size, async (ranks) =>
        toTheEnd(await Simulation.resume(scenario, checkpoints[0], { gpu: gpu(), ranks })),
      );
      expect(onward.outputs).toEqual(alone.outputs.slice(1));
    }
  });
});

/** A context on the same device. */
const anotherContext = (changes: { description?: string; windows?: WindowLimits }) => {
  const { device, adapter } = gpu();
  const { description = adapter.description, windows } = changes;
  return new GpuContext(device, { ...adapter, description }, { owned: false, parent: gpu(), windows });
};

/** By its cores a processor's device is told, by its devices a GPU. */
const seatAt = (device: string): Partial<RankPlacement> => ({ cores: device, devices: device });

describe("who solves the mesh", () => {
  const WHO: Record<string, { where: Where; solvers: string }> = {
    each: { where: { seatOf: () => ({ solvers: "each" }) }, solvers: "each of 3 ranks solves" },
    "rank 0 for all": { where: {}, solvers: "rank 0 solves for all 3 on one device" },
    "one on each of two devices": {
      where: { seatOf: (rank) => seatAt(String(Math.min(1, rank))) },
      solvers: "2 of 3 ranks solve, one on each device",
    },
    "rank 0 for another adapter": {
      where: { context: () => anotherContext({ description: "of another name" }) },
      solvers: "rank 0 solves for all 3: their adapters differ",
    },
  };
  const inParts = { windows: { planes: 6 } };

  it.each([
    ["plummer, of which some leave the mesh", [], {}],
    ["plummer by multigrid", [], {}],
    ["plummer, of which some leave the mesh", ["mesh.gradient=spectral"], {}],
    ["plummer, of which some leave the mesh", [], inParts],
  ])("is of no matter to %s %j %j", async (name, more, changes) => {
    const [deck, overrides] = DECKS[name];
    const scenario = scenarioFrom(deck, [...overrides, ...more, "time.end=0.1", "output.snapshots=1"]);
    const arrays = async (ranks: Ranks | undefined, solvers?: string) => {
      const simulation = await Simulation.create(scenario, { gpu: anotherContext(changes), ranks });
      expect(simulation.sharing?.solvers).toBe(solvers);
      await simulation.advance();
      const { state } = await simulation.checkpoint();
      const times = await simulation.stageTimesOfRanks();
      expect(times).toHaveLength(ranks ? 3 : 0);
      simulation.destroy();
      return { found: Object.entries(state.arrays).map(([of, array]) => [of, bytes(array)]), times };
    };
    const alone = await arrays(undefined);
    const context = () => anotherContext(changes);
    for (const [who, { where, solvers }] of Object.entries(WHO)) {
      const shared = await onRanks(3, (ranks) => arrays(ranks, solvers), { context, ...where });
      expect(shared.found, who).toEqual(alone.found);
      const solved = shared.times.map((times) => times.some(({ stage }) => stage === "poisson"));
      const whoSolves = who === "each" ? [true, true, true] : [true, who.includes("two"), false];
      // Times of stages tell, which a device without timestamps hasn't got.
      const timed = gpu().device.features.has("timestamp-query");
      expect(solved, who).toEqual(whoSolves.map((solves) => solves && timed));
    }
  });
});

it("sums pairs of P³M on adapters of one kind alone", async () => {
  const context = () => anotherContext({ description: "of another name" });
  const message = await onRanks(
    2,
    (ranks) =>
      Simulation.create(scenarioOf("P³M of a sphere, of which some leave the mesh"), { gpu: gpu(), ranks }).catch(
        ({ kind, message }) => `${kind}: ${message}`,
      ),
    { context },
  );
  expect(message).toMatch(/^device: the ranks of pairs of P³M need adapters of one kind, found .*of another name/);
});

it("stops all ranks at the same step, and goes on to the same bits", async () => {
  const scenario = scenarioOf("plummer by multigrid");
  const alone = await runOn(1, scenario);
  const outputs = await onRanks(2, async (ranks) => {
    const simulation = await Simulation.create(scenario, { gpu: gpu(), ranks });
    const stop = new AbortController();
    const onProgress = () => stop.abort();
    await expect(simulation.advance({ onProgress, signal: stop.signal })).rejects.toMatchObject({ kind: "aborted" });
    expect(simulation.step).toBeGreaterThan(0);
    expect(simulation.done).toBe(false);
    return (await toTheEnd(simulation)).outputs;
  });
  expect(outputs.at(-1)).toEqual(alone.outputs.at(-1));
});

it("reads blocks before anything else has asked for the forces, and breaks a reading off", async () => {
  const scenario = scenarioOf("plummer by multigrid");
  const read = (ranks?: Ranks) => async () => {
    const simulation = await Simulation.create(scenario, { gpu: gpu(), ranks });
    await simulation.advance({ output: 1 });
    const all = async () => {
      const found = [];
      for await (const { first, positions, potential } of simulation.readBlocks({ potential: true, block: 700 }))
        found.push([first, bytes(positions), bytes(potential!)]);
      return found;
    };
    if (ranks) {
      const before = await all();
      let blocks = 0;
      // Of 1501 particles each rank has three blocks: one of its own, or three and one of the other's.
      for (const most of [1, 4]) {
        for await (const _ of simulation.readBlocks({ block: 700 })) if (++blocks % 5 === most) break;
        blocks = 0;
        expect(await all()).toEqual(before);
      }
    }
    const { positions, potential } = await simulation.readParticles({ potential: true });
    simulation.destroy();
    return [bytes(positions), bytes(potential!)];
  };
  const alone = await read()();
  expect(await onRanks(2, async (ranks) => read(ranks)())).toEqual(alone);
});

it("measures the power spectrum of unequal masses, each rank depositing its own", async () => {
  const scenario = completeScenario({
    title: "Two masses",
    box: { size: 1, boundary: "periodic" },
    mesh: { cells: 16 },
    particles: [1, 3].map((mass, i) => ({ kind: "uniform" as const, name: `c${i}`, count: 1500 + i, mass })),
    time: { end: 0.02, step: 0.01 },
  });
  const measured = async (ranks?: Ranks) => {
    const simulation = await Simulation.create(scenario, { gpu: gpu(), ranks });
    const spectrum = await simulation.powerSpectrum({ subtractShotNoise: true });
    simulation.destroy();
    return spectrum;
  };
  const alone = await measured();
  expect(alone.shotNoise[0]).toBeGreaterThan(1 / 3001); // Σm²/(Σm)² of unequal masses is more than 1/N
  expect(await onRanks(2, measured)).toEqual(alone);
});

it("draws particles on every rank, and tells of what is wrong with them as one process does", async () => {
  const outside = ["mesh.cells=16", "box.size=2", "particles.0.cutoff=1", "particles.0.count=2001"];
  const deck = readFileSync(new URL("../../scenarios/plummer.toml", import.meta.url), "utf8");
  const scenario = parseScenario(deck, { overrides: outside });
  for (const component of scenario.particles) component.offset = [0.6, 0, 0];
  const message = async (ranks?: Ranks) => {
    const made = Simulation.create(scenario, { gpu: gpu(), ranks });
    return made.then(
      () => "made",
      ({ kind, message }) => `${kind}: ${message}`,
    );
  };
  const alone = await message();
  expect(alone).toMatch(/^scenario: .*expected all 2001 particles inside the box.*found \d+ outside/);
  // The others are told, and end their service in order.
  expect(await onRanks(3, message)).toBe(alone);
  const sent = await onRanks(2, async (ranks) => {
    let bytes = 0;
    const broadcast: Ranks["broadcast"] = (given) => {
      bytes += given?.length ?? 0;
      return ranks!.broadcast(given);
    };
    (
      await Simulation.create(scenarioOf("disk with a halo"), { gpu: gpu(), ranks: { ...ranks!, broadcast } })
    ).destroy();
    return bytes;
  });
  // The deck and orders: of 6000 particles none.
  expect(sent).toBeLessThan(6000 * 12);
  const stop = new AbortController();
  stop.abort();
  const stopped = (ranks?: Ranks) =>
    Simulation.create(scenarioOf("disk with a halo"), { gpu: gpu(), ranks, signal: stop.signal }).catch(
      ({ kind }) => kind,
    );
  expect(await onRanks(2, stopped)).toBe("aborted");
});

it("refuses more ranks than particles", async () => {
  const scenario = parseScenario(readFileSync(new URL("../../scenarios/plummer.toml", import.meta.url), "utf8"), {
    overrides: ["mesh.cells=16", "particles.plummer.count=2"],
  });
  const [first] = ranksTogether(3);
  await expect(Simulation.create(scenario, { gpu: gpu(), ranks: first })).rejects.toMatchObject({ kind: "usage" });
});
