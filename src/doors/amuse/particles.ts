/**
 * The particles as AMUSE knows them: by indices that are given once, with masses, radii, positions and velocities in float64.
 * Positions are relative to the centre of the box.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";

/** Where an attribute lies: its array, how many numbers a particle has there, and which of them it is. */
const PLACES = {
  mass: ["masses", 1, 0],
  x: ["positions", 3, 0],
  y: ["positions", 3, 1],
  z: ["positions", 3, 2],
  vx: ["velocities", 3, 0],
  vy: ["velocities", 3, 1],
  vz: ["velocities", 3, 2],
  radius: ["radii", 1, 0],
} as const;
export type Attribute = keyof typeof PLACES;

/** A return code of AMUSE's: there is no such particle. */
export const NOT_FOUND = -1;
/** Indices are int32. */
const MOST = 2 ** 31 - 1;

interface Arrays {
  masses: Float64Array<ArrayBuffer>;
  radii: Float64Array<ArrayBuffer>;
  positions: Float64Array<ArrayBuffer>;
  velocities: Float64Array<ArrayBuffer>;
}

export class Particles {
  #count = 0;
  /** Of the next particle that is added. */
  #next = 0;
  /** Longer than what there is. */
  #arrays: Arrays = roomFor(0);
  /** By place. */
  #indices = new Int32Array(0);
  /** By index; NOT_FOUND of those that are gone. */
  #places = new Int32Array(0);

  get count(): number {
    return this.#count;
  }

  get masses(): Float64Array {
    return this.#arrays.masses.subarray(0, this.#count);
  }

  /** [3N, xyzxyz…] */
  get positions(): Float64Array {
    return this.#arrays.positions.subarray(0, 3 * this.#count);
  }

  /** [3N, xyzxyz…] */
  get velocities(): Float64Array {
    return this.#arrays.velocities.subarray(0, 3 * this.#count);
  }

  get mass(): number {
    return this.masses.reduce((sum, mass) => sum + mass, 0);
  }

  /** Mean over the mass, or of all alike where there is none. */
  mean(of: "positions" | "velocities"): [number, number, number] {
    const { masses, mass, count } = this;
    const values = this[of];
    const sum: [number, number, number] = [0, 0, 0];
    const weights = mass > 0 ? mass : Math.max(1, count);
    for (let i = 0; i < 3 * count; i++)
      sum[i % 3] += ((mass > 0 ? masses[Math.floor(i / 3)] : 1) / weights) * values[i];
    return sum;
  }

