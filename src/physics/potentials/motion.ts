/**
 * How external potentials change with time: a factor g(t), a frame that turns about the z axis, a centre c(t) that moves.
 * With θ = phase + Ωt and x′ = e^{−iθ}(x − c) in the x, y plane as complex numbers,
 *   A = g e^{iθ} A′(x′),  and of the path in the frame  ẋ′ = e^{−iθ}(v − iΩx),  ẍ′ = e^{−iθ}(a − 2iΩv − Ω²x)
 * so that jerk and snap have all derivatives in time. The acceleration of a moving centre itself isn't added to anything, but
 * that of a host's frame may be an acceleration B(t) of a uniform field (physics/initial/moving-potentials.ts).
 */
import { z } from "zod";
import { GravmeshError } from "../../foundation/base/errors.ts";
import {
  anyNumber,
  choice,
  filledText,
  flag,
  innerTable,
  nonNegative,
  omittable,
  optional,
  positive,
  required,
  vector,
} from "../../foundation/deck/keys.ts";
import { mismatch, mismatchIf, type Path, type Problem } from "../../foundation/deck/problems.ts";
import { Spline } from "../cosmology/interpolation.ts";
import { composed, type Jet, NONE, product } from "./jets.ts";

/** What of a potential isn't fixed; all of it may be left out. */
export interface Changes {
  /** The frame of a bar: pattern speed [rad/time], and the angle of its x axis at time 0 [rad]. */
  turn?: { speed: number; phase: number };
  /** Factor from 0 before the first time to 1 after the second [time], by `risen`. */
  grow?: readonly [from: number, to: number];
  /** Factor e^{−(t − from)/scale} after `from` [time]. */
  decay?: readonly [from: number, scale: number];
  /** Nothing from this time on. */
  until?: number;
  /** Added to the centre [length]. */
  path?: CentrePath;
  /** Of a uniform field: added to its acceleration [velocity/time]. */
  acceleration?: CentrePath;
}

/** Where a centre is, or a vector of another dimension, to be joined by natural cubic splines. */
export interface CentrePath {
  /** [n ≥ 2] ascending [time] */
  times: readonly number[];
  /** [n][3] */
  points: readonly (readonly number[])[];
}

const start = { unit: "time" as const };

const growTable = z.strictObject({
  from: optional(nonNegative, 0, { ...start, meaning: "time up to which there is nothing" }),
  to: required(positive, { ...start, meaning: "time from which all of it acts" }),
});

const decayTable = z.strictObject({
  from: optional(nonNegative, 0, { ...start, meaning: "time up to which all of it acts" }),
  time: required(positive, { ...start, meaning: "time in which it falls by a factor e" }),
});

const orbitTable = z.strictObject({
  velocity: required(vector, { unit: "velocity", meaning: "of its centre at the time at" }),
  at: optional(nonNegative, 0, { ...start, meaning: "when its centre is at its offset; the same in all orbits" }),
  coulombLogarithm: optional(nonNegative, 0, {
    meaning: "ln Λ of dynamical friction by what stays at its place (Chandrasekhar 1943); 0: none",
  }),
  mass: omittable(positive, {
    unit: "mass",
    meaning: "that friction acts on; without it the key mass of the potential",
  }),
  dispersion: omittable(positive, {
    unit: "velocity",
    meaning: "σ of what it moves through; without it that of Jeans' equation",
  }),
});

/** Keys of every kind. */
export const changeKeys = {
  grow: omittable(innerTable(growTable), {
    meaning: "grows from nothing, as Dehnen's (2000) bar does: smooth to the second derivative",
  }),
  decay: omittable(innerTable(decayTable), { meaning: "falls off exponentially: e^(−(t − from)/time) after from" }),
  until: omittable(positive, { ...start, meaning: "switched off at this time" }),
  path: omittable(filledText, {
    meaning: "file with rows of t, x, y, z [time, length] that are added to the centre, joined by cubic splines",
  }),
  orbit: omittable(innerTable(orbitTable), {
    meaning: "its centre moves in the field of the other tables, from its offset; the particles don't pull it",
  }),
  reflex: omittable(flag, {
    meaning:
      "the frame follows this potential's centre: all particles, and orbits, feel the frame's acceleration by the tables that move",
  }),
  pulls: omittable(choice("host"), {
    meaning: "of one that moves: it acts only on the centre of that with reflex, as a stand-in for particles",
  }),
};

