/**
 * Direct summation on the GPU as a simulation's backend. A step of `advance` is one largest step, which the block loop
 * (block-loop.ts) divides; all particles are synchronous at its end.
 */

import { GravmeshError } from "../../foundation/base/errors.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { blocksOf } from "../../physics/particles/blocks.ts";
import { weightsOf } from "../../physics/particles/masses.ts";
import { wholeArrays } from "../../physics/particles/saved-arrays.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import type { Sums } from "../../physics/particles/sums.ts";
import { largest, sumParticles } from "../../physics/particles/sums.ts";
import { externalField } from "../../physics/potentials/external.ts";
import type {
  AdvanceControl,
  Backend,
  BlockRequest,
  ExactState,
  FieldAtPoints,
  HostTraffic,
  ParticleBlock,
  ReadParticles,
  ReadRequest,
  StageTime,
  StateInPieces,
  Stopped,
} from "../backend/backend.ts";
import { STATE_FORMATS } from "../backend/backend.ts";
import type { BlockShape } from "./block-kernels.ts";
import { BlockLoop } from "./block-loop.ts";
import { BlockPace, firstShare } from "./block-pace.ts";
import { BlockSubmissions, NOWHERE, type SubmittedParts } from "./block-submissions.ts";
import { unpackForces } from "./bodies.ts";
import { hostPotentials, sumsOnHost } from "./diagnostics.ts";
import { DirectForces } from "./forces.ts";
import { GpuSummation } from "./gpu-summation.ts";
import { summedFieldAt } from "./point-field.ts";
import type { DirectPipelineSettings } from "./settings.ts";
import type { NewSources } from "./source-records.ts";
import { type DirectPhase, DirectState } from "./state.ts";
import { type SharingOptions, TargetSharing } from "./target-sharing.ts";

const STATE_FORMAT = STATE_FORMATS.direct.webgpu;

export interface DirectPipelineOptions {
  /** Variant of the block loop; by the number of particles by default. */
  loop?: BlockShape;
  /** Variant of the force kernel; by the kind of adapter when left out. */
  force?: string;
  /** Blocks in one submission; by time by default. The results don't depend on it. */
  blocksPerSubmission?: number;
  /** Pair interactions of a submission at most; by time by default. The results don't depend on it. */
  interactionsPerSubmission?: number;
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
  readonly #submissions: BlockSubmissions;
  /** The forces of the present state, until the next advance. */
  #present: PresentForces | undefined;
  /** The bodies as sources of forces at points; `current` until the next advance. */
  #sources: { engine: GpuSummation; current: boolean } | undefined;

  private constructor(
    private readonly gpu: GpuContext,
    private readonly settings: DirectPipelineSettings,
    private readonly set: Pick<ParticleSet, "count" | "masses" | "components">,
    private readonly parts: SubmittedParts,
  ) {
    this.#submissions = new BlockSubmissions(gpu, settings, parts);
  }

