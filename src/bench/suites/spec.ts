/**
 * The language that a suite is written in. `gravmesh bench SUITE` makes a paper's measurements on the machine at hand and
 * sets its figures beside ours. A suite has
 *   experiments   a measurement for each of their cases;
 *   quantities    numbers along an axis, ours from the results or the paper's from what it prints;
 *   views         of quantities: a table, and published figures beside ours.
 * Order, progress, files, resuming, failures, terminal, page and JSON are the frame's (run.ts and its neighbours).
 *
 * To add one, with petersen2024/ as the smallest example: write NAME/index.ts, which exports `suite: Suite`, with what the
 * paper prints in NAME/published.ts; add it to index.ts; run `node .tooling/docs.mjs`; write its section of docs/papers.md.
 *
 * Rules: a measurement is independent of the others (any may be missing, failed or from an earlier session); it releases
 * what it allocates; it warms up before it times; figures that the paper only plots are not guessed at.
 */
import type { GpuContext } from "../../gpu/context.ts";
import { duration, plainNumber } from "../../page/numbers.ts";
import { type ComparisonRow, type Presentation, type PublishedValue, ratioTo, type SuiteAbout } from "./page-model.ts";
import type { RankedMeasurement, SuiteRanks } from "./ranked.ts";

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

/** What a measurement gives where it would take too long or can't be made here: a reason instead of figures. No failure. */
export interface LeftOut {
  leftOut: string;
}

export function isLeftOut(result: unknown): result is LeftOut {
  return typeof result === "object" && result !== null && "leftOut" in result;
}

/** `seconds`: what it would take by an estimate. */
export function tooLong(seconds: number): LeftOut {
  return { leftOut: `about ${duration(seconds)}` };
}

export interface ExperimentSpec<Case, Parameters, Result> {
  /** Stable, unique in the suite: letters, digits, hyphens. Depends only on what tells one case from another. */
  key: (one: Case) => string;
  /** What the progress line says. */
  label: (parameters: Parameters) => string;
  /** Why it can't be made in this session, which is no failure; asked again in the next. */
  skip?: (parameters: Parameters, context: MeasurementContext) => string | undefined;
  /** Plain JSON without NaN, or why it was left out. Throws what makes the measurement fail; the rest goes on. */
  run: (parameters: Parameters, context: MeasurementContext) => Promise<Result | LeftOut>;
  /** The result in a few words, for the terminal. */
  brief: (result: Result) => string;
}

/** What is measured, case by case. `Plan`: what else it is made with, repetitions and such. */
export class Experiment<Case extends object, Plan, Result extends object> {
  readonly key: (one: Case) => string;

  constructor(private readonly spec: ExperimentSpec<Case, Case & Plan, Result>) {
    this.key = spec.key;
  }

  /** The measurement with these parameters, which are stored with its result: it counts only where they are the same. */
  of(parameters: Case & Plan) {
    const { key, label, skip, run, brief } = this.spec;
    return {
      key: key(parameters),
      label: label(parameters),
      parameters: parameters as object,
      skip: (context: MeasurementContext) => skip?.(parameters, context),
      run: (context: MeasurementContext): Promise<unknown> => run(parameters, context),
      brief: (found: unknown) => (isLeftOut(found) ? `left out: ${found.leftOut}` : brief(found as Result)),
    };
  }
}

/** A case of an experiment, as the frame makes it. */
export type Measurement = ReturnType<Experiment<object, object, object>["of"]>;

/** Results so far, by the key of the measurement. */
export class Results {
  constructor(private readonly found: ReadonlyMap<string, unknown> = new Map()) {}

