/**
 * Direct summation on the GPU as a backend of a simulation: particles advanced by a Hermite or leapfrog integrator
 * with shared, adaptive or block steps (block-loop.ts), forces over all pairs (forces.ts), sums and read-outs.
 * A step of `advance` is one largest step: the loop divides it, and all particles are synchronous at its end.
 */

import type {
  AdvanceControl,
  Backend,
  BlockRequest,
  ExactState,
  HostTraffic,
  ParticleBlock,
  ReadParticles,
  ReadRequest,
  StageTime,
  StateInPieces,
} from "../backend.ts";
import { STATE_FORMATS } from "../backend.ts";
import { GravmeshError } from "../errors.ts";
import type { Batch } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import { blocksOf } from "../particles/blocks.ts";
import { wholeArrays } from "../particles/saved-arrays.ts";
import type { ParticleSet } from "../particles/state.ts";
import type { Sums } from "../particles/sums.ts";
import { largest } from "../particles/sums.ts";
import { externalField } from "../potentials/external.ts";
import { NOWHERE, stepTooShort, throwIfFaulty } from "./block-faults.ts";
import type { BlockShape } from "./block-kernels.ts";
import { BlockLoop } from "./block-loop.ts";
import { BLOCKS_STAGE, BlockPace, firstShare, type Submission } from "./block-pace.ts";
import { unpackForces } from "./bodies.ts";
import { directSums, hostPotentials, pairPotentials, potentialMethod } from "./diagnostics.ts";
import { DirectForces } from "./forces.ts";
import { integrators } from "./integrators.ts";
import type { DirectPipelineSettings } from "./settings.ts";
import { controlWords, type DirectPhase, type DirectProgress, DirectState, progressOf, SUM } from "./state.ts";
import { type SharingOptions, TargetSharing } from "./target-sharing.ts";

const STATE_FORMAT = STATE_FORMATS.direct.webgpu;

export interface DirectPipelineOptions {
  /** Of the block loop; by the number of particles by default. */
  loop?: BlockShape;
  /** Of the force kernel; measured by default. */
  force?: string;
  /** Blocks in one submission; by time by default. The results don't depend on it. */
  blocksPerSubmission?: number;
  /** Pair interactions of a submission at most; by time by default. The results don't depend on it. */
  interactionsPerSubmission?: number;
  /** Shapes that the run was begun with. */
  earlier?: ExactState["choices"];
  /** Processes that sum together. */
  sharing?: SharingOptions;
}

/** Forces of the present bodies on each other, in deck units, external potentials left out. */
interface PresentForces extends DirectPhase {
  accelerations: Float64Array;
  potentials: Float64Array;
}

export class DirectPipeline implements Backend {
  readonly kind = "webgpu";
  /** Whether derivatives and steps have been set. */
  #started = false;
  #progress: DirectProgress;
  /** Of the present state, until the next advance. */
  #present: PresentForces | undefined;

  private constructor(
    private readonly gpu: GpuContext,
    private readonly settings: DirectPipelineSettings,
    private readonly set: Pick<ParticleSet, "count" | "masses" | "components">,
    private readonly parts: {
      state: DirectState;
      loop: BlockLoop;
      pace: BlockPace;
      sharing: TargetSharing | undefined;
    },
  ) {
    this.#progress = progressOf(controlWords());
  }

