/** What a validation tells whoever watches it. With --json each event is one line on stdout. */
import type { WarningEvent } from "../run/events.ts";
import type { InstrumentStart } from "../run/instrument.ts";
import type { Validation } from "./record.ts";

export type Part = "preparation" | "forces" | "force law" | "evolution";

export interface ValidateStartEvent extends InstrumentStart {
  /** Mesh cells per side. */
  cells: number;
}

export interface ValidateProgressEvent {
  event: "progress";
  part: Part;
  /** What of the part. */
  what: string;
  /** Of it, 0 … 1. */
  fraction: number;
  elapsedSeconds: number;
}

/** A part is done; null where there was nothing to measure. */
export interface ValidatePartEvent {
  event: "part";
  part: Part;
  result: Validation["forces"] | Validation["forceLaw"] | Validation["evolution"];
}

export interface ValidateEndEvent {
  event: "end";
  folder: string;
  page: string;
  validation: Validation;
}

export type ValidateEvent =
  | ValidateStartEvent
  | ValidateProgressEvent
  | ValidatePartEvent
  | ValidateEndEvent
  | WarningEvent;
