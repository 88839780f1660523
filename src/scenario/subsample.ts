/** The table [subsample]: every k-th particle, the same ones in each file, at times of their own. */
import { z } from "zod";
import type { TimeSettings } from "../engine/time/settings.ts";
import { choices, integer, LARGEST_U32, optional } from "../foundation/deck/keys.ts";
import { mismatchIf, type Problem } from "../foundation/deck/problems.ts";
import { PARTICLE_FIELDS } from "../physics/particles/blocks.ts";
import { fieldListProblems, listedTimes, listProblems } from "./output.ts";

export const subsampleTable = z
  .strictObject({
    every: optional(integer(0, LARGEST_U32), 0, {
      meaning: "particles whose id is a multiple of it; 0 writes no subsamples",
    }),
    count: optional(integer(1, 10_000), 100, { meaning: "subsamples after the initial one, evenly spaced" }),
    times: listedTimes("subsamples at these times alone,"),
    fields: optional(choices(...PARTICLE_FIELDS), ["positions", "velocities", "ids", "masses"], {
      meaning: "data of each particle, as output.fields",
    }),
  })
  .describe("Some of the particles, in subsample_000.hdf5 and so on, more often than snapshots");
type SubsampleSettings = z.output<typeof subsampleTable>;

export function subsampleProblems({ every, times, fields }: SubsampleSettings, time: TimeSettings): Problem[] {
  const path = ["subsample", "every"];
  const hint = "It says which particles: with 100 those of the ids 0, 100, 200 …";
  return [
    ...fieldListProblems(["subsample", "fields"], fields),
    ...listProblems(["subsample", "times"], times, time),
    ...mismatchIf(every === 1, path, "2 or more, or 0", every, "output.snapshots has all particles"),
    ...mismatchIf(times.length > 0 && every === 0, path, "2 or more with subsample.times", every, hint),
  ];
}
