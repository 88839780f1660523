/** The library's main class: a scenario's particles, their pipeline, the clock and the outputs. Silent. */

import type {
  Backend,
  BlockRequest,
  HostTraffic,
  OrbitRow,
  RankSharing,
  ReadRequest,
  StageTime,
} from "../../engine/backend/backend.ts";
import { type Diagnostics, nonFinite } from "../../engine/diagnostics/columns.ts";
import type { HaloCatalogue } from "../../engine/diagnostics/friends-of-friends-catalogue.ts";
import type { Spectrum } from "../../engine/diagnostics/power-spectrum.ts";
import { MeshPipeline, type ParticleBufferWindow } from "../../engine/pipeline/pipeline.ts";
import { orbitWatch } from "../../engine/time/orbit-recorder.ts";
import type { Output, Schedule } from "../../engine/time/schedule.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { TaskQueue } from "../../foundation/base/turns.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { type AdapterSummary, adapterName } from "../../foundation/gpu/adapter.ts";
import { mondOf } from "../../physics/mond/settings.ts";
import type { OrbitRequest } from "../../physics/particles/chosen.ts";
import { HostReductions } from "../../physics/particles/host-reductions.ts";
import type { LevelCore } from "../../physics/particles/level-core.ts";
import { ParticleMasses } from "../../physics/particles/masses.ts";
import type { AskRanks } from "../../physics/particles/rank-tasks.ts";
import type { IdRange, Reductions } from "../../physics/particles/reductions.ts";
import { withMasses } from "../../physics/particles/source.ts";
import type { ComponentRange } from "../../physics/particles/state.ts";
import type { Sums } from "../../physics/particles/sums.ts";
import type { ExternalPotential } from "../../physics/potentials/potential.ts";
import { levelCores } from "../level-sizes.ts";
import type { Scenario } from "../scenario.ts";
import { type HaloRequest, haloesOf, type SpectrumRequest, spectrumOf } from "./analysis.ts";
import type { CheckpointInPieces, SimulationCheckpoint } from "./checkpoint.ts";
import { SimulationDiagnostics } from "./diagnostics.ts";
import type { Engine } from "./engine.ts";
import { begun, continued, type SimulationOptions, type SimulationParts } from "./making.ts";
import { PhantomMatter } from "./phantom-matter.ts";
import type { SumsAtOutputs } from "./step-plans.ts";
import { type AdvanceOptions, SimulationSteps } from "./steps.ts";

export type { Diagnostics } from "../../engine/diagnostics/columns.ts";
export type { CheckpointInPieces, SimulationCheckpoint } from "./checkpoint.ts";
export type { BackendChoice } from "./engine.ts";
export type { SimulationOptions } from "./making.ts";
export type { AdvanceOptions, Progress } from "./steps.ts";

/** Records chosen particles with their times. */
export interface OrbitWatch extends Omit<OrbitRequest, "take"> {
  take(row: OrbitRow & { time: number }): void;
}

/**
 * Asynchronous calls are carried out one after the other, in the order in which they are made: one that is made during an
 * `advance` has its result after it. Throws "usage" for calls after `destroy`, and within loops over blocks.
 */
export class Simulation {
  readonly components: readonly ComponentRange[];
  readonly particleCount: number;
  readonly externalPotentials: readonly ExternalPotential[];
  /** Profiles of galaxies read from files and put on orbits, by place in the deck; unknown after a checkpoint. */
  readonly fileProfiles: SimulationParts["fileProfiles"];
  private readonly engine: Engine;
  readonly #forces: Backend;
  readonly #turns = new TaskQueue("simulation");
  /** Ends the advances under way when it is destroyed. */
  readonly #end = new AbortController();
  /** The mass of each particle, in id order. */
  readonly masses: ParticleMasses;
  /** Statistical weights in sums, pictures and profiles: masses; with tracers alone 1/N each. */
  readonly weights: ParticleMasses;
  readonly #diagnostics: SimulationDiagnostics;
  readonly #steps: SimulationSteps;

  private constructor(
    readonly scenario: Scenario,
    { source, externalPotentials, fileProfiles, engine, backend: forces, at, sums }: SimulationParts,
  ) {
    this.fileProfiles = fileProfiles;
    this.engine = engine;
    this.#forces = forces;
    this.externalPotentials = externalPotentials;
    this.components = source.components;
    this.particleCount = source.count;
    this.masses = source.masses;
    this.weights = source.masses.weights;
    const all = { mass: source.masses.total, count: source.count };
    this.#diagnostics = new SimulationDiagnostics(scenario, forces, all, { ...at, sums });
    this.#steps = new SimulationSteps(scenario, forces, at);
  }

  /** Draws the initial conditions. Throws "scenario", also for a too long step, "input", "memory", "device". */
  static async create(scenario: Scenario, options: SimulationOptions = {}): Promise<Simulation> {
    return new Simulation(scenario, await begun(scenario, options));
  }

  /** Continues from a checkpoint, with the bits of an uninterrupted run. Throws "input" where it doesn't fit. */
  static async resume(scenario: Scenario, checkpoint: CheckpointInPieces, options: SimulationOptions = {}) {
    return new Simulation(scenario, await continued(scenario, checkpoint, options));
  }

