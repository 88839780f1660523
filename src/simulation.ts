/**
 * A simulation: a scenario's particles, the pipeline that moves them (pipeline.ts on the GPU, reference/ on the
 * CPU), the clock and the outputs. The library's main class; never writes to the console, keeps no global state.
 */
import { type HaloRequest, haloesOf, type SpectrumRequest, spectrumOf } from "./analysis.ts";
import type { Backend, BlockRequest, HostTraffic, OrbitRow, RankSharing, ReadRequest, StageTime } from "./backend.ts";
import { engineForSum, fewBodies } from "./backend-choice.ts";
import { unitSystem } from "./deck/units.ts";
import type { Diagnostics } from "./diagnostics/columns.ts";
import type { HaloCatalogue } from "./diagnostics/friends-of-friends-catalogue.ts";
import type { Spectrum } from "./diagnostics/power-spectrum.ts";
import {
  chooseEngine,
  crewOfPlatform,
  directSettings,
  displacementsOn,
  type Engine,
  type EngineOptions,
  makeBackend,
  onEngine,
} from "./engine.ts";
import { GravmeshError } from "./errors.ts";
import { type AdapterSummary, adapterName } from "./gpu/context.ts";
import { type InitialConditionsOptions, type InitialSource, initialSource } from "./initial/index.ts";
import { HostReductions } from "./particles/host-reductions.ts";
import { ParticleMasses } from "./particles/masses.ts";
import type { AskRanks } from "./particles/rank-tasks.ts";
import type { IdRange, Reductions } from "./particles/reductions.ts";
import { collected, sourceOf, withMasses } from "./particles/source.ts";
import type { ComponentRange } from "./particles/state.ts";
import type { Sums } from "./particles/sums.ts";
import { MeshPipeline, type ParticleBufferWindow } from "./pipeline.ts";
import { requireBeginning } from "./potentials/beginning.ts";
import type { ExternalPotential } from "./potentials/potential.ts";
import type { Scenario } from "./scenario/scenario.ts";
import {
  type CheckpointInPieces,
  misfit,
  placeholderParticles,
  type SimulationCheckpoint,
} from "./simulation-checkpoint.ts";
import { type SavedDiagnostics, SimulationDiagnostics } from "./simulation-diagnostics.ts";
import { type AdvanceOptions, type OrbitWatch, SimulationSteps } from "./simulation-steps.ts";
import { placeAt, type StepsPlace } from "./simulation-ways.ts";
import { halfMassOrbit, requireResolved } from "./time/orbit.ts";
import type { Output, Schedule } from "./time/schedule.ts";

export type { Diagnostics } from "./diagnostics/columns.ts";
export type { BackendChoice } from "./engine.ts";
export type { CheckpointInPieces, SimulationCheckpoint } from "./simulation-checkpoint.ts";
export type { AdvanceOptions, OrbitWatch, Progress } from "./simulation-steps.ts";

/** `loadSnapshot` and `loadText` read files; the Node command line passes both. */
export interface SimulationOptions
  extends EngineOptions,
    Pick<InitialConditionsOptions, "particles" | "loadSnapshot" | "loadText"> {
  /**
   * Asks for stage times where the device has no `timestamp-query`, too: every stage is then submitted and waited for by
   * itself, which takes several times as long.
   */
  stageTimes?: boolean;
  /**
   * The time that `particles` are of, where it isn't the run's start: the run goes on from there, or from the whole step
   * that is nearest, to the deck's end [time].
   */
  time?: number | undefined;
  /** Called while initial conditions are drawn, with the particles drawn and their total. */
  onInitialConditions?: (done: number, total: number) => void;
  /** Called with what is done between the initial conditions and the first step, on the GPU kernel by kernel. */
  onPreparing?: (what: string) => void;
  /** Ends the drawing of initial conditions with a GravmeshError of kind "aborted". */
  signal?: AbortSignal | undefined;
}

/** Where the driver compiles at the first submission, that of most kernels. */
const FIRST_FORCE = "first force and sums";

