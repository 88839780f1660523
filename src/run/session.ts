/** One process's part of a run, from output to output with checkpoints; a watcher gets its events. */
import { join, resolve as resolvePath } from "node:path";
import type { StageTime } from "../engine/backend/backend.ts";
import type { Diagnostics, DiagnosticsRow } from "../engine/diagnostics/columns.ts";
import { OUTPUT_KINDS, type Output } from "../engine/time/schedule.ts";
import { GravmeshError } from "../foundation/base/errors.ts";
import type { AdvanceOptions, Simulation } from "../scenario/simulation/simulation.ts";
import { RunSpeed, type RunTraffic, Stopwatch, sumOfStages, sumOfTraffic, totalSeconds } from "./accounts.ts";
import { CHECKPOINT_FOLDER } from "./checkpoint.ts";
import type { Engine } from "./engine.ts";
import type { Watcher } from "./events.ts";
import { failureOf, type HealthKind, healthOf } from "./health.ts";
import { adopt, lostFrom } from "./io/files.node.ts";
import { levelFigures, levelWarnings } from "./level-events.ts";
import { components } from "./outputs/galaxies.ts";
import { outputs } from "./outputs/index.ts";
import { LineFile } from "./outputs/line-file.ts";
import type { OtherKind, OutputWriter, RunOutput, RunSnapshot, Written } from "./outputs/output.ts";
import { REPORT_FILE } from "./outputs/report.ts";
import { resultFiles } from "./result-folder.ts";
import { EXIT_OF, type Status, someOf } from "./results.ts";
import { progressEvent, startEvent, timeUnitIn } from "./run-events.ts";
import { type RunObserver, thinnedState, untilCalled } from "./run-observer.ts";
import { type RunMemory, saveRun } from "./saved-run.ts";
import { shellLine } from "./shell-word.ts";
import { summaryOf } from "./summary.ts";

const OTHER_KINDS = OUTPUT_KINDS.filter((kind): kind is OtherKind => kind !== "diagnostics" && kind !== "snapshot");

export interface SessionOptions {
  simulation: Simulation;
  engine: Engine;
  folder: string;
  deck: string;
  before: RunMemory;
  /** When the command began, on the clock of performance.now() [ms]. */
  since: number;
  watch: Watcher;
  onlooker?: RunObserver | undefined;
  /** Calls back when a checkpoint is wanted before it is due; the result ends that. */
  wishes?: CheckpointWishes | undefined;
}

export type CheckpointWishes = (wanted: () => void) => () => void;

export class Session {
  readonly #simulation: Simulation;
  readonly #watch: Watcher;
  readonly #written: Written = { rows: [], snapshots: [] };
  /** Files that grow by lines, which are counted for the checkpoint. */
  readonly #lines = new Map<string, LineFile>();
  readonly #writers: { name: string; writer: OutputWriter }[];
  /** Steps taken before this session. */
  readonly #firstStep: number;
  readonly #stopwatch: Stopwatch;
  /** The fraction of the run, as last reported. */
  #fraction: number;
  #lastCheckpoint = performance.now();
  #savedStep: number | undefined;
  #wished = false;
  /** Ends the advance that is under way. */
  #pause: (() => void) | undefined;
  #pace = new RunSpeed();
  readonly #warned = new Set<HealthKind>();
  /** Why the run has failed. */
  #failure: string | undefined;
  #row: Diagnostics | undefined;

