/** The table [orbits]: where chosen particles are and how they move, after every step or every few. */
import { z } from "zod";
import { integer, kindOfValue, LARGEST_U32, names, optional } from "../foundation/deck/keys.ts";
import { mismatchIf, type Problem } from "../foundation/deck/problems.ts";
import { ParticleRandom } from "../physics/initial/philox.ts";
import type { ComponentRange } from "../physics/particles/state.ts";
import { componentListProblems, mapRanges } from "./maps.ts";
import { onceProblems } from "./output.ts";
import type { Scenario } from "./scenario.ts";

const ids = kindOfValue(
  () => z.array(z.int().min(0).max(LARGEST_U32)),
  "a list of particle numbers from 0 up, [0, 17]",
  "[integer, …]",
);

/** A row is read back with the steps: of more of them, snapshots and subsamples are the better files. */
const MOST = 100_000;

export const orbitsTable = z
  .strictObject({
    ids: optional(ids, [], { meaning: "numbers (ParticleIDs) of the recorded particles" }),
    sample: optional(integer(0, MOST), 0, {
      meaning: "instead of ids: number of particles, drawn at random; 0 with no ids writes no orbits",
    }),
    components: optional(names, [], {
      meaning: "names, species or galaxies that the sample is drawn from; all when empty",
    }),
    seed: optional(integer(0, Number.MAX_SAFE_INTEGER), 1, { meaning: "of the sample" }),
    every: optional(integer(1, LARGEST_U32), 1, {
      meaning: "steps from row to row; with gravity = direct largest steps",
    }),
  })
  .describe("Positions and velocities of chosen particles after every step, in orbits.hdf5");
type OrbitsSettings = z.output<typeof orbitsTable>;

export function orbitsProblems({ orbits, ...deck }: Scenario): Problem[] {
  const { ids, sample, components } = orbits;
  const [path, both] = [["orbits", "ids"], ids.length > 0 && sample > 0];
  return [
    ...mismatchIf(both, ["orbits", "sample"], "0 beside orbits.ids", sample, "Give the ids, or how many to draw"),
    ...mismatchIf(ids.length > MOST, path, `at most ${MOST} of them`, ids.length),
    ...onceProblems(path, ids.length > MOST ? [] : ids, "each id once"),
    ...componentListProblems(["orbits", "components"], components, deck),
  ];
}

export const hasOrbits = ({ orbits: { ids, sample } }: { orbits: OrbitsSettings }): boolean =>
  ids.length > 0 || sample > 0;

/** Ids that are followed, ascending: those of the deck, or a sample by seed without repetition (Floyd's). */
export function followedIds(orbits: OrbitsSettings, present: readonly ComponentRange[]): Uint32Array {
  const total = present.reduce((sum, { count }) => sum + count, 0);
  if (orbits.ids.length > 0) return Uint32Array.from(orbits.ids.filter((id) => id < total)).sort();
  const ranges = (mapRanges(orbits, present) ?? [{ first: 0, count: total }]).filter(({ count }) => count > 0);
  const among = ranges.reduce((sum, { count }) => sum + count, 0);
  const wanted = Math.min(orbits.sample, among);
  const random = new ParticleRandom(orbits.seed);
  const chosen = new Set<number>();
  for (let last = among - wanted; last < among; last++) {
    random.seek(last);
    const drawn = Math.floor(random.uniform() * (last + 1));
    chosen.add(chosen.has(drawn) ? last : drawn);
  }
  const idOf = (place: number) => {
    let rest = place;
    for (const { first, count } of ranges) {
      if (rest < count) return first + rest;
      rest -= count;
    }
    return 0;
  };
  return Uint32Array.from(chosen, idOf).sort();
}