/** Makes something on an engine, which is given back when that fails; tells what is done on its device meanwhile. */
async function preparing<T>(
  engine: Engine,
  { onPreparing: tell = () => {} }: SimulationOptions,
  make: (engine: Engine, tell: (what: string) => void) => Promise<T>,
): Promise<T> {
  const untold = engine.gpu?.preparing.tellTo(tell);
  try {
    return await onEngine(engine, (own) => make(own, tell));
  } finally {
    untold?.();
  }
}

export class Simulation {
  readonly components: readonly ComponentRange[];
  readonly particleCount: number;
  readonly externalPotentials: readonly ExternalPotential[];
  readonly #masses: ParticleMasses;
  /** What particles count with in sums, pictures and profiles: their masses; tracers without any others 1/N each. */
  readonly weights: ParticleMasses;
  readonly #diagnostics: SimulationDiagnostics;
  readonly #steps: SimulationSteps;

  private constructor(
    readonly scenario: Scenario,
    { source, externalPotentials }: InitialSource,
    private readonly engine: Engine,
    private readonly forces: Backend,
    at?: StepsPlace & Partial<SavedDiagnostics>,
  ) {
    this.externalPotentials = externalPotentials;
    this.components = source.components;
    this.particleCount = source.count;
    this.#masses = source.masses;
    this.weights = source.masses.weights;
    this.#diagnostics = new SimulationDiagnostics(scenario, forces, source.masses.total, at);
    this.#steps = new SimulationSteps(scenario, forces, at);
  }

  /**
   * Draws the initial conditions and makes the pipeline. Throws "scenario", for a fixed step that can't follow the motion
   * too, "input", "memory" or "device".
   */
  static async create(scenario: Scenario, options: SimulationOptions = {}): Promise<Simulation> {
    const { backend: wanted = options.device || options.gpu ? "webgpu" : "auto" } = options;
    const few = wanted === "auto" && !options.particles ? fewBodies(scenario) : undefined;
    const found = await chooseEngine(few ? { backend: "cpu", ranks: options.ranks } : options);
    return preparing(few ? { ...found, notice: few } : found, options, async (available, tell) => {
      const initial = await initialSource(scenario, {
        G: unitSystem(scenario.units.system).G,
        displacements: displacementsOn(available.gpu),
        ...{ loadSnapshot: options.loadSnapshot, loadText: options.loadText, particles: options.particles },
        ...{ crew: crewOfPlatform, onProgress: options.onInitialConditions, signal: options.signal },
      });
      const { externalPotentials } = initial;
      const direct = scenario.gravity === "direct";
      // Direct sums are of arrays, which are looked at more than once.
      const source = direct ? sourceOf(await collected(initial.source)) : initial.source;
      const engine =
        direct && wanted === "auto"
          ? await engineForSum(available, directSettings(scenario, externalPotentials), source.set!)
          : available;
      let backend: Backend;
      try {
        backend = await makeBackend(scenario, source, externalPotentials, engine);
      } finally {
        source.release?.();
      }
      const at = options.particles && options.time !== undefined ? placeAt(scenario, options.time) : undefined;
      if (at) requireBeginning(scenario, externalPotentials, at.time);
      if (at) backend.beginAt?.(at.time);
      const simulation = new Simulation(scenario, { source, externalPotentials }, engine, backend, at);
      tell(FIRST_FORCE);
      simulation.#requireResolved(await simulation.#diagnostics.initialSums());
      if (options.stageTimes) backend.timeStages?.();
      backend.resetTimes?.(); // what the choice between kernel shapes took is no time of the run
      return simulation;
    });
  }

  /**
   * Continues from a checkpoint of the same scenario: the same bits as a run that was never interrupted. Throws "input"
   * for a checkpoint that can't be of this scenario.
   */
  static async resume(
    scenario: Scenario,
    checkpoint: CheckpointInPieces,
    options: SimulationOptions = {},
  ): Promise<Simulation> {
    const fault = misfit(scenario, checkpoint);
    if (fault) throw new GravmeshError("input", `the checkpoint doesn't fit its scenario: ${fault}`);
    return preparing(await chooseEngine(options), options, async (engine) => {
      const source = placeholderParticles(scenario, checkpoint);
      const { externalPotentials } = checkpoint;
      const { choices } = checkpoint.state;
      const backend = await makeBackend(scenario, source, externalPotentials, engine, choices);
      await backend.restoreState(checkpoint.state);
      if (options.stageTimes) backend.timeStages?.();
      backend.resetTimes?.();
      return new Simulation(scenario, { source, externalPotentials }, engine, backend, checkpoint);
    });
  }

