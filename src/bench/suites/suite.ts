/**
 * Benchmark suites, each after a paper: its measurements made on the machine at hand, beside what the paper prints.
 * `gravmesh bench SUITE` runs one. A suite says what is measured and what is made of the results; everything else is
 * here for all of them: order, progress, files, resuming, failures, tables, JSON, page (suite-run.ts and its neighbours).
 *
 * To add a suite:
 *  1. write src/cli/suites/NAME.ts that exports `suite: Suite` (below);
 *  2. add its line to src/cli/suite-list.ts (what --help shows) and to src/cli/suites/index.ts (what loads it);
 *  3. write `node .tooling/docs.mjs` for docs/commands.md, and its section of docs/papers.md.
 *
 * An example, complete:
 *
 *   interface Scan { best: number; median: number; spread: number }
 *   const sizes = (quick: boolean) => (quick ? [1024] : [1024, 4096]);
 *   const key = (n: number) => `scan-${n}`;
 *
 *   export const suite: Suite = {
 *     id: "author2001",
 *     title: "Scanning on a device",
 *     paper: "Author 2001, Journal 1, 1",
 *     hardware: "a GeForce 3",
 *     about: "What the paper measured, what we measure, and where the two differ.",
 *     measurements: ({ quick }) =>
 *       sizes(quick).map((n): Measurement<Scan> => ({
 *         key: key(n), // stable: results are found again by it
 *         label: `scan of ${n} values`,
 *         parameters: { n, repetitions: 5 }, // a stored result counts only where these are the same
 *         skip: ({ gpu }) => (n > gpu.device.limits.maxBufferSize / 4 ? "it doesn't fit the adapter" : undefined),
 *         run: async ({ gpu, signal, progress }) => repeated(() => scanOnce(gpu, n), { repetitions: 5, signal, progress }),
 *         brief: ({ best }) => `${best.toPrecision(3)} ms`,
 *         published: [
 *           { quantity: `scan of ${n}`, unit: "ms", where: "table 2", value: 12.5, ours: (results) => results.get<Scan>(key(n))?.best },
 *         ],
 *       })),
 *     present: (results, { quick }) => {
 *       const points = sizes(quick).flatMap((n) => results.points<Scan>(key(n), n, ({ best }) => best));
 *       const tables = [{ title: "Scan (table 2)", columns: ["values", "ms"], rows: points.map(([n, ms]) => [String(n), ms.toPrecision(3)]) }];
 *       const plots = [{ kind: "lines" as const, title: "Scan", where: "fig. 1", x: { label: "values", scale: "log" as const }, y: { label: "time [ms]" },
 *         series: [{ label: "ours", points }, { label: "paper", paper: true, points: [[1024, 12.5]] }] }];
 *       return { tables, plots, remarks: [] };
 *     },
 *   };
 *
 * Rules: a measurement is independent of the others (any may be missing, failed or from an earlier session); it releases
 * what it allocates; it warms up before it times (`repeated` does); figures that the paper only plots are not guessed at.
 */
import type { GpuContext } from "../../gpu/context.ts";
import type { PublishedValue, SuitePlot, SuiteTable } from "./page-model.ts";

export interface SuiteSettings {
  /** Less of everything: under five minutes on two cores without a GPU. */
  quick: boolean;
}

/** What a measurement is given. */
export interface MeasurementContext {
  /** For the measurement's use; the next one gets another when this one was lost or has failed. */
  gpu: GpuContext;
  settings: SuiteSettings;
  /** Throw a GravmeshError of kind "aborted", or hand it on: the measurement then counts as not made. */
  signal: AbortSignal;
  /** How far the measurement is, 0 … 1. */
  progress: (fraction: number) => void;
}

/** A figure as the paper prints it, and ours. */
export interface Published {
  /** What it is of: "step at 128³, full GPU, FFT". */
  quantity: string;
  /** "ms", "Gflop/s"; left out for pure numbers. */
  unit?: string;
  /** Where the paper has it: "table 2", "section 3.2". */
  where: string;
  value: PublishedValue;
  /** Ours; undefined where it wasn't measured. */
  ours: (results: Results) => number | undefined;
}

export interface Measurement<Result = unknown> {
  /** Stable, unique in the suite: letters, digits, hyphens. */
  key: string;
  /** What the progress line says. */
  label: string;
  /** What it is made with, plain JSON: stored with the result, which counts only where they are the same. */
  parameters: Record<string, unknown>;
  /** Why it can't be made on this adapter, which is no failure. */
  skip?: (context: MeasurementContext) => string | undefined;
  /** Plain JSON without NaN. Throws what makes the measurement fail; the rest goes on. */
  run: (context: MeasurementContext) => Promise<Result>;
  /** The result in a few words, for the terminal. */
  // biome-ignore lint/suspicious/noExplicitAny: a suite's list holds results of several types
  brief?: (result: any) => string;
  published?: readonly Published[];
}

/** Results so far, by the key of the measurement. */
export class Results {
  readonly #found: ReadonlyMap<string, unknown>;

  constructor(found: ReadonlyMap<string, unknown>) {
    this.#found = found;
  }

  get<Result>(key: string): Result | undefined {
    return this.#found.get(key) as Result | undefined;
  }

  /** [[x, y]] for a plot, or none where the result or its value is missing. */
  points<Result>(key: string, x: number, y: (result: Result) => number | undefined): [number, number][] {
    const result = this.get<Result>(key);
    const value = result === undefined ? undefined : y(result);
    return value === undefined ? [] : [[x, value]];
  }
}

export interface Presentation {
  tables: SuiteTable[];
  plots: SuitePlot[];
  /** What to know when reading them: what isn't reproduced, and why. */
  remarks: string[];
}

export interface Suite {
  /** The name on the command line. */
  id: string;
  title: string;
  paper: string;
  /** What the paper measured on. */
  hardware: string;
  /** What is measured, and how it differs from the paper: a few sentences. */
  about: string;
  /** In the order in which they are made; the same list for the same settings on every adapter. */
  measurements: (settings: SuiteSettings) => Measurement[];
  /** Called with whatever results there are. */
  present: (results: Results, settings: SuiteSettings) => Presentation;
}
