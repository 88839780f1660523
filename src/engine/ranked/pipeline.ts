/** A run on ranks, as rank 0's backend: each has the whole mesh and a share of the particles by id. */

import type { GpuContext } from "../../foundation/gpu/context.ts";
import { type Ranks, requireEnough } from "../../foundation/ranks/ranks.ts";
import type { InitialParticles } from "../../physics/initial/source.ts";
import { wholeOf } from "../../physics/particles/blocks.ts";
import type { RankOutcome, RankTask } from "../../physics/particles/rank-tasks.ts";
import type { Reductions } from "../../physics/particles/reductions.ts";
import { type ArraysInPieces, arrayType, wholeArrays } from "../../physics/particles/saved-arrays.ts";
import type { ParticleSource } from "../../physics/particles/source.ts";
import type { Sums } from "../../physics/particles/sums.ts";
import type {
  AdvanceControl,
  Backend,
  BlockRequest,
  ExactState,
  Extremes,
  ModifiedPotentials,
  ParticleBlock,
  RankSharing,
  ReadParticles,
  ReadRequest,
  StageTime,
  StateInPieces,
  StepPlan,
  Stopped,
} from "../backend/backend.ts";
import { plainPlan, uniformFactors } from "../backend/backend.ts";
import { FriendsOfFriends } from "../diagnostics/friends-of-friends.ts";
import type { HaloCatalogue } from "../diagnostics/friends-of-friends-catalogue.ts";
import type { Spectrum } from "../diagnostics/power-spectrum.ts";
import { ParticleBuffers } from "../gpu-particles/buffers.ts";
import type { PipelineSettings } from "../mesh/settings.ts";
import type { MeshPipeline } from "../pipeline/pipeline.ts";
import { announced } from "./initial-source.ts";
import { type JointMesh, jointMesh, plansOf } from "./joint-pipelines.ts";
import { type AnyTask, MESH_WORK, RankedBackend, REDUCTION_CALLS, withJointMasses } from "./joint-work.ts";
import { type MeshRecipe, RankChannel } from "./rank-channel.ts";
import { present, requireAlike, solversOf } from "./solvers.ts";

/** Elements per particle of the arrays that are shared out; the others every rank has as they are. */
const PER_PARTICLE: Readonly<Record<string, number>> = {
  ...{ positions: 3, velocities: 3, halfwayVelocities: 3, images: 1 },
};

interface About {
  number: number;
  gpu: GpuContext;
  settings: PipelineSettings;
  solvers: ReturnType<typeof solversOf>;
}

export class RankedPipeline extends RankedBackend<JointMesh, typeof MESH_WORK> implements Backend {
  readonly #count: number;

  private constructor(
    held: JointMesh,
    private readonly about: About,
  ) {
    super(held, MESH_WORK, about.number);
    this.#count = held.set.masses.count;
  }

  /** On rank 0, while the others serve. Throws as MeshPipeline.create does, and "usage" for fewer particles than ranks. */
  static async create(gpu: GpuContext, ranks: Ranks, settings: PipelineSettings, source: InitialParticles) {
    requireEnough(source.count, ranks); // before the others wait for particles
    const talk = RankChannel.of(ranks);
    const number = talk.newNumber();
    const all = await present(gpu, ranks);
    if (settings.pairs) requireAlike(all, "pairs of P³M"); // each finds out by itself what it is to sum
    const solvers = solversOf(all);
    const { drawn: parts } = source;
    const drawn = parts && { scenario: parts.scenario, G: parts.options.G };
    const recipe: MeshRecipe = { settings, ...announced(source), drawn, groups: solvers.groups };
    const mine = () => jointMesh(ranks, gpu, recipe, source);
    return new RankedPipeline(await talk.jointly({ do: "mesh", number, recipe }, mine), {
      ...{ number, gpu, settings, solvers },
    });
  }

