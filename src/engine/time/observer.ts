/** How a run in motion is looked at: observers record into the batches of its steps, and what they find is read back with them. */
import type { Batch } from "../../foundation/gpu/batch.ts";

/** The particles after a step, with forces; a kick that is owed would make them synchronous [time]. */
export interface Moment {
  step: number;
  time: number;
  kick: number;
}

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
