/** Neighbours in float64 (Bédorf+ 2015, section 2.1): the nearest source of every target, and those within its radius. */
import { type NeighbourSearch, type Neighbours, noNeighbours, type TargetSet } from "../../direct/summation.ts";

type Places = Pick<TargetSet, "count" | "positions" | "ids">;

export interface NeighbourTask extends Partial<NeighbourSearch> {
  targets: Places;
  sources: Places;
  /** Rows of `targets` by entry; the entry's own number without a list. */
  rows?: Uint32Array | undefined;
  /** Where entries `first … last − 1` are written, all by default, with nothing found of them yet. */
  found?: Neighbours;
  first?: number;
  last?: number;
}

export function findNeighbours({ targets, sources, rows, radii, capacity = 0, ...into }: NeighbourTask): Neighbours {
  const count = rows?.length ?? targets.count;
  const { first = 0, last = count, found = noNeighbours(count, { radii, capacity }) } = into;
  const { nearestIds, nearestDistances, lists } = found;
  for (let t = first; t < last; t++) {
    const row = rows ? rows[t] : t;
    const limit = radii ? radii[t] * radii[t] : 0;
    let nearest = Number.POSITIVE_INFINITY;
    let listed = 0;
    for (let s = 0; s < sources.count; s++) {
      const id = sources.ids[s];
      if (id === targets.ids[row]) continue;
      const r2 = squaredDistance(targets, row, sources, s);
      if (r2 < nearest || (r2 === nearest && id <= nearestIds[t])) {
        nearest = r2;
        nearestIds[t] = id;
      }
      if (!lists || r2 >= limit) continue;
      if (listed < capacity) lists.ids[capacity * t + listed] = id;
      listed++;
    }
    nearestDistances[t] = Math.sqrt(nearest);
    if (lists) lists.counts[t] = listed;
  }
  return found;
}

function squaredDistance(targets: Places, t: number, sources: Places, s: number): number {
  const dx = sources.positions[3 * s] - targets.positions[3 * t];
  const dy = sources.positions[3 * s + 1] - targets.positions[3 * t + 1];
  const dz = sources.positions[3 * s + 2] - targets.positions[3 * t + 2];
  return dx * dx + dy * dy + dz * dz;
}
