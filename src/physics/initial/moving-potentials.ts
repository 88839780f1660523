/**
 * External potentials that move in each other's field: their orbits, found before a run and joined by cubic splines like a path
 * from a file, and the acceleration of the frame of a host that they attract. Of a satellite of mass M at x with v:
 *   ẍ = Σ A_others(x, t) − Σ A_moving(c, t) + F     c: centre of the host whose `reflex` is true, to which the frame is fixed
 *   F = −4πG²Mρ ln Λ [erf X − (2X/√π) e^{−X²}] v/v³,  X = v/(√2 σ)                  (Binney & Tremaine 2008, eq. 8.7)
 *   ρ = −∇·A/(4πG) of all that stays at its place,  ρσ² = ∫_r^∞ ρ GM/r² dr of its mean over spheres       (eq. 4.216)
 * by Runge and Kutta's fourth order in equal steps, which are halved until the splines no longer change.
 */
import { erfc } from "../../foundation/base/erfc.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { Spline } from "../cosmology/interpolation.ts";
import { integral } from "../cosmology/quadrature.ts";
import { addExternalField, externalDerivatives, formulaOf } from "../potentials/external.ts";
import { type CentrePath, type ChangingTable, placedAt, splinesOf } from "../potentials/motion.ts";
import type { ExternalPotential } from "../potentials/potential.ts";
import { meanMass } from "./monopole.ts";
import { sumOfProfiles } from "./profiles.ts";

/** A potential with the keys of its table; parts of one table share its `orbit`. */
export interface MovingPotential extends Pick<ChangingTable, "orbit" | "reflex" | "pulls"> {
  name: string;
  potential: ExternalPotential;
}

type Orbit = NonNullable<ChangingTable["orbit"]>;

interface Body {
  name: string;
  orbit: Orbit;
  parts: ExternalPotential[];
  /** Where it is at `orbit.at`. */
  start: readonly number[];
  friction: Friction | undefined;
}

/** Deceleration per velocity [1/time] at a place, a speed and a time. */
type Friction = (x: Float64Array, speed: number, time: number) => number;

interface Means {
  G: number;
  /** Of the run [time]. */
  end: number;
  boxSize: number;
}

const FEWEST_STEPS = 256;
const MOST_STEPS = 2 ** 14;
/** Of splines with twice the step, over the extent of an orbit or the largest acceleration: 16 times that of the splines. */
const TOLERANCE = 1e-6;
/** Of the integration between two knots, whose errors accumulate. */
const SUBSTEPS = 4;
/** Knots before and after the run, where the natural end of a spline is forgotten. */
const MARGIN = 16;
/** Radii of the velocity dispersion, in sides of the box. */
const [INNERMOST, OUTERMOST, RADII] = [1e-4, 1e3, 400];
/** Share of the box by which rounding may have moved a centre. */
const NEARLY = 1e-9;

/** The potentials with the paths of those in orbit; the last is the frame's where one has `reflex`. Throws "scenario". */
export function withOrbits(given: readonly MovingPotential[], means: Means): ExternalPotential[] {
  const potentials = given.map(({ potential }) => potential);
  const host = given.find(({ reflex }) => reflex);
  const bodies = bodiesOf(given, means);
  if (bodies.length === 0 && !host) return potentials;
  if (!(means.end > 0)) {
    throw new GravmeshError("usage", "[[potential]] orbit and reflex: expected a run with a time.end, found none");
  }
  const field = new JointField(given, bodies, host?.potential.centre, means.G);
  const tracks = settled(field, bodies, means.end);
  return given.map(({ potential, orbit, pulls }, k) => {
    const body = bodies.findIndex((one) => one.orbit === orbit);
    const path = body >= 0 ? { path: tracks[body] } : {};
    const frame = host && k === given.length - 1 ? { acceleration: tracks[bodies.length] } : {};
    return { ...potential, ...path, ...frame, ...(pulls === "host" && { until: 0 }) };
  });
}

function bodiesOf(given: readonly MovingPotential[], means: Means): Body[] {
  const still = given.flatMap(({ orbit, potential }) => (orbit || potential.path ? [] : [potential]));
  return [...new Set(given.flatMap(({ orbit }) => orbit ?? []))].map((orbit) => {
    const own = given.filter((one) => one.orbit === orbit);
    const parts = own.map(({ potential }) => potential);
    const friction = orbit.coulombLogarithm > 0 ? frictionOf(own[0].name, orbit, parts, still, means) : undefined;
    return { name: own[0].name, orbit, parts, start: parts[0].centre, friction };
  });
}

