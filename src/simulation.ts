/**
 * A simulation: a scenario's particles, the pipeline that moves them (pipeline.ts on the GPU, reference/ on the
 * CPU), the clock and the outputs. The library's main class; never writes to the console, keeps no global state.
 */
import { type HaloRequest, haloesOf, type SpectrumRequest, spectrumOf } from "./analysis.ts";
import type { AdvanceControl, Backend, StageTime } from "./backend.ts";
import { CosmicEnergyAccount, cosmicEnergies } from "./cosmology/layzer-irvine.ts";
import { unitSystem } from "./deck/units.ts";
import { type Diagnostics, diagnosticsOf } from "./diagnostics/columns.ts";
import type { HaloCatalogue } from "./diagnostics/friends-of-friends-catalogue.ts";
import type { Spectrum } from "./diagnostics/power-spectrum.ts";
import { chooseEngine, displacementsOn, type Engine, type EngineOptions, makeBackend } from "./engine.ts";
import { GravmeshError } from "./errors.ts";
import type { AdapterSummary, GpuContext } from "./gpu/context.ts";
import { type InitialConditionsOptions, initialConditions } from "./initial/index.ts";
import type { ComponentRange, ParticleSet } from "./particles/state.ts";
import type { Sums } from "./particles/sums.ts";
import { MeshPipeline } from "./pipeline.ts";
import type { ExternalPotential } from "./potentials/potential.ts";
import type { Scenario } from "./scenario/scenario.ts";
import { massesByComponent, placeholderParticles, type SimulationCheckpoint } from "./simulation-checkpoint.ts";
import { adaptiveSegment, stepLimit, TICKS } from "./time/adaptive.ts";
import { between, ComovingTime, distance } from "./time/comoving.ts";
import { directSegmentSteps, type Output, type Schedule, schedule, segmentSteps } from "./time/schedule.ts";

export type { Diagnostics } from "./diagnostics/columns.ts";
export type { BackendChoice } from "./engine.ts";
export type { SimulationCheckpoint } from "./simulation-checkpoint.ts";

export interface SimulationOptions extends EngineOptions {
  /** Particles to use instead of the scenario's own. */
  particles?: ParticleSet;
  /** Reads the file of a component of kind "snapshot"; the Node command line passes one. */
  loadSnapshot?: InitialConditionsOptions["loadSnapshot"];
  /** Reads the table of a power spectrum, with cosmology.transfer = "file"; the Node command line passes one. */
  loadText?: InitialConditionsOptions["loadText"];
  /** Called while initial conditions are drawn, with the particles drawn and their total. */
  onInitialConditions?: (done: number, total: number) => void;
}

export interface Progress {
  /** [time] */
  time: number;
  step: number;
  /** Fraction of the run's end time. */
  fraction: number;
  /** Steps in the segment just done, and its wall time [ms]. */
  segment: { steps: number; ms: number };
}

export interface AdvanceOptions {
  /** Advance to this time [time]: whole fixed steps, or the end of an adaptive interval at or after it. */
  until?: number;
  /** Advance to the output of this index. */
  output?: number;
  onProgress?: (progress: Progress) => void;
  /** Ends the advance at the next synchronous state with a GravmeshError of kind "aborted"; the state stays usable. */
  signal?: AbortSignal;
}

export class Simulation {
  readonly scenario: Scenario;
  readonly schedule: Schedule;
  /** Why WebGPU is not in use although it might be: one line for the user. */
  readonly notice: string | undefined;
  readonly components: readonly ComponentRange[];
  readonly particleCount: number;
  readonly externalPotentials: readonly ExternalPotential[];
  readonly #backend: Backend;
  readonly #gpu: GpuContext | undefined;
  readonly #ownsGpu: boolean;
  readonly #masses: Float64Array;
  #initialSums: Sums | undefined;
  /** Undefined with a static clock. */
  readonly #comoving: ComovingTime | undefined;
  #cosmicEnergy = new CosmicEnergyAccount();
  #step = 0;
  #time: number;
  #output = 0;
  #tick = 0;
  /** Stopped within a step that the backend divides: its particles are at different times. */
  #midStep = false;
  #lastDiagnostics: Diagnostics | undefined;

