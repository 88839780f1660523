/** What a scenario's run conserves, by its external potentials: what its energy error is of, and whether momenta have any. */
import { unitSystem } from "../deck/units.ts";
import type { Kept } from "../diagnostics/columns/column.ts";
import { unmovedPotentials } from "../initial/placing.ts";
import { type Conserved, conservedIn, fieldShape } from "../potentials/conserved.ts";
import type { Scenario } from "./scenario.ts";

export type { Kept } from "../diagnostics/columns/column.ts";
export type { Conserved } from "../potentials/conserved.ts";

export function conservedBy(scenario: Scenario): Conserved {
  const { potentials, moves } = externalOf(scenario);
  return conservedIn(potentials, moves);
}

/** What is told of that, on pages and in files. */
export function keptBy(scenario: Scenario): Kept {
  const { potentials, moves } = externalOf(scenario);
  return {
    conserved: conservedIn(potentials, moves).quantity,
    field: fieldShape(potentials, scenario.box.size, moves),
  };
}

function externalOf(scenario: Scenario) {
  const fixed = unmovedPotentials(scenario, unitSystem(scenario.units.system).G);
  return {
    potentials: fixed.map(({ potential }) => potential),
    moves: fixed.some(({ path }) => path !== undefined),
  };
}
