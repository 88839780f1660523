/**
 * What AMUSE can call, a record a function: what it takes and gives, a letter an argument (protocol.ts), and what it does
 * for all calls of a message at once. Names and arguments are those of AMUSE's GravitationalDynamicsInterface,
 * GravityFieldInterface and StoppingConditionInterface; a function's number is the absolute value of its name's CRC32.
 */
import crc32 from "crc-32";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { onFile } from "../../run/io/files.node.ts";
import type { Model } from "./model.ts";
import { type Attribute, NOT_FOUND, requirePossible } from "./particles.ts";
import type { ColumnOf, Letter } from "./protocol.ts";
import { PARAMETERS } from "./stopping.ts";

export type AmuseColumn = ColumnOf[Letter];

export interface Calls {
  model: Model;
  /** How many there are: the length of every column. */
  count: number;
  given: readonly AmuseColumn[];
  /** To be written. */
  into: readonly AmuseColumn[];
  /** Return codes, 0 unless written. */
  codes: Int32Array;
}

export interface WorkerFunction {
  takes: string;
  gives: string;
  call(calls: Calls): void | Promise<void>;
}

/** AMUSE's code for the end of an iteration over particles. */
const LAST = 1;

type Value = number | string;
type MaybeLater<T> = T | Promise<T>;

/** Something that the model does. */
const acts = (act: (model: Model) => MaybeLater<void>): WorkerFunction => ({
  ...{ takes: "", gives: "" },
  call: ({ model }) => act(model),
});

/** Values of the model, the same for all calls. */
const gets = (gives: string, get: (model: Model) => MaybeLater<readonly Value[]>): WorkerFunction => ({
  ...{ takes: "", gives },
  async call({ model, into }) {
    for (const [k, value] of (await get(model)).entries()) (into[k] as Value[]).fill(value);
  },
});

/** Something that is set, call by call. */
const sets = (takes: string, set: (model: Model, ...values: never[]) => MaybeLater<void>): WorkerFunction => ({
  ...{ takes, gives: "" },
  async call({ model, count, given }) {
    for (let m = 0; m < count; m++) await set(model, ...(given.map((column) => column[m]) as never[]));
  },
});

/** A function of one value, call by call; undefined is an error. */
const maps = (
  takes: Letter,
  gives: string,
  map: (model: Model, value: never) => readonly Value[] | undefined,
  missing = -1,
): WorkerFunction => ({
  ...{ takes, gives },
  call({ model, count, given: [values], into, codes }) {
    for (let m = 0; m < count; m++) {
      const found = map(model, values[m] as never);
      if (!found) codes[m] = missing;
      for (const [k, value] of (found ?? []).entries()) (into[k] as Value[])[m] = value;
    }
  },
});

/** Attributes of particles. */
const reads = (...names: Attribute[]): WorkerFunction => ({
  ...{ takes: "i", gives: "d".repeat(names.length) },
  async call({ model, given: [indices], into, codes }) {
    const particles = await model.current();
    const places = particles.placesOf(indices as Int32Array, codes);
    for (const [k, name] of names.entries()) particles.read(name, places, into[k] as Float64Array);
  },
});

const writes = (changes: "nothing" | "phase" | "all", ...names: Attribute[]): WorkerFunction => ({
  ...{ takes: `i${"d".repeat(names.length)}`, gives: "" },
  async call({ model, given: [indices, ...columns], codes }) {
    const particles = await model.current();
    const places = particles.placesOf(indices as Int32Array, codes);
    for (const [k, name] of names.entries()) particles.write(name, places, columns[k] as Float64Array);
    if (changes !== "nothing") model.changes(changes);
  },
});

/** The field at particles, `width` numbers each. */
const fields = (of: "accelerations" | "potential", width: number): WorkerFunction => ({
  ...{ takes: "i", gives: "d".repeat(width) },
  async call({ model, given: [indices], into, codes }) {
    const values = (await model.fields())[of];
    const places = model.particles.placesOf(indices as Int32Array, codes);
    for (const [k, column] of into.entries()) {
      for (const [m, place] of places.entries()) if (place >= 0) column[m] = values[width * place + k];
    }
  },
});