  private constructor(
    scenario: Scenario,
    particles: ParticleSet,
    externalPotentials: ExternalPotential[],
    engine: Engine,
    backend: Backend,
  ) {
    this.scenario = scenario;
    this.schedule = schedule(scenario);
    this.#time = scenario.time.start;
    this.#comoving =
      scenario.time.clock === "comoving" ? new ComovingTime(scenario.cosmology, scenario.time) : undefined;
    this.components = particles.components;
    this.particleCount = particles.count;
    this.externalPotentials = externalPotentials;
    this.notice = engine.notice;
    this.#masses = particles.masses;
    this.#backend = backend;
    this.#gpu = engine.gpu;
    this.#ownsGpu = engine.owned;
  }

  /** Draws the initial conditions and makes the pipeline. Throws "scenario", "input", "memory" or "device". */
  static async create(scenario: Scenario, options: SimulationOptions = {}): Promise<Simulation> {
    const engine = await chooseEngine(options);
    try {
      const { particles, externalPotentials } = await initialConditions(scenario, {
        G: unitSystem(scenario.units.system).G,
        displacements: displacementsOn(engine.gpu),
        ...(options.loadSnapshot && { loadSnapshot: options.loadSnapshot }),
        ...(options.loadText && { loadText: options.loadText }),
        ...(options.onInitialConditions && { onProgress: options.onInitialConditions }),
        ...(options.particles && { particles: options.particles }),
      });
      const backend = await makeBackend(scenario, particles, externalPotentials, engine);
      const simulation = new Simulation(scenario, particles, externalPotentials, engine, backend);
      simulation.#initialSums = await backend.sums();
      backend.resetTimes?.(); // what the choice between kernel shapes took is no time of the run
      return simulation;
    } catch (error) {
      if (engine.owned) engine.gpu?.destroy();
      throw error;
    }
  }

  /** Continues from a checkpoint of the same scenario: the same bits as a run that was never interrupted. */
  static async resume(
    scenario: Scenario,
    checkpoint: SimulationCheckpoint,
    options: SimulationOptions = {},
  ): Promise<Simulation> {
    const engine = await chooseEngine(options);
    try {
      const particles = placeholderParticles(scenario, checkpoint);
      const backend = await makeBackend(scenario, particles, checkpoint.externalPotentials, engine);
      await backend.restoreState(checkpoint.state);
      backend.resetTimes?.();
      const simulation = new Simulation(scenario, particles, checkpoint.externalPotentials, engine, backend);
      simulation.#initialSums = checkpoint.initialSums;
      simulation.#step = checkpoint.step;
      simulation.#time = checkpoint.time;
      simulation.#output = checkpoint.output;
      simulation.#tick = checkpoint.tick;
      simulation.#cosmicEnergy = new CosmicEnergyAccount(checkpoint.cosmicEnergy);
      return simulation;
    } catch (error) {
      if (engine.owned) engine.gpu?.destroy();
      throw error;
    }
  }

  /** "webgpu" or "cpu". */
  get backend(): Backend["kind"] {
    return this.#backend.kind;
  }

  get adapter(): AdapterSummary | undefined {
    return this.#gpu?.adapter;
  }

  /** [time] */
  get time(): number {
    return this.#time;
  }

  /** Steps taken. */
  get step(): number {
    return this.#step;
  }

  get outputs(): readonly Output[] {
    return this.schedule.outputs;
  }

  /** Index of the last output reached. */
  get output(): number {
    return this.#output;
  }

  /**
   * The GPU's own particle buffers, for a renderer: positions are u32 fixed point [N, 3] with x = L·u/2³², ids [N]; in
   * an isolated box packed images [N], which box beside it a particle is in (particles/fixed-point.ts).
   * They move between two sets of buffers; ask again after every advance. Undefined on the CPU.
   */
  get buffers(): MeshPipeline["particleBuffers"] | undefined {
    return this.#backend instanceof MeshPipeline ? this.#backend.particleBuffers : undefined;
  }

  get done(): boolean {
    return this.#output === this.outputs.length - 1;
  }

