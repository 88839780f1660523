/** What a scenario's run conserves, by its external potentials: what its energy error is of. */
import { unitSystem } from "../deck/units.ts";
import { unmovedPotentials } from "../initial/placing.ts";
import { type Conserved, conservedIn } from "../potentials/conserved.ts";
import type { Scenario } from "./scenario.ts";

export type { Conserved } from "../potentials/conserved.ts";

export function conservedBy(scenario: Scenario): Conserved {
  const fixed = unmovedPotentials(scenario, unitSystem(scenario.units.system).G);
  const moves = fixed.some(({ path }) => path !== undefined);
  return conservedIn(
    fixed.map(({ potential }) => potential),
    moves,
  );
}