/** The field at points (eps, x, y, z): the softening is that of the model, whatever `eps` says. */
const atPoints = (of: "accelerations" | "potential", width: number): WorkerFunction => ({
  ...{ takes: "dddd", gives: "d".repeat(width) },
  async call({ model, count, given: [, ...axes], into }) {
    const points = new Float64Array(3 * count);
    for (const [axis, column] of axes.entries()) {
      requirePossible("xyz"[axis], column as Float64Array, "point");
      for (let m = 0; m < count; m++) points[3 * m + axis] = column[m] as number;
    }
    const values = (await model.fieldAt(points))[of];
    for (const [k, column] of into.entries()) for (let m = 0; m < count; m++) column[m] = values[width * m + k];
  },
});

const STATE = ["mass", "x", "y", "z", "vx", "vy", "vz", "radius"] as const;

const FUNCTIONS: Record<string, WorkerFunction> = {
  // What is set before it stays: AMUSE calls it when it has to.
  initialize_code: acts(() => {}),
  cleanup_code: acts((model) => model.clear()),
  commit_parameters: acts((model) => model.commitParameters()),
  recommit_parameters: acts((model) => model.commitParameters()),
  commit_particles: acts((model) => model.commitParticles()),
  recommit_particles: acts((model) => model.commitParticles()),
  synchronize_model: acts(() => {}),
  evolve_model: sets("d", (model, until: number) => model.evolve(finite("time", until))),

  new_particle: {
    ...{ takes: "dddddddd", gives: "i" },
    async call({ model, count, given, into: [indices] }) {
      const particles = await model.current();
      const first = particles.add(count, Object.fromEntries(STATE.map((name, k) => [name, given[k]])));
      for (let m = 0; m < count; m++) indices[m] = first + m;
      model.changes("all");
    },
  },
  delete_particle: {
    ...{ takes: "i", gives: "" },
    async call({ model, given: [indices], codes }) {
      (await model.current()).remove(indices as Int32Array, codes);
      model.changes("all");
    },
  },
  draw_particles: gets("ii", (model) => model.drawParticles()),

  get_state: reads(...STATE),
  set_state: writes("all", ...STATE),
  get_mass: reads("mass"),
  set_mass: writes("all", "mass"),
  get_radius: reads("radius"),
  set_radius: writes("nothing", "radius"),
  get_position: reads("x", "y", "z"),
  set_position: writes("phase", "x", "y", "z"),
  get_velocity: reads("vx", "vy", "vz"),
  set_velocity: writes("phase", "vx", "vy", "vz"),
  get_acceleration: fields("accelerations", 3),
  get_potential: fields("potential", 1),
  get_gravity_at_point: atPoints("accelerations", 3),
  get_potential_at_point: atPoints("potential", 1),

  get_number_of_particles: gets("i", ({ particles }) => [particles.count]),
  get_index_of_first_particle: {
    ...{ takes: "", gives: "i" },
    call({ model: { particles }, into: [index], codes }) {
      const first = particles.indexAt(0);
      if (first === undefined) codes.fill(LAST);
      else (index as Int32Array).fill(first);
    },
  },
  get_index_of_next_particle: {
    ...{ takes: "i", gives: "i" },
    call({ model: { particles }, given: [indices], into: [next], codes }) {
      for (const [m, place] of particles.placesOf(indices as Int32Array, codes).entries()) {
        if (place === NOT_FOUND) continue;
        const index = particles.indexAt(place + 1);
        if (index === undefined) codes[m] = LAST;
        else next[m] = index;
      }
    },
  },

  get_time: gets("d", ({ time }) => [time]),
  get_begin_time: gets("d", ({ beginTime }) => [beginTime]),
  set_begin_time: sets("d", (model, time: number) => {
    model.beginTime = finite("begin time", time);
  }),
  get_time_step: gets("d", ({ scenario: { time } }) => [time.step === "adaptive" ? Number.NaN : time.step]),
  set_time_step: sets("d", ({ parameters }, step: number) => parameters.set("time.step", String(step))),
  get_eps2: gets("d", ({ parameters }) => [parameters.eps2]),
  set_eps2: sets("d", ({ parameters }, eps2: number) => {
    parameters.eps2 = eps2;
  }),
  get_is_time_reversed_allowed: gets("b", ({ reversible }) => [Number(reversible)]),
  set_is_time_reversed_allowed: sets("b", (model, allowed: number) => {
    model.reversible = allowed !== 0;
  }),
  get_kinetic_energy: gets("d", async (model) => [(await model.sums())?.kinetic ?? 0]),
  get_potential_energy: gets("d", async (model) => [(await model.sums())?.potential ?? 0]),
  get_total_mass: gets("d", ({ particles }) => [particles.mass]),
  get_total_radius: gets("d", async (model) => [(await model.current()).radius]),
  get_center_of_mass_position: gets("ddd", async (model) => (await model.current()).mean("positions")),
  get_center_of_mass_velocity: gets("ddd", async (model) => (await model.current()).mean("velocities")),

  set_deck: sets("s", ({ parameters }, deck: string) => parameters.setDeck(deck)),
  set_parameter: sets("ss", ({ parameters }, key: string, value: string) => parameters.set(key, value)),
  get_parameter: maps("s", "s", ({ parameters }, key: string) => [parameters.get(key)]),
  get_backend: gets("s", (model) => [model.computedOn]),

  has_stopping_condition: maps("i", "i", ({ stopping }, type: number) => [Number(stopping.isSupported(type))]),
  enable_stopping_condition: maps("i", "", ({ stopping }, type: number) =>
    stopping.enable(type, true) ? [] : undefined,
  ),
  disable_stopping_condition: maps("i", "", ({ stopping }, type: number) =>
    stopping.enable(type, false) ? [] : undefined,
  ),
  is_stopping_condition_enabled: maps("i", "i", ({ stopping }, type: number) => [Number(stopping.isEnabled(type))]),
  is_stopping_condition_set: maps("i", "i", ({ stopping }, type: number) => [
    Number(stopping.met.some((one) => one.type === type)),
  ]),
  get_number_of_stopping_conditions_set: gets("i", ({ stopping }) => [stopping.met.length]),
  get_stopping_condition_info: maps("i", "ii", ({ stopping }, index: number) => {
    const met = stopping.met[index];
    return met && [met.type, met.particles.length];
  }),
  get_stopping_condition_particle_index: {
    ...{ takes: "ii", gives: "i" },
    call({ model: { stopping }, count, given: [indices, columns], into: [particles], codes }) {
      for (let m = 0; m < count; m++) {
        const found = stopping.met[indices[m] as number]?.particles[columns[m] as number];
        if (found === undefined) codes[m] = NOT_FOUND;
        else particles[m] = found;
      }
    },
  },
  ...stoppingParameters(),

  get_working_directory: gets("s", () => [onFile("find", "the working folder", () => process.cwd())]),
  set_working_directory: sets("s", (_, folder: string) => onFile("go to", folder, () => process.chdir(folder))),
  internal__get_message_polling_interval: gets("i", () => [0]),
  internal__set_message_polling_interval: sets("i", () => {}),
};