  /** Advances to a time or an output, by default to the end. The state is synchronous afterwards. */
  async advance(options: AdvanceOptions = {}): Promise<void> {
    const target = this.#targetOutput(options);
    while (this.#output < target) await this.#segment(options, undefined);
    // A time between outputs: whole steps of the fixed step up to it.
    if (options.until !== undefined && options.output === undefined && this.schedule.totalSteps !== undefined) {
      const lastStep = this.#stepsUntil(options.until);
      while (!this.done && this.#step < lastStep) await this.#segment(options, lastStep);
    }
  }

  /** Sums over the particles and their drift since the start; those of the last step's end after a stop within a step. */
  async diagnostics(): Promise<Diagnostics> {
    if (this.#midStep && this.#lastDiagnostics) return this.#lastDiagnostics;
    const sums = await this.#backend.sums();
    const initial = this.#initialSums ?? sums;
    const energies = this.#energies(sums);
    this.#lastDiagnostics = diagnosticsOf({
      time: this.#time,
      step: this.#step,
      sums,
      initial,
      energies,
      ...(this.#comoving && { cosmicResidual: this.#cosmicEnergyError(energies) }),
    });
    return this.#lastDiagnostics;
  }

  /** Particles in id order, in box coordinates; potential [velocity²] and accelerations when asked for. */
  readParticles(want: { potential?: boolean; accelerations?: boolean } = {}): ReturnType<Backend["readParticles"]> {
    return this.#backend.readParticles(want);
  }

  /** Power spectrum of a periodic run, on a mesh of the run's own size unless another is asked for. */
  powerSpectrum(request: Partial<SpectrumRequest> = {}): Promise<Spectrum> {
    const { mesh, box } = this.scenario;
    return spectrumOf(this.#backend, box.size, { cells: mesh.cells, ...request });
  }

  /** Friends-of-friends haloes with the linking length and the least members of the deck. */
  haloes(request: Partial<HaloRequest> = {}): Promise<HaloCatalogue> {
    const { linkingLength: linking, leastMembers: minimumMembers } = this.scenario.output;
    return haloesOf(this.#backend, this.scenario.box.size, { linking, minimumMembers, ...request });
  }

  /** The exact state, to be given to `Simulation.resume` later. */
  async checkpoint(): Promise<SimulationCheckpoint> {
    return {
      step: this.#step,
      time: this.#time,
      output: this.#output,
      tick: this.#tick,
      initialSums: this.#initialSums ?? (await this.#backend.sums()),
      components: [...this.components],
      masses: massesByComponent(this.components, this.#masses),
      externalPotentials: [...this.externalPotentials],
      ...(this.#cosmicEnergy.state && { cosmicEnergy: this.#cosmicEnergy.state }),
      state: await this.#backend.saveState(),
    };
  }

  /** Energies of peculiar motion on the comoving clock: K = Σ ½ m (p/a)², W = ½ Σ m φ/a; else the sums themselves. */
  #energies(sums: Sums): { kinetic: number; potential: number } {
    return this.#comoving ? cosmicEnergies(this.#time, sums.kinetic, sums.potential) : sums;
  }

  /** Residual of the Layzer–Irvine equation over |aW|, with the integral of K taken from diagnostics to diagnostics. */
  #cosmicEnergyError(energies: { kinetic: number; potential: number }): number {
    const { state } = this.#cosmicEnergy;
    if (state && state.last.a === this.#time) return this.#lastDiagnostics?.relativeEnergyError ?? 0;
    return this.#cosmicEnergy.add({ a: this.#time, ...energies }).relative;
  }

  /** What the backend counts beside steps, by name: blocks, particle steps, interactions of direct summation. */
  counters(): Record<string, number> {
    return this.#backend.counters?.() ?? {};
  }

  /** Accumulated time per stage of the step. */
  stageTimes(): StageTime[] {
    return this.#backend.stageTimes();
  }

  /** Bytes held for the run. */
  memory(): ReturnType<Backend["memory"]> {
    return this.#backend.memory();
  }

  destroy(): void {
    this.#backend.destroy();
    if (this.#ownsGpu) this.#gpu?.destroy();
  }

  /** Whole fixed steps that end at or before a time. */
  #stepsUntil(until: number): number {
    const { step, edges } = this.schedule;
    if (step !== undefined) return Math.floor((until / step) * (1 + 1e-12));
    return edges ? edges.findLastIndex((a) => a <= until * (1 + 1e-12)) : 0;
  }

  #targetOutput({ until, output }: AdvanceOptions): number {
    const last = this.outputs.length - 1;
    if (output !== undefined) return Math.min(output, last);
    if (until === undefined) return last;
    const tolerance = 1e-12 * this.scenario.time.end;
    if (this.schedule.totalSteps === undefined) {
      const reached = this.outputs.findIndex(({ time }) => time >= until - tolerance);
      return reached < 0 ? last : reached;
    }
    return this.outputs.findLastIndex(({ time }) => time <= until + tolerance);
  }

  /** One run of steps between synchronous states, never past the next output or `lastStep`. */
  async #segment({ onProgress, signal }: AdvanceOptions, lastStep: number | undefined): Promise<void> {
    if (signal?.aborted) throw new GravmeshError("aborted", `stopped at time ${this.#time}, step ${this.#step}`);
    let since = performance.now();
    let reported = 0;
    const report = (time: number, step: number, steps: number) => {
      const now = performance.now();
      const segment = { steps: steps - reported, ms: now - since };
      [since, reported] = [now, steps];
      onProgress?.({ time, step, fraction: this.#fraction(time), segment });
    };
    const [time, step] = [this.#time, this.#step];
    const control: AdvanceControl = {
      ...(signal && { signal }),
      onProgress: (done) => report(time + done * (this.schedule.step ?? 0), step + Math.floor(done), done),
    };
    const steps =
      this.schedule.totalSteps === undefined ? await this.#adaptive(control) : await this.#fixed(lastStep, control);
    report(this.#time, this.#step, steps);
  }

  /** How much of the run's way lies behind a time. */
  #fraction(time: number): number {
    const { time: settings } = this.scenario;
    return distance(settings, settings.start, time) / distance(settings, settings.start, settings.end);
  }

  async #fixed(lastStep: number | undefined, control: AdvanceControl): Promise<number> {
    const { step: dt = 0, edges } = this.schedule;
    const next = this.outputs[this.#output + 1];
    const from = this.outputs[this.#output].step!;
    // Segments are counted from the last output, so that they fall on the same steps in a resumed run.
    const length = this.#segmentLength();
    const segmentEnd = from + (Math.floor((this.#step - from) / length) + 1) * length;
    const end = Math.min(next.step!, segmentEnd, lastStep ?? Number.POSITIVE_INFINITY);
    const steps = end - this.#step;
    const factors = this.#comoving && edges && this.#comoving.factors(edges.subarray(this.#step, end + 1));
    await this.#advanceBackend(steps, dt, { ...control, ...(factors && { factors }) });
    this.#step = end;
    this.#time = end === next.step ? next.time : edges ? edges[end] : end * dt;
    if (end === next.step) this.#output += 1;
    return steps;
  }

  /** Steps between synchronous states. A direct sum that divides its steps may be stopped within one: one at a time. */
  #segmentLength(): number {
    const { gravity, direct, mesh } = this.scenario;
    if (gravity === "mesh") return segmentSteps(this.particleCount, mesh.cells);
    return direct.steps === "shared" ? directSegmentSteps(this.particleCount) : 1;
  }

  async #adaptive(control: AdvanceControl): Promise<number> {
    const { mesh, box, time } = this.scenario;
    const from = this.outputs[this.#output];
    const next = this.outputs[this.#output + 1];
    const interval = distance(time, from.time, next.time);
    const cell = box.size / mesh.cells;
    const extremes = await this.#backend.extremes();
    const limit = this.#comoving
      ? this.#comoving.stepLimit(this.#time, cell, extremes)
      : stepLimit(time, cell, extremes);
    const { steps, ticks } = adaptiveSegment(this.#tick, interval, limit);
    const at = (tick: number) => between(time, from.time, next.time, tick / TICKS);
    const factors = this.#comoving?.factors(Array.from({ length: steps + 1 }, (_, i) => at(this.#tick + i * ticks)));
    await this.#advanceBackend(steps, (interval * ticks) / TICKS, { ...control, ...(factors && { factors }) });
    this.#step += steps;
    this.#tick += steps * ticks;
    this.#time = factors ? at(this.#tick) : from.time + (interval * this.#tick) / TICKS;
    if (this.#tick === TICKS) {
      this.#output += 1;
      this.#tick = 0;
      this.#time = next.time;
    }
    return steps;
  }

  /** Counts the whole steps of an advance that was stopped; the backend finishes a begun one when it goes on. */
  #stoppedAfter(done: number, dt: number): void {
    const whole = Math.floor(done);
    this.#midStep = done > whole;
    this.#step += whole;
    if (whole > 0) this.#time = this.#step * dt;
  }

  async #advanceBackend(steps: number, dt: number, control: AdvanceControl): Promise<void> {
    let done = 0;
    const onProgress = (fraction: number) => {
      done = fraction;
      control.onProgress?.(fraction);
    };
    try {
      await this.#backend.advance(steps, dt, { ...control, onProgress });
      this.#midStep = false;
    } catch (cause) {
      if (!(cause instanceof GravmeshError)) throw cause;
      if (cause.kind === "aborted") this.#stoppedAfter(done, dt);
      const where = `steps ${this.#step + 1}–${this.#step + steps} (time ${this.#time.toPrecision(6)})`;
      throw new GravmeshError(cause.kind, `${where}: ${cause.message}`, { cause });
    }
  }
}
