/**
 * Whether a fixed step can follow the motion: it may be no longer than an orbit at the radius that holds half of the
 * mass,
 *   T = 2π √(M r² / |Σ m a·x|),   by the virial of all forces there are.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { LAGRANGIAN_FRACTIONS, type Sums } from "../../physics/particles/sums.ts";

const HALF = LAGRANGIAN_FRACTIONS.indexOf(0.5);
/** Steps of an orbit to propose: enough for a look. */
const PROPOSED = 100;

/** [time]; infinite where no force acts. */
export function halfMassOrbit({ mass, virial, lagrangianRadii }: Sums): number {
  const inertia = mass * lagrangianRadii[HALF] ** 2;
  return virial === 0 || inertia === 0 ? Number.POSITIVE_INFINITY : 2 * Math.PI * Math.sqrt(inertia / Math.abs(virial));
}

/** Throws "scenario" for a step that is longer than an orbit; `otherwise`: what to try instead of a shorter one. */
export function requireResolved(step: number, orbit: number, otherwise: string): void {
  if (step <= orbit) return;
  const proposed = Number((orbit / PROPOSED).toPrecision(1));
  const [shown, found] = [orbit, step].map((time) => Number(time.toPrecision(3)));
  const message =
    proposed > 0
      ? `time.step: expected less than an orbit at the radius that holds half of the mass, ${shown}, found a step of ` +
        `${found}, which can't follow any motion. Try time.step = ${proposed}, or ${otherwise}`
      : `the forces at the start: expected finite numbers, found an orbit of ${shown} at the radius that holds half of ` +
        "the mass, which no step can follow. Look for a mass, a length or a velocity in the deck that is beyond all others";
  throw new GravmeshError("scenario", message);
}
