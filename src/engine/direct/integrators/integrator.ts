/**
 * An integrator of direct summation: what it asks of a force and keeps from step to step, its kernel, and for one
 * particle in float64 its predictor, corrector and criterion of the step. All are P(EC)¹, with one force a step.
 * A new one is a file of such a record, its .wgsl, and a line in ../integrators.ts.
 */
import type { WgslSource } from "../../../foundation/gpu/compose.ts";
import type { ForceArrays, ForceOrder } from "../bodies.ts";

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

/** Where a predictor writes [3N, xyzxyz…]; accelerations only where the force is of order "snap". */
export type PredictedOrbits = Pick<Orbits, "positions" | "velocities" | "accelerations">;

/** Predicted particles at the end of a step, and the forces on those that a block moves. */
export interface StepEnd {
  predicted: PredictedOrbits;
  forces: ForceArrays;
}

/** What the criteria take from the deck: ν, η and the softening ε [length]. */
export interface StepAccuracy {
  nu: number;
  eta: number;
  softening: number;
}

/** The integrator in float64, for particle i. */
export interface Float64Integrator {
  /** Writes the particle as it is `time` after its own time. */
  predict(orbits: Orbits, i: number, time: number, out: PredictedOrbits): void;
  /** Moves it to the end of a step [time], given the force there (entry `slot`); the step it then wants [time]. */
  correct(orbits: Orbits, i: number, step: number, at: StepEnd, slot: number): number;
  /** The step that it wants at the start [time]. */
  firstStep(orbits: Orbits, i: number): number;
}

export interface Integrator {
  /** As in "Hermite 4, block steps". */
  title: string;
  /** What it asks of a force. */
  order: ForceOrder;
  /** Forces to start from positions and velocities alone, one after the other: the last is of `order`. */
  start: readonly ForceOrder[];
  /** What it keeps beyond the acceleration. */
  keeps: readonly Derivative[];
  /** Keys of [direct] that lengthen its steps. */
  accuracy: readonly (keyof StepAccuracy)[];
  /** Chosen steps come from the softening, and there is none without it. */
  stepsNeedSoftening?: true;
  gpu: {
    /** Its predictor, corrector and criterion, and a body as its force takes it. */
    source: WgslSource;
    /** Bytes of a `Derivatives` record. */
    derivativeBytes: number;
  };
  float64(accuracy: StepAccuracy): Float64Integrator;
}
