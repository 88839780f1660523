/** Initial conditions in blocks: no particle depends on their size or on who draws it, checks see them all, none is held. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { displacementsInFloat64 } from "../../src/engine/reference/lpt/displacements.ts";
import type { LoadedSnapshot } from "../../src/physics/initial/model.ts";
import type { ParticleComponent } from "../../src/physics/initial/models.ts";
import { drawable, partsOfRecipe } from "../../src/physics/initial/share.ts";
import { type InitialConditionsOptions, initialConditions, initialSource } from "../../src/physics/initial/source.ts";
import { drawingThreads, LEAST_FOR_THREADS } from "../../src/physics/initial/threads.node.ts";
import { sourceOf } from "../../src/physics/particles/source.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import { firstDifference } from "../support/compare.ts";
import { useThreads } from "../support/drawing-thread.ts";
import { disk, failure, fromFile, hernquist, plummer, scenarioOf, uniform } from "./initial-samples.ts";

const { crew } = useThreads();
afterEach(() => vi.unstubAllGlobals());

const snapshot = fromFile({ name: "file" });
const still = { offset: [0, 0, 0], velocity: [0, 0, 0] } as {
  offset: [number, number, number];
  velocity: [number, number, number];
};

/** 2500 particles about the centre of a box of 16. */
function fileOf(count = 2500): LoadedSnapshot {
  const positions = Float64Array.from({ length: 3 * count }, (_, k) => 8 + Math.sin(k));
  const masses = Float64Array.from({ length: count }, (_, id) => 1 + (id % 3));
  const components = [{ name: "old", species: "stars" as const, first: 0, count }];
  return {
    count,
    positions,
    velocities: new Float32Array(3 * count).fill(2),
    masses,
    components,
    boxSize: 16,
    time: 0,
  };
}

const lattice = completeScenario({
  title: "box",
  units: { system: "cosmological" },
  box: { size: 150, boundary: "periodic" },
  mesh: { cells: 16 },
  particles: [{ kind: "lattice", perSide: 16 }],
  time: { clock: "comoving", start: 0.02, end: 1, step: 0.01 },
});

const scenarios: [name: string, scenario: Scenario][] = [
  [
    "a galaxy",
    scenarioOf([disk({ count: 3100 }), hernquist({ count: 2300, mass: 5 }), plummer({ count: 7, offset: [2, 2, 2] })]),
  ],
  ["a cloud", scenarioOf([uniform({ count: 5000, offset: [9, 0, 0] })], 16, "periodic")],
  ["a file", scenarioOf([{ ...snapshot, ...still }, plummer({ count: 1500 })])],
  ["a direct sum", { ...scenarioOf([plummer({ count: 2300 })]), gravity: "direct" }],
  ["a lattice", lattice],
];

const means = { G: 1, loadSnapshot: async () => fileOf(), displacements: displacementsInFloat64 };
const particlesOf = async (scenario: Scenario, options: Partial<InitialConditionsOptions> = {}) =>
  (await initialConditions(scenario, { ...means, ...options })).particles;

describe("blocks of initial particles", () => {
  it.each(scenarios)("are the same particles of %s whatever their size, and every time", async (_, scenario) => {
    const whole = await particlesOf(scenario);
    for (const block of [370]) expect(await particlesOf(scenario, { block })).toEqual(whole);
    const { source } = await initialSource(scenario, { ...means, block: 999 });
    for (let times = 0; times < 2; times++) {
      let next = 0;
      for await (const { first, count, positions } of source.blocks()) {
        expect(first).toBe(next);
        expect(positions).toEqual(whole.positions.subarray(3 * first, 3 * (first + count)));
        next += count;
      }
      expect(next).toBe(whole.count);
    }
  });

  it("come of a file that is read in blocks as of one that is there", async () => {
    const [, [, cloud], [, file]] = scenarios;
    expect(cloud.box.boundary).toBe("periodic");
    const { boxSize, time } = fileOf();
    const loadSnapshot = async () => ({ ...sourceOf(fileOf(), 77), set: undefined, boxSize, time });
    expect(await particlesOf(file, { loadSnapshot })).toEqual(await particlesOf(file));
  });

  it("begin with the particles that they have always begun with", async () => {
    const firstOf = async (component: ParticleComponent) => {
      const { positions, velocities } = await particlesOf(scenarioOf([component]));
      return [...positions.slice(0, 3), ...velocities.slice(0, 3)].map((x) => Number(x.toPrecision(6)));
    };
    const found = await Promise.all([plummer(), hernquist(), disk(), uniform()].map(firstOf));
    expect(found).toEqual(KNOWN);
  });
});

