/** The result folder of a run, file by file: what product documentation lists, each written whole or not at all. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { GravmeshError } from "../errors.ts";
import type { DiagnosticsRow } from "../io/csv.ts";
import {
  prepareResultFolder,
  removeTemporaryFiles,
  runFiles,
  snapshotName,
  writeFileAtomic,
} from "../io/files.node.ts";
import { writeSnapshot } from "../io/snapshot.node.ts";
import type { MeasuredSpectrum } from "../io/spectrum.ts";
import type { ComponentRange, ExternalField } from "../particles/state.ts";
import { deckText } from "../scenario/deck.ts";
import { parseScenario } from "../scenario/parse.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { Diagnostics, Simulation, SimulationCheckpoint } from "../simulation.ts";
import { version } from "../version.ts";
import { deckHash, readCheckpoint, writeCheckpoint } from "./checkpoint.ts";
import { DiagnosticsFile } from "./diagnostics-file.ts";
import type { ReportBeginning } from "./report/gatherer.ts";

type SnapshotParticles = Awaited<ReturnType<Simulation["readParticles"]>>;

/** What the run itself wants back on resume, besides the simulation's state. */
export interface RunMemory {
  report?: ReportBeginning;
  wallSeconds: number;
  stepSeconds: number;
  resumes: number;
  stages: { stage: string; ms: number; count: number }[];
  /** Power spectra so far. */
  spectra: MeasuredSpectrum[];
  /** What the backend counted. */
  counters: Record<string, number>;
}

/** The part of a checkpoint that is neither arrays nor in the file format's own fields. */
interface Extra extends RunMemory {
  output: number;
  tick: number;
  components: ComponentRange[];
  externalFields: ExternalField[];
  cosmicEnergy?: SimulationCheckpoint["cosmicEnergy"];
  /** Mass per component; null where masses differ within one and an array holds them. */
  masses: number[] | null;
}

/** Name of the array of single masses among the arrays of the state. */
const MASSES = "run.masses";

/** Refuses a folder that holds a run (unless `force`) or is none, before anything is computed or made. */
export function requireFreshFolder(folder: string, force: boolean): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found && (!found.isDirectory() || (!force && runFiles(folder).length > 0))) prepareResultFolder(folder);
}

export class ResultFolder {
  readonly path: string;
  readonly scenario: Scenario;
  readonly #diagnostics: DiagnosticsFile;
  readonly #deck: string;
  readonly #snapshots: { file: string; time: number }[];

  private constructor(path: string, scenario: Scenario, deck: string, diagnostics: DiagnosticsFile) {
    this.path = path;
    this.scenario = scenario;
    this.#deck = deck;
    this.#diagnostics = diagnostics;
    this.#snapshots = [];
  }

  /** Makes the folder and writes the deck as run. With `force`, the files of an earlier run are removed. */
  static create(path: string, scenario: Scenario, force: boolean): ResultFolder {
    prepareResultFolder(path, { force });
    const deck = deckText(scenario);
    writeFileAtomic(join(path, "scenario.toml"), deck);
    return new ResultFolder(path, scenario, deck, DiagnosticsFile.create(join(path, "diagnostics.csv")));
  }

  /** The deck of a folder that a run was begun in. */
  static scenarioIn(path: string): Scenario {
    return asRun(path, deckIn(path));
  }

  /** Opens the folder of an interrupted run. Damaged checkpoints that were passed over are in `skipped`. */
  static async open(path: string) {
    const deck = deckIn(path);
    const scenario = asRun(path, deck);
    const { state, progress, skipped } = await readCheckpoint(path, { deckHash: deckHash(deck) });
    removeTemporaryFiles(path);
    const extra = progress.extra as Extra;
    const { [MASSES]: masses, ...arrays } = state.arrays;
    const checkpoint: SimulationCheckpoint = {
      step: progress.step,
      time: progress.time,
      output: extra.output,
      tick: extra.tick,
      initialSums: progress.initialSums,
      components: extra.components,
      masses: extra.masses ?? (masses as Float64Array),
      externalFields: extra.externalFields,
      ...(extra.cosmicEnergy && { cosmicEnergy: extra.cosmicEnergy }),
      state: { format: state.format, arrays },
    };
    const folder = (): ResultFolder => {
      const diagnostics = DiagnosticsFile.resume(join(path, "diagnostics.csv"), progress.step);
      return new ResultFolder(path, scenario, deck, diagnostics);
    };
    return { scenario, checkpoint, memory: extra as RunMemory, skipped, folder };
  }

  get rows(): readonly DiagnosticsRow[] {
    return this.#diagnostics.rows;
  }

  get snapshots(): readonly { file: string; time: number }[] {
    return this.#snapshots;
  }

  /** Notes a snapshot that an earlier session wrote. */
  noteSnapshot(time: number): void {
    this.#snapshots.push({ file: snapshotName(this.#snapshots.length), time });
  }

  async addSnapshot(particles: SnapshotParticles, time: number): Promise<{ index: number; file: string }> {
    const index = this.#snapshots.length;
    const file = join(this.path, snapshotName(index));
    await writeSnapshot(file, particles, { scenario: this.scenario, time, version });
    this.noteSnapshot(time);
    return { index, file };
  }

  addDiagnostics({ relativeEnergyError, ...row }: Diagnostics): void {
    this.#diagnostics.append({ ...row, energyError: relativeEnergyError });
  }

  async saveCheckpoint(simulation: Simulation, memory: RunMemory): Promise<void> {
    const { state, masses, initialSums, step, time, ...rest } = await simulation.checkpoint();
    const single = masses instanceof Float64Array;
    const extra = { ...memory, ...rest, masses: single ? null : masses };
    await writeCheckpoint(this.path, {
      state: { format: state.format, arrays: single ? { ...state.arrays, [MASSES]: masses } : state.arrays },
      progress: {
        step,
        time,
        initialSums,
        wallSeconds: memory.wallSeconds,
        segment: rest.tick,
        nextSnapshot: this.#snapshots.length,
        nextDiagnostics: this.rows.length,
        extra,
      },
      deckHash: deckHash(this.#deck),
    });
  }

  writeSummary(summary: object): void {
    writeFileAtomic(join(this.path, "summary.json"), `${JSON.stringify(summary, null, 2)}\n`);
  }

  writeReport(html: string): string {
    const file = join(this.path, "report.html");
    writeFileAtomic(file, html);
    return file;
  }
}

/** The scenario of the deck in a result folder, which an earlier version may have written. */
function asRun(path: string, deck: string): Scenario {
  return parseScenario(deck, { file: join(path, "scenario.toml"), formerNames: true });
}

function deckIn(path: string): string {
  const file = join(path, "scenario.toml");
  if (!existsSync(file)) {
    throw new GravmeshError(
      "usage",
      `${path} holds no run to resume (no scenario.toml). Give the folder that the run was started with, or start it with \`gravmesh run SCENARIO --out ${path}\`.`,
    );
  }
  return readFileSync(file, "utf8");
}