/** get_stopping_condition_NAME_parameter and set_… */
function stoppingParameters(): Record<string, WorkerFunction> {
  const both = PARAMETERS.flatMap(([name, letter, , least]): [string, WorkerFunction][] => [
    [`get_stopping_condition_${name}_parameter`, gets(letter, ({ stopping }) => [stopping.parameters[name]])],
    [
      `set_stopping_condition_${name}_parameter`,
      sets(letter, ({ stopping }, value: number) => {
        stopping.parameters[name] = finite(name, value, least);
      }),
    ],
  ]);
  return Object.fromEntries(both);
}

function finite(what: string, value: number, least = -Number.MAX_VALUE): number {
  if (value >= least && value <= Number.MAX_VALUE) return value;
  const expected = least === -Number.MAX_VALUE ? "a finite number" : `a number from ${least} up`;
  throw new GravmeshError("usage", `${what}: expected ${expected}, found ${value}`);
}

/** The number that AMUSE calls a function by. */
export const functionId = (name: string): number => Math.abs(crc32.str(name));

const BY_ID = new Map(Object.entries(FUNCTIONS).map(([name, record]) => [functionId(name), { name, ...record }]));

/** Throws "usage" for a function that isn't there. */
export function functionOf(id: number): WorkerFunction & { name: string } {
  const found = BY_ID.get(id);
  if (found) return found;
  throw new GravmeshError("usage", `function ${id}: none of gravmesh's has this number; is it of another interface?`);
}