describe("models at rest", () => {
  // Two groups of the first; the others are one each.
  const scenario = completeScenario({
    title: "at rest",
    box: { size: 16 },
    mesh: { cells: 16 },
    galaxy: [{ name: "g", centre: [3, 0, 0], velocity: [0, 1, 0], inclination: 60, node: 20 }],
    particles: [
      {
        kind: "plummer",
        name: "large",
        count: 263_000,
        mass: 1,
        scale: 1,
        cutoff: 4,
        offset: [1, 2, 0],
        velocity: [0, 0, 3],
      },
      {
        ...{ kind: "exponential-disk", name: "turned", galaxy: "g", count: 1000, mass: 1 },
        scaleLength: 0.5,
        scaleHeight: 0.1,
      },
      { kind: "uniform-sphere", name: "to the faces", count: 1000, mass: 1, radius: 8, virialRatio: 1 },
      {
        kind: "plummer",
        name: "as drawn",
        count: 1000,
        mass: 1,
        scale: 1,
        cutoff: 4,
        offset: [-3, 0, 0],
        centre: false,
      },
      { kind: "plummer", name: "tracers", count: 1000, mass: 0, scale: 1, cutoff: 4, offset: [-3, 0, 0] },
    ],
    time: { end: 1, step: 0.1 },
  });

  it("have their mean place and velocity where the deck has them, unless it says otherwise", async () => {
    // The layer that keeps its height is the default.
    expect(scenario.particles[1]).toMatchObject({ layer: "isothermal", centre: true });
    const { positions, velocities, components } = await particlesOf(scenario);
    const means = components.map(({ first, count }) =>
      [positions, velocities].flatMap((values) => {
        const sums = [0, 0, 0];
        for (let k = 3 * first; k < 3 * (first + count); k++) sums[k % 3] += values[k] / count;
        return sums;
      }),
    );
    const wanted = [
      [9, 10, 8, 0, 0, 3],
      [11, 8, 8, 0, 1, 0],
      [8, 8, 8, 0, 0, 0],
      [5, 8, 8, 0, 0, 0],
      [5, 8, 8, 0, 0, 0],
    ];
    const off = means.map((mean, i) => Math.hypot(...mean.map((x, k) => x - wanted[i][k])));
    for (const one of off.slice(0, 3)) expect(one).toBeLessThan(1e-7);
    for (const one of off.slice(3)) expect(one).toBeGreaterThan(0.01);
  });

  it("have the same bits from threads, in small blocks, and drawn in shares", async () => {
    const whole = await particlesOf(scenario);
    const others = [await particlesOf(scenario, { crew }), await particlesOf(scenario, { block: 77_777 })];
    const shared = drawable(await partsOfRecipe({ scenario, G: 1 }, means));
    const parts = { positions: new Float64Array(3 * whole.count), velocities: new Float32Array(3 * whole.count) };
    for (const [first, end] of [
      [0, 100_000],
      [100_000, 140_000],
      [140_000, whole.count],
    ]) {
      for await (const block of shared.blocks({ first, count: end - first }, { outside: [] })) {
        parts.positions.set(block.positions, 3 * block.first);
        parts.velocities.set(block.velocities, 3 * block.first);
      }
    }
    for (const other of [...others, parts]) {
      expect(firstDifference(other.positions, whole.positions)).toBe("same");
      expect(firstDifference(other.velocities, whole.velocities)).toBe("same");
    }
  });
});

