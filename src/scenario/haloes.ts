/** The table [haloes]: catalogues of spherical haloes during the run, and their merger trees. */
import { z } from "zod";
import { choices, integer, optional } from "../foundation/deck/keys.ts";
import { mismatchIf, type Problem } from "../foundation/deck/problems.ts";
import { HALO_DEFINITIONS } from "../physics/cosmology/overdensity.ts";
import { everySteps, listedTimes, listProblems, onceProblems, stepCountProblems } from "./output.ts";
import type { Scenario } from "./scenario.ts";

export const haloesTable = z
  .strictObject({
    definitions: optional(choices(...HALO_DEFINITIONS), [], {
      meaning:
        'comoving: masses and radii of haloes by their mean density, the first one bounds them: "vir" (Bryan & Norman 1998), "200c", "500c" times the critical density, "200m" times that of matter; when empty there are no catalogues',
    }),
    members: optional(integer(10, 1_000_000), 20, { meaning: "particles of the smallest halo" }),
    count: optional(integer(0, 100_000), 0, {
      meaning: "catalogues after the initial one, evenly spaced; 0: one with every snapshot",
    }),
    every: everySteps("a catalogue"),
    times: listedTimes("catalogues at these times alone,"),
  })
  .describe(
    "Catalogues of haloes of given mean density during the run, in haloes_000.hdf5 and so on, and their merger trees",
  );

export const findsSphericalHaloes = ({ haloes }: Pick<Scenario, "haloes">): boolean => haloes.definitions.length > 0;

export function haloesProblems({ haloes, time }: Scenario): Problem[] {
  const { definitions, count, every, times } = haloes;
  if (definitions.length === 0) return [];
  const at = (key: string) => ["haloes", key];
  const hint = "Without expansion there is no density to compare with; output.haloes finds friends of friends";
  return [
    ...mismatchIf(time.clock !== "comoving", at("definitions"), "none without an expanding box", definitions, hint),
    ...onceProblems(at("definitions"), definitions, "each definition once"),
    ...listProblems(at("times"), times, time),
    ...stepCountProblems(at("every"), every, time, { count: "haloes.count", list: "haloes.times", times }),
    ...mismatchIf(
      count > 0 && (every > 0 || times.length > 0),
      at("count"),
      "0 with haloes.every or haloes.times",
      count,
    ),
  ];
}
