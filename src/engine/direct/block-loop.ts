/**
 * The block-step loop on the GPU: individual steps are powers of two of the largest one, and all particles whose steps
 * end together, a block, are advanced together (McMillan & Aarseth 1993; Portegies Zwart+ 2007, §2). Shared and
 * adaptive steps are the same loop with every particle in every block.
 *   schedule  earliest end of a step, list of the particles whose steps end then, prediction of all to that time
 *   force     of all that have mass on those listed
 *   correct   those listed, and choose their next steps
 * Nothing is read back between blocks. A block that nothing is left for does nothing, so that more of them may be
 * recorded than turn out to be needed. With few particles everything but the force is one workgroup's work; with very
 * many the forces of a block are summed in rounds (force-rounds.ts), and a round in which they aren't complete yet leaves
 * the rest of the block to the next.
 */

import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { type BlockKernels, type BlockShape, blockKernels, MANY_GROUP, mostForOne } from "./block-kernels.ts";
import { SUM } from "./control.ts";
import { ForceRounds, type SharedTargets } from "./force-rounds.ts";
import type { DirectForces, ForcePortion } from "./forces.ts";
import type { DirectPipelineSettings } from "./settings.ts";
import { GATHER_GROUP } from "./source-blocks.ts";
import type { DirectState } from "./state.ts";

export interface BlockLoopOptions {
  /** By the number of particles by default. */
  shape?: BlockShape | undefined;
  /** Pair interactions that the first submission may have: a block that may take more is summed in rounds. */
  share: number;
  /** Ranks that share out the targets of long blocks, in rounds. */
  ranks?: SharedTargets | undefined;
}

/** The forces on the members of a block, in one go or in rounds; neither where the host knows who they are. */
interface MemberForces {
  listed?: readonly ForcePortion[];
  rounds?: ForceRounds;
}

export class BlockLoop {
  readonly #groups: [number, number];

  private constructor(
    private readonly state: DirectState,
    private readonly kernels: BlockKernels,
    private readonly members: MemberForces,
    /** The forces of all bodies on all, where they aren't summed in rounds. */
    private readonly all: readonly ForcePortion[],
    /** All particles take the same steps. */
    private readonly together: boolean,
  ) {
    this.#groups = workgroups(state.count, MANY_GROUP);
  }

  /** Compiles. Throws "device". */
  static async create(
    gpu: GpuContext,
    settings: DirectPipelineSettings,
    state: DirectState,
    forces: DirectForces,
    { shape, share, ranks }: BlockLoopOptions,
  ): Promise<BlockLoop> {
    const { steps } = settings.direct;
    const { count, control, bodies, massive, sources, forces: result } = state;
    const long = count * massive.count > share || (steps !== "shared" && forces.isLong(count, massive.count));
    const rounds = ranks !== undefined || long;
    const chosen = rounds ? "many" : (shape ?? (count <= mostForOne(gpu.adapter.software) ? "one" : "many"));
    const kernels = await blockKernels(gpu, settings, state, { shape: chosen, rounds });
    const { list } = kernels;
    const members: MemberForces = {};
    const attracting = { sources, sourceCount: massive.count, result };
    if (rounds) {
      const job = { bodies, bodyCount: count, ...attracting, list, control, ranks };
      members.rounds = await ForceRounds.create(gpu, forces, job, share);
    } else if (steps !== "shared") {
      // The number of shared steps is known, and none of them is recorded in vain.
      const listed = { rows: list, count: control };
      members.listed = forces.portions({ targets: bodies, targetCount: count, ...attracting, listed });
    }
    const all = rounds ? [] : forces.portions({ targets: bodies, targetCount: count, ...attracting });
    return new BlockLoop(state, kernels, members, all, steps !== "block");
  }

  /** Slice sums that a submission's share has to allow; undefined where forces aren't summed in rounds. */
  get leastShare(): number | undefined {
    return this.members.rounds?.leastShare;
  }

  /** Bodies of all particles at the time that all blocks have reached. */
  encodePredict(batch: Batch, stage = "predict"): void {
    batch.stage(stage).dispatch(this.kernels.predict, this.#groups);
    this.#encodeGather(batch);
  }

  /** Forces of all bodies on all; in rounds, which `beginRounds` begins, a round of them. */
  encodeForces(batch: Batch, stage = "force"): void {
    const { rounds } = this.members;
    if (rounds) rounds.encode(batch.stage(stage), "all");
    else record(batch.stage(stage), this.all);
  }

  /** A round of the forces on the block in progress, where they are summed in rounds. */
  encodeRound(batch: Batch): void {
    this.members.rounds?.encode(batch, this.together ? "all" : "listed");
  }

  /** Before the first of the rounds that sum the forces on all. */
  beginRounds(): void {
    this.state.setControl({ members: this.state.count, sum: SUM.toBegin });
  }

  /** Derivatives and first steps from the forces on all. */
  encodeStart(batch: Batch): void {
    batch.stage("correct").dispatch(this.kernels.start, this.#groups);
  }

  /** Recorded once before the first block; corrects a block that got the last of its forces from other ranks. */
  encodeOpening(batch: Batch): void {
    if (this.kernels.many) batch.stage("correct").dispatch(this.kernels.correct, this.#groups);
  }

  /** One block, or a round of one. With `stages` its parts are timed apart; else they go under the batch's present stage. */
  encodeBlock(batch: Batch, stages: boolean): void {
    const { one, many, correct } = this.kernels;
    const part = (name: string) => {
      if (stages) batch.stage(name);
    };
    part("schedule");
    if (one) batch.dispatch(one.block, [1]);
    if (many) {
      batch.dispatch(many.schedule, this.#groups);
      if (!this.together) batch.dispatch(many.enlist, this.#groups);
    }
    this.#encodeGather(batch);
    part("force");
    const { listed, rounds } = this.members;
    if (rounds) rounds.encode(batch, this.together ? "all" : "listed");
    else record(batch, listed ?? this.all);
    part("correct");
    if (many) batch.dispatch(correct, this.#groups);
  }

  /** Ends the last block: afterwards no particle is between prediction and correction. */
  encodeClosing(batch: Batch): void {
    if (this.kernels.one) batch.dispatch(this.kernels.one.close, [1]);
  }

  /** The bodies with mass as they have been predicted, where tracers lie between them. */
  #encodeGather(batch: Batch): void {
    const { gather } = this.kernels;
    if (gather) batch.dispatch(gather, workgroups(this.state.massive.count, GATHER_GROUP));
  }
}

function record(batch: Batch, portions: readonly ForcePortion[]): void {
  for (const portion of portions) portion.encode(batch);
}