  /**
   * Uploads the particles and compiles the kernels. Throws "scenario" or "input" for settings and particles that can't
   * be, "memory" for too many, "device" when the adapter can't do the arithmetic of the precision.
   */
  static create(
    device: GpuContext,
    settings: DirectPipelineSettings,
    set: ParticleSet,
    options: DirectPipelineOptions = {},
  ): Promise<DirectPipeline> {
    return device.onAccount(async (gpu) => {
      const { precision, softening, steps } = settings.direct;
      const { software } = gpu.adapter;
      const { blocksPerSubmission: blocks, interactionsPerSubmission: interactions } = options;
      const state = new DirectState(gpu, settings, set);
      await gpu.buffers.settle();
      const forces = await DirectForces.create(gpu, {
        ...{ order: state.integrator.order, precision, softening: softening * state.units.perLength },
        ...(options.force && { shape: options.force }),
      });
      const share = interactions ?? firstShare(software);
      const { massive } = state;
      const sharing = TargetSharing.of(options.sharing, massive.count, software ? "software" : "hardware");
      const loop = await BlockLoop.create(gpu, settings, state, forces, { shape: options.loop, share, ranks: sharing });
      const pace = new BlockPace(gpu.timer, {
        ...{
          software,
          count: set.count,
          sources: massive.count,
          together: steps !== "block",
          shared: steps === "shared",
        },
        ...{ leastShare: loop.leastShare, exchangedFrom: sharing?.fewest, fixed: { blocks, interactions } },
      });
      const { count, masses, components } = set;
      return new DirectPipeline(gpu, settings, { count, masses, components }, { state, loop, pace, sharing });
    }, options.earlier);
  }

  /** The kernel shapes that it would take, measured where they have to be: for several ranks, of which one measures. */
  static async choices(
    device: GpuContext,
    settings: DirectPipelineSettings,
    earlier: ExactState["choices"],
  ): Promise<ExactState["choices"]> {
    const { precision, integrator } = settings.direct;
    const gpu = device.account(earlier);
    try {
      await DirectForces.choice(gpu, { order: integrators[integrator].order, precision });
      return gpu.choices.made;
    } finally {
      gpu.destroy();
    }
  }

