/**
 * Particles of a periodic expanding box as they cross the past light cone of an observer at a = 1: where |x + nL − o| = χ(a).
 * Within a step x is the cubic through positions and slopes at both ends, in the share s of the step's drift, and the
 * momentum is linear in s, as the leapfrog has them (second order; exact for Zel'dovich motion with growth-corrected steps).
 * Every world line crosses once: whether it is inside is told from the same numbers at a step's end and at the next one's
 * beginning.
 */
import type { ComovingClock } from "../../physics/cosmology/steps.ts";
import type { ParticleBlock } from "../../physics/particles/blocks.ts";
import type { Vector } from "../../physics/particles/reductions.ts";

/** A part of the sky. */
export interface Opening {
  /** [steradian] */
  area: number;
  /** Whether the direction of x [3], at the distance r > 0, lies in it. */
  sees(x: number, y: number, z: number, r: number): boolean;
  /** Whether a sphere may reach into it; true in doubt. */
  touches(centre: Vector, radius: number): boolean;
}

export const OPENINGS = {
  sky: (): Opening => ({ area: 4 * Math.PI, sees: () => true, touches: () => true }),
  octant: (): Opening => ({
    area: Math.PI / 2,
    sees: (x, y, z) => x >= 0 && y >= 0 && z >= 0,
    touches: (centre, radius) => centre.every((x) => x >= -radius),
  }),
  /** `axis` of length 1; the angle from it is `half` at most [rad]. */
  pencil: (axis: Vector, half: number): Opening => ({
    area: 2 * Math.PI * (1 - Math.cos(half)),
    sees: (x, y, z, r) => x * axis[0] + y * axis[1] + z * axis[2] >= r * Math.cos(half),
    touches: (centre, radius) => {
      const r = Math.hypot(...centre);
      if (r <= radius) return true;
      const along = centre[0] * axis[0] + centre[1] * axis[1] + centre[2] * axis[2];
      return Math.acos(Math.max(-1, Math.min(1, along / r))) <= half + Math.asin(radius / r);
    },
  }),
};

/** A particle at its crossing; the same object each time. */
export interface Crossing {
  id: number;
  /** From the observer, comoving, and how far [length]. */
  position: [number, number, number];
  r: number;
  /** Peculiar [velocity] */
  velocity: [number, number, number];
  a: number;
}

/** A cubic through values at 0, 1/3, 2/3 and 1, by the powers of its argument. */
type Cubic = readonly [number, number, number, number];

function cubicOf(f: (share: number) => number): Cubic {
  const [p, q, r, s] = [f(0), f(1 / 3), f(2 / 3), f(1)];
  return [
    p,
    (-11 * p + 18 * q - 9 * r + 2 * s) / 2,
    (9 * (2 * p - 5 * q + 4 * r - s)) / 2,
    (9 * (s - p + 3 * (q - r))) / 2,
  ];
}

const at = ([c0, c1, c2, c3]: Cubic, x: number) => c0 + x * (c1 + x * (c2 + x * c3));

/** Of a crossing's distance, in sides of the box. */
const TOLERANCE = 1e-11;
const MOST_ITERATIONS = 60;

/** What is known of a step by its times alone; cubics are of the share of the step in a. */
interface ConeStep {
  from: number;
  to: number;
  /** The cone's distance at its beginning and end [length]. */
  far: number;
  near: number;
  distance: Cubic;
  drift: Cubic;
  /** dx/ds over the momentum at its beginning and at its end, s the share of the drift. */
  slope: readonly [number, number];
  /** The inverse, in between. */
  momentum: Cubic;
}

export interface ConeSettings {
  boxSize: number;
  /** In the box [length]. */
  observer: Vector;
  opening: Opening;
  /** Particles so far outside of it are given, too [rad]. */
  margin: number;
  /** Distance to begin with [length]. */
  farthest: number;
}

export class LightCone {
  readonly #positions: Float64Array;
  readonly #velocities: Float32Array;
  /** Scale factor of the particles at hand; undefined where none are. */
  #a: number | undefined;

  constructor(
    private readonly settings: ConeSettings,
    private readonly clock: ComovingClock,
    count: number,
  ) {
    this.#positions = new Float64Array(3 * count);
    this.#velocities = new Float32Array(3 * count);
  }

  /** Comoving distance of the cone at a; below 0 past a = 1 [length]. */
  distance(a: number): number {
    return this.clock.background.comovingDistance(a);
  }

  /** Takes the particles as they are where a later call is to find what has crossed since. */
  async begin(a: number, blocks: AsyncIterable<ParticleBlock>): Promise<void> {
    this.#a = undefined;
    for await (const block of blocks) this.#keep(block);
    this.#a = a;
  }

  /** Gives the particles that crossed the cone since the last call, by id and then by image, and keeps those of now. */
  async advance(a: number, blocks: AsyncIterable<ParticleBlock>, cross: (crossing: Crossing) => void): Promise<void> {
    const from = this.#a;
    if (from === undefined) return this.begin(a, blocks);
    const step = this.#stepTo(from, a);
    const images = this.#images(step.near, step.far);
    for await (const block of blocks) {
      this.#crossings(block, step, images, cross);
      this.#keep(block);
    }
    this.#a = a;
  }

