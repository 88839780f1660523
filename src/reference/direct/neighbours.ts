/**
 * Neighbours in float64: the nearest source of every target, and the sources closer than a radius of the target's own.
 * Distances are unsoftened; a source of the target's id is no neighbour of it (Bédorf+ 2015, section 2.1).
 */
import type { BodyArrays } from "../../direct/bodies.ts";

/** In place of an id: there is no other body. */
export const NO_NEIGHBOUR = 0xffffffff;

type Places = Pick<BodyArrays, "count" | "positions" | "ids">;

export interface NearestNeighbours {
  /** [N] id of the nearest source, the smallest of several; NO_NEIGHBOUR without one. */
  ids: Uint32Array;
  /** [N] [length]; infinite without one. */
  distances: Float64Array;
}

export function nearestNeighbours(targets: Places, sources: Places): NearestNeighbours {
  const ids = new Uint32Array(targets.count).fill(NO_NEIGHBOUR);
  const distances = new Float64Array(targets.count);
  for (let t = 0; t < targets.count; t++) {
    let nearest = Number.POSITIVE_INFINITY;
    for (let s = 0; s < sources.count; s++) {
      const r2 = squaredDistance(targets, t, sources, s);
      const id = sources.ids[s];
      if (id === targets.ids[t] || r2 > nearest || (r2 === nearest && id > ids[t])) continue;
      nearest = r2;
      ids[t] = id;
    }
    distances[t] = Math.sqrt(nearest);
  }
  return { ids, distances };
}

export interface NeighbourLists {
  /** [N] true number of neighbours, also where it exceeds the capacity: the list overflowed. */
  counts: Uint32Array;
  /** [capacity·N] ids in source order; target t's begin at capacity·t, and what follows them is NO_NEIGHBOUR. */
  ids: Uint32Array;
}

/** Sources closer than `radii` [N] [length] to each target; the first `capacity` of them are listed. */
export function neighbourLists(
  targets: Places,
  sources: Places,
  radii: Float64Array,
  capacity: number,
): NeighbourLists {
  const counts = new Uint32Array(targets.count);
  const ids = new Uint32Array(capacity * targets.count).fill(NO_NEIGHBOUR);
  for (let t = 0; t < targets.count; t++) {
    const limit = radii[t] * radii[t];
    let count = 0;
    for (let s = 0; s < sources.count; s++) {
      if (squaredDistance(targets, t, sources, s) >= limit || sources.ids[s] === targets.ids[t]) continue;
      if (count < capacity) ids[capacity * t + count] = sources.ids[s];
      count++;
    }
    counts[t] = count;
  }
  return { counts, ids };
}

function squaredDistance(targets: Places, t: number, sources: Places, s: number): number {
  const dx = sources.positions[3 * s] - targets.positions[3 * t];
  const dy = sources.positions[3 * s + 1] - targets.positions[3 * t + 1];
  const dz = sources.positions[3 * s + 2] - targets.positions[3 * t + 2];
  return dx * dx + dy * dy + dz * dz;
}