  get backend(): Backend["kind"] {
    return this.#forces.kind;
  }

  /** Throws "usage" once it is destroyed. */
  get #backend(): Backend {
    this.#turns.requireOpen();
    return this.#forces;
  }

  /** Why WebGPU is not in use although it might be: one line for the user. */
  get notice(): string | undefined {
    return this.engine.notice;
  }

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
   * an isolated box packed images [N] (physics/particles/fixed-point.ts). Ask again after every advance. Undefined on the CPU.
   * Throws "usage" where one buffer doesn't hold them: take `bufferWindows`.
   */
  get buffers(): Omit<ParticleBufferWindow, "first" | "count"> | undefined {
    const windows = this.bufferWindows;
    if (!windows || windows.length <= 1) return windows?.[0];
    const places = `lie in ${windows.length} windows; take bufferWindows`;
    throw new GravmeshError("usage", `the particles are more than a buffer holds and ${places}`);
  }

  /** The same for any number of particles: ranges of slots, one after the other, each with buffers of its own. */
  get bufferWindows(): readonly ParticleBufferWindow[] | undefined {
    const forces = this.#backend;
    return forces instanceof MeshPipeline ? forces.particleWindows : undefined;
  }

  get done(): boolean {
    return this.#steps.done;
  }

  /** Whether `look` of an advance is served: by the mesh; direct sums are read between advances. */
  get looksInPassing(): boolean {
    return this.#steps.looksInPassing;
  }

  /** Advances to a time or an output, by default to the end. The state is synchronous afterwards. Throws "usage". */
  advance(options: AdvanceOptions = {}): Promise<void> {
    const signal = AbortSignal.any([this.#end.signal, ...(options.signal ? [options.signal] : [])]);
    const pause = AbortSignal.any([signal, ...(options.pause ? [options.pause] : [])]);
    return this.#turns.take(() => {
      this.#diagnostics.moves();
      return this.#advance({ ...options, signal, pause });
    });
  }

  /** Ends it where a row has a number that is none. */
  async #advance({ onRow, ...options }: AdvanceOptions & { pause: AbortSignal }): Promise<void> {
    if (!onRow) return this.#steps.advance(options);
    const unsound = new AbortController();
    let last: { sums: Sums; row: Diagnostics } | undefined;
    const onSums: SumsAtOutputs = (sums, { time, step }) => {
      if (unsound.signal.aborted) return;
      last = { sums, row: this.#diagnostics.rowOf(sums, { time, step, comoving: this.#steps.comoving !== undefined }) };
      if (nonFinite(last.row)) unsound.abort();
      else onRow(last.row);
    };
    try {
      await this.#steps.advance({ ...options, pause: AbortSignal.any([options.pause, unsound.signal]) }, onSums);
    } finally {
      if (last && unsound.signal.aborted) await this.#diagnostics.requireNumbers(last.row);
      if (last?.row.step === this.step && !this.#steps.midStep) this.#diagnostics.moves(last.sums);
    }
  }

  /** Sums over the particles and their drift; within a step those of the last step's end. Throws "numerical". */
  diagnostics(): Promise<Diagnostics> {
    return this.#turns.take(() => {
      const { comoving, midStep } = this.#steps;
      return this.#diagnostics.row({ time: this.time, step: this.step, comoving: comoving !== undefined, midStep });
    });
  }

  /** Records chosen particles after every `every` steps to come; ids ascend. `chosen` has the present state. */
  recordOrbits({ ids, every, take }: OrbitWatch): Promise<void> {
    return this.watchSteps("orbits", (timeOf) =>
      orbitWatch({ ids, every, take: (row) => take({ ...row, time: timeOf(row.step) }) }),
    );
  }

  /** Has the steps to come watched, in place of an earlier watch of that name. */
  watchSteps(...watch: Parameters<SimulationSteps["watch"]>): Promise<void> {
    return this.#turns.take(() => this.#steps.watch(...watch));
  }

  /** The present state of chosen particles, `ids` ascending: positions [3K], velocities [3K]. */
  chosen(ids: Uint32Array): Promise<Omit<OrbitRow, "step">> {
    return this.#turns.take(() => this.#steps.chosen(ids));
  }

  /** Particles in id order, in box coordinates; potential [velocity²] and accelerations when asked for. */
  readParticles(want: { potential?: boolean; accelerations?: boolean } = {}): ReturnType<Backend["readParticles"]> {
    return this.#turns.take(() => this.#forces.readParticles(want));
  }

  /** The same in blocks of ids, one after another: for particles too many to be held at once. Other calls are refused meanwhile. */
  readBlocks(want: BlockRequest = {}): ReturnType<Backend["readBlocks"]> {
    return this.#turns.loop(() => this.#forces.readBlocks(want));
  }

  /** Makes each rank do something with its own particles; undefined where all are here. */
  get onRanks(): AskRanks | undefined {
    const forces = this.#backend;
    return forces.onRanks && ((task, about) => this.#turns.take(() => forces.onRanks!(task, about)));
  }

  /** Maps, centres, radii and profiles of the present state: on the GPU where the particles lie there, else by blocks. */
  reductions(): Reductions {
    return this.#turns.each(this.#backend.reductions?.() ?? this.#byBlocks(this.weights));
  }

  /** The same, by blocks, of numbers instead of masses, 1/N for each of `among`: of tracers beside particles with mass. */
  numbers(among: readonly IdRange[]): Reductions {
    const count = among.reduce((sum, range) => sum + range.count, 0);
    const weights = new ParticleMasses([{ first: 0, count: this.particleCount, mass: 1 / Math.max(1, count) }]);
    return this.#turns.each(this.#byBlocks(weights));
  }

  #byBlocks(weights: ParticleMasses): Reductions {
    const { particleCount: count, components } = this;
    const forces = this.#backend;
    const blocks = (want: ReadRequest) =>
      weights === this.masses ? forces.readBlocks(want) : withMasses(forces.readBlocks(want), weights);
    return new HostReductions({ count, components, blocks }, this.scenario.box);
  }

  /** Where the levels are now; none where nothing has mass. */
  levelCores(): Promise<LevelCore[]> {
    return this.#turns.take(async () => levelCores(this.scenario, (await this.#forces.levelCentres?.()) ?? []));
  }

  /** Phantom matter of modified gravity at the present time; undefined in Newton's gravity and where nothing has mass. */
  async phantomMatter(): Promise<PhantomMatter | undefined> {
    const { mesh, box, units } = this.scenario;
    const mond = mondOf(this.scenario);
    const potentials = await this.#turns.take(() => mond && this.#forces.modifiedPotentials?.());
    const { G } = unitSystem(units.system);
    return (
      mond &&
      potentials &&
      new PhantomMatter({ cells: mesh.cells, boxSize: box.size, G, boundary: box.boundary, mond }, potentials)
    );
  }

  /** Power spectrum of a periodic run, on a mesh of the run's own size unless another is asked for. */
  powerSpectrum(request: Partial<SpectrumRequest> = {}): Promise<Spectrum> {
    const { mesh, box } = this.scenario;
    return this.#turns.take(() => spectrumOf(this.#forces, box.size, { cells: mesh.cells, ...request }));
  }

  /** Friends-of-friends haloes with the linking length and the least members of the deck. */
  haloes(request: Partial<HaloRequest> = {}): Promise<HaloCatalogue> {
    const { linkingLength: linking, leastMembers: minimumMembers } = this.scenario.output;
    const wanted = { linking, minimumMembers, ...request };
    return this.#turns.take(() => haloesOf(this.#forces, this.scenario.box.size, wanted));
  }

  /** The exact state, to be given to `Simulation.resume` later. */
  checkpoint(): Promise<SimulationCheckpoint> {
    const all = async () => ({ ...this.#aboutCheckpoint(), state: await this.#forces.saveState() });
    return this.#turns.take(all);
  }

  /** The same to be written somewhere piece by piece; it is that of the state as long as the simulation isn't advanced. */
  checkpointInPieces(): Promise<CheckpointInPieces> {
    const saved = () => this.#forces.saveInPieces?.() ?? this.#forces.saveState();
    return this.#turns.take(async () => ({ ...this.#aboutCheckpoint(), state: await saved() }));
  }

  #aboutCheckpoint(): Omit<SimulationCheckpoint, "state"> {
    return {
      ...this.#steps.place,
      ...this.#diagnostics.saved,
      components: [...this.components],
      masses: this.masses.byComponent(this.components),
      externalPotentials: [...this.externalPotentials],
      adapter: this.adapter ? adapterName(this.adapter) : null,
    };
  }

  /** Counts of the backend since the run's start, other than steps, by name: blocks, particle steps, interactions. */
  counters(): Record<string, number> {
    return this.#backend.counters?.() ?? {};
  }

  /** Submissions, waits and bytes read back in all, preparation left out, and for steps alone; undefined on the CPU. */
  traffic(): { all: HostTraffic; steps: HostTraffic } | undefined {
    const all = this.#backend.traffic?.();
    return all && { all, steps: this.#steps.traffic };
  }

  /** Accumulated time per stage of the step; empty where nothing timed them. */
  stageTimes(): StageTime[] {
    return this.#backend.stageTimes();
  }

  /** The same of each rank; empty of a process by itself. All ranks take part. */
  stageTimesOfRanks(): Promise<StageTime[][]> {
    return this.#turns.take(async () => (await this.#forces.stageTimesOfRanks?.()) ?? []);
  }

  get sharing(): RankSharing | undefined {
    return this.#forces.sharing;
  }

  memory(): ReturnType<Backend["memory"]> {
    return this.#backend.memory();
  }

  /** Ends advances under way, which reject with "aborted", and gives everything back once earlier calls are done. */
  destroy(): Promise<void> {
    this.#end.abort();
    return this.#turns.close(() => {
      this.#forces.destroy();
      if (this.engine.owned) this.engine.gpu?.destroy();
    });
  }
}
