/**
 * A Latin hypercube: of M members each range is cut into M equal strata, and every stratum of every range holds exactly
 * one member, at random within it.
 * Source: McKay, Beckman & Conover 1979, Technometrics 21, 239.
 */
import { ParticleRandom } from "../initial/philox.ts";
import type { VariedKey, VariedValue } from "./ensemble.ts";

/**
 * Where the members lie in a unit hypercube [member][dimension], from 0 up, below 1: the same for a seed anywhere. Which
 * stratum a member has follows from an order of random numbers; both it and the place within are of (seed, dimension,
 * member).
 */
export function latinHypercube(members: number, dimensions: number, seed: number): number[][] {
  const columns = Array.from({ length: dimensions }, (_, dimension) => column(members, dimension, seed));
  return Array.from({ length: members }, (_, member) => columns.map((places) => places[member]));
}

function column(members: number, dimension: number, seed: number): number[] {
  const random = new ParticleRandom(seed, dimension, { batches: false });
  const drawn = Array.from({ length: members }, (_, member) => {
    random.seek(member);
    return { member, order: random.uniform(), within: random.uniform() };
  });
  drawn.sort((a, b) => a.order - b.order || a.member - b.member);
  const places = new Array<number>(members);
  drawn.forEach(({ member, within }, stratum) => {
    // Rounding must not lift the last one to 1.
    places[member] = Math.min((stratum + within) / members, 1 - Number.EPSILON);
  });
  return places;
}

/** The value of a key at a place from 0 to 1 of its range, or of its list. */
export function valueAt({ values, range }: VariedKey, place: number): VariedValue {
  if (values) return values[Math.floor(place * values.length)];
  const { from, to, whole } = range!;
  return whole ? from + Math.floor(place * (to - from + 1)) : from + place * (to - from);
}
