/** A run that goes on with other parameters from where another one is: its particles, its time, its deck with changes. */
import { GravmeshError } from "../../../foundation/base/errors.ts";
import { displayPath, shown } from "../../../foundation/deck/problems.ts";
import { isRigid } from "../../../physics/initial/components.ts";
import { requireBeginning } from "../../../physics/potentials/motion.ts";
import { differencesOf } from "../../../scenario/continuation.ts";
import { parseScenario } from "../../../scenario/parse.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import type { ExhibitRequest, RunExhibit } from "./run-exhibit.ts";

/** Throws "scenario" for a wrong deck or keys that are fixed by now. `goesOn`: it takes the run's place, with its curves. */
export async function forked(
  run: Pick<RunExhibit, "simulation" | "request" | "curves">,
  overrides: readonly string[],
  goesOn = false,
): Promise<ExhibitRequest> {
  const { simulation, request } = run;
  if (!simulation) throw new GravmeshError("usage", "the run can't be forked before its particles are there");
  const { text, files } = request;
  const all = [...request.overrides, ...overrides];
  const scenario = parseScenario(text, { file: "deck", overrides: all });
  const refusals = forkRefusals(simulation.scenario, scenario);
  if (refusals.length > 0) throw new GravmeshError("scenario", refusals.join("\n"));
  const { time } = simulation;
  if (!(scenario.time.end > time)) {
    throw new GravmeshError("scenario", `the run is at its end: a fork needs a later one, time.end above ${time}`);
  }
  requireBeginning(scenario, simulation.externalPotentials, time);
  const { count, positions, velocities, masses, components } = await simulation.readParticles();
  // On the comoving clock steps and outputs are spread from the scale factor that there is.
  const start = scenario.time.clock === "comoving" ? [`time.start=${time}`] : [];
  return {
    ...{ text, files, overrides: [...all, ...start] },
    begun: {
      particles: { count, positions, velocities, masses, components },
      time,
      curves: goesOn ? run.curves : undefined,
    },
  };
}

/** Why the keys of a table, or a single key, are fixed once there are particles. */
const FIXED: Readonly<Record<string, string>> = {
  particles: "the particles are drawn with it",
  galaxy: "the particles are placed by it",
  cosmology: "the particles are drawn with it",
  units: "the particles' numbers are in these units",
  box: "the particles lie in this box",
  "time.clock": "the particles' velocities go by this clock",
  "time.start": "the particles are of a later time",
  "time.continued": "it belongs to the outputs of a run that was continued",
};

const reasonFor = (table: string, key: string): string | undefined => FIXED[`${table}.${key}`] ?? FIXED[table];

export function isForkable(table: string, key: string): boolean {
  return reasonFor(table, key) === undefined;
}

/** Why one scenario can't go on as another; empty where it can. */
export function forkRefusals(before: Scenario, now: Scenario): string[] {
  return differencesOf(before, now).flatMap(({ path, found, now: next }) => {
    const reason = reasonFor(String(path[0]), String(path.at(-1)));
    const rigid = path[0] === "particles" && isRigid(before.particles[Number(path[1])]);
    // A component without particles is a potential: it may be another.
    if (reason === undefined || (rigid && path.at(-1) !== "rigid" && path.at(-1) !== "kind")) return [];
    return [
      `${displayPath(path)} is ${shown(found)}, and ${reason}: a fork can't have ${shown(next)}. Start the deck again with it`,
    ];
  });
}