const degrees = { ...anyNumber, expected: "an angle in degrees" };

/** Keys of kinds that have a frame. */
export const turnKeys = {
  patternSpeed: optional(anyNumber, 0, {
    unit: "frequency",
    meaning: "angular velocity Ω of the frame about the z axis; above 0 from x to y",
  }),
  phase: optional(degrees, 0, { unit: "degrees", meaning: "angle of the frame's x axis, the bar's, at time 0" }),
};

type GivenChanges = { [K in keyof typeof changeKeys]?: z.output<(typeof changeKeys)[K]> };
/** A table as checked, as far as it says what changes. */
export type ChangingTable = GivenChanges & Partial<Record<keyof typeof turnKeys, number>>;

/** What a table says of changes; a path is read elsewhere. */
export function changesOf({ grow, decay, until, patternSpeed = 0, phase = 0 }: ChangingTable): Changes {
  return {
    ...((patternSpeed !== 0 || phase !== 0) && { turn: { speed: patternSpeed, phase: (phase * Math.PI) / 180 } }),
    ...(grow && { grow: [grow.from, grow.to] as const }),
    ...(decay && { decay: [decay.from, decay.time] as const }),
    ...(until !== undefined && { until }),
  };
}

export function changeProblems({ grow }: ChangingTable, at: Path): Problem[] {
  if (!grow || grow.to > grow.from) return [];
  return [mismatch([...at, "grow", "to"], `a time after grow.from = ${grow.from}`, grow.to)];
}

/** On centres that move, and on the host that they pull; `hasMass`: the kind has the key `mass`. */
export function orbitProblems(
  tables: readonly (ChangingTable & { galaxy?: string | undefined; hasMass: boolean })[],
): Problem[] {
  const moves = ({ orbit, path }: ChangingTable) => orbit !== undefined || path !== undefined;
  const first = tables.findIndex(({ orbit }) => orbit);
  const host = tables.findIndex(({ reflex }) => reflex);
  return tables.flatMap((table, index) => {
    const { orbit, path, reflex, pulls, galaxy, hasMass } = table;
    const together = tables[first]?.orbit?.at;
    const unknown = orbit !== undefined && orbit.coulombLogarithm > 0 && orbit.mass === undefined && !hasMass;
    const rules: [wrong: unknown, key: string, expected: string, found: unknown][] = [
      [orbit && path, "path", "either a path or an orbit", path],
      [orbit && galaxy, "galaxy", "no galaxy of an orbit", galaxy],
      [orbit && orbit.at !== together, "orbit.at", `${together}, as before`, orbit?.at],
      [unknown, "orbit.mass", "the mass that friction acts on", undefined],
      [reflex && index !== host, "reflex", "one host, the first", true],
      [reflex && moves(table), "reflex", "no host that moves itself; leave out its orbit or path", true],
      [reflex && !tables.some(moves), "reflex", "another [[potential]] table with an orbit or a path", true],
      [pulls && (host < 0 || !moves(table)), "pulls", "a table that moves, and another with reflex = true", pulls],
    ];
    return rules.flatMap(([wrong, key, expected, found]) =>
      mismatchIf(Boolean(wrong), ["potential", index, ...key.split(".")], expected, found),
    );
  });
}

export type PlacedPotentials = ReturnType<typeof placedAt>;

const ONE: Jet = [1, 0, 0];

export function isSteady({ turn, grow, decay, until, path, acceleration }: Changes): boolean {
  return !grow && !decay && until === undefined && !path && !acceleration && (turn?.speed ?? 0) === 0;
}

/** The same for a clock that shows 0 at `time`. */
export function laterBy<C extends Changes>(potential: C, time: number): C {
  const { turn, grow, decay, until, path, acceleration } = potential;
  const later = (along: CentrePath) => ({ ...along, times: along.times.map((t) => t - time) });
  return {
    ...potential,
    ...(turn && { turn: { ...turn, phase: turn.phase + turn.speed * time } }),
    ...(grow && { grow: [grow[0] - time, grow[1] - time] }),
    ...(decay && { decay: [decay[0] - time, decay[1]] }),
    ...(until !== undefined && { until: until - time }),
    ...(path && { path: later(path) }),
    ...(acceleration && { acceleration: later(acceleration) }),
  };
}

