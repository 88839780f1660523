/**
 * What an integrator of direct summation is: predictor, corrector and criterion of the step, each for one particle.
 * Forces and steps are not its business. A new one is a file and a line in `referenceIntegrator`.
 * All are P(EC)¹: predict, one force at the predicted place, correct.
 */
import type { ForceArrays, ForceOrder } from "../../direct/bodies.ts";
import type { DirectSettings } from "../../scenario/scenario.ts";
import type { Bodies } from "./forces.ts";
import { hermite4 } from "./hermite-4.ts";
import { hermite6 } from "./hermite-6.ts";
import { leapfrog } from "./leapfrog.ts";

/** Derivatives of the acceleration that a particle may carry from step to step. */
export type Derivative = "jerks" | "snaps" | "crackles";

/** What particles carry from step to step, [3N, xyzxyz…] each; derivatives that an integrator doesn't keep are empty. */
export interface Orbits extends Record<Derivative, Float64Array> {
  /** [length] */
  positions: Float64Array;
  /** [velocity] */
  velocities: Float64Array;
  /** [velocity/time] */
  accelerations: Float64Array;
}

export interface ReferenceIntegrator {
  /** What it asks of a force. */
  readonly order: ForceOrder;
  /** Forces to start from positions and velocities alone: the last is of `order`. */
  readonly start: readonly ForceOrder[];
  /** What it keeps beyond the acceleration. */
  readonly keeps: readonly Derivative[];
  /** Writes particle i as it is `time` after its own time. */
  predict(orbits: Orbits, i: number, time: number, out: Bodies): void;
  /** Moves particle i to the end of a step [time], given the force there (entry `slot`); the step it then wants [time]. */
  correct(orbits: Orbits, i: number, step: number, predicted: Bodies, forces: ForceArrays, slot: number): number;
  /** The step that particle i wants at the start [time]. */
  firstStep(orbits: Orbits, i: number): number;
}

export function referenceIntegrator(settings: DirectSettings): ReferenceIntegrator {
  const makers = { leapfrog, "hermite-4": hermite4, "hermite-6": hermite6 };
  return makers[settings.integrator](settings);
}
