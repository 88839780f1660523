/** What a validation tells whoever watches it. With --json each event is one line on stdout. */
import type { InstrumentStart, NoteEvent, WarningEvent } from "../run/events.ts";
import type { Validation } from "./record.ts";

export type Part = "preparation" | "forces" | "force law" | "evolution";

export type ValidateEvent =
  /** `cells`: mesh cells per side. */
  | (InstrumentStart & { cells: number })
  /** `what` of the part; `fraction` of it, 0 … 1. */
  | { event: "progress"; part: Part; what: string; fraction: number; elapsedSeconds: number }
  /** A part is done; null where there was nothing to measure. */
  | { event: "part"; part: Part; result: Validation["forces"] | Validation["forceLaw"] | Validation["evolution"] }
  | { event: "end"; folder: string; page: string; validation: Validation }
  | WarningEvent
  | NoteEvent;
