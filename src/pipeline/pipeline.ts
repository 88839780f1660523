/**
 * The particle-mesh pipeline on the GPU, as figure 1 of Aubert, Amini & David (2009):
 *
 *   particles → [order by cell] → [deposit] → density → [Poisson] → potential → [gradient] → acceleration on the mesh
 *             ↖ [update: drift, kick] ← acceleration of the particles ← [interpolate] ↙
 *
 * Everything stays on the GPU between outputs; several steps go into one submission.
 */
import type {
  AdvanceControl,
  Backend,
  ExactState,
  Extremes,
  HostTraffic,
  ReadParticles,
  ReadRequest,
  StageTime,
  StateInPieces,
  StepPlan,
} from "../backend/backend.ts";
import { plainPlan, uniformFactors } from "../backend/backend.ts";
import { GravmeshError } from "../base/errors.ts";
import { Diagnostics } from "../diagnostics/energy.ts";
import { FriendsOfFriends } from "../diagnostics/friends-of-friends.ts";
import type { HaloCatalogue } from "../diagnostics/friends-of-friends-catalogue.ts";
import { PowerSpectrum, type Spectrum } from "../diagnostics/power-spectrum.ts";
import { GpuReductions } from "../diagnostics/reductions.ts";
import type { Batch } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import { InTurn } from "../gpu/in-turn.ts";
import { createMeshBuffers } from "../mesh/field.ts";
import { vectorsForTexels } from "../mesh/force-mesh.ts";
import { SelfGravity } from "../mesh/self-gravity.ts";
import type { PipelineSettings } from "../mesh/settings.ts";
import { cellGrid, type MeshStage } from "../mesh/stage.ts";
import { type BlockRequest, type ParticleBlock, wholeOf } from "../particles/blocks.ts";
import { ParticleBuffers } from "../particles/buffers.ts";
import type { OrbitRequest, OrbitRow } from "../particles/chosen.ts";
import { wholeBox } from "../particles/grid.ts";
import { Order } from "../particles/order.ts";
import { ParticleReading } from "../particles/reading.ts";
import type { Reductions } from "../particles/reductions.ts";
import { wholeArrays } from "../particles/saved-arrays.ts";
import { type ParticleSource, sourceOf } from "../particles/source.ts";
import type { ParticleSet } from "../particles/state.ts";
import type { Sums } from "../particles/sums.ts";
import type { Share } from "../ranks/ranks.ts";
import { eachSolves, type Sharing } from "../ranks/solving.ts";
import { EscapedParticles } from "../time/escaped.ts";
import { Leapfrog } from "../time/leapfrog.ts";
import { OrbitRecorder } from "../time/orbit-recorder.ts";
import { Sampler } from "../time/sampler.ts";
import { type Halfway, restorePieces, stateInPieces } from "./state.ts";
import { StepSubmissions } from "./submissions.ts";

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

interface Stages {
  order: Order;
  gravity: SelfGravity;
  escaped: EscapedParticles;
  update: Leapfrog;
  diagnostics: Diagnostics;
}

export class MeshPipeline implements Backend {
  readonly kind = "webgpu";
  readonly looks = true;
  readonly #reading: ParticleReading;
  readonly #steps: StepSubmissions;
  #recorder: OrbitRecorder | undefined;
  readonly #sampler: Sampler;
  #reductions: GpuReductions | undefined;
  /** The extremes of the present state, where they are known. */
  #extremes: Extremes | undefined;
  /** After a stop between steps: the kick that closes the last step; the particles keep the velocities without it. */
  #halfway: Halfway | undefined;

  private readonly gpu: GpuContext;
  private readonly particles: ParticleBuffers;

