/** An output of a run is a record; outputs/index.ts lists those that ship, `registerOutput` adds more. */
import type {
  BlockRequest,
  ParticleBlock,
  ReadParticles,
  ReadRequest,
  StageTime,
} from "../../engine/backend/backend.ts";
import type { Diagnostics, DiagnosticsRow } from "../../engine/diagnostics/columns.ts";
import type { Output, OutputKind } from "../../engine/time/schedule.ts";
import { Registry } from "../../foundation/base/registry.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { Simulation } from "../../scenario/simulation/simulation.ts";
import type { Summary } from "../summary.ts";

/** `Told`: what it tells report.html and summary.json of itself. */
export interface RunOutput<Told = unknown> {
  readonly name: string;
  readonly meaning: string;
  /** Names of its files in the result folder, or their pattern: what --force removes. */
  readonly files: readonly (string | RegExp)[];
  /** Whether a run of this deck has it; every run when left out. */
  readonly has?: (scenario: Scenario) => boolean;
  /** Files of the outputs reached that the run needs to go on; `kept`: what `keep` gave for the checkpoint. */
  readonly needs?: (reached: readonly Output[], scenario: Scenario, particles: number, kept: unknown) => string[];
  /** What writes it in a run that begins or goes on. */
  writer(run: OutputRun): OutputWriter<Told>;
}

/** Kinds of the schedule without a function of their own. */
export type OtherKind = Exclude<OutputKind, "diagnostics" | "snapshot">;

/** When an output is written: at the moments that it has a function for. */
export interface OutputWriter<Told = unknown> {
  /** In a run that goes on, before its first step: takes what it needs of files that earlier sessions wrote. */
  beforeSteps?(): void | Promise<void>;
  /** Each row of the schedule's diagnostics, the start's and the end's among them; the run may have gone on since. */
  onRow?(row: Diagnostics): void;
  /** At the schedule's diagnostics outputs, the start and the end among them, for which the run stops. */
  atDiagnostics?(row: Diagnostics): void | Promise<void>;
  /** At the schedule's snapshots, likewise. */
  atSnapshot?(snapshot: RunSnapshot): void | Promise<void>;
  /** At the times of the other kinds of the schedule, of a run that has any. */
  at?: Partial<Record<OtherKind, (moment: RunMoment) => void | Promise<void>>>;
  /** When a run is complete. */
  atEnd?(summary: Summary, stages: readonly StageTime[]): void | Promise<void>;
  /** When it stops, complete or interrupted, and after atEnd: what takes long, such as the last look at the particles. */
  beforeStop?(): void | Promise<void>;
  /** Last of all: the summary holds what all this took. */
  atStop?(summary: Summary, stages: readonly StageTime[]): void | Promise<void>;
  /** Before a checkpoint is taken: what has to be on the disk then. */
  beforeCheckpoint?(): void | Promise<void>;
  /** What the writer wants back when the run is resumed; JSON. Called for every checkpoint. */
  keep?(): unknown;
  /** What it tells of the run so far, asked for when the run stops, after beforeStop. */
  summary?(): Told | undefined;
}

export interface OutputRun {
  readonly simulation: Simulation;
  readonly folder: string;
  /** The step that a resumed run goes on from; undefined in a new run. */
  readonly resumedAt: number | undefined;
  /** What `keep` gave for the checkpoint; undefined in a new run. */
  readonly kept: unknown;
  /** Rows and snapshots that the run has written. */
  readonly written: Written;
  /** What another output tells of itself; undefined where this run hasn't got it. */
  told<Told>(by: RunOutput<Told>): Told | undefined;
  /** A file that grows by lines below `head`; a resumed run goes on below the checkpoint's lines. */
  lines(file: string, head: string): { append(line: string): void };
  /** Shows what is being done, of what may take long: "pictures". */
  activity(what: string): void;
}

export interface Written {
  readonly rows: DiagnosticsRow[];
  readonly snapshots: { file: string; time: number }[];
}

export interface RunSnapshot extends RunMoment {
  /** All particles in id order and box coordinates, in blocks: good for any number of them. */
  blocks(want?: BlockRequest): AsyncIterable<ParticleBlock>;
  /** The same in arrays. */
  particles(want?: ReadRequest): Promise<ReadParticles>;
}

/** The state at a time of a kind: its first one has the index 0. */
export interface RunMoment {
  index: number;
  /** [time] */
  time: number;
}

/** Those from outside; outputs/index.ts has them all. Kept apart, so that browsers load no file format. */
export const addedOutputs = new Registry<RunOutput>("output", []);

/** Adds an output to all runs of this process that write a result folder. Throws "usage" when its name is taken. */
export function registerOutput(output: RunOutput): void {
  addedOutputs.add(output);
}
