/**
 * A simulation: a scenario's particles, the pipeline that moves them (pipeline.ts on the GPU, reference/ on the
 * CPU), the clock and the outputs. The library's main class; never writes to the console, keeps no global state.
 */
import { type HaloRequest, haloesOf, type SpectrumRequest, spectrumOf } from "./analysis.ts";
import type { Backend, StageTime } from "./backend.ts";
import { CosmicEnergyAccount, cosmicEnergies } from "./cosmology/layzer-irvine.ts";
import { unitSystem } from "./deck/units.ts";
import { type Diagnostics, diagnosticsOf } from "./diagnostics/columns.ts";
import type { HaloCatalogue } from "./diagnostics/friends-of-friends-catalogue.ts";
import type { Spectrum } from "./diagnostics/power-spectrum.ts";
import { chooseEngine, displacementsOn, type Engine, type EngineOptions, makeBackend } from "./engine.ts";
import type { AdapterSummary, GpuContext } from "./gpu/context.ts";
import { type InitialConditionsOptions, initialConditions } from "./initial/index.ts";
import type { ComponentRange, ParticleSet } from "./particles/state.ts";
import type { Sums } from "./particles/sums.ts";
import { MeshPipeline } from "./pipeline.ts";
import type { ExternalPotential } from "./potentials/potential.ts";
import type { Scenario } from "./scenario/scenario.ts";
import { massesByComponent, placeholderParticles, type SimulationCheckpoint } from "./simulation-checkpoint.ts";
import { type AdvanceOptions, SimulationSteps, type StepsPlace } from "./simulation-steps.ts";
import type { Output, Schedule } from "./time/schedule.ts";

export type { Diagnostics } from "./diagnostics/columns.ts";
export type { BackendChoice } from "./engine.ts";
export type { SimulationCheckpoint } from "./simulation-checkpoint.ts";
export type { AdvanceOptions, Progress } from "./simulation-steps.ts";

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

interface SimulationParts {
  scenario: Scenario;
  particles: ParticleSet;
  externalPotentials: ExternalPotential[];
  engine: Engine;
  backend: Backend;
  at?: StepsPlace;
}

export class Simulation {
  readonly scenario: Scenario;
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
  #cosmicEnergy = new CosmicEnergyAccount();
  readonly #steps: SimulationSteps;
  #lastDiagnostics: Diagnostics | undefined;

  private constructor({ scenario, particles, externalPotentials, engine, backend, at }: SimulationParts) {
    this.scenario = scenario;
    this.components = particles.components;
    this.particleCount = particles.count;
    this.externalPotentials = externalPotentials;
    this.notice = engine.notice;
    this.#masses = particles.masses;
    this.#backend = backend;
    this.#gpu = engine.gpu;
    this.#ownsGpu = engine.owned;
    this.#steps = new SimulationSteps(scenario, particles.count, backend, at);
  }

  /** Draws the initial conditions and makes the pipeline. Throws "scenario", "input", "memory" or "device". */
  static async create(scenario: Scenario, options: SimulationOptions = {}): Promise<Simulation> {
    return onEngine(options, async (engine) => {
      const { particles, externalPotentials } = await initialConditions(scenario, {
        G: unitSystem(scenario.units.system).G,
        displacements: displacementsOn(engine.gpu),
        ...(options.loadSnapshot && { loadSnapshot: options.loadSnapshot }),
        ...(options.loadText && { loadText: options.loadText }),
        ...(options.onInitialConditions && { onProgress: options.onInitialConditions }),
        ...(options.particles && { particles: options.particles }),
      });
      const backend = await makeBackend(scenario, particles, externalPotentials, engine);
      const simulation = new Simulation({ scenario, particles, externalPotentials, engine, backend });
      simulation.#initialSums = await backend.sums();
      backend.resetTimes?.(); // what the choice between kernel shapes took is no time of the run
      return simulation;
    });
  }

  /** Continues from a checkpoint of the same scenario: the same bits as a run that was never interrupted. */
  static async resume(
    scenario: Scenario,
    checkpoint: SimulationCheckpoint,
    options: SimulationOptions = {},
  ): Promise<Simulation> {
    return onEngine(options, async (engine) => {
      const particles = placeholderParticles(scenario, checkpoint);
      const { externalPotentials } = checkpoint;
      const backend = await makeBackend(scenario, particles, externalPotentials, engine);
      await backend.restoreState(checkpoint.state);
      backend.resetTimes?.();
      const simulation = new Simulation({ scenario, particles, externalPotentials, engine, backend, at: checkpoint });
      simulation.#initialSums = checkpoint.initialSums;
      simulation.#cosmicEnergy = new CosmicEnergyAccount(checkpoint.cosmicEnergy);
      return simulation;
    });
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
    return this.#steps.place.time;
  }

  /** Steps taken. */
  get step(): number {
    return this.#steps.place.step;
  }

  get schedule(): Schedule {
    return this.#steps.schedule;
  }

  get outputs(): readonly Output[] {
    return this.schedule.outputs;
  }

  /** Index of the last output reached. */
  get output(): number {
    return this.#steps.place.output;
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
    return this.#steps.done;
  }

  /** Advances to a time or an output, by default to the end. The state is synchronous afterwards. */
  advance(options: AdvanceOptions = {}): Promise<void> {
    return this.#steps.advance(options);
  }

  /** Sums over the particles and their drift since the start; those of the last step's end after a stop within a step. */
  async diagnostics(): Promise<Diagnostics> {
    if (this.#steps.midStep && this.#lastDiagnostics) return this.#lastDiagnostics;
    const sums = await this.#backend.sums();
    const initial = this.#initialSums ?? sums;
    const energies = this.#energies(sums);
    this.#lastDiagnostics = diagnosticsOf({
      time: this.time,
      step: this.step,
      sums,
      initial,
      energies,
      ...(this.#steps.comoving && { cosmicResidual: this.#cosmicEnergyError(energies) }),
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
      ...this.#steps.place,
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
    return this.#steps.comoving ? cosmicEnergies(this.time, sums.kinetic, sums.potential) : sums;
  }

  /** Residual of the Layzer–Irvine equation over |aW|, with the integral of K taken from diagnostics to diagnostics. */
  #cosmicEnergyError(energies: { kinetic: number; potential: number }): number {
    const { state } = this.#cosmicEnergy;
    if (state && state.last.a === this.time) return this.#lastDiagnostics?.relativeEnergyError ?? 0;
    return this.#cosmicEnergy.add({ a: this.time, ...energies }).relative;
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
}

/** Makes something on the engine that the options ask for, which is given back when that fails. */
async function onEngine<T>(options: EngineOptions, make: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await chooseEngine(options);
  try {
    return await make(engine);
  } catch (error) {
    if (engine.owned) engine.gpu?.destroy();
    throw error;
  }
}
