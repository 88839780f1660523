/**
 * A run from deck to report: initial state, then from output to output, with a checkpoint whenever enough wall time
 * has passed, when the user interrupts, and at the end. Prints nothing: tells a watcher.
 */
import { join, resolve } from "node:path";
import type { StageTime } from "../backend.ts";
import { integratorText } from "../direct/settings.ts";
import { GravmeshError } from "../errors.ts";
import { readSnapshot } from "../io/snapshot.node.ts";
import { scenarioRemarks } from "../scenario/checks.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { type AdvanceOptions, type BackendChoice, type Diagnostics, Simulation } from "../simulation.ts";
import { version } from "../version.ts";
import { Clustering, loadText } from "./clustering.ts";
import { chooseEngine, type Engine, requireMemory } from "./engine.ts";
import type { Watcher } from "./events.ts";
import { EXIT } from "./failure.ts";
import { ReportGatherer } from "./report/gatherer.ts";
import { ResultFolder, type RunMemory, requireFreshFolder } from "./result-folder.ts";
import { loadScenario } from "./scenario-source.ts";
import { summaryOf } from "./summary.ts";

export interface RunRequest {
  /** Path or bare name; absent with `resume`. */
  scenario?: string;
  overrides: readonly string[];
  backend: BackendChoice;
  /** Result folder; results/NAME by default. */
  out?: string;
  /** Folder of an interrupted run. */
  resume?: string;
  force?: boolean;
}

const NOTHING_YET: RunMemory = { wallSeconds: 0, stepSeconds: 0, resumes: 0, stages: [], counters: {}, spectra: [] };

/** Runs; resolves to the exit code. Throws GravmeshError for everything that goes wrong. */
export async function run(request: RunRequest, watch: Watcher, signal: AbortSignal): Promise<number> {
  const session = request.resume === undefined ? await begin(request, watch) : await resume(request, watch);
  if (!session) return EXIT.success;
  try {
    return await session.run(signal);
  } finally {
    session.destroy();
  }
}

async function begin(request: RunRequest, watch: Watcher): Promise<Session> {
  if (request.scenario === undefined) {
    throw new GravmeshError("usage", "Which scenario? Give a deck's path or a name, as in `gravmesh run plummer`.");
  }
  const { scenario, name } = loadScenario(request.scenario, request.overrides);
  const path = request.out ?? join("results", name);
  requireFreshFolder(path, request.force ?? false);
  const engine = await chooseEngine(request.backend);
  for (const message of [...(engine.notice ? [engine.notice] : []), ...scenarioRemarks(scenario)]) {
    watch({ event: "warning", message });
  }
  try {
    requireMemory(scenario, engine);
    const simulation = await Simulation.create(scenario, {
      ...simulationOptions(scenario, engine),
      onInitialConditions: (done, total) => {
        if (done < total) watch({ event: "preparation", what: "Drawing initial conditions", fraction: done / total });
        else watch({ event: "preparation", what: "Preparing the pipeline", fraction: 0 });
      },
    });
    // Only now, when nothing stands in the way of the run, may an earlier one go.
    const folder = ResultFolder.create(path, scenario, request.force ?? false);
    return new Session(simulation, engine, folder, NOTHING_YET, watch);
  } catch (error) {
    engine.gpu?.destroy();
    throw error;
  }
}

async function resume(request: RunRequest, watch: Watcher): Promise<Session | undefined> {
  const path = request.resume!;
  if (request.scenario !== undefined || request.out !== undefined || request.force) {
    throw new GravmeshError(
      "usage",
      `--resume continues the run in ${path} with its own deck: leave out SCENARIO, key=value, --out and --force.`,
    );
  }
  const { scenario, checkpoint, memory, skipped, folder } = await ResultFolder.open(path);
  for (const message of skipped) watch({ event: "warning", message: `Passed over a damaged checkpoint: ${message}` });
  const kind = checkpoint.state.format.split("-")[0] as BackendChoice;
  if (request.backend !== "auto" && request.backend !== kind) {
    throw new GravmeshError(
      "usage",
      `The run in ${path} was computed with --backend ${kind} and can only go on with it, found --backend ${request.backend}.`,
    );
  }
  const engine = await chooseEngine(kind);
  try {
    requireMemory(scenario, engine);
    watch({ event: "preparation", what: "Preparing the pipeline", fraction: 0 });
    const simulation = await Simulation.resume(scenario, checkpoint, simulationOptions(scenario, engine));
    if (simulation.done) {
      watch({ event: "warning", message: `The run in ${path} is complete (time ${simulation.time}); nothing to do.` });
      simulation.destroy();
      engine.gpu?.destroy();
      return undefined;
    }
    return new Session(simulation, engine, folder(), { ...memory, resumes: memory.resumes + 1 }, watch);
  } catch (error) {
    engine.gpu?.destroy();
    throw error;
  }
}