  /** Of the sphere about the centre of mass that holds all of them. */
  get radius(): number {
    return Math.sqrt(this.#squares(this.mean("positions")).reduce((largest, square) => Math.max(largest, square), 0));
  }

  /** Indices of those that are further than `radius` from a point. */
  beyond(radius: number, centre: readonly number[]): number[] {
    const squares = this.#squares(centre);
    return Array.from(this.#indices.subarray(0, this.#count)).filter((_, place) => squares[place] > radius * radius);
  }

  /** Pairs of indices of those whose distance is less than the sum of their radii, the smaller index first. */
  touching(): [number, number][] {
    const { positions, count } = this;
    const { radii } = this.#arrays;
    const begins = Float64Array.from({ length: count }, (_, i) => positions[3 * i] - radii[i]);
    // Spheres that touch overlap along x.
    const order = new Uint32Array(count).map((_, i) => i).sort((i, j) => begins[i] - begins[j]);
    const pairs: [number, number][] = [];
    for (let k = 0; k < count; k++) {
      const i = order[k];
      const end = positions[3 * i] + radii[i];
      for (let l = k + 1; l < count && begins[order[l]] < end; l++) {
        const j = order[l];
        const [dx, dy, dz] = [0, 1, 2].map((axis) => positions[3 * i + axis] - positions[3 * j + axis]);
        if (!(Math.hypot(dx, dy, dz) < radii[i] + radii[j])) continue;
        const [a, b] = [this.#indices[i], this.#indices[j]];
        pairs.push(a < b ? [a, b] : [b, a]);
      }
    }
    return pairs;
  }

  /** Squared distances from a point. */
  #squares([x, y, z]: readonly number[]): Float64Array {
    const { positions, count } = this;
    const square = (i: number) => (positions[i] - x) ** 2 + (positions[i + 1] - y) ** 2 + (positions[i + 2] - z) ** 2;
    return Float64Array.from({ length: count }, (_, place) => square(3 * place));
  }

  /** Adds particles with columns of attributes; those left out are 0. Returns the index of the first, which others follow. */
  add(count: number, columns: Partial<Record<Attribute, Float64Array>>): number {
    for (const [name, values] of Object.entries(columns)) requirePossible(name, values);
    const first = this.#next;
    if (first + count > MOST)
      throw new GravmeshError("input", `particles: all ${MOST} indices are given away; start another worker`);
    this.#makeRoom(this.#count + count);
    this.#places = grown(this.#places, first + count);
    for (let k = 0; k < count; k++) {
      this.#indices[this.#count + k] = first + k;
      this.#places[first + k] = this.#count + k;
    }
    for (const name of Object.keys(PLACES) as Attribute[]) {
      const [array, width, at] = PLACES[name];
      const [into, values] = [this.#arrays[array], columns[name]];
      for (let k = 0, i = width * this.#count + at; k < count; k++, i += width) into[i] = values ? values[k] : 0;
    }
    this.#count += count;
    this.#next += count;
    return first;
  }

  /** Takes particles away, each once. */
  remove(indices: Int32Array, codes: Int32Array): void {
    const gone = new Uint8Array(this.#count);
    for (const [k, place] of this.placesOf(indices, codes).entries()) {
      if (place >= 0 && gone[place] === 1) codes[k] = NOT_FOUND;
      if (place >= 0) gone[place] = 1;
    }
    let kept = 0;
    for (let place = 0; place < gone.length; place++) {
      const index = this.#indices[place];
      this.#places[index] = gone[place] === 1 ? NOT_FOUND : kept;
      if (gone[place] === 1) continue;
      this.#indices[kept] = index;
      for (const { array, width } of WIDTHS) {
        this.#arrays[array].copyWithin(width * kept, width * place, width * (place + 1));
      }
      kept++;
    }
    this.#count = kept;
  }

  /** Where particles lie; NOT_FOUND, and as a code, for those that aren't there. */
  placesOf(indices: Int32Array, codes: Int32Array): Int32Array {
    const places = new Int32Array(indices.length);
    for (let k = 0; k < indices.length; k++) {
      places[k] = this.#places[indices[k]] ?? NOT_FOUND;
      if (places[k] < 0) codes[k] = NOT_FOUND;
    }
    return places;
  }

  /** The index at a place; undefined behind the last. */
  indexAt(place: number): number | undefined {
    return place < this.#count ? this.#indices[place] : undefined;
  }

  /** Writes an attribute of the particles at places into `out`. */
  read(name: Attribute, places: Int32Array, out: Float64Array): void {
    const [array, width, at] = PLACES[name];
    const from = this.#arrays[array];
    for (let k = 0; k < places.length; k++) out[k] = places[k] < 0 ? 0 : from[width * places[k] + at];
  }

  write(name: Attribute, places: Int32Array, values: Float64Array): void {
    requirePossible(name, values);
    const [array, width, at] = PLACES[name];
    const into = this.#arrays[array];
    for (let k = 0; k < places.length; k++) if (places[k] >= 0) into[width * places[k] + at] = values[k];
  }

  #makeRoom(count: number): void {
    if (this.#indices.length >= count) return;
    const before = this.#arrays;
    this.#indices = grown(this.#indices, count);
    this.#arrays = roomFor(this.#indices.length);
    for (const { array } of WIDTHS) this.#arrays[array].set(before[array]);
  }
}

const WIDTHS = Object.values(PLACES)
  .filter(([, , at]) => at === 0)
  .map(([array, width]) => ({ array, width }));

const roomFor = (count: number): Arrays => ({
  ...{ masses: new Float64Array(count), radii: new Float64Array(count) },
  ...{ positions: new Float64Array(3 * count), velocities: new Float64Array(3 * count) },
});

/** The same with room for so many, and for more that may follow one by one. */
function grown(array: Int32Array<ArrayBuffer>, count: number): Int32Array<ArrayBuffer> {
  if (array.length >= count) return array;
  const larger = new Int32Array(Math.max(count, Math.min(MOST, 2 * array.length)));
  larger.set(array);
  return larger;
}

/** Throws "input" for a number that is none, and for a negative mass. */
export function requirePossible(name: string, values: Float64Array, of = "particle"): void {
  for (let k = 0; k < values.length; k++) {
    const x = values[k];
    // A difference of equal numbers is 0 only where they are finite.
    if (x - x === 0 && (name !== "mass" || x >= 0)) continue;
    const expected = name === "mass" ? "a mass from 0 up" : `a finite ${name}`;
    throw new GravmeshError("input", `${of} ${k} of the call: expected ${expected}, found ${x}`);
  }
}
