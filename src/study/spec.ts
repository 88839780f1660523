/**
 * The language of studies: cases × measures. A study has
 *   experiments   a measurement for each of their cases;
 *   quantities    numbers along an axis (table.ts), ours from the results or a paper's from what it prints;
 *   views         of quantities: a table on the terminal and on the page.
 * Order, progress, files, failures and events are the runner's (cases.ts).
 *
 * Rules: a measurement is independent of the others (any may be missing, failed or from an earlier session); it releases
 * what it allocates; it warms up before it times; figures that a paper only plots are not guessed at.
 */
import type { GpuContext } from "../foundation/gpu/context.ts";
import type { Ranks } from "../foundation/ranks/ranks.ts";
import { duration } from "../run/page/numbers.ts";
import type { Views } from "./table.ts";

export interface StudySettings {
  /** Less of everything: under five minutes on two cores without a GPU. */
  quick: boolean;
}

/** What a measurement is given. */
export interface MeasurementContext {
  /** For the measurement's use; the next one gets another when this one was lost or has failed. */
  gpu: GpuContext;
  settings: StudySettings;
  /** Processes that `mpirun` has started; this one alone unless given. */
  ranks?: RanksTogether | undefined;
  /** Throw a GravmeshError of kind "aborted", or hand it on: the measurement then counts as not made. */
  signal: AbortSignal;
  /** How far the measurement is, 0 … 1. */
  progress: (fraction: number) => void;
}

/** What all ranks do of a measurement. */
export type RankedContext = Pick<MeasurementContext, "gpu" | "signal" | "progress"> & { ranks: Ranks };

/** A measurement of several ranks; `plan` is plain data. */
export interface RankedMeasurement<Plan, Result> {
  name: string;
  run(plan: Plan, context: RankedContext): Promise<Result>;
}

/** The ranks as rank 0 has them, which has the study; the others do what it says. */
export interface RanksTogether {
  readonly ranks: Ranks;
  /** Throws what the measurement throws, and "device" once one has failed: then the others can't be reached any more. */
  together<Plan, Result>(
    measurement: RankedMeasurement<Plan, Result>,
    plan: Plan,
    context: Omit<RankedContext, "ranks">,
  ): Promise<Result>;
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
  /** Stable, unique in the study: letters, digits, hyphens. Depends only on what tells one case from another. */
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

/** What a suite of a paper says of itself. */
export interface SuiteAbout {
  title: string;
  paper: string;
  /** What the paper measured on. */
  hardware: string;
  /** What is measured, and how it differs from the paper: a few sentences. */
  about: string;
}

/** What is shown of the results. */
export interface Presentation extends Views {
  /** What to know when reading them: what isn't reproduced, and why. */
  remarks: string[];
}

/**
 * A paper's measurements on the machine at hand. To add one, with bench/suites/petersen2024/ as the smallest example: write
 * NAME/index.ts, which exports `suite: Suite`, with what the paper prints in NAME/published.ts; add it to
 * study/bench/suites/index.ts; run `node .tooling/docs.mjs`; write its section of docs/papers.md.
 */
export interface Suite extends SuiteAbout {
  /** The name on the command line. */
  id: string;
  /** In the order in which they are made; the same list for the same settings on every adapter. */
  measurements: (settings: StudySettings) => Measurement[];
  /** Called with whatever results there are. */
  present: (results: Results, settings: StudySettings) => Presentation;
  /** What several ranks measure together; left out by suites of one process. */
  ranked?: readonly RankedMeasurement<never, unknown>[];
}
