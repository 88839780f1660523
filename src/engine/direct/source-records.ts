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

/** Overwrites what is given of `rows` (each once), entry k of row rows[k]; `kept` has `count` rows. */
export function assignRows(kept: SourceFields, count: number, rows: Uint32Array, given: SourceFields): void {
  const places = kept as Record<string, Float64Array | Uint32Array>;
  for (const [name, from] of Object.entries(given) as [string, Float64Array | Uint32Array][]) {
    const width = from.length / Math.max(1, rows.length);
    places[name] ??= new Float64Array(width * count);
    const to = places[name];
    rows.forEach((row, k) => {
      for (let axis = 0; axis < width; axis++) to[width * row + axis] = from[width * k + axis];
    });
  }
}

/** Records of `count` rows of `fields`, positions relative to `origin`; `rowOf` is the row of one. What is missing is zero. */
export function packSources(
  vectors: number,
  fields: SourceFields,
  origin: readonly [number, number, number],
  count: number,
  rowOf: (k: number) => number,
): ArrayBuffer {
  const packed = new ArrayBuffer(count * vectors * VECTOR_BYTES);
  const floats = new Float32Array(packed);
  const integers = new Uint32Array(packed);
  const words = 4 * vectors;
  const pair = (x: number, at: number, low: number) => {
    floats[at] = x;
    floats[low] = x - floats[at];
  };
  const vectorsAt = (array: Float64Array | undefined, vector: number, about?: readonly number[]) => {
    for (let k = 0, at = 4 * vector; array && k < count; k++, at += words) {
      for (let axis = 0; axis < 3; axis++) {
        pair(array[3 * rowOf(k) + axis] - (about ? about[axis] : 0), at + axis, at + 4 + axis);
      }
    }
  };
  const { positions, velocities, accelerations, jerks, masses, ids, times } = fields;
  const moving = vectors === MOVING_VECTORS;
  vectorsAt(positions, 0, origin);
  if (moving) [velocities, accelerations, jerks].forEach((array, k) => void vectorsAt(array, 2 + 2 * k));
  for (let k = 0, at = 0; k < count; k++, at += words) {
    if (masses) floats[at + 3] = masses[rowOf(k)];
    if (ids) integers[at + 7] = ids[rowOf(k)];
    if (times && moving) pair(times[rowOf(k)], at + 11, at + 15);
  }
  return packed;
}
