/** A direct sum on ranks, as rank 0's backend: each moves all bodies, and they share out the targets. */

import type { GpuContext } from "../../foundation/gpu/context.ts";
import { type Ranks, requireEnough } from "../../foundation/ranks/ranks.ts";
import { blocksOf } from "../../physics/particles/blocks.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import type { Sums } from "../../physics/particles/sums.ts";
import type {
  AdvanceControl,
  Backend,
  BlockRequest,
  ExactState,
  Extremes,
  ParticleBlock,
  RankSharing,
  ReadParticles,
  ReadRequest,
  StateInPieces,
  Stopped,
} from "../backend/backend.ts";
import type { DirectPipelineSettings } from "../direct/settings.ts";
import { arraysOf, type JointDirect, jointDirect, plansOf } from "./joint-pipelines.ts";
import { DIRECT_WORK, RankedBackend } from "./joint-work.ts";
import { type DirectRecipe, RankChannel } from "./rank-channel.ts";
import { present, requireAlike } from "./solvers.ts";

export class RankedDirect extends RankedBackend<JointDirect, typeof DIRECT_WORK> implements Backend {
  private constructor(
    held: JointDirect,
    number: number,
    private readonly places: Pick<RankSharing, "adapters" | "hosts">,
  ) {
    super(held, DIRECT_WORK, number);
  }

  /** On rank 0, while the others serve. Throws "usage" for fewer bodies than ranks, "device" for unlike adapters. */
  static async create(
    gpu: GpuContext | undefined,
    ranks: Ranks,
    settings: DirectPipelineSettings,
    particles: ParticleSet,
    worth?: number,
  ): Promise<RankedDirect> {
    requireEnough(particles.count, ranks); // before the others wait for particles
    const places = gpu
      ? await equalAdapters(gpu, ranks)
      : { adapters: Array.from({ length: ranks.size }, () => "CPU, float64"), hosts: [] };
    const talk = RankChannel.of(ranks);
    const number = talk.newNumber();
    const { components } = particles;
    const plans = plansOf(arraysOf(particles));
    const recipe: DirectRecipe = { settings, components, onGpu: gpu !== undefined, worth, plans };
    const mine = () => jointDirect(ranks, gpu, recipe, particles);
    return new RankedDirect(await talk.jointly({ do: "direct", number, recipe }, mine), number, places);
  }

  async advance(steps: number, dt: number, control: AdvanceControl = {}): Promise<Stopped | undefined> {
    if (steps <= 0) return undefined;
    return this.together("advance", { steps, dt, submission: control.submission }, control);
  }

  sums(): Promise<Sums> {
    return this.together("sums", undefined);
  }

  extremes(): Promise<Extremes> {
    return this.together("extremes", undefined);
  }

  async readParticles(want: ReadRequest = {}): Promise<ReadParticles> {
    if (!want.potential && !want.accelerations) return this.own.readParticles(want);
    return this.together("forces", null, want);
  }

  async *readBlocks(want: BlockRequest = {}): AsyncGenerator<ParticleBlock> {
    yield* blocksOf(await this.readParticles(want), want);
  }

  saveState(): Promise<ExactState> {
    return this.own.saveState();
  }

  restoreState({ format, arrays }: StateInPieces): Promise<void> {
    return this.together("restore", { format, plans: plansOf(arrays) }, arrays);
  }

  get sharing(): RankSharing {
    return { ...this.places, solvers: "they share out the forces" };
  }

  counters(): Record<string, number> {
    return (this.own as Backend).counters?.() ?? {};
  }
}

async function equalAdapters(gpu: GpuContext, ranks: Ranks): Promise<Pick<RankSharing, "adapters" | "hosts">> {
  const all = await present(gpu, ranks);
  requireAlike(all, "a direct sum");
  return { adapters: all.map(({ adapter }) => adapter), hosts: all.map(({ seat }) => seat?.host ?? "") };
}