  async advance(steps: number, dt: number, control: AdvanceControl = {}): Promise<Stopped | undefined> {
    return steps > 0 ? this.follow(plainPlan(uniformFactors(steps, dt)), control) : undefined;
  }

  follow(plan: StepPlan, control: AdvanceControl = {}): Promise<Stopped | undefined> {
    return this.together("follow", null, plan, control);
  }

  sums(): Promise<Sums> {
    return this.together("sums", undefined);
  }

  extremes(): Promise<Extremes> {
    return this.together("extremes", undefined);
  }

  async readParticles(want: ReadRequest = {}): Promise<ReadParticles> {
    const { components, masses } = this.held.set;
    const set = { count: this.#count, components: [...components], masses: masses.toArray() };
    return wholeOf(set, this.readBlocks(want));
  }

  async *readBlocks(want: BlockRequest = {}): AsyncGenerator<ParticleBlock> {
    yield* withJointMasses(await this.together("blocks", want), this.held.set.masses, want.every ?? 1);
  }

  reductions(): Reductions {
    const calls = REDUCTION_CALLS.map((call) => {
      const each = (...values: unknown[]) => this.together("reduce", { call, values });
      return [call, each];
    });
    return { count: this.#count, components: this.held.set.components, ...Object.fromEntries(calls) };
  }

  /** They are the same on all ranks. */
  levelCentres(): Promise<number[][]> {
    return this.held.own.levelCentres();
  }

  modifiedPotentials(): Promise<ModifiedPotentials | undefined> {
    return this.together("modified", undefined);
  }

  powerSpectrum(settings: Parameters<MeshPipeline["powerSpectrum"]>[0]): Promise<Spectrum> {
    return this.together("spectrum", settings);
  }

  async haloes(options: { linking: number; minimumMembers: number }): Promise<HaloCatalogue> {
    const { gpu, settings } = this.about;
    const { boxSize, boundary } = settings;
    const all: ParticleSource = { count: this.#count, ...this.held.set, bits: 32, blocks: () => this.readBlocks() };
    const particles = await ParticleBuffers.create(gpu, all, { boxSize, boundary });
    try {
      const friends = await FriendsOfFriends.create(gpu, particles, options);
      return await friends.catalogue();
    } finally {
      particles.destroy();
    }
  }

  async onRanks<About, Found>(task: RankTask<About, Found>, about: About): Promise<RankOutcome<Found>[]> {
    const outcomes = await this.together("task", { name: task.name, about }, task as unknown as AnyTask);
    return outcomes as RankOutcome<Found>[];
  }

  async saveState(): Promise<ExactState> {
    const { arrays, ...about } = await this.saveInPieces();
    return { ...about, arrays: await wholeArrays(arrays) };
  }

  /** As a run of one rank has it: it goes on on any number of them. */
  async saveInPieces(): Promise<StateInPieces> {
    const { arrays, ...about } = await this.together("save", undefined);
    const joined = Object.entries(arrays).map(([name, array]): [string, ArraysInPieces[string]] => {
      const width = PER_PARTICLE[name];
      if (width === undefined) return [name, array];
      return [name, { type: arrayType(array), length: width * this.#count, pieces: () => this.#column(name) }];
    });
    return { ...about, arrays: Object.fromEntries(joined) };
  }

  async *#column(name: string) {
    yield* await this.together("column", name);
  }

  restoreState({ format, arrays }: StateInPieces): Promise<void> {
    return this.together("restore", { format, plans: plansOf(arrays, PER_PARTICLE) }, arrays);
  }

  async stageTimesOfRanks(): Promise<StageTime[][]> {
    return (await this.together("times", undefined))!;
  }

  counters(): Record<string, number> {
    return this.own.counters();
  }

  get sharing(): RankSharing {
    const { adapters, hosts, text } = this.about.solvers;
    return { adapters, hosts, solvers: text };
  }

  override resetTimes(): void {
    super.resetTimes();
    RankChannel.of(this.ranks).later(this.orderTo("resetTimes", undefined));
  }
}
