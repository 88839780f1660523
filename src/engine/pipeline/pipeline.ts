/** The particle mesh on the GPU as a simulation's backend. Everything stays on the GPU between outputs; step.ts has the steps. */

import type { GpuContext } from "../../foundation/gpu/context.ts";
import { InTurn } from "../../foundation/gpu/in-turn.ts";
import type { Share } from "../../foundation/ranks/ranks.ts";
import type { Sharing } from "../../foundation/ranks/solving.ts";
import { type BlockRequest, type ParticleBlock, wholeOf } from "../../physics/particles/blocks.ts";
import type { OrbitRow } from "../../physics/particles/chosen.ts";
import type { Reductions } from "../../physics/particles/reductions.ts";
import { wholeArrays } from "../../physics/particles/saved-arrays.ts";
import { type ParticleSource, sourceOf } from "../../physics/particles/source.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import type { Sums } from "../../physics/particles/sums.ts";
import type {
  AdvanceControl,
  Backend,
  ExactState,
  Extremes,
  FieldAtPoints,
  HostTraffic,
  ModifiedPotentials,
  ReadParticles,
  ReadRequest,
  StageTime,
  StateInPieces,
  StepPlan,
  Stopped,
} from "../backend/backend.ts";
import { goesOn, plainPlan, stopped, uniformFactors } from "../backend/backend.ts";
import { FriendsOfFriends } from "../diagnostics/friends-of-friends.ts";
import type { HaloCatalogue } from "../diagnostics/friends-of-friends-catalogue.ts";
import { pointField } from "../diagnostics/point-field.ts";
import { PowerSpectrum, type Spectrum } from "../diagnostics/power-spectrum.ts";
import { GpuReductions } from "../diagnostics/reductions.ts";
import type { ParticleBuffers } from "../gpu-particles/buffers.ts";
import { ParticleReading } from "../gpu-particles/reading.ts";
import { readField } from "../mesh/force/field-reading.ts";
import type { PipelineSettings } from "../mesh/settings.ts";
import type { MeshStage } from "../mesh/stage.ts";
import type { Pairs } from "../p3m/pairs.ts";
import type { StepWatch } from "../time/observer.ts";
import { OrbitRecorder } from "../time/orbit-recorder.ts";
import { type Halfway, restorePieces, stateInPieces } from "./state.ts";
import { MeshSteps } from "./step.ts";

interface SpectrumSettings {
  /** Cells per side of the mesh for it. */
  cells: number;
  subtractShotNoise?: boolean;
}

/** Buffers of a range of slots. */
export interface ParticleBufferWindow {
  /** The range's first slot, and how many there are. */
  first: number;
  count: number;
  /** [3·count, xyzxyz…] u32 fixed point. */
  positions: GPUBuffer;
  /** [3·count, xyzxyz…] f32 [velocity] */
  velocities: GPUBuffer;
  /** [count] u32 */
  ids: GPUBuffer;
  /** [count] u32 packed box images; isolated only. */
  images?: GPUBuffer;
}

export class MeshPipeline implements Backend {
  readonly kind = "webgpu";
  readonly looks = true;
  readonly #reading: ParticleReading;
  #watching: Awaited<ReturnType<NonNullable<StepWatch["onDevice"]>>>[] = [];
  #reductions: GpuReductions | undefined;
  #pointField: Awaited<ReturnType<typeof pointField>> | undefined;
  /** The extremes of the present state, where they are known. */
  #extremes: Extremes | undefined;
  /** After a stop between steps: the kick that closes the last step; the particles keep the velocities without it. */
  #halfway: Halfway | undefined;

  private readonly stage: MeshStage;
  private readonly gpu: GpuContext;
  private readonly particles: ParticleBuffers;

  private constructor(
    private readonly steps: MeshSteps,
    private readonly set: Pick<ParticleSource, "count" | "masses" | "components">,
  ) {
    this.stage = steps.stage;
    ({ gpu: this.gpu, particles: this.particles } = steps.stage);
    this.#reading = new ParticleReading(this.gpu, this.particles, set.masses.range(this.share));
  }