function simulationOptions(scenario: Scenario, engine: Engine) {
  return {
    ...(engine.gpu ? { gpu: engine.gpu } : { backend: "cpu" as const }),
    loadText,
    loadSnapshot: async (file: string) => {
      const loaded = await readSnapshot(file, {
        units: scenario.units.system,
        comoving: scenario.time.clock === "comoving",
      });
      requireMemory(scenario, engine, loaded.count);
      return loaded;
    },
  };
}

/** One process's part of a run. */
class Session {
  readonly #simulation: Simulation;
  readonly #engine: Engine;
  readonly #folder: ResultFolder;
  readonly #before: RunMemory;
  readonly #watch: Watcher;
  readonly #report: ReportGatherer;
  readonly #clustering: Clustering;
  readonly #started = new Date();
  readonly #clock = performance.now();
  /** This session's time in steps [ms]. */
  #stepMs = 0;
  #lastCheckpoint = performance.now();
  #energyError = 0;
  #pace = new Pace();

  constructor(simulation: Simulation, engine: Engine, folder: ResultFolder, before: RunMemory, watch: Watcher) {
    this.#simulation = simulation;
    this.#engine = engine;
    this.#folder = folder;
    this.#before = before;
    this.#watch = watch;
    this.#report = new ReportGatherer(simulation.scenario, before.report);
    this.#clustering = new Clustering(folder.path, before.spectra);
  }

  destroy(): void {
    this.#simulation.destroy();
    this.#engine.gpu?.destroy();
  }

  async run(signal: AbortSignal): Promise<number> {
    const simulation = this.#simulation;
    this.#announce();
    if (this.#before.resumes === 0) await this.#write();
    else this.#recall();
    while (!simulation.done) {
      const reached = simulation.output;
      const finished = await this.#advance(simulation.output + 1, signal);
      if (simulation.output > reached) await this.#write();
      if (simulation.done) break;
      if (signal.aborted) return await this.#interrupt();
      if (!finished || this.#checkpointDue()) await this.#saveCheckpoint();
    }
    await this.#saveCheckpoint();
    await this.#finish("complete");
    return EXIT.success;
  }

  #announce(): void {
    const { scenario, particleCount, schedule, backend, adapter, time, step } = this.#simulation;
    this.#watch({
      event: "start",
      version,
      title: scenario.title,
      folder: this.#folder.path,
      backend,
      adapter: adapter ? adapter.description || adapter.device : null,
      particles: particleCount,
      cells: scenario.gravity === "mesh" ? scenario.mesh.cells : null,
      integrator: scenario.gravity === "direct" ? integratorText(scenario.direct) : null,
      steps: schedule.totalSteps ?? null,
      end: scenario.time.end,
      ...(this.#before.resumes > 0 && { resumedAt: { time, step } }),
    });
  }

