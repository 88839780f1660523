/** From box coordinates to what the GPU holds, a block of ids at a time; masses in units of the heaviest particle's 2^-22. */
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import { LARGEST_IMAGE, MASS_UNITS, packImage } from "../../physics/particles/fixed-point.ts";
import type { ParticleMasses } from "../../physics/particles/masses.ts";
import type { SourceBlock } from "../../physics/particles/source.ts";

const TURN = 2 ** 32;
/** From here on float64 has integers only. */
const INTEGERS = 2 ** 52;

export interface ExactBlock {
  first: number;
  count: number;
  /** [3·count, xyzxyz…] fixed point, units of L/2^32. */
  positions: Uint32Array<ArrayBuffer>;
  /** [3·count, xyzxyz…] [velocity] */
  velocities: Float32Array<ArrayBuffer>;
  /** [count] packed box images (fixed-point.ts); isolated runs only. */
  images?: Uint32Array<ArrayBuffer>;
}

/** Makes blocks exact, in arrays of its own that it uses again for the next. */
export class ExactBlocks {
  #positions = new Uint32Array(0);
  #velocities = new Float32Array(0);
  #images = new Uint32Array(0);

  constructor(
    /** Side of the box [length]. */
    private readonly boxSize: number,
    private readonly boundary: Boundary,
  ) {}

  /** Throws "input" for a number that is none, and for an escaped particle too far away to be held. */
  of({ first, count, positions, velocities }: SourceBlock): ExactBlock {
    this.#makeRoom(count);
    const isolated = this.boundary === "isolated";
    const [fixed, exactVelocities, images] = [this.#positions, this.#velocities, this.#images];
    const { boxSize } = this;
    if (isolated) images.fill(0, 0, count);
    // As toFixedPoint() has it, without an object for every number.
    for (let k = 0; k < 3 * count; k++) {
      const x = positions[k];
      const v = velocities[k];
      // A difference of equal numbers is 0 only where they are finite.
      if (!(x - x + (v - v) === 0)) throw notFinite(first, k, x, v);
      const fraction = x / boxSize;
      const image = Math.floor(fraction);
      const units = (fraction - image) * TURN;
      // Math.round(), which takes twice as long: to even first, then halves upwards.
      let nearest = units + INTEGERS - INTEGERS;
      if (units - nearest === 0.5) nearest += 1;
      fixed[k] = nearest; // 2^32 becomes 0
      exactVelocities[k] = v;
      if (isolated && (image !== 0 || nearest === TURN)) this.#addImage(first, k, nearest === TURN ? image + 1 : image);
    }
    return {
      ...{ first, count },
      positions: fixed.subarray(0, 3 * count),
      velocities: exactVelocities.subarray(0, 3 * count),
      ...(isolated && { images: images.subarray(0, count) }),
    };
  }

  /** Puts the box that coordinate number k of a block is in into the image of its particle. */
  #addImage(first: number, k: number, image: number): void {
    const [i, axis] = [Math.floor(k / 3), k % 3];
    if (Math.abs(image) > LARGEST_IMAGE) {
      throw new GravmeshError(
        "input",
        `particle ${first + i} is ${image} boxes away on axis ${"xyz"[axis]}, at most ${LARGEST_IMAGE} can be held; try a larger box.size`,
      );
    }
    this.#images[i] |= packImage(axis === 0 ? image : 0, axis === 1 ? image : 0, axis === 2 ? image : 0);
  }

  #makeRoom(count: number): void {
    if (this.#velocities.length >= 3 * count) return;
    this.#positions = new Uint32Array(3 * count);
    this.#velocities = new Float32Array(3 * count);
    if (this.boundary === "isolated") this.#images = new Uint32Array(count);
  }
}

function notFinite(first: number, k: number, position: number, velocity: number): GravmeshError {
  return new GravmeshError(
    "input",
    `particle ${first + Math.floor(k / 3)}: expected finite numbers, found position ${position} and velocity ${velocity} on axis ${"xyz"[k % 3]}`,
  );
}

export interface IntegerMasses {
  /** Mass of the heaviest particle [mass], which has MASS_UNITS units; 1/N as a weight where there are tracers alone. */
  heaviest: number;
  massless: boolean;
  /** Every particle has as many units as the heaviest. */
  equal: boolean;
  /** Units of all particles. */
  total: bigint;
  /** Σm²/(Σm)² of all particles, added in id order; 1/N for equal masses. */
  inverseNumber(): number;
  /** Puts the units of ids first, first + 1, … into `out`. */
  fill(out: Uint32Array, first: number): void;
}

/** Throws "input" for a mass that is no number and for masses too unequal. Where all are 0 every particle counts the same. */
export function integerMasses(given: ParticleMasses): IntegerMasses {
  const masses = given.weights;
  const { heaviest } = masses;
  const unitsOf = (mass: number) => Math.round((mass / heaviest) * MASS_UNITS);
  const checked = (mass: number, id: number): number => {
    const units = unitsOf(mass);
    if (mass >= 0 && Number.isFinite(heaviest) && heaviest > 0 && !(mass > 0 && units === 0)) return units;
    throw new GravmeshError(
      "input",
      `particle ${id}: expected a mass of 0 or from heaviest/${MASS_UNITS} up, found ${mass} beside a heaviest of ${heaviest}`,
    );
  };
  let equal = true;
  let total = 0; // below 2^53 for 2^31 particles
  for (const { first, count, mass } of masses.runs) {
    const each = typeof mass === "number" ? Math.min(1, count) : count;
    for (let i = 0; i < each; i++) {
      const units = checked(typeof mass === "number" ? mass : mass[i], first + i);
      total += typeof mass === "number" ? count * units : units;
      if (units !== MASS_UNITS) equal = false;
    }
  }
  return {
    ...{ heaviest, equal, total: BigInt(total), massless: masses !== given },
    inverseNumber() {
      if (equal) return 1 / masses.count;
      const share = (mass: number) => (unitsOf(mass) / total) ** 2;
      let sum = 0;
      for (const { count, mass } of masses.runs) {
        const common = typeof mass === "number" ? share(mass) : 0;
        for (let i = 0; i < count; i++) sum += typeof mass === "number" ? common : share(mass[i]);
      }
      return sum;
    },
    fill(out, first) {
      for (const { first: from, count, mass } of masses.runsOf({ first, count: out.length })) {
        if (typeof mass === "number") out.fill(unitsOf(mass), from - first, from - first + count);
        else for (let i = 0; i < count; i++) out[from - first + i] = unitsOf(mass[i]);
      }
    },
  };
}
