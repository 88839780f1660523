/**
 * Sources as the host hands them over, and the records that keep them on the GPU. Everything that moves is kept in
 * pairs of float32, x = high + low, so that a prediction loses nothing that pairs can hold.
 *
 * Vectors of four words in a record, moving sources:
 *   0 position, G·m   1 low words of the position, id   2 velocity, time   3 their low words
 *   4 acceleration    5 its low words                   6 jerk             7 its low words
 * Sources that don't move have vectors 0 and 1 alone, which is a body of order "acceleration" (bodies.ts).
 */

/** What can be set and updated of a source. Checked arrays: finite, of the right length, one entry or triple a row. */
export interface SourceFields {
  /** [3N, xyzxyz…] [length] */
  positions?: Float64Array;
  /** [3N] [velocity] */
  velocities?: Float64Array;
  /** [3N] [velocity/time] */
  accelerations?: Float64Array;
  /** [3N] [velocity/time²] */
  jerks?: Float64Array;
  /** [N] the time that position and motion belong to. */
  times?: Float64Array;
  /** [N] G·m */
  masses?: Float64Array;
  /** [N] */
  ids?: Uint32Array;
}

/** Sources as they are first set; with velocities they can be predicted, and are kept with all that it takes. */
export type NewSources = SourceFields & Required<Pick<SourceFields, "positions" | "masses" | "ids">>;

/** Vectors of four words in a record of sources that move. */
export const MOVING_VECTORS = 8;
/** The same of sources that don't. */
export const STILL_VECTORS = 2;
export const VECTOR_BYTES = 16;

/** Bits of `x`, `y`, `z` and `w` of a vector, four bits a vector. */
const XYZ = 0b0111;
const W = 0b1000;
const bits = (vector: number, components: number) => (components << (4 * vector)) >>> 0;

/** The words of a record that each field fills. */
const WORDS_OF: Record<keyof SourceFields, number> = {
  positions: bits(0, XYZ) | bits(1, XYZ),
  masses: bits(0, W),
  ids: bits(1, W),
  velocities: bits(2, XYZ) | bits(3, XYZ),
  times: bits(2, W) | bits(3, W),
  accelerations: bits(4, XYZ) | bits(5, XYZ),
  jerks: bits(6, XYZ) | bits(7, XYZ),
};

/** Which words an update with these fields writes: four bits a vector. */
export function fieldMask(fields: SourceFields): number {
  return (
    Object.entries(WORDS_OF).reduce(
      (mask, [name, words]) => (fields[name as keyof SourceFields] === undefined ? mask : mask | words),
      0,
    ) >>> 0
  );
}

/**
 * Records of the entries [first, first + count) of `fields`, positions relative to `origin`. What is missing is zero.
 */
export function packSources(
  vectors: number,
  fields: SourceFields,
  origin: readonly [number, number, number],
  first: number,
  count: number,
): ArrayBuffer {
  const packed = new ArrayBuffer(count * vectors * VECTOR_BYTES);
  const floats = new Float32Array(packed);
  const words = 4 * vectors;
  const pairs = (array: Float64Array | undefined, vector: number, about?: readonly number[]) => {
    if (!array) return;
    for (let i = 0, at = 4 * vector; i < count; i++, at += words) {
      for (let axis = 0; axis < 3; axis++) {
        const x = array[3 * (first + i) + axis] - (about ? about[axis] : 0);
        const high = Math.fround(x);
        floats[at + axis] = high;
        floats[at + 4 + axis] = x - high;
      }
    }
  };
  pairs(fields.positions, 0, origin);
  if (vectors === MOVING_VECTORS) {
    pairs(fields.velocities, 2);
    pairs(fields.accelerations, 4);
    pairs(fields.jerks, 6);
  }
  const { masses, ids, times } = fields;
  const integers = new Uint32Array(packed);
  for (let i = 0, at = 0; i < count; i++, at += words) {
    if (masses) floats[at + 3] = masses[first + i];
    if (ids) integers[at + 7] = ids[first + i];
    if (times && vectors === MOVING_VECTORS) {
      const high = Math.fround(times[first + i]);
      floats[at + 11] = high;
      floats[at + 15] = times[first + i] - high;
    }
  }
  return packed;
}
