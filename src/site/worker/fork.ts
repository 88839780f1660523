/** A run that goes on with other parameters from where another one is: its particles, its time, its deck with changes. */
import { GravmeshError } from "../../base/errors.ts";
import { requireBeginning } from "../../potentials/motion.ts";
import { parseScenario } from "../../scenario/parse.ts";
import { forkRefusals } from "./fork-keys.ts";
import type { RunExhibit, RunRequest } from "./run-exhibit.ts";

/**
 * Throws "scenario" for a deck that would be none, and for keys that the particles can't go on with. `goesOn`: it takes the
 * run's place, and its curves with it.
 */
export async function forked(
  run: Pick<RunExhibit, "simulation" | "request" | "curves">,
  overrides: readonly string[],
  goesOn = false,
): Promise<RunRequest> {
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
