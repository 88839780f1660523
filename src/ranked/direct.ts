/**
 * A direct sum of several ranks, as rank 0 has it: a backend like any other. Each rank has all bodies and moves all of them;
 * they share out the targets of forces and potentials (src/direct/target-sharing.ts). What takes forces the others are told to
 * do, too (direct-service.ts); what doesn't, rank 0 has at hand.
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
} from "../backend/backend.ts";
import { GravmeshError } from "../base/errors.ts";
import { DirectPipeline } from "../direct/pipeline.ts";
import type { DirectPipelineSettings } from "../direct/settings.ts";
import { adapterName } from "../gpu/adapter.ts";
import type { GpuContext } from "../gpu/context.ts";
import { blocksOf } from "../particles/blocks.ts";
import { type ArraysInPieces, arrayType, type SavedArray } from "../particles/saved-arrays.ts";
import type { ParticleSet } from "../particles/state.ts";
import type { Sums } from "../particles/sums.ts";
import { type Ranks, requireEnough } from "../ranks/ranks.ts";
import { ReferenceDirect } from "../reference/direct/pipeline.ts";
import { Conversation } from "./conversation.ts";
import type { ArrayPlan, DirectOrder } from "./orders.ts";
import { allScattered } from "./relay.ts";
import { listed, present } from "./solvers.ts";

export interface RankedDirectOptions {
  /** Pair interactions from which on a block is shared; by what computes unless given. Changes no result. */
  worth?: number | undefined;
}

export class RankedDirect implements Backend {
  readonly kind: Backend["kind"];
  /** Of rank 0, where there is a device. */
  readonly traffic?: () => HostTraffic;

  private constructor(
    private readonly ranks: Ranks,
    private readonly number: number,
    private readonly own: Backend,
    private readonly places: Pick<RankSharing, "adapters" | "hosts">,
  ) {
    this.kind = own.kind;
    if (own.traffic) this.traffic = () => own.traffic!();
  }

  /**
   * On rank 0, while the others serve; in float64 on the CPU without `gpu`. Throws as the pipelines do, "usage" for fewer
   * bodies than ranks, and "device" for adapters that differ: each moves all bodies, to the same bits.
   */
  static async create(
    gpu: GpuContext | undefined,
    ranks: Ranks,
    settings: DirectPipelineSettings,
    particles: ParticleSet,
    { worth }: RankedDirectOptions = {},
  ): Promise<RankedDirect> {
    requireEnough(particles.count, ranks); // before the others wait for particles
    const cpus = Array.from({ length: ranks.size }, () => "CPU, float64");
    const places = gpu ? await equalAdapters(gpu, ranks) : { adapters: cpus, hosts: [] };
    const talk = Conversation.of(ranks);
    const number = talk.newPipeline();
    const { positions, velocities, masses, components } = particles;
    const arrays: Record<string, SavedArray> = { positions, velocities, masses };
    return talk.jointly(async () => {
      const plans = plansOf(arrays);
      const order: DirectOrder = {
        what: "create",
        settings,
        components,
        onGpu: gpu !== undefined,
        worth,
        plans,
      };
      await talk.tell({ do: "direct", pipeline: number, order });
      await allScattered(ranks, plans, arrays);
      const sharing = { ranks, worth };
      const own = gpu
        ? await DirectPipeline.create(gpu, settings, particles, { sharing })
        : new ReferenceDirect(settings, particles, sharing);
      return new RankedDirect(ranks, number, own, places);
    });
  }

  /** What all ranks do; what goes wrong with the bodies goes wrong on all, and the others are done with it. */
  async #jointly<T>(order: DirectOrder, work: () => Promise<T>): Promise<T> {
    const talk = Conversation.of(this.ranks);
    const done = await talk.jointly(async () => {
      await talk.tell({ do: "direct", pipeline: this.number, order });
      try {
        return { result: await work() };
      } catch (error) {
        if (error instanceof GravmeshError && error.kind === "numerical") return { error };
        throw error;
      }
    });
    if ("error" in done) throw done.error;
    return done.result;
  }

  async advance(steps: number, dt: number, control: AdvanceControl = {}): Promise<void> {
    const { submission } = control;
    const order: DirectOrder = { what: "advance", steps, dt, ...(submission && { submission }) };
    if (steps > 0) await this.#jointly(order, () => this.own.advance(steps, dt, control));
  }

  sums(): Promise<Sums> {
    return this.#jointly({ what: "sums" }, () => this.own.sums());
  }

  extremes(): Promise<Extremes> {
    return this.#jointly({ what: "extremes" }, () => this.own.extremes());
  }

  async readParticles(want: ReadRequest = {}): Promise<ReadParticles> {
    if (!want.potential && !want.accelerations) return this.own.readParticles(want);
    return this.#jointly({ what: "forces" }, () => this.own.readParticles(want));
  }

  async *readBlocks(want: BlockRequest = {}): AsyncGenerator<ParticleBlock> {
    yield* blocksOf(await this.readParticles(want), want);
  }

  saveState(): Promise<ExactState> {
    return this.own.saveState();
  }

  async restoreState({ format, arrays }: StateInPieces): Promise<void> {
    const plans = plansOf(arrays);
    await this.#jointly({ what: "restore", format, plans }, async () => {
      await this.own.restoreState({ format, arrays: await allScattered(this.ranks, plans, arrays) });
    });
  }

  get sharing(): RankSharing {
    return { ...this.places, solvers: "they share out the forces" };
  }

  /** Of rank 0, as all that follows. */
  stageTimes(): StageTime[] {
    return this.own.stageTimes();
  }

  timeStages(): void {
    this.own.timeStages?.();
  }

  resetTimes(): void {
    this.own.resetTimes?.();
  }

  memory(): ReturnType<Backend["memory"]> {
    return this.own.memory();
  }

  counters(): Record<string, number> {
    return this.own.counters?.() ?? {};
  }

  destroy(): void {
    Conversation.of(this.ranks).leave(this.number);
    this.own.destroy();
  }
}

const plansOf = (arrays: ArraysInPieces): ArrayPlan[] =>
  Object.entries(arrays).map(([name, array]) => ({ name, type: arrayType(array), length: array.length }));

/** The adapters of all ranks, and their machines. Throws "device" where they differ. */
async function equalAdapters(gpu: GpuContext, ranks: Ranks): Promise<Pick<RankSharing, "adapters" | "hosts">> {
  const all = await present(gpu, ranks);
  if (all.every(({ adapter }) => adapter === adapterName(gpu.adapter))) {
    return { adapters: all.map(({ adapter }) => adapter), hosts: all.map(({ seat }) => seat?.host ?? "") };
  }
  throw new GravmeshError(
    "device",
    `the ranks of a direct sum need adapters of one kind, found ${listed(all)}. GRAVMESH_ADAPTER=NAME takes one of several`,
  );
}
