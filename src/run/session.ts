/**
 * One process's part of a run: from output to output, with a checkpoint whenever enough wall time has passed, when the
 * user interrupts, and at the end. Prints nothing: tells a watcher.
 */
import { join, resolve as resolvePath } from "node:path";
import type { StageTime } from "../backend/backend.ts";
import { GravmeshError } from "../base/errors.ts";
import type { DiagnosticsRow } from "../diagnostics/columns.ts";
import type { AdvanceOptions, Simulation } from "../simulation/simulation.ts";
import { OUTPUT_KINDS } from "../time/schedule.ts";
import { Pace, type RunTraffic, Stopwatch, sumOfStages, sumOfTraffic, totalSeconds } from "./accounts.ts";
import { CHECKPOINT_FOLDER } from "./checkpoint.ts";
import type { Engine } from "./engine.ts";
import type { Watcher } from "./events.ts";
import { failureOf, type HealthKind, healthOf } from "./health.ts";
import { heard, type Onlooker, thinnedState } from "./onlooker.ts";
import { outputs } from "./outputs/index.ts";
import { LineFile } from "./outputs/line-file.ts";
import type { OtherKind, OutputWriter, RunSnapshot, Written } from "./outputs/output.ts";
import { REPORT_FILE } from "./outputs/report.ts";
import { resultFiles } from "./result-folder.ts";
import { EXIT_OF, type Status } from "./results.ts";
import { type RunMemory, saveRun } from "./saved-run.ts";
import { shellLine } from "./shell-word.ts";
import { summaryOf } from "./summary.ts";
import { progressEvent, startEvent, timeUnitIn } from "./told.ts";

const OTHER_KINDS = OUTPUT_KINDS.filter((kind): kind is OtherKind => kind !== "diagnostics" && kind !== "snapshot");

export interface SessionOptions {
  simulation: Simulation;
  engine: Engine;
  /** The result folder. */
  folder: string;
  /** The deck as run. */
  deck: string;
  /** What earlier sessions left. */
  before: RunMemory;
  /** When the command began, on the clock of performance.now() [ms]. */
  since: number;
  watch: Watcher;
  onlooker?: Onlooker | undefined;
  /** Calls back when a checkpoint is wanted before it is due; the result ends that. */
  wishes?: CheckpointWishes | undefined;
}

export type CheckpointWishes = (wanted: () => void) => () => void;

export class Session {
  readonly #simulation: Simulation;
  readonly #options: SessionOptions;
  readonly #watch: Watcher;
  readonly #written: Written = { rows: [], snapshots: [], spectra: [] };
  /** Files that grow by lines, which are counted for the checkpoint. */
  readonly #lines = new Map<string, LineFile>();
  readonly #writers: { name: string; writer: OutputWriter }[];
  readonly #started: Date;
  /** Steps taken before this session. */
  readonly #firstStep: number;
  readonly #stopwatch: Stopwatch;
  readonly #timeUnit: string;
  /** The fraction of the run, as last reported. */
  #fraction: number;
  #lastCheckpoint = performance.now();
  /** The step of this session's last checkpoint. */
  #savedStep: number | undefined;
  /** A checkpoint is wanted at once. */
  #wished = false;
  /** Ends the advance that is under way. */
  #pause: (() => void) | undefined;
  #pace = new Pace();
  /** Warnings that the user has had. */
  readonly #told = new Set<HealthKind>();
  /** Why the run has failed. */
  #failure: string | undefined;