  /** Of each particle, in id order. */
  get masses(): ParticleMasses {
    return this.#masses;
  }

  /** "webgpu" or "cpu". */
  get backend(): Backend["kind"] {
    return this.forces.kind;
  }

  /** Why WebGPU is not in use although it might be: one line for the user. */
  get notice(): string | undefined {
    return this.engine.notice;
  }

  /** Processes that share the particles. */
  get ranks(): number {
    return this.engine.ranks?.size ?? 1;
  }

  get adapter(): AdapterSummary | undefined {
    return this.engine.gpu?.adapter;
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
   * They move between two sets of buffers; ask again after every advance. Undefined on the CPU. Throws "usage" where one
   * buffer doesn't hold them: then there are `bufferWindows`.
   */
  get buffers(): Omit<ParticleBufferWindow, "first" | "count"> | undefined {
    const windows = this.bufferWindows;
    if (windows && windows.length > 1) {
      throw new GravmeshError(
        "usage",
        `the particles are more than a buffer holds and lie in ${windows.length} windows; take bufferWindows`,
      );
    }
    return windows?.[0];
  }

  /** The same for any number of particles: ranges of slots, one after the other, each with buffers of its own. */
  get bufferWindows(): readonly ParticleBufferWindow[] | undefined {
    return this.forces instanceof MeshPipeline ? this.forces.particleWindows : undefined;
  }

  get done(): boolean {
    return this.#steps.done;
  }

  /** Whether `look` of an advance is served: by the mesh; direct sums are read between advances. */
  get looksInPassing(): boolean {
    return this.#steps.looksInPassing;
  }

  /** Advances to a time or an output, by default to the end. The state is synchronous afterwards. */
  advance(options: AdvanceOptions = {}): Promise<void> {
    this.#diagnostics.moves();
    return this.#steps.advance(options);
  }

  /**
   * Sums over the particles and their drift since the start; those of the last step's end after a stop within a step.
   * Throws "numerical" with the first column that is no number, and why.
   */
  diagnostics(): Promise<Diagnostics> {
    const { comoving, midStep } = this.#steps;
    return this.#diagnostics.row({ time: this.time, step: this.step, comoving: comoving !== undefined, midStep });
  }

  /**
   * Has chosen particles told after every `every` steps of the advances to come, with positions and velocities of one time;
   * ids ascend. The present state isn't told: `chosen` has it.
   */
  recordOrbits(watch: OrbitWatch): Promise<void> {
    return this.#steps.recordOrbits(watch);
  }

  /** The present state of chosen particles, `ids` ascending: positions [3K], velocities [3K]. */
  chosen(ids: Uint32Array): Promise<Omit<OrbitRow, "step">> {
    return this.#steps.chosen(ids);
  }

  /** Particles in id order, in box coordinates; potential [velocity²] and accelerations when asked for. */
  readParticles(want: { potential?: boolean; accelerations?: boolean } = {}): ReturnType<Backend["readParticles"]> {
    return this.forces.readParticles(want);
  }

  /** The same in blocks of ids, one after another: for particles too many to be held at once. */
  readBlocks(want: BlockRequest = {}): ReturnType<Backend["readBlocks"]> {
    return this.forces.readBlocks(want);
  }

  /** Has each rank do something with its own particles; undefined where all of them are here. */
  get onRanks(): AskRanks | undefined {
    const { forces } = this;
    return forces.onRanks && ((task, about) => forces.onRanks!(task, about));
  }

  /** Maps, centres, radii and profiles of the present state: on the GPU where the particles lie there, else by blocks. */
  reductions(): Reductions {
    return this.forces.reductions?.() ?? this.#byBlocks(this.weights);
  }

  /** The same, by blocks, of numbers instead of masses, 1/N for each of `among`: of tracers beside particles with mass. */
  numbers(among: readonly IdRange[]): Reductions {
    const count = among.reduce((sum, range) => sum + range.count, 0);
    return this.#byBlocks(new ParticleMasses([{ first: 0, count: this.particleCount, mass: 1 / Math.max(1, count) }]));
  }

  #byBlocks(weights: ParticleMasses): Reductions {
    const { particleCount: count, components, forces } = this;
    const blocks = (want: ReadRequest) =>
      weights === this.#masses ? forces.readBlocks(want) : withMasses(forces.readBlocks(want), weights);
    return new HostReductions({ count, components, blocks }, this.scenario.box);
  }