  /** Takes up what earlier sessions wrote. */
  #recall(): void {
    const { outputs, output } = this.#simulation;
    for (const { snapshot, time } of outputs.slice(0, output + 1)) if (snapshot) this.#folder.noteSnapshot(time);
    this.#energyError = this.#folder.rows[this.#folder.rows.length - 1]?.energyError ?? 0;
  }

  /** Advances to an output. False when it stopped before: a checkpoint is due, or the user wants to stop. */
  async #advance(output: number, signal: AbortSignal): Promise<boolean> {
    const pause = new AbortController();
    const stop = () => pause.abort();
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    const onProgress: AdvanceOptions["onProgress"] = ({ time, step, fraction, segment }) => {
      this.#stepMs += segment.ms;
      this.#pace.add(segment.steps, segment.ms);
      if (this.#checkpointDue()) stop();
      const elapsedSeconds = this.#elapsed();
      this.#watch({
        event: "progress",
        time,
        step,
        fraction,
        stepsPerSecond: this.#pace.stepsPerSecond,
        particleUpdatesPerSecond: this.#pace.stepsPerSecond * this.#simulation.particleCount,
        energyError: this.#energyError,
        elapsedSeconds,
        remainingSeconds: this.#pace.remaining(fraction),
      });
    };
    try {
      await this.#simulation.advance({ output, onProgress, signal: pause.signal });
      return true;
    } catch (error) {
      if (error instanceof GravmeshError && error.kind === "aborted") return false;
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Writes what the schedule wants at the output just reached. */
  async #write(): Promise<void> {
    const simulation = this.#simulation;
    const { snapshot, diagnostics } = simulation.outputs[simulation.output];
    if (diagnostics) {
      const row = await simulation.diagnostics();
      requireNumbers(row);
      this.#folder.addDiagnostics(row);
      this.#energyError = row.relativeEnergyError;
      this.#watch({ event: "diagnostics", ...row });
    }
    if (snapshot) {
      const { time, scenario, output } = simulation;
      const isFirst = output === 0;
      const particles = await simulation.readParticles({
        potential: scenario.output.potential,
        accelerations: isFirst,
      });
      if (isFirst) this.#report.begin(particles);
      const { index, file } = await this.#folder.addSnapshot(particles, time);
      this.#report.addPicture(index, particles, time);
      await this.#clustering.addSpectrum(simulation, index);
      this.#watch({ event: "snapshot", index, time, file });
    }
  }

  #checkpointDue(): boolean {
    const minutes = this.#simulation.scenario.output.checkpointMinutes;
    return minutes > 0 && performance.now() - this.#lastCheckpoint >= 60_000 * minutes;
  }

  async #saveCheckpoint(): Promise<void> {
    const report = this.#report.beginning;
    await this.#folder.saveCheckpoint(this.#simulation, {
      ...(report && { report }),
      spectra: this.#clustering.spectra,
      wallSeconds: this.#elapsed(),
      stepSeconds: this.#stepSeconds(),
      resumes: this.#before.resumes,
      stages: sumOfStages(this.#before.stages, this.#simulation.stageTimes()),
      counters: sumOfCounters(this.#before.counters, this.#simulation.counters()),
    });
    this.#lastCheckpoint = performance.now();
    const { time, step } = this.#simulation;
    this.#watch({ event: "checkpoint", time, step, folder: join(this.#folder.path, "checkpoint") });
  }

  async #interrupt(): Promise<number> {
    await this.#saveCheckpoint();
    await this.#finish("interrupted");
    return EXIT.interrupted;
  }

  async #finish(status: "complete" | "interrupted"): Promise<void> {
    const simulation = this.#simulation;
    const folder = this.#folder;
    const stages = sumOfStages(this.#before.stages, simulation.stageTimes());
    const last = await simulation.diagnostics();
    const summary = summaryOf(simulation, {
      status,
      rows: folder.rows,
      last,
      snapshots: folder.snapshots,
      wallSeconds: this.#elapsed(),
      stepSeconds: this.#stepSeconds(),
      stages,
      counters: sumOfCounters(this.#before.counters, simulation.counters()),
      resumes: this.#before.resumes,
      started: this.#started,
      finished: new Date(),
    });
    folder.writeSummary(summary);
    const { time, step } = simulation;
    if (status === "interrupted") {
      this.#watch({
        event: "interrupted",
        time,
        step,
        folder: folder.path,
        resume: `gravmesh run --resume ${folder.path}`,
      });
      return;
    }
    const haloes = await this.#clustering.addHaloes(simulation);
    const html = await this.#report.html({
      haloes,
      spectra: this.#clustering.spectra,
      folder: folder.path,
      rows: folder.rows,
      snapshots: folder.snapshots,
      stages,
      summary,
      last: await simulation.readParticles({ accelerations: true }),
      node: process.version,
    });
    const report = folder.writeReport(html);
    this.#watch({ event: "end", folder: resolve(folder.path), report: resolve(report), summary });
  }

  #elapsed(): number {
    return this.#before.wallSeconds + (performance.now() - this.#clock) / 1000;
  }

  #stepSeconds(): number {
    return this.#before.stepSeconds + this.#stepMs / 1000;
  }
}

/** Recent speed: old segments fade out, so that the estimate follows an adaptive step. */
class Pace {
  #steps = 0;
  #ms = 0;
  #begun: { fraction: number; at: number } | undefined;

  add(steps: number, ms: number): void {
    const memory = Math.exp(-ms / 5000);
    this.#steps = memory * this.#steps + steps;
    this.#ms = memory * this.#ms + ms;
  }

  get stepsPerSecond(): number {
    return this.#ms === 0 ? 0 : (1000 * this.#steps) / this.#ms;
  }

  /** Wall time to the end, outputs included, from the part of the run done in this session [s]. */
  remaining(fraction: number): number {
    const now = performance.now();
    this.#begun ??= { fraction, at: now };
    const done = fraction - this.#begun.fraction;
    return done > 0 ? ((now - this.#begun.at) / 1000) * ((1 - fraction) / done) : Number.NaN;
  }
}

function sumOfStages(before: readonly StageTime[], now: readonly StageTime[]): StageTime[] {
  const names = [...new Set([...before, ...now].map(({ stage }) => stage))];
  return names.map((stage) => {
    const parts = [...before, ...now].filter((time) => time.stage === stage);
    return {
      stage,
      ms: parts.reduce((sum, { ms }) => sum + ms, 0),
      count: parts.reduce((sum, { count }) => sum + count, 0),
    };
  });
}

function sumOfCounters(before: Record<string, number>, now: Record<string, number>): Record<string, number> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return Object.fromEntries(names.map((name) => [name, (before[name] ?? 0) + (now[name] ?? 0)]));
}

/** Throws "numerical" when a sum over the particles is no number: something in the state isn't either. */
export function requireNumbers(row: Diagnostics): void {
  const { kinetic, potential, time, step } = row;
  const bad = Object.entries({ kinetic, potential }).find(([, value]) => !Number.isFinite(value));
  if (bad) {
    throw new GravmeshError(
      "numerical",
      `diagnostics at time ${time}, step ${step}: the ${bad[0]} energy is ${bad[1]}, expected a number. ` +
        "Try a shorter time.step, and look for extreme masses or velocities in the initial conditions.",
    );
  }
}