  /**
   * Uploads the particles and compiles. Throws "scenario" or "input" for settings and particles that can't be, "memory"
   * for too many, "device" when the adapter can't do the arithmetic of the precision.
   */
  static create(
    device: GpuContext,
    settings: DirectPipelineSettings,
    set: ParticleSet,
    options: DirectPipelineOptions = {},
  ): Promise<DirectPipeline> {
    return device.onAccount(async (gpu) => {
      const { precision, softening, softeningKernel, steps } = settings.direct;
      const { software } = gpu.adapter;
      const { blocksPerSubmission: blocks, interactionsPerSubmission: interactions } = options;
      const state = new DirectState(gpu, settings, set);
      await gpu.buffers.settle();
      const forces = await DirectForces.create(gpu, {
        ...{ order: state.integrator.order, precision, softening: softening * state.units.perLength, softeningKernel },
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
    });
  }

  /**
   * Advances by `steps` largest steps, one begun before a stop included. Throws "input" for another `dt`,
   * "aborted", and "numerical" with the particle whose step fell below 2⁻³⁰ of the largest or that is nowhere.
   */
  async advance(steps: number, dt: number, control: AdvanceControl = {}): Promise<Stopped | undefined> {
    if (steps <= 0) return undefined;
    if (dt !== this.settings.step) {
      throw new GravmeshError(
        "input",
        `direct summation divides a largest step of ${this.settings.step}, found an advance by ${dt}; make another pipeline for another step`,
      );
    }
    this.#changes();
    return this.#submissions.advance(steps, control);
  }

  async sums(): Promise<Sums> {
    const { G, direct, boxSize } = this.settings;
    const { masses, count } = this.parts.state;
    const { positions, velocities, accelerations, external } = await this.#totalForces();
    const meshPotential = sumsOnHost(this.gpu.adapter.software, count)
      ? await hostPotentials(positions, masses, G, direct, this.parts.sharing)
      : (await this.#presentForces()).potentials;
    const sums = sumParticles({
      ...{ positions, velocities, accelerations, masses: weightsOf(masses), boxSize },
      ...{ meshPotential, externalPotential: external, escaped: new Uint32Array(0) },
    });
    if (Number.isFinite(sums.kinetic + sums.potential)) return sums;
    throw new GravmeshError("numerical", `sums of the direct sum: expected finite energies, found ${NOWHERE}`);
  }

  async extremes(): Promise<{ acceleration: number; speed: number }> {
    const { velocities, accelerations } = await this.#totalForces();
    return { acceleration: largest(accelerations), speed: largest(velocities) };
  }

  async fieldAt(points: Float64Array): Promise<FieldAtPoints> {
    const { precision, softening, softeningKernel } = this.settings.direct;
    this.#sources ??= {
      engine: await GpuSummation.create(this.gpu, { order: "acceleration", precision, softening, softeningKernel }),
      current: false,
    };
    const { engine, current } = this.#sources;
    if (!current) await engine.setSources(await this.#massiveBodies());
    this.#sources.current = true;
    return summedFieldAt(engine, this.settings, points, this.#time);
  }

  async ownField(): Promise<FieldAtPoints> {
    const { accelerations, potentials } = await this.#totalForces();
    return { accelerations, potential: potentials };
  }

  async readParticles(want: ReadRequest = {}): Promise<ReadParticles> {
    const forces = want.potential || want.accelerations ? await this.#totalForces() : undefined;
    const { positions, velocities } = await this.parts.state.phase(this.#submissions.progress.reached);
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
      units: Float64Array.of(this.settings.step, this.#submissions.started ? 1 : 0),
    };
    return { format: STATE_FORMAT, arrays };
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
    this.#submissions.resume(control, started === 1);
    this.#changes();
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
    const { blocks, particleSteps } = this.#submissions.progress;
    return { blocks, "particle steps": particleSteps, interactions: particleSteps * this.parts.state.massive.count };
  }

  destroy(): void {
    this.#sources?.engine.destroy();
    this.gpu.destroy();
  }

  /** Since the beginning [time]. */
  get #time(): number {
    return this.#submissions.progress.steps * this.settings.step;
  }

  /** Invalidates forces and extremes of the present state. */
  #changes(): void {
    this.#present = undefined;
    if (this.#sources) this.#sources.current = false;
  }

  /** The bodies that attract others, about the centre of the box; masses are G·m. */
  async #massiveBodies(): Promise<NewSources> {
    const { state } = this.parts;
    const { G, boxSize } = this.settings;
    const { rows } = state.massive;
    const { positions } = await state.phase(this.#submissions.progress.reached);
    return {
      positions: Float64Array.from({ length: 3 * rows.length }, (_, k) => {
        return positions[3 * rows[Math.floor(k / 3)] + (k % 3)] - boxSize / 2;
      }),
      masses: Float64Array.from(rows, (row) => G * state.masses[row]),
      ids: rows,
    };
  }

  /** Forces between the particles at the time that all have reached. */
  async #presentForces(): Promise<PresentForces> {
    if (this.#present) return this.#present;
    const { count, units, integrator, forces } = this.parts.state;
    const batch = (await this.#submissions.sumAll("forces of the direct sum", ["diagnostics", "diagnostics"]))!;
    await batch.submit();
    const { accelerations, potentials } = unpackForces(integrator.order, await this.gpu.read(forces), count);
    const phase = await this.parts.state.phase(this.#submissions.progress.reached);
    const { perVelocity, step } = units;
    this.#present = {
      ...phase,
      accelerations: accelerations.map((a) => a / (perVelocity * step)),
      potentials: potentials.map((potential) => potential / perVelocity ** 2),
    };
    return this.#present;
  }

  /** The same with the external potentials, and these by themselves [N]. */
  async #totalForces(): Promise<PresentForces & { external: Float64Array }> {
    const present = await this.#presentForces();
    const { accelerations, potential: external } = externalField(this.settings, present.positions, this.#time);
    return {
      ...present,
      external,
      accelerations: accelerations.map((a, k) => a + present.accelerations[k]),
      potentials: external.map((phi, i) => phi + present.potentials[i]),
    };
  }
}
