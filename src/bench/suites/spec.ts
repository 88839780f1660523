/**
 * The language that a suite is written in. `gravmesh bench SUITE` makes a paper's measurements on the machine at hand and
 * sets its figures beside ours; the suite says what is measured and what follows from the results. Order, progress,
 * files, resuming, failures, what was left out, terminal, page and JSON are the frame's (run.ts and its neighbours).
 *
 * A suite is made of
 *   experiments   a measurement for each of their cases: key, parameters, how it is made, the result in a few words;
 *   quantities    numbers along an axis, ours from the results or the paper's from what it prints, each with its name;
 *   views         of the same quantities: `table`, `lines` (a plot) and `beside` (published figures and ours).
 *
 * To add one:
 *  1. write NAME/index.ts here, which exports `suite: Suite`; what the paper prints goes to NAME/published.ts;
 *  2. add it to index.ts: what --help shows, and what loads it;
 *  3. run `node .tooling/docs.mjs` for docs/commands.md, and write its section of docs/papers.md.
 *
 * An example, complete:
 *
 *   const sizes = ({ quick }: SuiteSettings) => (quick ? [1024] : [1024, 4096]);
 *   const PAPER: Record<number, number> = { 1024: 12.5 };
 *
 *   const SCAN = new Experiment<{ n: number }, { repetitions: number }, Timing>({
 *     key: ({ n }) => `scan-${n}`,
 *     label: ({ n }) => `scan of ${n} values`,
 *     run: ({ n, repetitions }, { gpu, signal, progress }) =>
 *       repeated(() => scanOnce(gpu, n), { repetitions, signal, progress }),
 *     brief: ({ best }) => `${best.toPrecision(3)} ms`,
 *   });
 *
 *   export const suite: Suite = {
 *     id: "author2001",
 *     title: "Scanning on a device",
 *     paper: "Author 2001, Journal 1, 1",
 *     hardware: "a GeForce 3",
 *     about: "What the paper measured, what we measure, and where the two differ.",
 *     measurements: (settings) => sizes(settings).map((n) => SCAN.of({ n, repetitions: 5 })),
 *     present: (results, settings) => {
 *       const over = sizes(settings);
 *       const ours: Quantity = { label: "ours", of: (n) => results.of(SCAN, { n })?.best, text: milliseconds };
 *       const theirs: Quantity = { label: "paper", paper: true, of: (n) => PAPER[n] };
 *       return {
 *         tables: [table({ title: "Scan [ms] (table 2)", corner: "values", over, quantities: [ours, theirs] })],
 *         plots: [lines({ title: "Scan", where: "fig. 1", x: { label: "values", scale: "log" }, y: { label: "time [ms]" },
 *           over, quantities: [ours, theirs] })],
 *         published: beside({ where: "table 2", unit: "ms" }, over.map((n) => [`scan of ${n}`, PAPER[n], ours.of(n)])),
 *         remarks: [],
 *       };
 *     },
 *   };
 *
 * Rules: a measurement is independent of the others (any may be missing, failed or from an earlier session); it releases
 * what it allocates; it warms up before it times (`repeated` does); figures that the paper only plots are not guessed at.
 */
import type { GpuContext } from "../../gpu/context.ts";
import { isLeftOut, type LeftOut } from "./left-out.ts";
import type {
  ComparisonRow,
  LinesPlot,
  PublishedValue,
  Shown,
  SuiteAbout,
  SuiteSeries,
  SuiteTable,
} from "./page-model.ts";
import type { RankedMeasurement, SuiteRanks } from "./ranked.ts";
import { figure } from "./text.ts";

export interface SuiteSettings {
  /** Less of everything: under five minutes on two cores without a GPU. */
  quick: boolean;
}

/** What a measurement is given. */
export interface MeasurementContext {
  /** For the measurement's use; the next one gets another when this one was lost or has failed. */
  gpu: GpuContext;
  settings: SuiteSettings;
  /** Processes that `mpirun` has started; this one alone unless given. */
  ranks?: SuiteRanks | undefined;
  /** Throw a GravmeshError of kind "aborted", or hand it on: the measurement then counts as not made. */
  signal: AbortSignal;
  /** How far the measurement is, 0 … 1. */
  progress: (fraction: number) => void;
}

