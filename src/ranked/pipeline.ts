/**
 * The pipeline of a run that several ranks share, as rank 0 has it: a backend like any other, so that nothing above knows of
 * ranks. Each rank has the whole mesh and a share of the particles by id (src/pipeline/pipeline.ts does their steps together); what
 * is asked of this one the others are told to do, too (src/ranked/service.ts), and particles come through rank 0 in id order.
 */
import type {
  AdvanceControl,
  Backend,
  BlockRequest,
  ExactState,
  Extremes,
  HostTraffic,
  ParticleBlock,
  RankSharing,
  ReadParticles,
  ReadRequest,
  StageTime,
  StateInPieces,
  StepPlan,
} from "../backend/backend.ts";
import { plainPlan, uniformFactors } from "../backend/backend.ts";
import { FriendsOfFriends } from "../diagnostics/friends-of-friends.ts";
import type { HaloCatalogue } from "../diagnostics/friends-of-friends-catalogue.ts";
import type { Spectrum } from "../diagnostics/power-spectrum.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { InitialParticles } from "../initial/source.ts";
import type { PipelineSettings } from "../mesh/settings.ts";
import { wholeOf } from "../particles/blocks.ts";
import { ParticleBuffers } from "../particles/buffers.ts";
import type { RankOutcome, RankTask } from "../particles/rank-tasks.ts";
import type { Reductions } from "../particles/reductions.ts";
import { type ArrayInPieces, type ArraysInPieces, arrayType, wholeArrays } from "../particles/saved-arrays.ts";
import type { ParticleSource } from "../particles/source.ts";
import type { Sums } from "../particles/sums.ts";
import { MeshPipeline } from "../pipeline/pipeline.ts";
import { type Ranks, requireEnough } from "../ranks/ranks.ts";
import { solvingBy } from "../ranks/solving.ts";
import { Conversation } from "./conversation.ts";
import { drawnSource } from "./drawn-source.ts";
import { type ArrayPlan, answers, type Order, REDUCTION_CALLS, type ReductionCall } from "./orders.ts";
import { allScattered, relayedBlocks, relayedPieces } from "./relay.ts";
import { sentSource } from "./sent-source.ts";
import { present, type Solvers, solversOf } from "./solvers.ts";
import { gatheredTimes } from "./stage-times.ts";
import { done, withMasses } from "./tasks.ts";

/** Words a particle of the arrays that are shared out; the others every rank has as they are. */
const PER_PARTICLE: Readonly<Record<string, number>> = {
  ...{ positions: 3, velocities: 3, halfwayVelocities: 3, images: 1 },
};

export class RankedPipeline implements Backend {
  readonly kind = "webgpu";

  private constructor(
    private readonly gpu: GpuContext,
    private readonly ranks: Ranks,
    private readonly about: { number: number; settings: PipelineSettings; source: ParticleSource; solvers: Solvers },
    private readonly own: MeshPipeline,
  ) {}

  /** On rank 0, while the others serve. Throws as MeshPipeline.create does, and "usage" for fewer particles than ranks. */
  static async create(
    gpu: GpuContext,
    ranks: Ranks,
    settings: PipelineSettings,
    source: InitialParticles,
  ): Promise<RankedPipeline> {
    requireEnough(source.count, ranks); // before the others wait for particles
    const talk = Conversation.of(ranks);
    const number = talk.newPipeline();
    const masses = source.masses.runs.map(({ mass, ...run }) => ({
      ...run,
      mass: typeof mass === "number" ? mass : null,
    }));
    const { components } = source;
    const solvers = solversOf(await present(gpu, ranks));
    const { groups } = solvers;
    const { drawn } = source;
    const recipe = drawn && { scenario: drawn.scenario, G: drawn.options.G };
    return talk.jointly(async () => {
      await talk.tell({
        do: "create",
        pipeline: number,
        settings,
        components,
        masses,
        recipe,
        groups,
      });
      const solving = await solvingBy(ranks, groups);
      const particles = (drawn && (await drawnSource(ranks, () => drawn))) ?? sentSource(ranks, source);
      const own = await MeshPipeline.create(gpu, settings, particles, { ranks, solving });
      return new RankedPipeline(gpu, ranks, { number, settings, source, solvers }, own);
    });
  }

