/** How a run in motion is looked at: observers record into the batches of its steps, and what they find is read back with them. */
import type { Batch } from "../../foundation/gpu/batch.ts";
import type { ParticleBlock } from "../../physics/particles/blocks.ts";
import type { OrbitRow } from "../../physics/particles/chosen.ts";
import type { MeshStage } from "../mesh/stage.ts";

/** The particles after a step, with forces; a kick that is owed would make them synchronous [time]. */
export interface Moment {
  step: number;
  time: number;
  kick: number;
}

/** What an output watches the steps by, on every backend alike; orbitWatch() is one. */
export interface StepWatch {
  /** Steps from look to look: after those that it divides. */
  every: number;
  /**
   * Of a mesh on a GPU: observes the steps until it is destroyed. `monopole`: of EscapedParticles. Without it every backend
   * stops for the looks. Throws "memory".
   */
  onDevice?(stage: MeshStage, monopole: GPUBuffer): Promise<Observer & { destroy(): void }>;
  /**
   * Of particles on the host, or between two advances: after a step; `read` gives those of ascending ids with synchronous
   * velocities. `blocks`, all of them, only to a watch without `onDevice`.
   */
  onHost(step: number, read: ReadChosen, blocks?: () => AsyncIterable<ParticleBlock>): void | Promise<void>;
}

/** Chosen particles as they are. */
export type ReadChosen = (ids: Uint32Array) => ChosenParticles | Promise<ChosenParticles>;
type ChosenParticles = Omit<OrbitRow, "step">;

export interface Observer<At extends Moment = Moment> {
  /** Before a submission is recorded; `idle` waits for the device. */
  prepare?(idle: () => Promise<void>): Promise<void>;
  /** After each step. */
  afterStep?(batch: Batch, at: At): void | Promise<void>;
  /** Whether the batch has no room for another step's look. */
  full?(batch: Batch): boolean;
  /** After a submission's last step. */
  atEnd?(batch: Batch, at: At): void;
  /** When the submission is under way. */
  sent?(at: At): Promise<void>;
}