  constructor(private readonly options: SessionOptions) {
    const { simulation, folder, before, since, watch } = options;
    const resumedAt = this.#resumed ? simulation.step : undefined;
    this.#simulation = simulation;
    this.#firstStep = simulation.step;
    this.#watch = watch;
    this.#fraction = simulation.done ? 1 : 0;
    this.#stopwatch = new Stopwatch(before.seconds, since);
    const warn = (message: string) => watch({ event: "warning", message });
    const lines = (name: string, head: string) => {
      const [file, kept] = [join(folder, name), before.lines[name]];
      const opened = kept ? LineFile.goOn(file, kept, warn) : LineFile.begin(file, head);
      this.#lines.set(name, opened);
      return opened;
    };
    if (this.#resumed) for (const name of resultFiles(folder)) adopt(join(folder, name));
    this.#writers = outputs()
      .filter(({ has }) => has?.(simulation.scenario) ?? true)
      .map(({ name, writer }) => {
        const [kept, written, told] = [before.outputs[name], this.#written, this.#told];
        const activity = (what: string) => this.#begins(`${name}: ${what}`);
        return { name, writer: writer({ simulation, folder, resumedAt, kept, written, told, lines, activity }) };
      });
  }

  readonly #told = <Told>({ name: by }: RunOutput<Told>) =>
    this.#writers.find(({ name }) => name === by)?.writer.summary?.() as Told | undefined;

  get #resumed(): boolean {
    return this.options.before.resumes > 0;
  }

  destroy(): void {
    this.#simulation.destroy();
    this.options.engine.gpu?.destroy();
  }

  async run(signal: AbortSignal): Promise<number> {
    const unwished = this.options.wishes?.(() => {
      this.#wished = true;
      this.#pause?.();
    });
    try {
      return await this.#go(signal);
    } finally {
      unwished?.();
    }
  }

  async #go(signal: AbortSignal): Promise<number> {
    const simulation = this.#simulation;
    const { folder, onlooker } = this.options;
    if (this.#resumed) for (const { writer } of this.#writers) await writer.beforeSteps?.();
    this.#watch(startEvent(simulation, folder, this.#resumed));
    if (this.#resumed) this.#look();
    else {
      this.#stopwatch.enter("outputs");
      this.#begins("diagnostics");
      this.#takeRow(await simulation.diagnostics());
      await this.#write();
    }
    onlooker?.begins(simulation);
    await this.#show(signal);
    while (!this.#over) {
      const reached = simulation.output;
      await this.#advance(this.#nextStop, signal);
      if (simulation.output > reached) await this.#write();
      if (this.#over || signal.aborted) onlooker?.ending();
      await this.#show(signal);
      if (this.#over) break;
      if (signal.aborted) {
        if (simulation.step !== this.#savedStep) await this.#saveCheckpoint();
        return await this.#close("interrupted");
      }
      if (this.#checkpointDue()) await this.#saveCheckpoint();
    }
    if (simulation.step > this.#firstStep) await this.#saveCheckpoint();
    if (this.#failure === undefined) return await this.#close("complete");
    await this.#finish("failed");
    throw new GravmeshError("numerical", `${this.#failure}. The run up to there is in ${folder}`);
  }

  /** Throws "io" where files of the run were removed while it still needed them. */
  async #close(status: Status): Promise<number> {
    const code = await this.#finish(status);
    const { folder } = this.options;
    const lost = lostFrom(folder).sort();
    if (lost.length === 0) return code;
    throw new GravmeshError(
      "io",
      `${someOf(lost)} in ${folder} ${lost.length === 1 ? "was" : "were"} removed or replaced by others while the run went on: ` +
        `its results aren't whole. ${shellLine("gravmesh", "run", "--resume", folder)} makes tables and the report anew, ` +
        "but no snapshots.",
    );
  }

  /** The next output at which the run stops: one whose particles a writer needs, or any row while a page may pause the run. */
  get #nextStop(): number {
    const { outputs, output } = this.#simulation;
    const wants = this.options.onlooker !== undefined || this.#writers.some(({ writer }) => writer.atDiagnostics);
    const stops = (one: Output) => (one.diagnostics && wants) || one.snapshot || OTHER_KINDS.some((kind) => one[kind]);
    const next = outputs.findIndex((one, i) => i > output && stops(one));
    return next < 0 ? outputs.length - 1 : next;
  }

  get #over(): boolean {
    return this.#simulation.done || this.#failure !== undefined;
  }

  /** Warns of what is doubtful about the rows so far, once each, and notes when the run has failed. */
  #look(rows: readonly DiagnosticsRow[] = this.#written.rows): void {
    const { scenario, particleCount } = this.#simulation;
    for (const { kind, message } of healthOf(scenario, particleCount, this.#written.rows)) {
      if (!this.#warned.has(kind)) this.#watch({ event: "warning", message });
      this.#warned.add(kind);
    }
    for (const row of rows) this.#failure ??= failureOf(scenario, row);
  }

  /** Advances to an output, or not as far: a checkpoint is due, the user wants to stop, or an observer holds it. */
  async #advance(output: number, signal: AbortSignal): Promise<void> {
    const { onlooker } = this.options;
    const pause = new AbortController();
    const stop = () => pause.abort();
    this.#pause = stop;
    const hold = () => onlooker?.paused && stop();
    const unlisten = onlooker?.listen(hold);
    hold();
    const onProgress: AdvanceOptions["onProgress"] = ({ time, step, fraction, segment }) => {
      this.#pace.add(segment.steps, segment.ms);
      if (this.#checkpointDue()) stop();
      // Only now, so that there is a step for every look.
      if (!this.#simulation.looksInPassing && onlooker?.wanted() !== undefined) stop();
      this.#fraction = fraction;
      const going = {
        ...{ time, step, fraction, stepsPerSecond: this.#pace.stepsPerSecond },
        energyError: this.#written.rows.at(-1)?.relativeEnergyError ?? 0,
        elapsedSeconds: totalSeconds(this.#stopwatch.seconds),
        remainingSeconds: this.#pace.remaining(fraction),
      };
      this.#watch(progressEvent(this.#simulation, going));
    };
    this.#stopwatch.enter("steps");
    try {
      const either = AbortSignal.any([signal, pause.signal]); // the run ends in order on either
      const onRow = (row: Diagnostics) => {
        this.#takeRow(row);
        if (this.#failure !== undefined) stop();
      };
      await this.#simulation.advance({ output, onProgress, onRow, pause: either, look: onlooker });
    } finally {
      this.#stopwatch.enter("outputs");
      unlisten?.();
      this.#pause = undefined;
    }
  }

  /** Shows the present state to who waits for it, and waits itself while the run is paused. */
  async #show(signal: AbortSignal): Promise<void> {
    const { onlooker } = this.options;
    if (!onlooker) return;
    const simulation = this.#simulation;
    for (;;) {
      const every = onlooker.wanted();
      if (every !== undefined) onlooker.take(await thinnedState(simulation, every));
      else if (!onlooker.paused || signal.aborted || simulation.done) return;
      else this.#pace.held(await this.#stopwatch.without(untilCalled(onlooker, signal)));
    }
  }

  #takeRow(row: Diagnostics): void {
    this.#row = row;
    for (const { writer } of this.#writers) writer.onRow?.(row);
    this.#watch({ event: "diagnostics", ...row });
    this.#look(this.#written.rows.slice(-1));
  }

  /** Writes what the schedule wants at the output just reached. */
  async #write(): Promise<void> {
    this.#stopwatch.enter("outputs");
    const simulation = this.#simulation;
    const { time, output } = simulation;
    const due = simulation.outputs[output];
    if (due.diagnostics && this.#writers.some(({ writer }) => writer.atDiagnostics)) {
      this.#begins("diagnostics");
      for (const { writer } of this.#writers) await writer.atDiagnostics?.(this.#row!);
    }
    for (const kind of OTHER_KINDS.filter((one) => due[one])) {
      const index = simulation.outputs.slice(0, output).filter((earlier) => earlier[kind]).length;
      this.#begins(`${kind} ${index}`);
      for (const { writer } of this.#writers) await writer.at?.[kind]?.({ index, time });
    }
    if (due.snapshot) {
      const index = this.#written.snapshots.length;
      this.#begins(`snapshot ${index}`);
      const snapshot: RunSnapshot = {
        ...{ index, time },
        blocks: (want) => simulation.readBlocks(want),
        particles: (want) => simulation.readParticles(want),
      };
      for (const { writer } of this.#writers) await writer.atSnapshot?.(snapshot);
      this.#watch({ event: "snapshot", index, time, file: this.#written.snapshots[index].file });
    }
  }

  /** Something besides steps, which may take long. */
  #begins(what: string): void {
    this.#watch({ event: "activity", what, fraction: this.#fraction });
  }

  #checkpointDue(): boolean {
    const minutes = this.#simulation.scenario.output.checkpointMinutes;
    return this.#wished || (minutes > 0 && performance.now() - this.#lastCheckpoint >= 60_000 * minutes);
  }

  /** Stage times of all sessions together. */
  #stages(): StageTime[] {
    return sumOfStages(this.options.before.stages, this.#simulation.stageTimes());
  }

  /** Submissions, waits and bytes read back of all sessions together. */
  #traffic(): RunTraffic | undefined {
    const now = this.#simulation.traffic();
    const counted = this.#simulation.step - this.#firstStep;
    return sumOfTraffic(this.options.before.traffic, now && { ...now, counted });
  }

  async #saveCheckpoint(): Promise<void> {
    const { folder, deck, before } = this.options;
    const { extensions, resumes, found, levels } = before;
    this.#begins("checkpoint");
    for (const { writer } of this.#writers) await writer.beforeCheckpoint?.();
    const outputs = Object.fromEntries(this.#writers.map(({ name, writer }) => [name, writer.keep?.()]));
    const lines = Object.fromEntries([...this.#lines].map(([name, file]) => [name, file.keep()]));
    const [seconds, stages, traffic] = [this.#stopwatch.seconds, this.#stages(), this.#traffic()];
    const memory = { seconds, stages, traffic, resumes, outputs, lines, extensions, found, levels };
    await saveRun(folder, deck, this.#simulation, memory);
    const { time, step } = this.#simulation;
    this.#lastCheckpoint = performance.now();
    this.#savedStep = step;
    this.#wished = false;
    this.#watch({ event: "checkpoint", time, step, folder: join(folder, CHECKPOINT_FOLDER) });
  }

  async #finish(status: Status): Promise<number> {
    this.#stopwatch.enter("end");
    const simulation = this.#simulation;
    const { folder, before, since } = this.options;
    const last = await simulation.diagnostics();
    const stages = this.#stages();
    const stagesOfRanks = await simulation.stageTimesOfRanks();
    const levels = await levelFigures(simulation);
    const lost = levelWarnings(levels, before.levels);
    for (const message of lost) this.#watch({ event: "warning", message });
    const resume = status === "interrupted" ? shellLine("gravmesh", "run", "--resume", folder) : null;
    const summaryNow = () =>
      summaryOf(simulation, {
        ...{ status, last, levels, ...this.#written, stages, stagesOfRanks, resume },
        components: this.#told(components),
        ...{ stepsHere: simulation.step - this.#firstStep, resumes: before.resumes, found: [...before.found, ...lost] },
        ...{ started: new Date(performance.timeOrigin + since), finished: new Date() },
        ...{
          seconds: this.#stopwatch.seconds,
          traffic: this.#traffic(),
          files: [...new Set([...resultFiles(folder), ...lostFrom(folder)])].sort(),
        },
      });
    if (status === "complete") {
      for (const { name, writer } of this.#writers) {
        if (writer.atEnd) this.#begins(name);
        await writer.atEnd?.(summaryNow(), stages);
      }
    }
    for (const { writer } of this.#writers) await writer.beforeStop?.();
    let summary = summaryNow();
    for (const { name, writer } of this.#writers) {
      if (!writer.atStop) continue;
      this.#begins(name);
      summary = summaryNow();
      await writer.atStop(summary, stages);
    }
    const report = resolvePath(folder, REPORT_FILE);
    const { time, step } = simulation;
    const timeUnit = timeUnitIn(simulation.scenario);
    if (status === "complete") this.#watch({ event: "end", folder: resolvePath(folder), report, timeUnit, summary });
    if (resume !== null) this.#watch({ event: "interrupted", time, timeUnit, step, folder, resume, report });
    return EXIT_OF[status];
  }
}
