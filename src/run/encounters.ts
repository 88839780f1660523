/** The orbits that a run's galaxies were placed on, with the masses that its particles have. */
import { unitSystem } from "../foundation/deck/units.ts";
import type { PlacedGalaxies } from "../physics/initial/frames.ts";
import { placedGalaxies } from "../physics/initial/placing.ts";
import type { ComponentRange } from "../physics/particles/state.ts";
import type { Simulation } from "../scenario/simulation/simulation.ts";

/** A file's components keep their own names after that of its table. */
export function belongs(range: Pick<ComponentRange, "name">, table: string): boolean {
  return range.name === table || range.name.startsWith(`${table} `);
}

export function encountersOf({
  scenario,
  components,
  masses,
  fileProfiles: files,
}: Simulation): Pick<PlacedGalaxies, "encounters" | "orbits"> {
  const massOf = (index: number) => {
    const { name } = scenario.particles[index];
    const own = components.filter((range) => range.name === name);
    const parts = own.length > 0 ? own : components.filter((range) => belongs(range, name));
    return parts.reduce((sum, range) => sum + masses.within(range), 0);
  };
  return placedGalaxies(scenario, massOf, unitSystem(scenario.units.system).G, { files });
}