  private constructor(
    private readonly stage: MeshStage,
    private readonly set: Pick<ParticleSource, "count" | "masses" | "components">,
    private readonly stages: Stages,
  ) {
    ({ gpu: this.gpu, particles: this.particles } = stage);
    const { share } = stage.particles.held;
    this.#reading = new ParticleReading(stage.gpu, stage.particles, set.masses.range(share));
    const { update, diagnostics } = stages;
    const force = (batch: Batch) => this.#force(batch);
    this.#sampler = new Sampler(stage, stages.escaped.monopole);
    const handedOn = () => stages.gravity.handedOn();
    this.#steps = new StepSubmissions(stage.gpu, { update, diagnostics, force, handedOn, sampler: this.#sampler });
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
    return device.onAccount((gpu) => MeshPipeline.#on(gpu, settings, source, sharing));
  }

  static async #on(
    gpu: GpuContext,
    settings: PipelineSettings,
    set: ParticleSource,
    { ranks, solving = ranks && eachSolves(ranks) }: Sharing,
  ): Promise<MeshPipeline> {
    const { mesh: meshSettings, boundary, boxSize } = settings;
    const particles = await ParticleBuffers.create(gpu, set, { boxSize, boundary, ranks });
    const vectors = vectorsForTexels(gpu.adapter.software, meshSettings);
    const mesh = createMeshBuffers(gpu, wholeBox(meshSettings.cells, boundary), { vectors });
    await gpu.buffers.settle();
    const order = await Order.create(gpu, particles, mesh.starts, cellGrid(meshSettings, mesh.grid));
    gpu.preparing.does("ordering the particles");
    const sorted = gpu.batch("first order");
    order.encodeCount(sorted);
    order.encodeSort(sorted);
    await sorted.submit();
    const stage = { gpu, particles, mesh, settings, solving };
    const gravity = await SelfGravity.create(stage);
    const escaped = await EscapedParticles.create(stage);
    const update = await Leapfrog.create(stage, escaped);
    const diagnostics = await Diagnostics.create(stage, escaped.monopole);
    const { count, masses, components } = set;
    return new MeshPipeline(stage, { count, masses, components }, { order, gravity, escaped, update, diagnostics });
  }

