/**
 * The block-step loop on the GPU: individual steps are powers of two of the largest one, and all particles whose steps
 * end together, a block, are advanced together (McMillan & Aarseth 1993; Portegies Zwart+ 2007, §2). Shared and
 * adaptive steps are the same loop with every particle in every block.
 *   schedule  earliest end of a step, list of the particles whose steps end then, prediction of all to that time
 *   force     of all on those listed
 *   correct   those listed, and choose their next steps
 * Nothing is read back between blocks. A block that nothing is left for does nothing, so that more of them may be
 * recorded than turn out to be needed. With few particles everything but the force is one workgroup's work.
 */

import { type Batch, workgroups } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import {
  type BlockKernels,
  type BlockShape,
  blockKernels,
  MANY_GROUP,
  MOST_FOR_ONE,
  PREDICT_GROUP,
} from "./block-kernels.ts";
import type { DirectForces } from "./forces.ts";
import type { DirectPipelineSettings } from "./settings.ts";
import type { DirectState } from "./state.ts";

export { type BlockShape, MOST_FOR_ONE } from "./block-kernels.ts";

/** The forces on the members of a block, which the GPU lists. */
type ListedForces = ReturnType<DirectForces["indirect"]>;

export class BlockLoop {
  readonly #groups: [number, number];

  private constructor(
    private readonly state: DirectState,
    private readonly forces: DirectForces,
    private readonly kernels: BlockKernels,
    /** Undefined with shared steps: their number is known, and none of them is recorded in vain. */
    private readonly listed: ListedForces | undefined,
    /** All particles take the same steps. */
    private readonly together: boolean,
  ) {
    this.#groups = workgroups(state.count, MANY_GROUP);
  }

  /** Compiles. `shape`: by the number of particles unless given. Throws "device". */
  static async create(
    gpu: GpuContext,
    settings: DirectPipelineSettings,
    state: DirectState,
    forces: DirectForces,
    shape: BlockShape = state.count <= MOST_FOR_ONE ? "one" : "many",
  ): Promise<BlockLoop> {
    const { steps } = settings.direct;
    const { count, control, bodies, forces: result } = state;
    const kernels = await blockKernels(gpu, settings, state, shape);
    const job = { targets: bodies, list: kernels.list, count: control, mostTargets: count };
    const listed =
      steps === "shared" ? undefined : forces.indirect({ ...job, sources: bodies, sourceCount: count, result });
    return new BlockLoop(state, forces, kernels, listed, steps !== "block");
  }

  /** Bodies of all particles at the time that all blocks have reached. */
  encodePredict(batch: Batch, stage = "predict"): void {
    batch.stage(stage).dispatch(this.kernels.predict, workgroups(this.state.count, PREDICT_GROUP));
  }

  /** Forces of all bodies on all. */
  encodeForces(batch: Batch, stage = "force"): void {
    this.#encodeAll(batch.stage(stage));
  }

  /** Derivatives and first steps from the forces on all. */
  encodeStart(batch: Batch): void {
    batch.stage("correct").dispatch(this.kernels.start, this.#groups);
  }

  /** What blocks build on: to be recorded once before the first, with no block in progress. */
  encodeOpening(batch: Batch): void {
    if (this.kernels.many) batch.stage("correct").dispatch(this.kernels.correct, this.#groups);
  }

  /** One block. With `stages` its parts are timed apart; else they go under the batch's present stage. */
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
    part("force");
    if (this.listed) this.listed.encode(batch);
    else this.#encodeAll(batch);
    part("correct");
    if (many) batch.dispatch(correct, this.#groups);
  }

  /** Ends the last block: afterwards no particle is between prediction and correction. */
  encodeClosing(batch: Batch): void {
    if (this.kernels.one) batch.dispatch(this.kernels.one.close, [1]);
  }

  destroy(): void {
    this.listed?.destroy();
    this.kernels.destroy();
  }

  #encodeAll(batch: Batch): void {
    const { bodies, forces, count } = this.state;
    this.forces.encode(batch, {
      ...{ targets: bodies, targetCount: count, sources: bodies, sourceCount: count, result: forces },
    });
  }
}
