/**
 * Conserved quantities in external potentials: the energy where all are steady; in a bar that turns steadily about the z axis,
 * with everything else round about that axis, Jacobi's integral E − Ω L_z of all particles together (Binney & Tremaine 2008,
 * eq. 3.112); nothing where a potential grows, ends or moves. The momentum never is; of the angular momentum about the centre
 * of the box as much as the shape of the field allows. In modified gravity the sum of ½ m φ isn't the energy that is conserved.
 */

import type { ConservedQuantity } from "../engine/diagnostics/columns/column.ts";
import { unitSystem } from "../foundation/deck/units.ts";
import { unmovedPotentials } from "../physics/initial/placing.ts";
import { formulaOf } from "../physics/potentials/external.ts";
import { isSteady } from "../physics/potentials/motion.ts";
import type { ExternalPotential } from "../physics/potentials/potential.ts";
import type { Scenario } from "./scenario.ts";

export type { ConservedQuantity } from "../engine/diagnostics/columns/column.ts";

type Field = ReturnType<typeof fieldOf>;

/** Potentials, and whether the centre of one of them moves. */
function fieldOf(scenario: Scenario) {
  const fixed = unmovedPotentials(scenario, unitSystem(scenario.units.system).G);
  return { potentials: fixed.map(({ potential }) => potential), moves: fixed.some(({ path, orbit }) => path ?? orbit) };
}

/** Share of the box by which rounding may have moved a centre. */
const NEARLY = 1e-9;

/**
 * External potentials together, about the centre of the box: there are none; all are spheres about it, which keep the angular
 * momentum; all are round about the z axis through it, which keep its z component; any others keep nothing of it.
 */
function fieldShape({ potentials, moves }: Field, boxSize: number): ConservedQuantity["field"] {
  if (potentials.length === 0) return "none";
  const isMiddle = (x: number) => Math.abs(x - 0.5 * boxSize) <= NEARLY * boxSize;
  if (moves || !potentials.every(({ centre }) => isMiddle(centre[0]) && isMiddle(centre[1]))) return "any";
  const central = potentials.every((one) => isMiddle(one.centre[2]) && formulaOf(one, 1).formula.spherical);
  return central ? "central" : potentials.every(isRound) ? "axial" : "any";
}

const NOTHING = { quantity: "none" } as const;

/** Of Jacobi's integral also Ω [rad/time], and x and y of the axis, box coordinates [length]. */
function conservedIn({ potentials, moves }: Field) {
  const shaped = potentials.filter((potential) => !isRound(potential));
  const changing = potentials.filter((potential) => !isSteady(potential));
  const turning = changing.filter((potential) => shaped.includes(potential));
  if (moves || changing.some(({ turn: _, ...rest }) => !isSteady(rest))) return NOTHING;
  if (turning.length === 0) return { quantity: "energy" } as const;
  const [{ turn, centre }] = turning;
  const [speed, axis] = [turn!.speed, [centre[0], centre[1]] as const];
  const onAxis = potentials.every((one) => one.centre[0] === axis[0] && one.centre[1] === axis[1]);
  const together = shaped.every((one) => one.turn?.speed === speed);
  return onAxis && together ? ({ quantity: "jacobi", speed, axis } as const) : NOTHING;
}

/** The same in all directions about the z axis through its centre. */
function isRound(potential: ExternalPotential): boolean {
  const { formula, p } = formulaOf(potential, 1);
  return formula.round?.(p) ?? false;
}

export const conservedBy = (scenario: Scenario) =>
  scenario.mond.formulation === "none" ? conservedIn(fieldOf(scenario)) : NOTHING;

export function keptBy(scenario: Scenario): ConservedQuantity {
  const field = fieldOf(scenario);
  return { conserved: conservedBy(scenario).quantity, field: fieldShape(field, scenario.box.size) };
}