  /**
   * Advances by `steps` largest steps; a step begun before an abort is finished as the first of them. Throws "input"
   * when `dt` isn't the largest step, "aborted", and "numerical" with the particle whose step fell below 2⁻³⁰ of the
   * largest or that is nowhere any more.
   */
  async advance(
    steps: number,
    dt: number,
    { onProgress, signal, submission: longest }: AdvanceControl = {},
  ): Promise<void> {
    if (steps <= 0) return;
    if (dt !== this.settings.step) {
      throw new GravmeshError(
        "input",
        `direct summation divides a largest step of ${this.settings.step}, found an advance by ${dt}; make another pipeline for another step`,
      );
    }
    this.parts.pace.keepTo(longest);
    await this.#start(signal);
    const from = Math.floor(this.#progress.steps);
    const wanted = from + steps;
    this.#present = undefined;
    // A block that was left in the middle of its forces begins anew.
    this.parts.state.setControl({ members: 0, sum: SUM.done, stepsWanted: wanted });
    const { pace, sharing } = this.parts;
    for (let opens = true; this.#progress.steps < wanted; ) {
      const next = () => (signal?.aborted ? undefined : pace.next(this.#progress, wanted));
      const submission = sharing ? await sharing.agreed(next) : next();
      if (!submission) throw new GravmeshError("aborted", `stopped ${this.#progress.steps - from} steps on`);
      const { rounds, staged } = submission;
      const batch = this.gpu.batch("blocks of the direct sum");
      if (opens) this.parts.loop.encodeOpening(batch);
      if (!staged) batch.stage(BLOCKS_STAGE);
      for (let round = 0; round < rounds; round++) this.parts.loop.encodeBlock(batch, staged);
      this.parts.loop.encodeClosing(batch);
      await this.#submitPaced(batch, submission);
      opens = await this.#exchanged();
      onProgress?.(this.#progress.steps - from);
    }
  }

  async sums(): Promise<Sums> {
    const present = await this.#presentForces();
    const { masses } = this.parts.state;
    const potentials = await this.#exactPotentials(present);
    const sums = directSums(this.settings, { ...present, masses, potentials, time: this.#time });
    if (Number.isFinite(sums.kinetic + sums.potential)) return sums;
    throw new GravmeshError("numerical", `sums of the direct sum: expected finite energies, found ${NOWHERE}`);
  }

  async extremes(): Promise<{ acceleration: number; speed: number }> {
    const { velocities, accelerations } = await this.#totalForces();
    return { acceleration: largest(accelerations), speed: largest(velocities) };
  }

  async readParticles(want: ReadRequest = {}): Promise<ReadParticles> {
    const forces = want.potential || want.accelerations ? await this.#totalForces() : undefined;
    const { positions, velocities } = await this.parts.state.phase(this.#progress.reached);
    return {
      ...{ ...this.set, positions, velocities },
      ...(forces && want.potential && { potential: new Float32Array(forces.potentials) }),
      ...(forces && want.accelerations && { accelerations: new Float32Array(forces.accelerations) }),
    };
  }

  async *readBlocks(want: BlockRequest = {}): AsyncGenerator<ParticleBlock> {
    yield* blocksOf(await this.readParticles(want), want);
  }

  async saveState(): Promise<ExactState> {
    const arrays = {
      ...(await this.parts.state.save()),
      units: Float64Array.of(this.settings.step, this.#started ? 1 : 0),
    };
    return { format: STATE_FORMAT, arrays, choices: this.gpu.choices.made };
  }

  /** Throws "input" when the state is another backend's, of other particles or of another largest step. */
  async restoreState({ format, arrays: saved }: StateInPieces): Promise<void> {
    const arrays = await wholeArrays(saved);
    const { control, particles, derivatives, units } = arrays;
    if (
      format !== STATE_FORMAT ||
      !(control instanceof Uint32Array && particles instanceof Uint32Array && derivatives instanceof Uint32Array)
    ) {
      throw new GravmeshError(
        "input",
        `the checkpoint holds state "${format}", the direct sum on the GPU resumes "${STATE_FORMAT}"; use the backend that wrote it`,
      );
    }
    const [step, started] = units;
    if (step !== this.settings.step) {
      throw new GravmeshError(
        "input",
        `the checkpoint was written with a largest step of ${step}, found ${this.settings.step}; resume with the same time.step`,
      );
    }
    this.parts.state.restore(control, particles, derivatives);
    this.#started = started === 1;
    this.#present = undefined;
    this.#progress = progressOf(control);
  }

  stageTimes(): StageTime[] {
    return this.parts.pace.stageTimes();
  }

  timeStages(): void {
    this.gpu.timer.wanted = true;
  }

  resetTimes(): void {
    this.gpu.resetCounts();
  }

  traffic(): HostTraffic {
    return { ...this.gpu.traffic };
  }

  memory(): ReturnType<Backend["memory"]> {
    return this.gpu.buffers.bytes();
  }

  /** Blocks, corrections of single particles, and pairs summed for them; the first force and the sums don't count. */
  counters(): Record<string, number> {
    const { blocks, particleSteps } = this.#progress;
    return { blocks, "particle steps": particleSteps, interactions: particleSteps * this.parts.state.massive.count };
  }

  destroy(): void {
    this.gpu.destroy();
  }

  /** Derivatives and first steps, from positions and velocities alone. */
  async #start(signal: AbortSignal | undefined): Promise<void> {
    if (this.#started) return;
    const { loop, state } = this.parts;
    for (let pass = 0; pass < state.integrator.start.length; pass++) {
      const batch = await this.#sumAll("first forces of the direct sum", ["predict", "force"], signal);
      loop.encodeStart(batch);
      await this.#submitAndLook(batch);
    }
    if (this.settings.direct.steps !== "shared") {
      const hopeless = await this.parts.state.settleFirstSteps();
      if (hopeless !== undefined) throw stepTooShort(hopeless, 0, this.settings);
    }
    this.#started = true;
  }

  /**
   * Bodies at the time that all have reached, and the forces of all on all: in the batch returned or, where they are more
   * than a submission should hold, in submissions before it.
   */
  async #sumAll(label: string, stages: readonly [string, string], signal?: AbortSignal): Promise<Batch> {
    const { loop, pace, sharing } = this.parts;
    const [predict, force] = stages;
    let batch = this.gpu.batch(label);
    loop.encodePredict(batch, predict);
    if (loop.leastShare === undefined) {
      loop.encodeForces(batch, force);
      return batch;
    }
    loop.beginRounds();
    for (;;) {
      const submission = pace.nextOfSum();
      for (let round = 0; round < submission.rounds; round++) loop.encodeForces(batch, force);
      await this.#submitPaced(batch, submission);
      await this.#exchanged();
      const isSummed = this.#progress.sum === SUM.done;
      // Several ranks don't look at the same time, and finish it.
      if (!isSummed && !sharing && signal?.aborted) throw new GravmeshError("aborted", "stopped in the first forces");
      batch = this.gpu.batch(label);
      if (isSummed) return batch;
    }
  }

  /**
   * Where ranks share out the block in progress: sums what is left of this rank's part of the forces, and gets those of
   * the others. False where there is nothing to exchange.
   */
  async #exchanged(): Promise<boolean> {
    const { state, loop, pace, sharing } = this.parts;
    if (!sharing) return false;
    while (this.#progress.sum === SUM.begun && sharing.isShared(this.#progress.members)) {
      const submission = pace.nextOfSum();
      const batch = this.gpu.batch("this rank's part of a block").stage("force");
      for (let round = 0; round < submission.rounds; round++) loop.encodeRound(batch);
      await this.#submitPaced(batch, submission);
    }
    if (this.#progress.sum !== SUM.toExchange) return false;
    await sharing.exchangeForces(this.gpu, state, this.#progress);
    state.setControl({ sum: SUM.done });
    this.#progress = { ...this.#progress, sum: SUM.done };
    return true;
  }

  /** Submits with a share of interactions, and tells the pace what it took. */
  async #submitPaced(batch: Batch, submission: Submission): Promise<void> {
    const started = performance.now();
    this.parts.pace.began(this.#progress, submission);
    this.parts.state.setControl({ share: submission.share, rounds: 0 });
    await this.#submitAndLook(batch);
    this.parts.pace.took(performance.now() - started, this.#progress);
  }

  /** Submits, and looks how far the loop has got and whether it is well. */
  async #submitAndLook(batch: Batch): Promise<void> {
    const { control } = this.parts.state;
    const look = (data: ArrayBuffer) => {
      this.#progress = progressOf(new Uint32Array(data));
      throwIfFaulty(this.#progress, this.settings);
    };
    await batch.read(control, 0, control.size, look).submit();
  }

  /** Potentials as exact as the energy needs them, external potentials left out [N] [velocity²]. */
  #exactPotentials({ positions, potentials }: PresentForces): Promise<Float64Array> {
    const { G, direct } = this.settings;
    const { masses, count } = this.parts.state;
    const method = potentialMethod(this.gpu, count);
    const { sharing } = this.parts;
    if (method === "host") return hostPotentials(positions, masses, G, direct.softening, sharing);
    // Within a step particles are at different times, and a sum is a look, not a measurement.
    if (method === "force" || this.#progress.reached > 0) return Promise.resolve(potentials);
    return pairPotentials(this.gpu, this.parts.state, direct.softening, sharing);
  }

  /** Forces between the particles at the time that all have reached. */
  async #presentForces(): Promise<PresentForces> {
    if (this.#present) return this.#present;
    const { count, units, integrator, forces } = this.parts.state;
    const batch = await this.#sumAll("forces of the direct sum", ["diagnostics", "diagnostics"]);
    await batch.submit();
    const { accelerations, potentials } = unpackForces(integrator.order, await this.gpu.read(forces), count);
    const phase = await this.parts.state.phase(this.#progress.reached);
    const { perVelocity, step } = units;
    this.#present = {
      ...phase,
      accelerations: accelerations.map((a) => a / (perVelocity * step)),
      potentials: potentials.map((potential) => potential / perVelocity ** 2),
    };
    return this.#present;
  }

  /** Of the present state. */
  get #time(): number {
    return this.#progress.steps * this.settings.step;
  }

  /** The same with the external potentials. */
  async #totalForces(): Promise<PresentForces> {
    const present = await this.#presentForces();
    const { accelerations, potential } = externalField(this.settings, present.positions, this.#time);
    return {
      ...present,
      accelerations: accelerations.map((a, k) => a + present.accelerations[k]),
      potentials: potential.map((phi, i) => phi + present.potentials[i]),
    };
  }
}
