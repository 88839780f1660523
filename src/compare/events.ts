/** What a comparison tells whoever watches it. With --json each event is one line on stdout. */
import type { InstrumentStart, NoteEvent, ProgressEvent, WarningEvent } from "../run/events.ts";
import type { CompareVariant, Comparison } from "./record.ts";

export type CompareEvent =
  /** `end` [time]; labels of the variants. */
  | (InstrumentStart & { end: number; varied: Record<string, string[]>; variants: string[] })
  /** The progress of one variant, as of a run. */
  | (ProgressEvent & { variant: string; index: number; count: number })
  /** A variant is done, failed or stopped. */
  | { event: "variant"; index: number; count: number; timeUnit: string; variant: Omit<CompareVariant, "rows"> }
  /** Something besides steps: the direct sum. */
  | { event: "activity"; what: string }
  | { event: "end"; folder: string; page: string; comparison: Comparison }
  | WarningEvent
  | NoteEvent;