  /** The result of a case; undefined where it wasn't made, or was left out. */
  of<Case extends object, Plan, Result extends object>(
    experiment: Experiment<Case, Plan, Result>,
    one: Case,
  ): Result | undefined {
    const found = this.found.get(experiment.key(one));
    return isLeftOut(found) ? undefined : (found as Result | undefined);
  }
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

/** Numbers over `X`, by default numbers of particles: ours, or the paper's. */
export interface Quantity<X = number> {
  /** Head of its column or row. */
  label: string;
  /** undefined where it wasn't measured or isn't printed. */
  of: (x: X) => Maybe;
  /** How a table writes it; three significant digits by default. */
  text?: (value: number, x: X) => string;
  /** From the paper: by itself, or beside one of ours. */
  paper?: true | Quantity<X>;
}

/** A quantity by its label. */
export const quantity = <X = number>(
  label: string,
  of: Quantity<X>["of"],
  more: Omit<Quantity<X>, "label" | "of"> = {},
): Quantity<X> => ({ label, of, ...more });

/** To three significant digits. */
export const rounded = (value: number): number => Number(value.toPrecision(3));

/** A table of quantities, unless nothing of ours is in it, and the paper's figures beside ours where they are asked for. */
export interface View<X> {
  title: string;
  /** The unit of the table and of the published figures: "ms"; without for pure numbers. */
  unit?: string;
  /** Where the paper has it: "table 2", "figure 3". */
  where: string;
  /** The columns where it is written `across`, else the rows, of which those without anything of ours are left out. */
  over: readonly X[];
  across?: boolean;
  /** Head of the column of names. */
  corner?: string;
  /** The name of a row or column: String by default. */
  name?: (x: X) => string;
  quantities: readonly Quantity<X>[];
  note?: string;
  /** Names the published figures: those of the paper's quantities that stand beside ours. */
  published?: (x: X, ours: Quantity<X>, paper: Quantity<X>) => string;
}

/** What is shown of the results, but for remarks. */
export type Views = Omit<Presentation, "remarks">;

export function view<X>(spec: View<X>): Views {
  const { title, unit, where, over, across = false, corner = "", name = String, quantities, note, published } = spec;
  const cell = ({ of, text = plainNumber }: Quantity<X>, x: X) => {
    const value = of(x);
    return value === undefined ? null : text(value, x);
  };
  const measured = over.filter((x) => quantities.some(({ of, paper }) => !paper && of(x) !== undefined));
  const columns = [corner, ...(across ? over.map(name) : quantities.map(({ label }) => label))];
  const rows = across
    ? quantities.map((one) => [one.label, ...over.map((x) => cell(one, x))])
    : measured.map((x) => [name(x), ...quantities.map((one) => cell(one, x))]);
  const heading = `${title}${unit ? ` [${unit}]` : ""} (${where})`;
  const table = { title: heading, columns, rows, ...(note !== undefined && { note }) };
  const printed = quantities.flatMap((one) =>
    over.flatMap((x): PublishedRow[] => {
      const [{ paper: ours }, value] = [one, one.of(x)];
      if (!published || typeof ours !== "object" || value === undefined) return [];
      return [[published(x, ours, one), value, ours.of(x)]];
    }),
  );
  return { tables: measured.length > 0 ? [table] : [], comparison: beside({ where, ...(unit && { unit }) }, printed) };
}

/** Several views, in this order. */
export const together = (views: readonly Views[]): Views => ({
  tables: views.flatMap(({ tables }) => tables),
  comparison: views.flatMap(({ comparison }) => comparison),
});

/** What a published figure is of, the figure as printed, and ours; undefined where it wasn't measured. */
export type PublishedRow = readonly [quantity: string, value: PublishedValue, ours: Maybe];

/** Figures of one place in the paper beside ours. */
export function beside(
  { where, unit = "" }: { where: string; unit?: string },
  rows: readonly PublishedRow[],
): ComparisonRow[] {
  return rows.map(([quantity, published, found]) => {
    const ours = found !== undefined && Number.isFinite(found) ? found : null;
    return { quantity, unit, where, published, ours, ratio: ours === null ? null : ratioTo(published, ours) };
  });
}

/** One over the other. */
export function ratio(above: Maybe, below: Maybe): Maybe {
  return above === undefined || below === undefined || below === 0 ? undefined : above / below;
}