/** A case of an experiment, as the frame makes it. */
export interface Measurement {
  key: string;
  label: string;
  /** Stored with the result, which counts only where they are the same. */
  parameters: object;
  /** Why it can't be made on this adapter, which is no failure. */
  skip?: (context: MeasurementContext) => string | undefined;
  run: (context: MeasurementContext) => Promise<unknown>;
  /** A result, as stored, in a few words for the terminal. */
  brief: (result: unknown) => string;
  /** Where it is named when it is left out: what it has in common with others, and what tells it from them. */
  among?: readonly [group: string, label: string];
}

export interface ExperimentSpec<Case, Parameters, Result> {
  /** Stable, unique in the suite: letters, digits, hyphens. Depends on what tells one case from another alone. */
  key: (one: Case) => string;
  /** What the progress line says. */
  label: (parameters: Parameters) => string;
  skip?: (parameters: Parameters, context: MeasurementContext) => string | undefined;
  /** Plain JSON without NaN, or why it was left out. Throws what makes the measurement fail; the rest goes on. */
  run: (parameters: Parameters, context: MeasurementContext) => Promise<Result | LeftOut>;
  /** The result in a few words. */
  brief: (result: Result) => string;
  among?: (parameters: Parameters) => readonly [group: string, label: string];
}

/** What is measured, case by case. `Plan`: what else it is made with, repetitions and such. */
export class Experiment<Case extends object, Plan, Result extends object> {
  constructor(private readonly spec: ExperimentSpec<Case, Case & Plan, Result>) {}

  key(one: Case): string {
    return this.spec.key(one);
  }

  /** The measurement with these parameters. */
  of(parameters: Case & Plan): Measurement {
    const { key, label, skip, run, brief, among } = this.spec;
    return {
      key: key(parameters),
      label: label(parameters),
      parameters,
      ...(skip && { skip: (context) => skip(parameters, context) }),
      run: (context) => run(parameters, context),
      brief: (found) => {
        const result = found as Result | LeftOut;
        return isLeftOut(result) ? `left out: ${result.leftOut}` : brief(result);
      },
      ...(among && { among: among(parameters) }),
    };
  }
}

/** Results so far, by the key of the measurement. */
export class Results {
  constructor(private readonly found: ReadonlyMap<string, unknown> = new Map()) {}

  get(key: string): unknown {
    return this.found.get(key);
  }

  /** Of a case; undefined where it wasn't made, or was left out. */
  of<Case extends object, Plan, Result extends object>(
    experiment: Experiment<Case, Plan, Result>,
    one: Case,
  ): Result | undefined {
    const found = this.found.get(experiment.key(one)) as Result | LeftOut | undefined;
    return isLeftOut(found) ? undefined : found;
  }
}

/** A figure as the paper prints it, and ours. */
export interface Published extends Pick<ComparisonRow, "quantity" | "where">, Partial<Pick<ComparisonRow, "unit">> {
  value: PublishedValue;
  /** undefined where it wasn't measured. */
  ours: Maybe;
}

export interface Presentation extends Shown {
  published: Published[];
}

export interface Suite extends SuiteAbout {
  /** The name on the command line. */
  id: string;
  /** In the order in which they are made; the same list for the same settings on every adapter. */
  measurements: (settings: SuiteSettings) => Measurement[];
  /** Called with whatever results there are. */
  present: (results: Results, settings: SuiteSettings) => Presentation;
  /** What several ranks measure together; left out by suites of one process. */
  ranked?: readonly RankedMeasurement<never, unknown>[];
}

export type Maybe = number | undefined;