  #jointly<T>(work: () => Promise<T>): Promise<T> {
    return Conversation.of(this.ranks).jointly(work);
  }

  #tell(order: DistributiveOmit<Order, "pipeline">): Promise<void> {
    return Conversation.of(this.ranks).tell({ ...order, pipeline: this.about.number } as Order);
  }

  async advance(steps: number, dt: number, control: AdvanceControl = {}): Promise<void> {
    if (steps > 0) await this.follow(plainPlan(uniformFactors(steps, dt)), control);
  }

  async follow(plan: StepPlan, control: AdvanceControl = {}): Promise<void> {
    await this.#jointly(async () => {
      await this.#tell({ do: "follow" });
      await this.own.follow(plan, control);
    });
  }

  async sums(): Promise<Sums> {
    return this.#jointly(async () => {
      await this.#tell({ do: "sums" });
      return this.own.sums();
    });
  }

  async extremes(): Promise<Extremes> {
    return this.#jointly(async () => {
      await this.#tell({ do: "extremes" });
      return this.own.extremes();
    });
  }

  async readParticles(want: ReadRequest = {}): Promise<ReadParticles> {
    const { count, components, masses } = this.about.source;
    return wholeOf({ count, components: [...components], masses: masses.toArray() }, this.readBlocks(want));
  }

  async *readBlocks(want: BlockRequest = {}): AsyncGenerator<ParticleBlock> {
    await this.#tell({ do: "blocks", want });
    const { masses } = this.about.source;
    const { every = 1 } = want;
    const blocks = relayedBlocks(this.ranks, this.own.share, want, (ours) => this.own.readBlocks(ours));
    yield* withMasses(blocks, masses, every);
  }

  reductions(): Reductions {
    const own = this.own.reductions() as Record<ReductionCall, (...values: unknown[]) => Promise<unknown>>;
    const calls = REDUCTION_CALLS.map((call) => {
      const each = (...values: unknown[]) =>
        this.#jointly(async () => {
          await this.#tell({ do: "reduce", call, values });
          return own[call](...values);
        });
      return [call, each];
    });
    return { count: this.about.source.count, components: this.about.source.components, ...Object.fromEntries(calls) };
  }

  async powerSpectrum(settings: Parameters<MeshPipeline["powerSpectrum"]>[0]): Promise<Spectrum> {
    return this.#jointly(async () => {
      await this.#tell({ do: "spectrum", cells: settings.cells });
      return this.own.powerSpectrum(settings);
    });
  }

  /** On rank 0, which holds all particles for as long as it takes. */
  async haloes(options: { linking: number; minimumMembers: number }): Promise<HaloCatalogue> {
    return this.#gathered(async (particles) => {
      const friends = await FriendsOfFriends.create(this.gpu, particles, options);
      return friends.catalogue();
    });
  }

  async #gathered<T>(look: (particles: ParticleBuffers) => Promise<T>): Promise<T> {
    const { count, components, masses } = this.about.source;
    const { boxSize, boundary } = this.about.settings;
    const all: ParticleSource = { count, components, masses, bits: 32, blocks: () => this.readBlocks() };
    const particles = await ParticleBuffers.create(this.gpu, all, { boxSize, boundary });
    try {
      return await look(particles);
    } finally {
      particles.destroy();
    }
  }

  async onRanks<About, Found>(task: RankTask<About, Found>, about: About): Promise<RankOutcome<Found>[]> {
    return this.#jointly(async () => {
      await this.#tell({ do: "task", name: task.name, about });
      const { ranks, own: pipeline } = this;
      return (await answers(ranks, await done(task, about, { ranks, pipeline, set: this.about.source })))!;
    });
  }

  async saveState(): Promise<ExactState> {
    const { arrays, ...about } = await this.saveInPieces();
    return { ...about, arrays: await wholeArrays(arrays) };
  }

  /** As a run of one rank has it: it goes on on any number of them. */
  async saveInPieces(): Promise<StateInPieces> {
    const { arrays, ...about } = await this.#jointly(async () => {
      await this.#tell({ do: "save" });
      return this.own.saveInPieces();
    });
    const { count } = this.about.source;
    const joined = Object.entries(arrays).map(([name, array]): [string, ArraysInPieces[string]] => {
      const width = PER_PARTICLE[name];
      if (width === undefined) return [name, array];
      const pieces = async function* (this: RankedPipeline) {
        await this.#tell({ do: "column", name });
        yield* relayedPieces(this.ranks, array);
      }.bind(this);
      const whole: ArrayInPieces = { type: arrayType(array), length: width * count, pieces };
      return [name, whole];
    });
    return { ...about, arrays: Object.fromEntries(joined) };
  }

  async restoreState({ format, arrays }: StateInPieces): Promise<void> {
    const plans = Object.entries(arrays).map(([name, array]): ArrayPlan => {
      const perParticle = PER_PARTICLE[name];
      return { name, type: arrayType(array), length: array.length, ...(perParticle && { perParticle }) };
    });
    await this.#jointly(async () => {
      await this.#tell({ do: "restore", format, arrays: plans });
      await this.own.restoreState({ format, arrays: await allScattered(this.ranks, plans, arrays) });
    });
  }

  timeStages(): void {
    this.own.timeStages();
  }

  /** Of rank 0. */
  stageTimes(): StageTime[] {
    return this.own.stageTimes();
  }

  async stageTimesOfRanks(): Promise<StageTime[][]> {
    return this.#jointly(async () => {
      await this.#tell({ do: "times" });
      return gatheredTimes(this.ranks, this.own.stageTimes());
    });
  }

  get sharing(): RankSharing {
    const { adapters, hosts, text } = this.about.solvers;
    return { adapters, hosts, solvers: text };
  }

  resetTimes(): void {
    this.own.resetTimes();
    Conversation.of(this.ranks).later({ do: "reset times", pipeline: this.about.number });
  }

  traffic(): HostTraffic {
    return this.own.traffic();
  }

  /** Of rank 0. */
  memory(): ReturnType<Backend["memory"]> {
    return this.own.memory();
  }

  destroy(): void {
    Conversation.of(this.ranks).leave(this.about.number);
    this.own.destroy();
  }
}

/**
 * Ends the service of the other ranks: rank 0 has done with them. False where they can't be told, because rank 0 has failed
 * in the midst of something that all do together.
 */
export async function endService(ranks: Ranks): Promise<boolean> {
  return ranks.size === 1 || Conversation.of(ranks).end();
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