/** The same for a clock that runs backwards from 0. Throws "usage" for what grows, decays or ends. */
export function reversed<C extends Changes & { kind: string }>(potential: C): C {
  const { kind, turn, grow, decay, until, path, acceleration } = potential;
  if (grow || decay || until !== undefined) {
    const found = grow ? "grows" : decay ? "decays" : "ends";
    throw new GravmeshError(
      "usage",
      `back in time: expected potentials that keep their strength, found ${kind}, which ${found}; begin again at the earlier time`,
    );
  }
  const backwards = ({ times, points }: CentrePath) => ({
    times: times.map((t) => -t).reverse(),
    points: points.toReversed(),
  });
  return {
    ...potential,
    ...(turn && { turn: { ...turn, speed: -turn.speed } }),
    ...(path && { path: backwards(path) }),
    ...(acceleration && { acceleration: backwards(acceleration) }),
  };
}

/** Throws "scenario" for particles of a later time in a direct sum, whose potentials are placed from time 0 on. */
export function requireBeginning(
  { gravity }: { gravity: "mesh" | "p3m" | "direct" },
  potentials: readonly Changes[],
  time: number,
): void {
  if (gravity !== "direct" || time === 0 || potentials.every(isSteady)) return;
  throw new GravmeshError(
    "scenario",
    `gravity = "direct" with a potential that turns, grows, ends or moves begins at time 0, found particles of time ${time}: start the deck again, or take gravity = "mesh"`,
  );
}

/** ξ = 2(t − from)/(to − from) − 1: (3/16)ξ⁵ − (5/8)ξ³ + (15/16)ξ + ½, smooth to the second derivative (Dehnen 2000, eq. 4). */
function risen(time: number, [from, to]: readonly [number, number]): Jet {
  if (time <= from) return NONE;
  if (time >= to) return ONE;
  const scale = 2 / (to - from);
  const xi = scale * (time - from) - 1;
  const square = xi * xi;
  const value = xi * (15 / 16 + square * (-5 / 8 + (3 / 16) * square)) + 0.5;
  const level = 1 - square;
  return composed([xi, scale, 0], value, (15 / 16) * level * level, (-15 / 4) * xi * level);
}

function decayed(time: number, [from, scale]: readonly [number, number]): Jet {
  if (time <= from) return ONE;
  const value = Math.exp(-(time - from) / scale);
  return [value, -value / scale, value / scale ** 2];
}

/** g, with its derivatives. */
export function factorAt({ grow, decay, until }: Changes, time: number): Jet {
  if (until !== undefined && time >= until) return NONE;
  const growth = grow ? risen(time, grow) : ONE;
  return decay ? product(growth, decayed(time, decay)) : growth;
}

const splines = new WeakMap<CentrePath, readonly Spline[]>();

export function splinesOf(path: CentrePath): readonly Spline[] {
  const known = splines.get(path);
  if (known) return known;
  const times = Float64Array.from(path.times);
  const along = (axis: number) => Float64Array.from(path.points, (point) => point[axis]);
  const made = [0, 1, 2].map((axis) => new Spline(times, along(axis)));
  splines.set(path, made);
  return made;
}

/** A potential at a time. */
export function placedAt(potential: Changes & { centre: readonly number[] }, time: number) {
  const { centre, turn, path, acceleration } = potential;
  const jets = (along: CentrePath | undefined) => along && splinesOf(along).map((spline) => spline.jet(time));
  const moved = jets(path);
  const at = (axis: number): Jet => {
    const [x, rate, second] = moved?.[axis] ?? NONE;
    return [centre[axis] + x, rate, second];
  };
  const speed = turn?.speed ?? 0;
  return {
    /** Box coordinates [length], and their derivatives. */
    centre: [at(0), at(1), at(2)] as const,
    /** What is added to a uniform field [velocity/time], and its derivatives. */
    acceleration: jets(acceleration),
    factor: factorAt(potential, time),
    /** Angle [rad] and pattern speed [rad/time] of the frame. */
    ...{ angle: (turn?.phase ?? 0) + speed * time, speed },
  };
}

/** Turns a vector about z, in place: from the frame of a potential with `sin` as it is, into it with −sin. */
export function turnVector(vector: Float64Array, cos: number, sin: number, at = 0): void {
  const [x, y] = [vector[at], vector[at + 1]];
  vector[at] = cos * x - sin * y;
  vector[at + 1] = sin * x + cos * y;
}
