/**
 * How external potentials change with time: a factor g(t), a frame that turns about the z axis, a centre c(t) that moves.
 * With θ = phase + Ωt and x′ = e^{−iθ}(x − c) in the x, y plane as complex numbers,
 *   A = g e^{iθ} A′(x′),  and of the path in the frame  ẋ′ = e^{−iθ}(v − iΩx),  ẍ′ = e^{−iθ}(a − 2iΩv − Ω²x)
 * so that jerk and snap have all derivatives in time. The acceleration of a moving centre itself isn't added to anything.
 */
import { GravmeshError } from "../base/errors.ts";
import { Spline } from "../cosmology/interpolation.ts";
import type { CentrePath, Changes } from "./change-keys.ts";
import { composed, type Jet, NONE, product } from "./jets.ts";
import type { ExternalPotential } from "./potential.ts";

/** A potential at a time. */
export interface Placed {
  /** Box coordinates of the centre [length], and their derivatives. */
  centre: readonly [x: Jet, y: Jet, z: Jet];
  factor: Jet;
  /** Angle [rad] and pattern speed [rad/time] of the frame. */
  angle: number;
  speed: number;
}

const ONE: Jet = [1, 0, 0];

/** True for one that is the same at all times. */
export function isSteady({ turn, grow, decay, until, path }: ExternalPotential): boolean {
  return !grow && !decay && until === undefined && !path && (turn?.speed ?? 0) === 0;
}

/** Throws "scenario" for particles of a later time in a direct sum, whose potentials are placed from time 0 on. */
export function requireBeginning(
  { gravity }: { gravity: "mesh" | "direct" },
  potentials: readonly ExternalPotential[],
  time: number,
): void {
  if (gravity !== "direct" || time === 0 || potentials.every(isSteady)) return;
  throw new GravmeshError(
    "scenario",
    `gravity = "direct" with a potential that turns, grows, ends or moves begins at time 0, found particles of time ${time}: start the deck again, or take gravity = "mesh"`,
  );
}

/** ξ = 2(t − from)/(to − from) − 1: (3/16)ξ⁵ − (5/8)ξ³ + (15/16)ξ + ½, smooth to the second derivative (Dehnen 2000, eq. 4). */
export function risen(time: number, [from, to]: readonly [number, number]): Jet {
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

/** The coordinates of a path as splines. */
export function splinesOf(path: CentrePath): readonly Spline[] {
  const known = splines.get(path);
  if (known) return known;
  const times = Float64Array.from(path.times);
  const made = [0, 1, 2].map(
    (axis) =>
      new Spline(
        times,
        Float64Array.from(path.points, (point) => point[axis]),
      ),
  );
  splines.set(path, made);
  return made;
}

export function placedAt(potential: ExternalPotential, time: number): Placed {
  const { centre, turn, path } = potential;
  const moved = path && splinesOf(path).map((spline) => spline.jet(time));
  const at = (axis: number): Jet => {
    const [x, rate, second] = moved?.[axis] ?? NONE;
    return [centre[axis] + x, rate, second];
  };
  const speed = turn?.speed ?? 0;
  return {
    centre: [at(0), at(1), at(2)],
    factor: factorAt(potential, time),
    ...{ angle: (turn?.phase ?? 0) + speed * time, speed },
  };
}

/** Turns a vector about z, in place: from the frame of a potential with `sin` as it is, into it with −sin. */
export function turnVector(vector: Float64Array, cos: number, sin: number, at = 0): void {
  const [x, y] = [vector[at], vector[at + 1]];
  vector[at] = cos * x - sin * y;
  vector[at + 1] = sin * x + cos * y;
}

/**
 * Takes a path (x, v, a) relative to the centre into the frame, or, with −speed and −sin, the derivatives of a vector of the
 * frame out of it; three vectors of three in place.
 */
export function turnPath(path: Float64Array, { cos, sin, speed }: { cos: number; sin: number; speed: number }): void {
  const [x, y, vx, vy, ax, ay] = [path[0], path[1], path[3], path[4], path[6], path[7]];
  path[3] = vx + speed * y;
  path[4] = vy - speed * x;
  path[6] = ax + 2 * speed * vy - speed * speed * x;
  path[7] = ay - 2 * speed * vx - speed * speed * y;
  for (const at of [0, 3, 6]) turnVector(path, cos, -sin, at);
}