  #keep({ first, positions, velocities }: ParticleBlock): void {
    this.#positions.set(positions, 3 * first);
    this.#velocities.set(velocities, 3 * first);
  }

  #stepTo(from: number, to: number): ConeStep {
    const { clock } = this;
    const timeOf = (share: number) => (share === 1 ? to : from + share * (to - from));
    const whole = clock.drift(from, to, from);
    return {
      ...{ from, to, far: this.distance(from), near: this.distance(to) },
      distance: cubicOf((share) => this.distance(timeOf(share))),
      drift: cubicOf((share) => clock.drift(from, timeOf(share), from) / whole),
      slope: [whole, clock.drift(from, to, to)],
      momentum: cubicOf((share) => 1 / clock.drift(from, to, timeOf(share))),
    };
  }

  /** Images of the box that the shell touches, as displacements from the observer [3 each]; no particle moves half a box in a step. */
  #images(near: number, far: number): Int32Array {
    const { boxSize: L, observer, opening, margin } = this.settings;
    const reach = Math.min(far, this.settings.farthest + L);
    const found: number[] = [];
    const radius = (Math.sqrt(3) / 2) * L;
    const [low, high] = [0, 1].map((side) =>
      observer.map((o) => (side === 0 ? Math.floor((o - reach) / L) : Math.floor((o + reach) / L))),
    );
    for (let z = low[2]; z <= high[2]; z++) {
      for (let y = low[1]; y <= high[1]; y++) {
        for (let x = low[0]; x <= high[0]; x++) {
          const centre = [x, y, z].map((n, axis) => (n + 0.5) * L - observer[axis]) as [number, number, number];
          const r = Math.hypot(...centre);
          if (r - radius > reach || r + 2 * radius < near) continue;
          if (opening.touches(centre, 2 * radius + margin * r)) found.push(x, y, z);
        }
      }
    }
    return Int32Array.from(found);
  }

  #crossings(
    { first, count, positions, velocities }: ParticleBlock,
    step: ConeStep,
    images: Int32Array,
    cross: (crossing: Crossing) => void,
  ): void {
    const { boxSize: L, observer, farthest } = this.settings;
    const { far, near, distance, drift, slope, momentum, from, to } = step;
    const offsets = Float64Array.from(images, (n, i) => n * L - observer[i % 3]);
    const [moved, wraps, start, velocity] = [0, 1, 2, 3].map((): [number, number, number] => [0, 0, 0]);
    const [bend, twist] = [0, 1].map(() => [0, 0, 0]);
    const found: Crossing = { id: 0, position: [0, 0, 0], r: 0, velocity, a: 0 };
    const place = (share: number) => {
      const s = at(drift, share);
      for (let axis = 0; axis < 3; axis++) {
        const slopeThere = slope[0] * this.#velocities[3 * found.id + axis];
        found.position[axis] = start[axis] + s * (slopeThere + s * (bend[axis] + s * twist[axis]));
      }
      return Math.hypot(...found.position);
    };
    for (let i = 0; i < count; i++) {
      const id = first + i;
      const [x, y, z] = [this.#positions[3 * id], this.#positions[3 * id + 1], this.#positions[3 * id + 2]];
      let length = 0;
      for (let axis = 0; axis < 3; axis++) {
        const change = positions[3 * i + axis] - this.#positions[3 * id + axis];
        wraps[axis] = Math.round(change / L);
        moved[axis] = change - wraps[axis] * L;
        length += moved[axis] ** 2;
        const [m0, m1] = [slope[0] * this.#velocities[3 * id + axis], slope[1] * velocities[3 * i + axis]];
        bend[axis] = 3 * moved[axis] - 2 * m0 - m1;
        twist[axis] = m0 + m1 - 2 * moved[axis];
      }
      // A little wider than it has to be: the test below is the exact one.
      const inner = near - 1.001 * Math.sqrt(length);
      const [least, most] = [inner > 0 ? inner * inner * (1 - 1e-9) : -1, far * far * (1 + 1e-9)];
      found.id = id;
      for (let image = 0; image < offsets.length; image += 3) {
        const [X, Y, Z] = [x + offsets[image], y + offsets[image + 1], z + offsets[image + 2]];
        const square = X * X + Y * Y + Z * Z;
        if (square < least || square > most || Math.sqrt(square) > far) continue;
        // As the next step will have it at its start.
        const end = (axis: number) =>
          positions[3 * i + axis] + ((images[image + axis] - wraps[axis]) * L - observer[axis]);
        const [U, V, W] = [end(0), end(1), end(2)];
        const after = Math.sqrt(U * U + V * V + W * W);
        if (!(after > near)) continue;
        [start[0], start[1], start[2]] = [X, Y, Z];
        const share = rootOf((t) => place(t) - at(distance, t), Math.sqrt(square) - far, after - near, TOLERANCE * L);
        found.r = place(share);
        if (found.r > farthest) continue;
        const [s, perSlope] = [at(drift, share), at(momentum, share)];
        found.a = from + share * (to - from);
        for (let axis = 0; axis < 3; axis++) {
          const [m0, m1] = [slope[0] * this.#velocities[3 * id + axis], slope[1] * velocities[3 * i + axis]];
          velocity[axis] = ((m0 + s * (m1 - m0)) * perSlope) / found.a;
        }
        cross(found);
      }
    }
  }
}

/** Where f, from `first` ≤ 0 at 0 to `last` > 0 at 1, is 0: false position with halved ends (Illinois; Dowell & Jarratt 1971). */
function rootOf(f: (x: number) => number, first: number, last: number, tolerance: number): number {
  let [low, high, below, above] = [0, 1, first, last];
  let side = 0;
  for (let i = 0; i < MOST_ITERATIONS; i++) {
    const x = (low * above - high * below) / (above - below);
    const value = f(x);
    if (Math.abs(value) <= tolerance) return x;
    if (value > 0) {
      [high, above] = [x, value];
      if (side === 1) below /= 2;
      side = 1;
    } else {
      [low, below] = [x, value];
      if (side === -1) above /= 2;
      side = -1;
    }
  }
  return (low + high) / 2;
}
