/** Lives of an AMUSE worker without a socket: by the mesh and by direct sums, on the GPU and on the CPU. */
import { afterEach, describe, expect, it } from "vitest";
import { Model } from "../../src/doors/amuse/model.ts";
import { readMessage } from "../../src/doors/amuse/protocol.ts";
import { answer, ByteFeed } from "../../src/doors/amuse/worker.ts";
import type { BackendChoice } from "../../src/scenario/simulation/simulation.ts";
import { type Arguments, type Reply, replyIn, request } from "../support/amuse.ts";
import { plummerSphere } from "../support/particles.ts";

const MESH = `title = "in a halo that turns"
gravity = "mesh"
[box]
size = 8
[mesh]
cells = 16
[[potential]]
kind = "long-murali-bar"
mass = 0.5
halfLength = 1
width = 0.3
height = 0.2
patternSpeed = 3
[time]
end = 1
step = 0.01
`;
const DIRECT = `${MESH.replace('"mesh"', '"direct"')}[direct]\nsoftening = 0.05\n`;
const P3M = `${MESH.replace('"mesh"', '"p3m"').replace("16", "24")}[p3m]\nsoftening = 0.05\n`;
const COUNT = 200;

const models: Model[] = [];
afterEach(() => {
  for (const model of models.splice(0)) model.destroy();
});

/** A worker, as calls that get its replies. */
function worker(backend: BackendChoice) {
  const model = new Model(backend, () => {});
  models.push(model);
  const call = async (name: string | number, given: Arguments = {}, calls = 1): Promise<Reply> => {
    const feed = new ByteFeed();
    feed.push(request(name, given, { calls }));
    const parts = await answer(model, await readMessage(feed.take));
    return replyIn(Buffer.concat(parts))!.reply;
  };
  return {
    /** The reply, which must be none of an error, nor have a return code. */
    async good(name: string, given: Arguments = {}, calls = 1): Promise<Reply> {
      const found = await call(name, given, calls);
      expect({ name, error: found.error, text: found.error ? found.strings : [] }).toEqual({
        name,
        error: false,
        text: [],
      });
      expect(found.ints.slice(0, calls)).toEqual(new Array(calls).fill(0));
      return found;
    },
    async error(name: string | number, given: Arguments = {}, calls = 1): Promise<string> {
      const found = await call(name, given, calls);
      expect(found.error).toBe(true);
      return found.strings[0];
    },
    call,
  };
}
type Worker = ReturnType<typeof worker>;

/** Columns of numbers [width·N], by particle. */
const columns = (width: number, values: ArrayLike<number>) =>
  Array.from({ length: width }, (_, k) =>
    Array.from({ length: values.length / width }, (_, i) => values[width * i + k]),
  ).flat();
const ids = (count: number) => Array.from({ length: count }, (_, i) => i);

/** A worker with a Plummer sphere about the centre. */
async function withSphere(backend: BackendChoice, deck: string | undefined): Promise<Worker> {
  const made = worker(backend);
  await made.good("initialize_code");
  if (deck !== undefined) await made.good("set_deck", { strings: [deck] });
  await made.good("commit_parameters");
  const { positions, velocities, masses } = await plummerSphere(COUNT, 8);
  const doubles = [
    ...masses,
    ...columns(
      3,
      positions.map((x) => x - 4),
    ),
    ...columns(3, velocities),
    ...new Array(COUNT).fill(0.1),
  ];
  expect((await made.good("new_particle", { doubles }, COUNT)).ints.slice(COUNT)).toEqual(ids(COUNT));
  await made.good("commit_particles");
  return made;
}

const energyOf = async ({ good }: Worker) =>
  (await good("get_kinetic_energy")).doubles[0] + (await good("get_potential_energy")).doubles[0];
const positionsOf = async ({ good }: Worker, count = COUNT) =>
  (await good("get_position", { ints: ids(count) }, count)).doubles;

/** Largest difference, of the largest value where that is above 1. */
function apart(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(found.length).toBe(expected.length);
  const largest = Array.from(expected).reduce((most, x) => Math.max(most, Math.abs(x)), 1);
  return Array.from(found).reduce((most, x, i) => Math.max(most, Math.abs(x - expected[i])), 0) / largest;
}

