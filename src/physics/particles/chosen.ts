/** Particles that are followed one by one: their ids, the interval, and the record. */

export interface OrbitRow {
  /** Steps taken. */
  step: number;
  /** [3K, xyzxyz…] box coordinates [length]; in an isolated box beyond it, too. */
  positions: Float64Array;
  /** [3K, xyzxyz…] at the time of the positions [velocity] */
  velocities: Float32Array | Float64Array;
}

export interface OrbitRequest {
  /** [K] ascending. */
  ids: Uint32Array;
  /** Steps from row to row: those that it divides. */
  every: number;
  /** Gets the rows in order, before the advance that takes their steps has ended. */
  take(row: OrbitRow): void;
}

/** Those of `ids` among all particles [3N]. */
export function chosenOf<V extends Float32Array | Float64Array>(
  ids: Uint32Array,
  all: { positions: Float64Array; velocities: V },
): { positions: Float64Array; velocities: V } {
  const positions = new Float64Array(3 * ids.length);
  const velocities = (
    all.velocities instanceof Float64Array ? new Float64Array(3 * ids.length) : new Float32Array(3 * ids.length)
  ) as V;
  for (const [k, id] of ids.entries()) {
    positions.set(all.positions.subarray(3 * id, 3 * id + 3), 3 * k);
    velocities.set(all.velocities.subarray(3 * id, 3 * id + 3), 3 * k);
  }
  return { positions, velocities };
}
