/** What a run of a benchmark suite is: plain objects, from which suite.json and suite.html are made. */
import type { AdapterSummary } from "../../gpu/adapter.ts";
import type { Status } from "../../run/results.ts";

/** A figure as a paper prints it: a number, a range, or a bound. */
export type PublishedValue = number | readonly [number, number] | { atLeast: number } | { atMost: number };

/** A published figure beside ours. */
export interface ComparisonRow {
  /** What it is of: "step at 128³, full GPU, FFT". */
  quantity: string;
  /** "ms", "Gflop/s"; "" for pure numbers. */
  unit: string;
  /** Where the paper has it: "table 2", "section 3.2". */
  where: string;
  published: PublishedValue;
  /** null where it wasn't measured. */
  ours: number | null;
  /** Ours over the published one; over the nearer end of a range that it lies outside of, 1 within. */
  ratio: number | null;
}

export interface SuiteTable {
  title: string;
  columns: readonly string[];
  /** The first cell names the row; null where nothing was measured. */
  rows: readonly (readonly (string | null)[])[];
  note?: string;
}

export interface MeasurementRecord {
  key: string;
  label: string;
  parameters: object;
  /** "waiting": not made yet. */
  status: "done" | "failed" | "skipped" | "waiting";
  /** Why it failed or was skipped. */
  message: string | null;
  /** When it ended, ISO 8601, and how long it took [s]. */
  date: string | null;
  seconds: number | null;
  /** Load average of the last minute when it began, its own process included. */
  load: number | null;
  result: unknown;
}

/** What a suite says of itself. */
export interface SuiteAbout {
  title: string;
  paper: string;
  /** What the paper measured on. */
  hardware: string;
  /** What is measured, and how it differs from the paper: a few sentences. */
  about: string;
}

/** What is shown of the results. */
export interface Presentation {
  comparison: ComparisonRow[];
  tables: SuiteTable[];
  /** What to know when reading them: what isn't reproduced, and why. */
  remarks: string[];
}

/** suite.json. */
export interface SuiteRecord extends SuiteAbout, Presentation {
  suite: string;
  status: Status;
  version: string;
  node: string;
  /** Version of the `webgpu` package (Dawn). */
  webgpu: string;
  /** Start of the first session and end of the last, ISO 8601. */
  date: string;
  finished: string;
  sessions: number;
  /** `cores`: logical ones that the process may use; `busyCores`: how many of those other programs used before the session began. */
  machine: { system: string; processor: string; cores: number; memoryBytes: number; busyCores: number };
  /** `name`: description and driver as the adapter gives them. */
  adapter: Pick<AdapterSummary, "vendor" | "architecture" | "software"> & { name: string };
  settings: { quick: boolean };
  measurements: MeasurementRecord[];
}

/** "1.6 to 11.5", "at least 40". */
export function publishedText(value: PublishedValue, text: (value: number) => string = String): string {
  if (typeof value === "number") return text(value);
  if ("atLeast" in value) return `at least ${text(value.atLeast)}`;
  if ("atMost" in value) return `at most ${text(value.atMost)}`;
  return `${text(value[0])} to ${text(value[1])}`;
}

/** Ours over the published value; 1 inside a range or on the right side of a bound. */
export function ratioTo(published: PublishedValue, ours: number): number {
  if (typeof published === "number") return ours / published;
  const [low, high] =
    "atLeast" in published
      ? [published.atLeast, Number.POSITIVE_INFINITY]
      : "atMost" in published
        ? [0, published.atMost]
        : published;
  if (ours < low) return ours / low;
  return ours > high ? ours / high : 1;
}
