/** The events of a run. With --json each is one line on stdout; docs/summary.md lists them. */
import type { Encounter } from "../physics/initial/frames.ts";
import type { OutputPlan } from "../scenario/output-plan.ts";
import type { Resolved } from "../scenario/resolution.ts";
import type { Diagnostics } from "../scenario/simulation/simulation.ts";
import type { LevelFigures } from "./level-events.ts";
import type { PairFigures } from "./pair-figures.ts";
import type { Summary } from "./summary.ts";

/** The start event of every instrument. */
export interface InstrumentStart {
  event: "start";
  version: string;
  title: string;
  folder: string;
  backend: "webgpu" | "cpu";
  /** Null on the CPU. */
  adapter: string | null;
  particles: number;
  timeUnit: string;
}

export interface StartEvent extends InstrumentStart {
  /** Per side; null with direct summation. */
  cells: number | null;
  /** [[level]] tables. */
  levels: number;
  /** Null with the mesh. */
  integrator: string | null;
  /** Null when the step is adaptive. */
  steps: number | null;
  /** [time] */
  end: number;
  ranks: number;
  /** With several ranks: the adapter of each, and which of them solve the mesh. */
  adapters?: readonly string[];
  solvers?: string;
  /** Why "auto" chose the CPU although there may be an adapter; null otherwise. */
  notice: string | null;
  resumedAt?: { time: number; step: number };
}

export interface PlanEvent extends Omit<StartEvent, "event"> {
  event: "plan";
  /** `mass`: of all its particles [mass]. */
  components: { name: string; species: string; count: number; mass: number }[];
  /** What the pipeline holds [bytes]. */
  memory: { total: number; particles: number; mesh: number; other: number };
  /** Each level, with its share of the particles after the trial steps. */
  ofLevels: LevelFigures[];
  /** Orbits that galaxies begin on, as in summary.json. */
  encounters: Encounter[];
  /** Each model's lengths against what the force resolves. */
  resolution: Resolved[];
  outputs: OutputPlan[];
  /** What the run leaves, about, and what there is room for; null where that isn't known [bytes]. */
  disk: { bytes: number; free: number | null };
  /** Trial steps, and what they let expect; `expectedSteps`: fixed ones, or as long as those tried. */
  time: { trialSteps: number; secondsPerStep: number; expectedSteps: number; seconds: number };
  /** Of those steps; null without P³M. */
  pairs: PairFigures | null;
  warnings: string[];
  notes: string[];
}

export interface ProgressEvent {
  event: "progress";
  /** In `timeUnit`: "kpc/(km/s)", "time units", "scale factor". */
  time: number;
  timeUnit: string;
  step: number;
  fraction: number;
  stepsPerSecond: number;
  particleUpdatesPerSecond: number;
  /** Relative, at the last row of the diagnostics. */
  energyError: number;
  /** What that is the error of; "none": it is what external potentials have changed the energy by. */
  conserved: "energy" | "jacobi" | "none";
  /** [s] */
  elapsedSeconds: number;
  /** [s] */
  remainingSeconds: number;
}

/** `detail`: what of it is done at the moment. */
export type PreparationEvent = { event: "preparation"; what: string; fraction: number; detail?: string };
/** Something besides steps is done; `fraction` of the run. */
export type ActivityEvent = { event: "activity"; what: string; fraction: number };
export type WarningEvent = { event: "warning"; message: string };
/** On what a deck means; no doubt about its run. */
export type NoteEvent = { event: "note"; message: string };
export type EndEvent = { event: "end"; folder: string; report: string; timeUnit: string; summary: Summary };
export type ErrorEvent = { event: "error"; kind: string; message: string; exitCode: number };

export type RunEvent =
  | StartEvent
  | PreparationEvent
  | { event: "live"; address: string }
  | ProgressEvent
  | ({ event: "diagnostics" } & Diagnostics)
  | { event: "snapshot"; index: number; time: number; file: string }
  | { event: "checkpoint"; time: number; step: number; folder: string }
  | ActivityEvent
  | {
      event: "interrupted";
      time: number;
      timeUnit: string;
      step: number;
      folder: string;
      resume: string;
      report: string;
    }
  | WarningEvent
  | NoteEvent
  | PlanEvent
  | EndEvent
  | ErrorEvent;

export type Watcher = (event: RunEvent) => void;

/** Every event, for docs/summary.md. */
export const EVENTS: Record<RunEvent["event"], string> = {
  preparation:
    "initial conditions are drawn, the pipeline is made: `what`, `fraction`, and of the pipeline `detail` (which kernel is compiled; at most once a second)",
  live: "with --live: the `address` of the page that shows the run",
  start:
    "the run starts or continues: `title`, `folder`, `backend`, `adapter`, `ranks` (of several: `adapters` of each, `solvers`: which of them solve the mesh), `notice` (why `auto` chose the CPU, or null), `particles`, `cells` (null: direct summation), `levels` (how many), `integrator` (null: mesh), `steps` (null: adaptive), `end`, `timeUnit` (of all times), `resumedAt`",
  progress:
    "about once a second: `time`, `timeUnit`, `step`, `fraction`, `stepsPerSecond`, `particleUpdatesPerSecond`, `energyError`, `conserved` (its quantity: energy, jacobi, none), `elapsedSeconds`, `remainingSeconds` (null: unknown yet)",
  activity: "other work than steps begins: `what` (a snapshot, the report …), `fraction` of the run",
  diagnostics:
    "a row of diagnostics.csv was written: `time`, `step`, energies, momentum and the rest, under the library's names",
  snapshot: "a snapshot was written: `index`, `time`, `file`",
  checkpoint: "a checkpoint was written: `time`, `step`, `folder`",
  warning: "something to know: `message`; those about the run's accuracy are in `warnings` of summary.json",
  note: "consequences of the deck (mass lost by a cut-off, extent of levels, cost of a direct sum): `message`",
  plan: "with --dry-run, the only event: the data of `start`, `components` (`name`, `species`, `count`, `mass`), `memory` [bytes], `ofLevels` (as `levels` in summary.json), `encounters` (as in summary.json), `resolution` (of each component `r10`, `r50`, `height`, `bound mass` as `key`: its `length`, the `spacing` of the cells there, their `ratio`, the relative `change` within ten dynamical times, whether that is `enough`), `outputs` (`what`, `count`, `from`, `to`, `bytes`), `disk` (`bytes`, `free`), `time` (`trialSteps`, `secondsPerStep`, `expectedSteps`, `seconds` of steps and diagnostics), `pairs` (as in summary.json), `warnings`, `notes`",
  interrupted:
    "Ctrl-C: the state is saved: `time`, `timeUnit`, `step`, `folder`; `resume` is the command that continues, `report` the page so far",
  end: "the run is complete: `folder`, `report`, `timeUnit`, `summary` (the content of summary.json)",
  error: "the run failed: `kind`, `message`, `exitCode`",
};