/** Accelerations of bodies whose places and velocities are a state [bodies, 6], and of the frame. */
class JointField {
  readonly #others: ExternalPotential[];
  readonly #moving: ExternalPotential[];

  constructor(
    given: readonly MovingPotential[],
    private readonly bodies: readonly Body[],
    private readonly host: readonly number[] | undefined,
    private readonly G: number,
  ) {
    this.#others = given.flatMap(({ orbit, potential }) => (orbit ? [] : [potential]));
    this.#moving = this.#others.filter(({ path }) => path !== undefined);
  }

  /** Of the frame of the host: minus the pull at its centre of all that moves. */
  frame(state: Float64Array, time: number): Float64Array {
    const pull = new Float64Array(3);
    if (!this.host) return pull;
    const at = Float64Array.from(this.host);
    for (const potential of this.#moving) this.#add(potential, at, time, pull);
    this.bodies.forEach((_, k) => void this.#addBody(k, state, at, time, pull));
    return pull.map((a) => -a);
  }

  rates(state: Float64Array, time: number): Float64Array {
    const out = new Float64Array(state.length);
    const frame = this.frame(state, time);
    this.bodies.forEach(({ friction }, k) => {
      const [x, v] = [state.subarray(6 * k, 6 * k + 3), state.subarray(6 * k + 3, 6 * k + 6)];
      const a = out.subarray(6 * k + 3, 6 * k + 6);
      out.set(v, 6 * k);
      a.set(frame);
      for (const potential of this.#others) this.#add(potential, x, time, a);
      for (let other = 0; other < this.bodies.length; other++) if (other !== k) this.#addBody(other, state, x, time, a);
      const speed = Math.hypot(...v);
      const drag = friction && speed > 0 ? friction(x, speed, time) : 0;
      for (let axis = 0; axis < 3; axis++) a[axis] -= drag * v[axis];
    });
    return out;
  }

  #addBody(k: number, state: Float64Array, x: Float64Array, time: number, out: Float64Array): void {
    const centre: [number, number, number] = [state[6 * k], state[6 * k + 1], state[6 * k + 2]];
    for (const part of this.bodies[k].parts) this.#add({ ...part, centre }, x, time, out);
  }

  #add(potential: ExternalPotential, x: Float64Array, time: number, accelerations: Float64Array): void {
    addExternalField(potential, this.G, x, { accelerations, potential: new Float64Array(1) }, { time });
  }
}

/** Of each body its path, and the acceleration of the frame. */
function settled(field: JointField, bodies: readonly Body[], end: number): CentrePath[] {
  let last: CentrePath[] | undefined;
  for (let steps = FEWEST_STEPS; steps <= MOST_STEPS; steps *= 2) {
    const tracks = tracksOf(field, bodies, end, steps);
    if (last?.every((coarse, k) => agree(coarse, tracks[k], end))) return tracks;
    last = tracks;
  }
  const names = bodies.map(({ name }) => name).join(", ") || "path";
  throw new GravmeshError(
    "scenario",
    `[[potential]] ${names}: expected an orbit that ${MOST_STEPS} steps resolve, found one with closer passages; give the potentials larger scales, or end the run earlier`,
  );
}

function tracksOf(field: JointField, bodies: readonly Body[], end: number, steps: number): CentrePath[] {
  const h = end / steps;
  const at = bodies[0]?.orbit.at ?? 0;
  const begin = new Float64Array(bodies.flatMap(({ start, orbit }) => [...start, ...orbit.velocity]));
  const along = (count: number, step: number) => {
    const states = [begin];
    for (let k = 0; k < count; k++) {
      let state = states[k];
      const part = step / SUBSTEPS;
      for (let s = 0; s < SUBSTEPS; s++) state = stepped(field, state, at + k * step + s * part, part);
      states.push(state);
    }
    return states.slice(1);
  };
  const before = Math.ceil(at / h) + MARGIN;
  const after = Math.max(0, Math.ceil((end - at) / h)) + MARGIN;
  const states = [...along(before, -h).reverse(), begin, ...along(after, h)];
  const times = states.map((_, k) => at + (k - before) * h);
  const paths = bodies.map(({ start }, b) => ({
    times,
    points: states.map((state) => start.map((x, axis) => state[6 * b + axis] - x)),
  }));
  return [...paths, { times, points: states.map((state, k) => [...field.frame(state, times[k])]) }];
}

function stepped(field: JointField, state: Float64Array<ArrayBuffer>, time: number, h: number) {
  const moved = (rates: Float64Array, dt: number) => state.map((y, i) => y + dt * rates[i]);
  const first = field.rates(state, time);
  const second = field.rates(moved(first, h / 2), time + h / 2);
  const third = field.rates(moved(second, h / 2), time + h / 2);
  const fourth = field.rates(moved(third, h), time + h);
  return state.map((y, i) => y + (h / 6) * (first[i] + 2 * (second[i] + third[i]) + fourth[i]));
}

function agree(coarse: CentrePath, fine: CentrePath, end: number): boolean {
  const splines = splinesOf(coarse);
  let [apart, extent] = [0, 0];
  fine.points.forEach((point, k) => {
    const time = fine.times[k];
    if (time < 0 || time > end) return;
    extent = Math.max(extent, Math.hypot(...point));
    apart = Math.max(apart, Math.hypot(...point.map((x, axis) => x - splines[axis].value(time))));
  });
  return apart <= TOLERANCE * extent;
}

/** Chandrasekhar's, in the potentials that stay at their places. */
function frictionOf(
  name: string,
  { coulombLogarithm, mass: given, dispersion }: Orbit,
  parts: readonly ExternalPotential[],
  still: readonly ExternalPotential[],
  { G, boxSize }: Means,
): Friction {
  const mass = given ?? parts.reduce((sum, { parameters }) => sum + parameters.mass, 0);
  const factor = 4 * Math.PI * G * G * mass * coulombLogarithm;
  const found = dispersion === undefined ? dispersionIn(name, still, G, boxSize) : undefined;
  return (x, speed, time) => {
    const sigma = found ? found(x) : dispersion!;
    const X = speed / (Math.SQRT2 * sigma);
    const slower = 1 - erfc(X) - (2 / Math.sqrt(Math.PI)) * X * Math.exp(-X * X);
    return (factor * densityAt(still, G, x, time) * slower) / speed ** 3;
  };
}

/** −∇·A/(4πG), not below 0: the jerks of particles that pass along each axis with speed 1. */
function densityAt(still: readonly ExternalPotential[], G: number, x: Float64Array, time: number): number {
  let divergence = 0;
  const [path, out] = [new Float64Array(9), new Float64Array(9)];
  for (const potential of still) {
    const { factor, ...placed } = placedAt(potential, time);
    const frozen = { ...placed, factor: [factor[0], 0, 0] as const, speed: 0 };
    const formula = formulaOf(potential, G);
    for (let axis = 0; axis < 3; axis++) {
      path.fill(0).set(x);
      path[3 + axis] = 1;
      externalDerivatives(formula, frozen, path, out);
      divergence += out[3 + axis];
    }
  }
  return Math.max(0, -divergence / (4 * Math.PI * G));
}

/** σ at a place, isotropic, by Jeans' equation. Throws "scenario" where the potentials have several centres. */
function dispersionIn(name: string, still: readonly ExternalPotential[], G: number, boxSize: number) {
  const outermost = OUTERMOST * boxSize;
  const massive = still.flatMap(({ centre, ...one }) => {
    const profile = meanMass({ ...one, centre }, G, outermost);
    return profile ? [{ centre, profile }] : [];
  });
  const centre = massive[0]?.centre;
  const isThere = (one: (typeof massive)[number]) =>
    one.centre.every((c, axis) => Math.abs(c - centre[axis]) < NEARLY * boxSize);
  if (!massive.every(isThere) || !centre) {
    throw new GravmeshError(
      "scenario",
      `[[potential]] ${name}: expected potentials with mass about one centre, for the velocity dispersion of dynamical friction, found ${massive.length === 0 ? "none" : "several"}; give orbit.dispersion`,
    );
  }
  const profile = sumOfProfiles(massive.map((one) => one.profile));
  const inner = Math.log(INNERMOST * boxSize);
  const width = (Math.log(outermost) - inner) / (RADII - 1);
  const logs = Float64Array.from({ length: RADII }, (_, i) => inner + i * width);
  const pressure = new Float64Array(RADII);
  const integrand = (u: number) => (profile.density(Math.exp(u)) * G * profile.mass(Math.exp(u))) / Math.exp(u);
  for (let i = RADII - 2; i >= 0; i--) pressure[i] = pressure[i + 1] + integral(integrand, logs[i], logs[i + 1]);
  const dense = (u: number, i: number) => pressure[i] > 0 && profile.density(Math.exp(u)) > 0;
  const inside = logs.subarray(0, RADII - 1).filter(dense);
  const squares = inside.map((u) => Math.log(pressure[logs.indexOf(u)] / profile.density(Math.exp(u))));
  const spline = new Spline(inside, squares);
  return (x: Float64Array) => {
    const r = Math.hypot(...centre.map((c, axis) => x[axis] - c));
    return Math.exp(0.5 * spline.value(Math.max(inner, Math.log(r))));
  };
}