  /** Power spectrum of a periodic run, on a mesh of the run's own size unless another is asked for. */
  powerSpectrum(request: Partial<SpectrumRequest> = {}): Promise<Spectrum> {
    const { mesh, box } = this.scenario;
    return spectrumOf(this.forces, box.size, { cells: mesh.cells, ...request });
  }

  /** Friends-of-friends haloes with the linking length and the least members of the deck. */
  haloes(request: Partial<HaloRequest> = {}): Promise<HaloCatalogue> {
    const { linkingLength: linking, leastMembers: minimumMembers } = this.scenario.output;
    return haloesOf(this.forces, this.scenario.box.size, { linking, minimumMembers, ...request });
  }

  /** The exact state, to be given to `Simulation.resume` later. */
  async checkpoint(): Promise<SimulationCheckpoint> {
    return { ...(await this.#aboutCheckpoint()), state: await this.forces.saveState() };
  }

  /** The same to be written somewhere piece by piece; it is that of the state as long as the simulation isn't advanced. */
  async checkpointInPieces(): Promise<CheckpointInPieces> {
    const { forces } = this;
    return {
      ...(await this.#aboutCheckpoint()),
      state: await (forces.saveInPieces?.() ?? forces.saveState()),
    };
  }

  /** All of it but for the state. */
  async #aboutCheckpoint(): Promise<Omit<SimulationCheckpoint, "state">> {
    return {
      ...this.#steps.place,
      ...(await this.#diagnostics.saved()),
      components: [...this.components],
      masses: this.#masses.byComponent(this.components),
      externalPotentials: [...this.externalPotentials],
      adapter: this.adapter ? adapterName(this.adapter) : null,
    };
  }

  /** In open space; a step that the backend divides is no matter. */
  #requireResolved(sums: Sums): void {
    const { gravity, direct, box } = this.scenario;
    const { step } = this.schedule;
    const divided = gravity === "direct" && direct.steps !== "shared";
    if (step === undefined || divided || box.boundary !== "isolated") return;
    const otherwise = gravity === "direct" ? 'direct.steps = "block"' : 'time.step = "adaptive"';
    requireResolved(step, halfMassOrbit(sums), otherwise);
  }

  /** What the backend counts beside steps since the run's start, by name: blocks, particle steps, interactions. */
  counters(): Record<string, number> {
    return this.forces.counters?.() ?? {};
  }

  /**
   * Submissions, waits and bytes read back since the start or the resume, preparation left out: in all, and for steps
   * alone; undefined on the CPU.
   */
  traffic(): { all: HostTraffic; steps: HostTraffic } | undefined {
    const all = this.forces.traffic?.();
    return all && { all, steps: this.#steps.traffic };
  }

  /** Accumulated time per stage of the step; empty where nothing timed them. */
  stageTimes(): StageTime[] {
    return this.forces.stageTimes();
  }

  /** The same of each rank; empty of a process by itself. All ranks take part. */
  async stageTimesOfRanks(): Promise<StageTime[][]> {
    return (await this.forces.stageTimesOfRanks?.()) ?? [];
  }

  /** What several ranks compute on, and which of them solve. */
  get sharing(): RankSharing | undefined {
    return this.forces.sharing;
  }

  /** Bytes held for the run. */
  memory(): ReturnType<Backend["memory"]> {
    return this.forces.memory();
  }

  destroy(): void {
    this.forces.destroy();
    if (this.engine.owned) this.engine.gpu?.destroy();
  }
}