/** What both backends do: evolve, be looked at, be changed in the middle, evolve. */
async function life(made: Worker) {
  const { good } = made;
  await good("evolve_model", { doubles: [0.055] });
  expect((await good("get_time")).doubles[0]).toBe(0.055);
  const at = await positionsOf(made);
  const points = { doubles: [...new Array(COUNT).fill(0), ...at.map((x) => 1.1 * x)] };
  const field = await good("get_gravity_at_point", points, COUNT);
  const potential = await good("get_potential_at_point", points, COUNT);
  const velocities = (await good("get_velocity", { ints: ids(COUNT) }, COUNT)).doubles;
  await good("set_velocity", { ints: ids(COUNT), doubles: velocities.map((v) => 0.5 * v) }, COUNT);
  await good("evolve_model", { doubles: [0.1] });
  // What is made anew in the middle goes on at that time.
  await good("set_mass", { ints: [0], doubles: [0.02] });
  await good("delete_particle", { ints: [COUNT - 1] });
  await good("recommit_particles");
  await good("evolve_model", { doubles: [0.15] });
  expect((await good("get_number_of_particles")).ints[1]).toBe(COUNT - 1);
  const state = (await good("get_state", { ints: ids(COUNT - 1) }, COUNT - 1)).doubles;
  return { field: field.doubles, potential: potential.doubles, state, energy: await energyOf(made) };
}

describe.each([
  ["mesh", MESH, 1e-4],
  ["mesh with pairs", P3M, 1e-4],
  ["direct sum", DIRECT, 1e-6],
] as const)("a life by the %s", (_, deck, tolerance) => {
  it("is the same on the GPU and on the CPU", async () => {
    const [gpu, cpu] = [await withSphere("webgpu", deck), await withSphere("cpu", deck)];
    const [found, expected] = [await life(gpu), await life(cpu)];
    expect((await gpu.good("get_backend")).strings).toEqual(["webgpu"]);
    for (const name of ["field", "potential", "state"] as const) {
      expect(apart(found[name], expected[name])).toBeLessThan(tolerance);
    }
    expect(Math.abs(found.energy - expected.energy)).toBeLessThan(tolerance);
  });
});

