/** What a comparison tells whoever watches it. With --json each event is one line on stdout. */
import type { ProgressEvent, WarningEvent } from "../run/events.ts";
import type { InstrumentStart } from "../run/instrument.ts";
import type { CompareVariant, Comparison } from "./record.ts";

export interface CompareStartEvent extends InstrumentStart {
  /** [time] */
  end: number;
  varied: Record<string, string[]>;
  variants: string[];
}

/** The progress of one variant, as of a run. */
export interface CompareProgressEvent extends ProgressEvent {
  variant: string;
  index: number;
  count: number;
}

/** A variant is done, failed or stopped. */
export interface CompareVariantEvent {
  event: "variant";
  index: number;
  count: number;
  variant: Omit<CompareVariant, "rows">;
}

export interface CompareEndEvent {
  event: "end";
  folder: string;
  page: string;
  comparison: Comparison;
}

export type CompareEvent =
  | CompareStartEvent
  | CompareProgressEvent
  | CompareVariantEvent
  | CompareEndEvent
  | WarningEvent;