  constructor(options: SessionOptions) {
    const { simulation, folder, before, since, watch } = options;
    const resumedAt = before.resumes > 0 ? simulation.step : undefined;
    this.#simulation = simulation;
    this.#firstStep = simulation.step;
    this.#options = options;
    this.#watch = watch;
    this.#timeUnit = timeUnitIn(simulation.scenario);
    this.#fraction = simulation.done ? 1 : 0;
    this.#stopwatch = new Stopwatch(before.seconds, since);
    this.#started = new Date(performance.timeOrigin + since);
    const warn = (message: string) => watch({ event: "warning", message });
    const lines = (name: string, head: string) => {
      const [file, kept] = [join(folder, name), before.lines[name]];
      const opened = kept ? LineFile.goOn(file, kept, warn) : LineFile.begin(file, head);
      this.#lines.set(name, opened);
      return opened;
    };
    this.#writers = outputs()
      .filter(({ has }) => has?.(simulation.scenario) ?? true)
      .map(({ name, writer }) => {
        const [kept, written] = [before.outputs[name], this.#written];
        const tell = (what: string) => this.#tell(`${name}: ${what}`);
        return { name, writer: writer({ simulation, folder, resumedAt, kept, written, lines, tell }) };
      });
  }

  destroy(): void {
    this.#simulation.destroy();
    this.#options.engine.gpu?.destroy();
  }

  async run(signal: AbortSignal): Promise<number> {
    const unwished = this.#options.wishes?.(() => {
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
    if (this.#options.before.resumes > 0) for (const { writer } of this.#writers) await writer.beforeSteps?.();
    this.#watch(startEvent(simulation, { folder: this.#options.folder, resumed: this.#options.before.resumes > 0 }));
    const begun = simulation.step;
    if (this.#options.before.resumes === 0) await this.#write();
    else this.#look();
    this.#options.onlooker?.begins(simulation);
    await this.#show(signal);
    while (!simulation.done && this.#failure === undefined) {
      const reached = simulation.output;
      await this.#advance(simulation.output + 1, signal);
      if (simulation.output > reached) await this.#write();
      const ends = simulation.done || signal.aborted || this.#failure !== undefined;
      if (ends) this.#options.onlooker?.ending();
      await this.#show(signal);
      if (simulation.done || this.#failure !== undefined) break;
      if (signal.aborted) {
        if (simulation.step !== this.#savedStep) await this.#saveCheckpoint();
        return await this.#finish("interrupted");
      }
      if (this.#checkpointDue()) await this.#saveCheckpoint();
    }
    if (simulation.step > begun) await this.#saveCheckpoint();
    if (this.#failure === undefined) return await this.#finish("complete");
    await this.#finish("failed");
    throw new GravmeshError("numerical", `${this.#failure}. The run up to there is in ${this.#options.folder}`);
  }

  /** Tells what is doubtful about the rows so far, once each, and notes when the run has failed. */
  #look(rows: readonly DiagnosticsRow[] = this.#written.rows): void {
    const { scenario, particleCount } = this.#simulation;
    for (const { kind, message } of healthOf(scenario, particleCount, this.#written.rows)) {
      if (!this.#told.has(kind)) this.#watch({ event: "warning", message });
      this.#told.add(kind);
    }
    for (const row of rows) this.#failure ??= failureOf(scenario, row);
  }

  /** Advances to an output, or not as far: a checkpoint is due, the user wants to stop, or somebody wants it held. */
  async #advance(output: number, signal: AbortSignal): Promise<void> {
    const { onlooker } = this.#options;
    const pause = new AbortController();
    const stop = () => pause.abort();
    this.#pause = stop;
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    const hold = () => onlooker?.paused && stop();
    const unheard = onlooker?.listen(hold);
    hold();
    const onProgress: AdvanceOptions["onProgress"] = ({ time, step, fraction, segment }) => {
      this.#pace.add(segment.steps, segment.ms);
      if (this.#checkpointDue()) stop();
      // Only now, so that there is a step for every look.
      if (!this.#simulation.looksInPassing && onlooker?.wanted() !== undefined) stop();
      this.#fraction = fraction;
      const energyError = this.#written.rows.at(-1)?.relativeEnergyError ?? 0;
      const seconds = { elapsed: this.#elapsed(), remaining: this.#pace.remaining(fraction) };
      const { stepsPerSecond } = this.#pace;
      this.#watch(progressEvent(this.#simulation, { time, step, fraction, stepsPerSecond, energyError, seconds }));
    };
    this.#stopwatch.enter("steps");
    try {
      await this.#simulation.advance({ output, onProgress, signal: pause.signal, look: onlooker });
    } catch (error) {
      if (!(error instanceof GravmeshError && error.kind === "aborted")) throw error;
    } finally {
      this.#stopwatch.enter("outputs");
      signal.removeEventListener("abort", stop);
      unheard?.();
      this.#pause = undefined;
    }
  }

  /** Shows the present state to who waits for it, and waits itself while the run is paused. */
  async #show(signal: AbortSignal): Promise<void> {
    const { onlooker } = this.#options;
    if (!onlooker) return;
    const simulation = this.#simulation;
    for (;;) {
      const every = onlooker.wanted();
      if (every !== undefined) onlooker.take(await thinnedState(simulation, every));
      else if (!onlooker.paused || signal.aborted || simulation.done) return;
      else this.#pace.held(await this.#stopwatch.without(heard(onlooker, signal)));
    }
  }

  /** Writes what the schedule wants at the output just reached. */
  async #write(): Promise<void> {
    this.#stopwatch.enter("outputs");
    const simulation = this.#simulation;
    const { time, output } = simulation;
    const due = simulation.outputs[output];
    if (due.diagnostics) {
      this.#tell("diagnostics");
      const row = await simulation.diagnostics();
      for (const { writer } of this.#writers) await writer.atDiagnostics?.(row);
      this.#watch({ event: "diagnostics", ...row });
      this.#look(this.#written.rows.slice(-1));
    }
    for (const kind of OTHER_KINDS.filter((one) => due[one])) {
      const index = simulation.outputs.slice(0, output).filter((earlier) => earlier[kind]).length;
      this.#tell(`${kind} ${index}`);
      for (const { writer } of this.#writers) await writer.at?.[kind]?.({ index, time });
    }
    if (due.snapshot) {
      const index = this.#written.snapshots.length;
      this.#tell(`snapshot ${index}`);
      const snapshot: RunSnapshot = {
        ...{ index, time },
        blocks: (want) => simulation.readBlocks(want),
        particles: (want) => simulation.readParticles(want),
      };
      for (const { writer } of this.#writers) await writer.atSnapshot?.(snapshot);
      this.#watch({ event: "snapshot", index, time, file: this.#written.snapshots[index].file });
    }
  }

  /** What is done besides steps, which may take long enough to be asked for. */
  #tell(what: string): void {
    this.#watch({ event: "activity", what, fraction: this.#fraction });
  }

  #checkpointDue(): boolean {
    const minutes = this.#simulation.scenario.output.checkpointMinutes;
    return this.#wished || (minutes > 0 && performance.now() - this.#lastCheckpoint >= 60_000 * minutes);
  }

  #elapsed(): number {
    return totalSeconds(this.#stopwatch.seconds);
  }

  /** Stage times of all sessions together. */
  #stages(): StageTime[] {
    return sumOfStages(this.#options.before.stages, this.#simulation.stageTimes());
  }

  /** Submissions, waits and bytes read back of all sessions together. */
  #traffic(): RunTraffic | undefined {
    const now = this.#simulation.traffic();
    return sumOfTraffic(
      this.#options.before.traffic,
      now && { ...now, counted: this.#simulation.step - this.#firstStep },
    );
  }

  async #saveCheckpoint(): Promise<void> {
    const { folder, deck, before } = this.#options;
    const { extensions, resumes, found } = before;
    this.#tell("checkpoint");
    for (const { writer } of this.#writers) await writer.beforeCheckpoint?.();
    const outputs = Object.fromEntries(this.#writers.map(({ name, writer }) => [name, writer.keep?.()]));
    const lines = Object.fromEntries([...this.#lines].map(([name, file]) => [name, file.keep()]));
    const [seconds, stages, traffic] = [this.#stopwatch.seconds, this.#stages(), this.#traffic()];
    const memory = { seconds, stages, traffic, resumes, outputs, lines, extensions, found };
    await saveRun(folder, deck, this.#simulation, memory);
    const { time, step } = this.#simulation;
    this.#lastCheckpoint = performance.now();
    this.#savedStep = step;
    this.#wished = false;
    this.#watch({ event: "checkpoint", time, step, folder: join(folder, CHECKPOINT_FOLDER) });
  }

  /** The exit code. */
  async #finish(status: Status): Promise<number> {
    this.#stopwatch.enter("end");
    const simulation = this.#simulation;
    const { folder, before } = this.#options;
    const last = await simulation.diagnostics();
    const stages = this.#stages();
    const stepsHere = simulation.step - this.#firstStep;
    const stagesOfRanks = await simulation.stageTimesOfRanks();
    const [started, resumes] = [this.#started, before.resumes];
    const resume = status === "interrupted" ? resumeCommand(folder) : null;
    const summaryNow = () =>
      summaryOf(simulation, {
        ...{
          status,
          last,
          ...this.#written,
          stages,
          stagesOfRanks,
          stepsHere,
          resumes,
          started,
          finished: new Date(),
          resume,
          found: before.found,
        },
        ...{ seconds: this.#stopwatch.seconds, traffic: this.#traffic(), files: resultFiles(folder) },
      });
    if (status === "complete") {
      for (const { name, writer } of this.#writers) {
        if (writer.atEnd) this.#tell(name);
        await writer.atEnd?.(summaryNow(), stages);
      }
    }
    for (const { writer } of this.#writers) await writer.beforeStop?.();
    let summary = summaryNow();
    for (const { name, writer } of this.#writers) {
      if (writer.atStop) {
        this.#tell(name);
        summary = summaryNow();
      }
      await writer.atStop?.(summary, stages);
    }
    const report = resolvePath(folder, REPORT_FILE);
    const { time, step } = simulation;
    const timeUnit = this.#timeUnit;
    if (status === "complete") this.#watch({ event: "end", folder: resolvePath(folder), report, timeUnit, summary });
    if (resume !== null) this.#watch({ event: "interrupted", time, timeUnit, step, folder, resume, report });
    return EXIT_OF[status];
  }
}

/** What to type to go on. */
function resumeCommand(folder: string): string {
  return shellLine("gravmesh", "run", "--resume", folder);
}