describe("a worker", () => {
  it("feels at points what acts on the particles there, and stops neither forces nor orbits when looked at", async () => {
    const [looked, plain] = [await withSphere("cpu", MESH), await withSphere("cpu", MESH)];
    const points = { doubles: [...new Array(COUNT).fill(0), ...(await positionsOf(looked))] };
    const { doubles: found } = await looked.good("get_gravity_at_point", points, COUNT);
    const { doubles: own } = await looked.good("get_acceleration", { ints: ids(COUNT) }, COUNT);
    expect(apart(found, own)).toBeLessThan(1e-6);
    // Half a turn of the bar later, once with a look that has all made anew.
    for (const time of [0.5, 1]) {
      await looked.good("evolve_model", { doubles: [time] });
      const { doubles: mass } = await looked.good("get_mass", { ints: [5] });
      await looked.good("set_mass", { ints: [5], doubles: [...mass] });
    }
    await plain.good("evolve_model", { doubles: [1] });
    expect(apart(await positionsOf(looked), await positionsOf(plain))).toBeLessThan(1e-4);
  });

  it.each(["webgpu", "cpu"] as const)(
    "has the whole force by P³M, that of direct sums of its softening: %s",
    async (backend) => {
      const [pairs, sums] = [await withSphere(backend, P3M), await withSphere("cpu", DIRECT)];
      const at = await positionsOf(sums);
      const points = { doubles: [...new Array(COUNT).fill(0), ...at.map((x) => 0.7 * x)] };
      for (const name of ["get_gravity_at_point", "get_potential_at_point"]) {
        const [found, expected] = [await pairs.good(name, points, COUNT), await sums.good(name, points, COUNT)];
        expect(apart(found.doubles, expected.doubles)).toBeLessThan(3e-3);
      }
      for (const name of ["get_acceleration", "get_potential"]) {
        const given = { ints: ids(COUNT) };
        const [found, expected] = [await pairs.good(name, given, COUNT), await sums.good(name, given, COUNT)];
        expect(apart(found.doubles, expected.doubles)).toBeLessThan(3e-3);
      }
      expect(Math.abs((await energyOf(pairs)) / (await energyOf(sums)) - 1)).toBeLessThan(3e-3);
      expect((await pairs.good("get_eps2")).doubles[0]).toBeCloseTo(0.05 ** 2, 15);
      await pairs.good("set_eps2", { doubles: [0.0009] });
      expect((await pairs.good("get_parameter", { strings: ["p3m.softening"] })).strings).toEqual(["0.03"]);
      expect(await pairs.error("set_eps2", { doubles: [0.01] })).toContain("p3m.softening: expected at most 0.0833");
    },
  );

  it("ends an evolution after so many steps, or so much time", async () => {
    const { good, call } = await withSphere("cpu", MESH);
    expect((await good("has_stopping_condition", { ints: [0, 3, 4, 5, 1] }, 5)).ints.slice(5)).toEqual([1, 1, 1, 1, 0]);
    expect((await call("enable_stopping_condition", { ints: [1] })).ints).toEqual([-1]);
    await good("enable_stopping_condition", { ints: [4] });
    await good("set_stopping_condition_number_of_steps_parameter", { ints: [3] });
    await good("evolve_model", { doubles: [1] });
    expect((await good("get_time")).doubles[0]).toBeCloseTo(0.03, 12);
    expect((await good("is_stopping_condition_set", { ints: [4] })).ints).toEqual([0, 1]);
    await good("disable_stopping_condition", { ints: [4] });
    await good("enable_stopping_condition", { ints: [3] });
    await good("set_stopping_condition_timeout_parameter", { doubles: [0.05] });
    await good("evolve_model", { doubles: [1000] });
    expect((await good("get_time")).doubles[0]).toBeLessThan(1000);
    expect((await good("get_stopping_condition_info", { ints: [0] })).ints.slice(1)).toEqual([3, 0]);
    await good("disable_stopping_condition", { ints: [3] });
    const { doubles } = await good("get_time");
    await good("evolve_model", { doubles: [doubles[0] + 0.01] });
    expect((await good("get_number_of_stopping_conditions_set")).ints).toEqual([0, 0]);
  });

  it.each([
    ["mesh", MESH],
    ["direct sum", DIRECT],
  ])("ends an evolution by the %s where a particle leaves a sphere", async (_, deck) => {
    const { good, call } = await withSphere("cpu", deck);
    await good("set_velocity", { ints: [7], doubles: [100, 0, 0] });
    await good("enable_stopping_condition", { ints: [5] });
    await good("set_stopping_condition_out_of_box_parameter", { doubles: [5] });
    await good("evolve_model", { doubles: [1] });
    const { doubles } = await good("get_time");
    expect(doubles[0]).toBeGreaterThan(0.02);
    expect(doubles[0]).toBeLessThan(0.08);
    expect((await good("get_stopping_condition_info", { ints: [0] })).ints.slice(1)).toEqual([5, 1]);
    expect((await good("get_stopping_condition_particle_index", { ints: [0, 0] })).ints).toEqual([0, 7]);
    expect((await call("get_stopping_condition_particle_index", { ints: [0, 1] })).ints[0]).toBe(-1);
    expect((await call("get_stopping_condition_info", { ints: [1] })).ints[0]).toBe(-1);
  });

  it("ends an evolution where particles touch, and names the pairs", async () => {
    const { good, call } = worker("cpu");
    // Two that meet at t = 0.75, one beside their way, and one without a radius that lies in the largest from the start.
    const columns = [
      [0.1, 0.1, 0.1, 0.1],
      [-1, 1, 0, 5],
      [0, 0, 0.6, 0],
      [0, 0, 0, 0],
      [1, -1, 0, 0],
      [0, 0, 0, 0],
      [0, 0, 0, 0],
      [0.2, 0.3, 0.05, 0],
    ];
    await good("set_parameter", { strings: ["direct.softening", "0.5"] });
    await good("set_time_step", { doubles: [0.01] });
    await good("new_particle", { doubles: columns.flat() }, 4);
    await good("enable_stopping_condition", { ints: [0] });
    await good("evolve_model", { doubles: [2] });
    const [time] = (await good("get_time")).doubles;
    const { doubles: x } = await good("get_position", { ints: [0, 1] }, 2);
    expect(x[1] - x[0]).toBeLessThan(0.5);
    expect(x[1] - x[0]).toBeGreaterThan(0.5 - 0.01 * 2.2);
    expect(time).toBeGreaterThan(0.7);
    expect((await good("is_stopping_condition_set", { ints: [0] })).ints).toEqual([0, 1]);
    expect((await good("get_number_of_stopping_conditions_set")).ints).toEqual([0, 1]);
    expect((await good("get_stopping_condition_info", { ints: [0] })).ints.slice(1)).toEqual([0, 2]);
    const pair = await good("get_stopping_condition_particle_index", { ints: [0, 0, 0, 1] }, 2);
    expect(pair.ints.slice(2)).toEqual([0, 1]);
    expect((await call("get_stopping_condition_particle_index", { ints: [0, 2] })).ints[0]).toBe(-1);
    await good("set_position", { ints: [3], doubles: [0.25, 0.2, 0] });
    await good("evolve_model", { doubles: [2] });
    expect((await good("get_number_of_stopping_conditions_set")).ints[1]).toBeGreaterThan(1);
  });

  it.each([
    ["mesh", "webgpu", MESH, 2e-6],
    ["mesh", "cpu", MESH, 1e-7], // masses on the mesh are whole numbers
    ["direct sum", "webgpu", DIRECT, 1e-6],
    ["direct sum", "cpu", DIRECT, 1e-6],
  ] as const)("goes back by the %s on the %s to where it came from", async (_, backend, deck, tolerance) => {
    const made = await withSphere(backend, deck);
    const { good, error } = made;
    const before = (await good("get_state", { ints: ids(COUNT) }, COUNT)).doubles;
    await good("evolve_model", { doubles: [0.1] });
    const between = await positionsOf(made);
    await good("evolve_model", { doubles: [0.15] });
    expect(await error("evolve_model", { doubles: [0.1] })).toContain("expected a time from 0.15 on, found 0.1");
    await good("set_is_time_reversed_allowed", { booleans: [1] });
    await good("evolve_model", { doubles: [0.1] });
    expect((await good("get_time")).doubles[0]).toBe(0.1);
    expect(apart(await positionsOf(made), between)).toBeLessThan(tolerance);
    await good("evolve_model", { doubles: [0] });
    const back = (await good("get_state", { ints: ids(COUNT) }, COUNT)).doubles;
    expect(apart(back, before)).toBeLessThan(tolerance);
    await good("evolve_model", { doubles: [0.1] });
    expect(apart(await positionsOf(made), between)).toBeLessThan(tolerance);
  });

  it("doesn't go back where a potential has grown", async () => {
    const turns = MESH.replace("patternSpeed = 3", "grow = { to = 1 }");
    const { good, error } = await withSphere("cpu", turns);
    await good("set_is_time_reversed_allowed", { booleans: [1] });
    await good("evolve_model", { doubles: [0.05] });
    expect(await error("evolve_model", { doubles: [0] })).toContain("found long-murali-bar, which grows");
    await good("evolve_model", { doubles: [0.06] });
  });

  it("draws the deck's own particles where it is asked to, and has a field without any", async () => {
    const { good } = worker("cpu");
    await good("initialize_code");
    await good("set_deck", { strings: [MESH] });
    await good("commit_parameters");
    await good("commit_particles");
    const [before] = (await good("get_potential_at_point", { doubles: [0, 0, 0, 0] })).doubles;
    expect(before).toBeLessThan(-0.5);
    await good("evolve_model", { doubles: [0.3] });
    const own = '[[particles]]\nkind = "plummer"\ncount = 100\nmass = 2\nscale = 0.5\n';
    await good("set_deck", { strings: [MESH + own] });
    await good("recommit_parameters");
    expect((await good("draw_particles")).ints).toEqual([0, 0, 100]);
    await good("recommit_particles");
    expect((await good("get_total_mass")).doubles[0]).toBeCloseTo(2, 12);
    expect((await good("get_potential_at_point", { doubles: [0, 0, 0, 0] })).doubles[0]).toBeLessThan(before - 1);
    expect((await good("get_time")).doubles[0]).toBe(0.3);
  });

  it("sets and gets parameters, and says what is wrong with one", async () => {
    const { good, error } = worker("auto");
    await good("initialize_code");
    for (const eps2 of [0.101, 4]) {
      await good("set_eps2", { doubles: [eps2] });
      expect((await good("get_eps2")).doubles[0]).toBe(eps2);
    }
    await good("set_time_step", { doubles: [500] });
    expect((await good("get_time_step")).doubles[0]).toBe(500);
    await good("set_parameter", { strings: ["gravity", "box.size", "mesh", "20"] }, 2);
    expect((await good("get_parameter", { strings: ["gravity", "box.size", "direct.softening"] }, 3)).strings).toEqual([
      "mesh",
      "20",
      "2",
    ]);
    expect(await error("set_parameter", { strings: ["mesh.cels", "32"] })).toContain("did you mean mesh.cells?");
    expect(await error("get_parameter", { strings: ["mesh.cels"] })).toContain("did you mean mesh.cells?");
    expect(await error("set_parameter", { strings: ["backend", "cuda"] })).toContain("expected auto, webgpu, cpu");
    expect(await error("set_deck", { strings: ["title = 3"] })).toContain("deck:1");
    expect((await good("get_parameter", { strings: ["gravity"] })).strings).toEqual(["mesh"]);
    await good("initialize_code");
    expect((await good("get_parameter", { strings: ["gravity"] })).strings).toEqual(["mesh"]);
    await good("cleanup_code");
    expect((await good("get_parameter", { strings: ["gravity"] })).strings).toEqual(["direct"]);
  });

  it("gives potentials and energies of few bodies in float64", async () => {
    const { good } = worker("auto");
    await good("new_particle", { doubles: [1, 2, 0.15, -0.15, ...new Array(12).fill(0)] }, 2);
    await good("commit_particles");
    const { doubles } = await good("get_potential", { ints: [0, 1] }, 2);
    for (const [k, mass] of [2, 1].entries()) expect(doubles[k]).toBeCloseTo(-mass / 0.3, 13);
    expect((await good("get_potential_energy")).doubles[0]).toBeCloseTo(-2 / 0.3, 13);
    expect((await good("get_backend")).strings).toEqual(["cpu"]);
  });

  it("has an error or a code for what can't be", async () => {
    const { good, error, call } = await withSphere("cpu", undefined);
    expect(await error("new_particle", { doubles: [-1, 0, 0, 0, 0, 0, 0, 0] })).toBe(
      "particle 0 of the call: expected a mass from 0 up, found -1",
    );
    expect(await error("set_position", { ints: [0], doubles: [0, Number.NaN, 0] })).toContain(
      "expected a finite y, found NaN",
    );
    expect((await call("get_mass", { ints: [3, 999] }, 2)).ints).toEqual([0, -1]);
    expect((await call("delete_particle", { ints: [3, 3] }, 2)).ints).toEqual([0, -1]);
    expect((await call("get_index_of_next_particle", { ints: [2] })).ints).toEqual([0, 4]);
    expect((await call("get_index_of_next_particle", { ints: [COUNT - 1] })).ints[0]).toBe(1);
    await good("evolve_model", { doubles: [0.1] });
    expect(await error("evolve_model", { doubles: [0.05] })).toContain("expected a time from 0.1 on, found 0.05");
    expect(await error(12345)).toContain("function 12345: none of gravmesh's has this number");
    expect(await error("evolve_model", { ints: [1] })).toContain(
      "evolve_model, 1 calls: found 1 of type i, expected 0",
    );
  });
});
