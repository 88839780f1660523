/**
 * What is conserved in external potentials: the energy where all are steady; in a bar that turns steadily about the z axis,
 * with everything else round about that axis, Jacobi's integral E − Ω L_z of all particles together (Binney & Tremaine 2008,
 * eq. 3.112); nothing where a potential grows, ends or moves.
 */
import { formulaOf } from "./external.ts";
import { isSteady } from "./motion.ts";
import type { ExternalPotential } from "./potential.ts";

export type Conserved =
  | { quantity: "energy" | "none" }
  | {
      quantity: "jacobi";
      /** Ω [rad/time] */
      speed: number;
      /** Box coordinates x and y of the axis [length]. */
      axis: readonly [number, number];
    };

/** `moves`: the centre of one of them does, if its path isn't among what is known of it. */
export function conservedIn(potentials: readonly ExternalPotential[], moves = false): Conserved {
  const shaped = potentials.filter((potential) => !isRound(potential));
  const changing = potentials.filter((potential) => !isSteady(potential));
  const turning = changing.filter((potential) => shaped.includes(potential));
  if (moves || changing.some(({ turn: _, ...rest }) => !isSteady(rest))) return { quantity: "none" };
  if (turning.length === 0) return { quantity: "energy" };
  const [{ turn, centre }] = turning;
  const [speed, axis] = [turn!.speed, [centre[0], centre[1]] as const];
  const onAxis = potentials.every((one) => one.centre[0] === axis[0] && one.centre[1] === axis[1]);
  const together = shaped.every((one) => one.turn?.speed === speed);
  return onAxis && together ? { quantity: "jacobi", speed, axis } : { quantity: "none" };
}

/** The same in all directions about the z axis through its centre. */
function isRound(potential: ExternalPotential): boolean {
  const { formula, p } = formulaOf(potential, 1);
  return formula.round?.(p) ?? formula.spherical !== undefined;
}