  /**
   * Uploads the particles and compiles the kernels. Of several ranks each holds its share of the particles, and the whole
   * mesh. Throws "input", "memory" or "device".
   */
  static async create(
    device: GpuContext,
    settings: PipelineSettings,
    set: ParticleSet | ParticleSource,
    sharing: Sharing = {},
  ): Promise<MeshPipeline> {
    const source = "blocks" in set ? set : sourceOf(set);
    const { count, masses, components } = source;
    return device.onAccount(async (gpu) => {
      return new MeshPipeline(await MeshSteps.create(gpu, settings, source, sharing), { count, masses, components });
    });
  }

  /** When the present state is, as far as external potentials ask for it [time]. */
  get #time(): number {
    return this.steps.parts.diagnostics.time;
  }

  set #time(time: number) {
    this.steps.parts.diagnostics.time = time;
  }

  /** Undefined without P³M. */
  get pairs(): Pairs | undefined {
    return this.steps.parts.pairs;
  }

  counters(): Record<string, number> {
    return this.pairs?.counters() ?? {};
  }

  /** The ids that are here. */
  get share(): Share {
    return this.particles.held.share;
  }

  /** Buffers of the current half of the particles, window by window. */
  get particleWindows(): readonly ParticleBufferWindow[] {
    const { windows, current } = this.particles;
    return windows.map(({ first, count, positions, velocities, ids, images }) => ({
      ...{ first, count, positions: positions[current], velocities: velocities[current], ids: ids[current] },
      ...(images && { images: images[current] }),
    }));
  }

  async advance(steps: number, dt: number, control: AdvanceControl = {}): Promise<Stopped | undefined> {
    return steps > 0 ? this.follow(plainPlan(uniformFactors(steps, dt)), control) : undefined;
  }

  async follow(plan: StepPlan, control: AdvanceControl = {}): Promise<Stopped | undefined> {
    const alone = this.particles.ranks.size === 1; // several ranks stop together
    if (alone && !goesOn(control)) return stopped(0, control);
    await this.steps.ensureForce();
    this.particles.takeOtherHalf(); // what was brought there to be read is that of another state
    const owed = this.#halfway?.owed ?? 0;
    if (this.#halfway) await this.particles.encodePutVelocitiesBack(this.gpu.batch("velocities put back")).submit();
    this.#halfway = undefined;
    this.#extremes = undefined;
    if (!control.look?.watched) this.steps.sampler.end();
    const submissions = new InTurn();
    try {
      const rest = await this.steps.along({
        ...{ plan, owed, submissions, control, observers: this.#watching },
        noteEnd: (extremes) => (this.#extremes = extremes),
      });
      await submissions.drain();
      if (rest === undefined) return undefined;
      if (rest.owed !== 0) await this.#stopHalfway(rest.owed);
      return stopped(rest.steps, control);
    } catch (error) {
      await submissions.drain().catch(() => {}); // what failed first is reported
      throw error;
    }
  }

  /** Stopped between two steps with a kick owed: makes the state synchronous, but keeps what the next steps go on from. */
  async #stopHalfway(owed: number): Promise<void> {
    const { update } = this.steps.parts;
    const batch = this.particles.encodeKeepVelocities(this.gpu.batch("closing kick"));
    await update.health.watch(update.encodeKick(batch, owed, this.#time)).submit();
    this.#halfway = { owed };
  }

  async watch(watches: readonly StepWatch[]): Promise<void> {
    for (const observer of this.#watching.splice(0)) observer.destroy();
    for (const watch of watches) this.#watching.push(await watch.onDevice!(this.stage, this.#monopole));
  }

  async readChosen(ids: Uint32Array): Promise<Omit<OrbitRow, "step">> {
    await this.steps.ensureForce();
    let found: OrbitRow | undefined;
    const request = { ids, every: 1, take: (row: OrbitRow) => (found = row) };
    const recorder = await OrbitRecorder.create(this.stage, this.#monopole, request);
    try {
      const batch = this.gpu.batch("chosen particles");
      recorder.encode(batch, { step: 0, kick: 0, time: this.#time });
      recorder.atEnd(batch);
      await batch.submit();
    } finally {
      recorder.destroy();
    }
    const { positions, velocities } = found!;
    return { positions, velocities };
  }

  get #monopole(): GPUBuffer {
    return this.steps.parts.escaped.monopole;
  }

  beginAt(time: number): void {
    this.#time = time;
  }

  async sums(): Promise<Sums> {
    await this.steps.ensureForce();
    return this.steps.parts.diagnostics.sums();
  }

  async extremes(): Promise<Extremes> {
    if (this.#extremes) return this.#extremes;
    await this.steps.ensureForce();
    return this.steps.parts.diagnostics.extremes();
  }

  async fieldAt(points: Float64Array): Promise<FieldAtPoints> {
    await this.steps.ensureForce();
    const { escaped, gravity } = this.steps.parts;
    const adding = { levels: gravity.parts?.levels, pairs: this.pairs };
    this.#pointField ??= await pointField(this.stage, escaped.monopole, adding);
    return this.#pointField(points, this.#time, () => this.sums());
  }

  async levelCentres(): Promise<number[][]> {
    return (await this.steps.parts.gravity.parts?.levels?.places.centres()) ?? [];
  }

  async modifiedPotentials(): Promise<ModifiedPotentials | undefined> {
    await this.steps.ensureForce();
    const newton = await this.steps.parts.gravity.parts?.poisson?.newtonPotential?.();
    return newton && { newton, modified: await readField(this.gpu, this.stage.mesh) };
  }

  async readParticles(want: ReadRequest = {}): Promise<ReadParticles> {
    const { count, components, masses } = this.set;
    return wholeOf(
      { count, components: [...components], masses: masses.toArray() },
      this.readBlocks({ ...want, reuse: true }),
    );
  }

  async *readBlocks(want: BlockRequest = {}): AsyncGenerator<ParticleBlock> {
    const { potential, accelerations } = want;
    if (!potential && !accelerations) return yield* this.#reading.blocks(want, {});
    await this.steps.ensureForce();
    const own = await this.steps.parts.diagnostics.perSlot();
    yield* this.#reading.blocks(want, {
      ...(potential && { potential: own.potential }),
      ...(accelerations && { accelerations: own.accelerations }),
    });
  }

  reductions(): Reductions {
    this.#reductions ??= new GpuReductions(this.gpu, this.particles, this.set.components, {
      ready: () => this.steps.ensureForce(),
      accelerations: async () => (await this.steps.parts.diagnostics.perSlot()).accelerations,
    });
    return this.#reductions;
  }

  /** Power spectrum of a periodic box. Throws "usage" for an isolated one. */
  async powerSpectrum({ cells, subtractShotNoise = false }: SpectrumSettings): Promise<Spectrum> {
    // Masses by slot are those of ordered particles; ranks, of which one may have more windows, do it together.
    if (this.particles.windows.length > 1 || this.particles.ranks.size > 1) await this.steps.ensureForce();
    const spectrum = await PowerSpectrum.create(this.gpu, this.particles, { cells });
    try {
      return await spectrum.measure({ subtractShotNoise });
    } finally {
      spectrum.destroy();
    }
  }

  /** Friends-of-friends haloes; `linking` is over the mean separation. */
  async haloes(options: { linking: number; minimumMembers: number }): Promise<HaloCatalogue> {
    return (await FriendsOfFriends.create(this.gpu, this.particles, options)).catalogue();
  }

  async saveState(): Promise<ExactState> {
    const { arrays, ...about } = await this.saveInPieces();
    return { ...about, arrays: await wholeArrays(arrays) };
  }

  async saveInPieces(): Promise<StateInPieces> {
    const { update, gravity, neutrinos } = this.steps.parts;
    const holders = { stage: this.stage, reading: this.#reading, gravity, update, neutrinos };
    return stateInPieces(holders, { time: this.#time, halfway: this.#halfway });
  }

  /** Throws "input" when the state is of another kind of pipeline or of other particles. */
  async restoreState(state: StateInPieces): Promise<void> {
    const { update, gravity, neutrinos } = this.steps.parts;
    const { time, halfway } = await restorePieces({ stage: this.stage, gravity, update, neutrinos }, state);
    this.#time = time;
    this.#halfway = this.#extremes = undefined;
    if (halfway === undefined) return;
    await this.steps.ensureForce();
    await this.#stopHalfway(halfway.owed);
  }

  timeStages(): void {
    this.gpu.timer.wanted = true;
  }

  traffic(): HostTraffic {
    return { ...this.gpu.traffic };
  }

  stageTimes(): StageTime[] {
    return this.gpu.timer.totals();
  }

  resetTimes(): void {
    this.gpu.resetCounts();
  }

  memory(): ReturnType<Backend["memory"]> {
    return this.gpu.buffers.bytes();
  }

  destroy(): void {
    this.gpu.destroy();
  }
}