/** Numbers along an axis over `X`: numbers of particles by default. Ours, or the paper's. */
export interface Quantity<X = number> {
  /** Head of its column or row, and what the legend says. */
  label: string;
  /** undefined where it wasn't measured or isn't printed. */
  of: (x: X) => Maybe;
  /** How a table writes it; three significant digits by default. */
  text?: (value: number, x: X) => string;
  /** From the paper: open diamonds in a plot. */
  paper?: boolean;
  /** In a plot, as of a SuiteSeries. */
  look?: Pick<SuiteSeries, "colour" | "curve" | "dashed">;
}

/** A quantity by its label. */
export const quantity = <X = number>(
  label: string,
  of: Quantity<X>["of"],
  more: Omit<Quantity<X>, "label" | "of"> = {},
): Quantity<X> => ({ label, of, ...more });

interface View<X> {
  title: string;
  over: readonly X[];
  quantities: readonly Quantity<X>[];
  note?: string;
}

export interface TableSpec<X> extends View<X> {
  /** Head of the column of names. */
  corner?: string;
  /** Of what it goes over: String by default. */
  name?: (x: X) => string;
  /** Where what it goes over is written: down, the quantities being columns, or across. */
  along?: "down" | "across";
  /** Rows without anything of ours, too. */
  whole?: boolean;
}

/** A table of quantities; rows in which nothing was measured are left out. */
export function table<X>(spec: TableSpec<X>): SuiteTable {
  const { title, over, quantities, note, corner = "", name = String, along = "down", whole = false } = spec;
  const cell = ({ of, text = figure }: Quantity<X>, x: X) => {
    const value = of(x);
    return value === undefined ? null : text(value, x);
  };
  const isOurs = (x: X) => quantities.some(({ of, paper }) => !paper && of(x) !== undefined);
  const shown = whole || along === "across" ? over : over.filter(isOurs);
  const labels = quantities.map(({ label }) => label);
  const [columns, rows] =
    along === "down"
      ? [labels, shown.map((x) => [name(x), ...quantities.map((one) => cell(one, x))])]
      : [shown.map(name), quantities.map((one) => [one.label, ...shown.map((x) => cell(one, x))])];
  return { title, columns: [corner, ...columns], rows, ...(note !== undefined && { note }) };
}

export interface LinesSpec<X> extends View<X>, Pick<LinesPlot, "where" | "x" | "y" | "rules"> {
  /** Place on the horizontal axis; X itself by default. */
  at?: (x: X) => number;
  /** After the quantities: what isn't along the same axis. */
  more?: readonly SuiteSeries[];
}

/** Where quantities are, along the axis. Logarithmic axes have no 0. */
export function pointsOf<X>(
  over: readonly X[],
  of: Quantity<X>["of"],
  at: (x: X) => number = Number,
): [number, number][] {
  return over.flatMap((x) => {
    const value = of(x);
    return value === undefined || value === 0 ? [] : [[at(x), value] as [number, number]];
  });
}

/** A plot of quantities. */
export function lines<X>({ over, quantities, at, more = [], ...plot }: LinesSpec<X>): LinesPlot {
  const series = quantities.map(({ label, of, paper, look }): SuiteSeries => {
    return { label, points: pointsOf(over, of, at), ...(paper && { paper }), ...look };
  });
  return { kind: "lines", ...plot, series: [...series, ...more] };
}

export type PublishedRow = readonly [quantity: string, value: PublishedValue, ours: Maybe];

/** Figures of one place in the paper: what each is of, as printed, and ours. */
export function beside(place: Pick<Published, "where" | "unit">, rows: readonly PublishedRow[]): Published[] {
  return rows.map(([quantity, value, ours]) => ({ ...place, quantity, value, ours }));
}

/** One over the other. */
export function ratio(above: Maybe, below: Maybe): Maybe {
  return above === undefined || below === undefined || below === 0 ? undefined : above / below;
}

/** What `pick` makes of those values that there are: the least, the middle one; undefined where there are none. */
export function among(values: readonly Maybe[], pick: (values: number[]) => number): Maybe {
  const found = values.filter((value) => value !== undefined);
  return found.length === 0 ? undefined : pick(found);
}

export const least = (values: readonly number[]): number => Math.min(...values);
export const largest = (values: readonly number[]): number => Math.max(...values);