  /** When the present state is, as far as external potentials ask for it [time]. */
  get #time(): number {
    return this.stages.diagnostics.time;
  }

  set #time(time: number) {
    this.stages.diagnostics.time = time;
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

  async advance(steps: number, dt: number, control: AdvanceControl = {}): Promise<void> {
    if (steps > 0) await this.follow(plainPlan(uniformFactors(steps, dt)), control);
  }

  async follow(plan: StepPlan, control: AdvanceControl = {}): Promise<void> {
    const alone = this.particles.ranks.size === 1; // several ranks stop together
    if (alone && control.signal?.aborted) throw new GravmeshError("aborted", "stopped before the first step");
    await this.#ensureForce();
    this.particles.takeOtherHalf(); // what was brought there to be read is that of another state
    const owed = this.#halfway?.owed ?? 0;
    if (this.#halfway) await this.particles.encodePutVelocitiesBack(this.gpu.batch("velocities put back")).submit();
    this.#halfway = undefined;
    this.#extremes = undefined;
    if (!control.look?.watched) this.#sampler.end();
    const submissions = new InTurn();
    try {
      const stopped = await this.#steps.along({
        ...{ plan, owed, submissions, control, recorder: this.#recorder },
        noteEnd: (extremes) => (this.#extremes = extremes),
      });
      await submissions.drain();
      if (stopped === undefined) return;
      await this.#stopHalfway(stopped.owed);
      throw new GravmeshError("aborted", `stopped after ${stopped.steps} steps`);
    } catch (error) {
      await submissions.drain().catch(() => {}); // what failed first is told
      throw error;
    }
  }

  /** Stopped between two steps with a kick owed: makes the state synchronous, but keeps what the next steps go on from. */
  async #stopHalfway(owed: number): Promise<void> {
    const { update } = this.stages;
    const batch = this.particles.encodeKeepVelocities(this.gpu.batch("closing kick"));
    await update.watchHealth(update.encodeKick(batch, owed, this.#time)).submit();
    this.#halfway = { owed };
  }

  async recordOrbits(request: OrbitRequest): Promise<void> {
    this.#recorder?.destroy();
    this.#recorder = await this.#recorderOf(request);
  }

  async readChosen(ids: Uint32Array): Promise<Omit<OrbitRow, "step">> {
    await this.#ensureForce();
    let found: OrbitRow | undefined;
    const recorder = await this.#recorderOf({ ids, every: 1, take: (row) => (found = row) });
    try {
      const batch = this.gpu.batch("chosen particles");
      recorder.encode(batch, { step: 0, kick: 0, time: this.#time });
      recorder.encodeRead(batch);
      await batch.submit();
    } finally {
      recorder.destroy();
    }
    const { positions, velocities } = found!;
    return { positions, velocities };
  }

  #recorderOf(request: OrbitRequest): Promise<OrbitRecorder> {
    return OrbitRecorder.create(this.stage, this.stages.escaped.monopole, request);
  }

  beginAt(time: number): void {
    this.#time = time;
  }

  async sums(): Promise<Sums> {
    await this.#ensureForce();
    return this.stages.diagnostics.sums();
  }

  async extremes(): Promise<Extremes> {
    if (this.#extremes) return this.#extremes;
    await this.#ensureForce();
    return this.stages.diagnostics.extremes();
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
    await this.#ensureForce();
    const own = await this.stages.diagnostics.perSlot();
    yield* this.#reading.blocks(want, {
      ...(potential && { potential: own.potential }),
      ...(accelerations && { accelerations: own.accelerations }),
    });
  }

  reductions(): Reductions {
    this.#reductions ??= new GpuReductions(this.gpu, this.particles, this.set.components, {
      ready: () => this.#ensureForce(),
      accelerations: async () => (await this.stages.diagnostics.perSlot()).accelerations,
    });
    return this.#reductions;
  }

  /** Power spectrum of a periodic box. Throws "usage" for an isolated one. */
  async powerSpectrum({ cells, subtractShotNoise = false }: SpectrumSettings): Promise<Spectrum> {
    // Masses by slot are those of ordered particles; ranks, of which one may have more windows, do it together.
    if (this.particles.windows.length > 1 || this.particles.ranks.size > 1) await this.#ensureForce();
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
    const { update, gravity } = this.stages;
    const holders = { stage: this.stage, reading: this.#reading, gravity, update };
    return stateInPieces(holders, { time: this.#time, halfway: this.#halfway });
  }

  /** Throws "input" when the state is of another kind of pipeline or of other particles. */
  async restoreState(state: StateInPieces): Promise<void> {
    const { update, gravity } = this.stages;
    const { time, halfway } = await restorePieces({ stage: this.stage, gravity, update }, state);
    this.#time = time;
    this.#halfway = this.#extremes = undefined;
    if (halfway === undefined) return;
    await this.#ensureForce();
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

  /** One force evaluation: particles that are counted into cells → force on the mesh. */
  async #force(batch: Batch): Promise<Batch> {
    this.stages.order.encodeSort(batch);
    return this.#forceOfSorted(batch);
  }

  async #forceOfSorted(batch: Batch): Promise<Batch> {
    const { escaped, gravity } = this.stages;
    if (!this.stage.solving) return gravity.encode(escaped.encode(batch));
    const accelerated = await gravity.ofAllRanks(escaped.encodeOwn(batch), () => escaped.addUp());
    return escaped.encodeOfAll(accelerated);
  }

  /** Evaluates the force where it isn't that of the present positions: at the start, or after restoring a state. */
  async #ensureForce(): Promise<void> {
    const { phase } = this.particles;
    if (phase.now === "accelerated") return;
    const batch = this.gpu.batch("force");
    if (phase.now !== "counted" && phase.now !== "sorted") this.stages.order.encodeCount(batch);
    const evaluated = phase.now === "sorted" ? this.#forceOfSorted(batch) : this.#force(batch);
    await (await evaluated).submit();
    await this.stages.gravity.handedOn();
  }
}