describe("threads that draw", () => {
  const count = 60_000;
  const pair = scenarioOf([disk({ count, velocity: [1, 2, 3] }), hernquist({ count, mass: 5, offset: [0.1, 0, 0] })]);
  // The threads have to get all that the models depend on.
  const both = { ...pair, mesh: { ...pair.mesh, softenedModels: true } };

  it("draw the particles that one thread draws", async () => {
    let made = 0;
    const counted: typeof crew = async (job) => {
      const hands = await crew(job);
      made += hands?.hands.length ?? 0;
      return hands;
    };
    const seen: number[] = [];
    const options = { crew: counted, block: 7_000, onProgress: (done: number) => seen.push(done) };
    const [one, two] = [await particlesOf(both), await particlesOf(both, options)];
    expect(made).toBe(2);
    for (const name of ["positions", "velocities", "masses"] as const)
      expect(firstDifference(two[name], one[name])).toBe("same");
    expect(seen).toEqual(seen.slice().sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(2 * count);
  });

  it("keep all digits of velocities that are summed directly", async () => {
    const direct = { ...scenarioOf([uniform({ count: 20_000 })]), gravity: "direct" as const };
    const { velocities } = await particlesOf(direct, { crew });
    expect(velocities).toBeInstanceOf(Float64Array);
    expect(velocities).toEqual((await particlesOf(direct)).velocities);
  });

  it("aren't started for few particles, nor where there is one core, nor where their file isn't", async () => {
    const job = {
      scenario: both,
      G: 1,
      bits: 32 as const,
      components: [0, 1].map((index) => ({ index, frame: undefined })),
      count: LEAST_FOR_THREADS,
    };
    const file = new URL("file:///there/is/none.js");
    expect(await drawingThreads({ ...job, count: 1000 }, { threads: 2, file })).toBeUndefined();
    expect(await drawingThreads(job, { threads: 1, file })).toBeUndefined();
    expect(await drawingThreads(job, { threads: 2 })).toBeUndefined(); // beside the sources there is no file
    expect(await drawingThreads(job, { threads: 2, file })).toBeUndefined();
  });

  it("leave to the caller what they can't draw", async () => {
    const job = {
      scenario: scenarioOf([{ ...snapshot, ...still }]),
      ...{ G: 1, components: [{ index: 0, frame: undefined }] },
      bits: 32 as const,
      count: 2500,
    };
    expect(await crew(job)).toBeUndefined();
  });

  it("end when drawing is aborted, and when nobody wants the rest", async () => {
    const controller = new AbortController();
    const ended = vi.fn();
    const watched: typeof crew = async (job) => {
      const made = await crew(job);
      const dismiss = () => {
        ended();
        made?.dismiss();
      };
      return made && { ...made, dismiss };
    };
    const options = { crew: watched, block: 1000 };
    const onProgress = () => controller.abort();
    const scenario = scenarioOf([plummer({ count }), uniform({ count, side: 4 })]);
    const aborted = particlesOf(scenario, { ...options, onProgress, signal: controller.signal });
    expect((await failure(aborted)).kind).toBe("aborted");
    expect(ended).toHaveBeenCalledTimes(1);
    const { source } = await initialSource(scenario, { ...means, ...options });
    for await (const { first } of source.blocks()) if (first > 2000) break;
    expect(ended).toHaveBeenCalledTimes(2);
  });
});

describe("checks of blocks", () => {
  it("count what is outside over all of them, and let none pass from there on", async () => {
    const scenario = scenarioOf([uniform({ count: 400, side: 4 }), plummer({ count: 3000, cutoff: 5 })], 4);
    const whole = await failure(particlesOf(scenario));
    expect(whole.message).toMatch(/"sphere".*all 3000 particles.*found \d+ outside, the first being particle (\d+)/);
    const { source } = await initialSource(scenario, { ...means, block: 10 });
    let passed = 0;
    const all = async () => {
      for await (const { count } of source.blocks()) passed += count;
    };
    expect((await failure(all())).message).toBe(whole.message);
    const first = Number(/first being particle (\d+)/.exec(whole.message)![1]);
    expect(passed).toBe(Math.floor(first / 10) * 10);
  });

  it("find the number that is none in whichever block, with its id and the component of the file", async () => {
    const file = fileOf();
    file.positions[3 * 2222 + 1] = Number.NaN;
    const options = { loadSnapshot: async () => ({ ...sourceOf(file, 100), set: undefined, boxSize: 16, time: 0 }) };
    const scenario = scenarioOf([plummer({ count: 10 }), { ...snapshot, ...still, name: "old" }]);
    expect((await failure(particlesOf(scenario, options))).message).toMatch(/"old", particle 2232.*position y = NaN/);
    file.positions[3 * 2222 + 1] = 1;
    file.velocities[3 * 2400] = 1e30;
    expect((await failure(particlesOf(scenario, options))).message).toMatch(
      /particle 2410 with velocity x = 1(\.0+\d*)?e\+30/,
    );
  });
});

describe("memory of initial conditions", () => {
  it("is that of a block or two, however many particles there are", async () => {
    let largest = 0;
    for (const name of ["Float64Array", "Float32Array", "Uint32Array"] as const) {
      const construct = (target: Float64ArrayConstructor, [of, ...more]: unknown[], self: () => void) => {
        const array = Reflect.construct(target, [of, ...more], self) as Float64Array;
        // Views of others hold nothing.
        if (!(of instanceof ArrayBuffer)) largest = Math.max(largest, array.byteLength);
        return array;
      };
      vi.stubGlobal(name, new Proxy(globalThis[name], { construct } as ProxyHandler<never>));
    }
    const scenario = scenarioOf([disk({ count: 60_000, scaleLength: 1.1 }), hernquist({ count: 60_000, mass: 5 })]);
    const { source } = await initialSource(scenario, { ...means, block: 2000 });
    let count = 0;
    for await (const block of source.blocks()) count += block.count;
    expect(count).toBe(120_000);
    expect(largest).toBeGreaterThanOrEqual(2000 * 24);
    // Tables of the models have sizes of their own, below this: fields of disks keep one wavenumber at a time.
    expect(largest).toBeLessThan(120_000 * 8);
  });
});

/** x, y, z, vx, vy, vz of particle 0 of each model. */
const KNOWN = [
  [7.68579, 7.97488, 7.94514, 0.0679361, 0.672116, -0.254556],
  [7.63325, 7.97068, 7.93597, 0.0428941, 0.424367, -0.160724],
  [4.91897, 7.75372, 7.98308, -0.544454, -0.211741, 0.000717681],
  [14.2441, 9.37162, 8.20312, 0.43834, -0.3216, 0.0400271],
];
