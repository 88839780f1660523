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
import blockWgsl from "../../wgsl/direct-block.wgsl";
import manyWgsl from "../../wgsl/direct-block-many.wgsl";
import correctWgsl from "../../wgsl/direct-correct.wgsl";
import predictWgsl from "../../wgsl/direct-predict.wgsl";
import type { DirectPipelineSettings } from "../backend.ts";
import { type Batch, workgroups } from "../gpu/batch.ts";
import type { WgslConstants, WgslSource } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BindingKind, BoundKernel } from "../gpu/kernel.ts";
import { fieldRecords } from "./external.ts";
import type { DirectForces } from "./forces.ts";
import { integratorKernel } from "./integrator.ts";
import type { DirectState } from "./state.ts";

/** "one": schedule and correction in one workgroup; "many": spread over the GPU. Same results. */
export type BlockShape = "one" | "many";

/** Up to here one workgroup is quicker than three dispatches. */
export const MOST_FOR_ONE = 4096;
/** Invocations of the one workgroup, and of each of the many. */
const ONE_GROUP = 128;
const MANY_GROUP = 256;
const PREDICT_GROUP = 64;

interface Kernels {
  start: BoundKernel;
  predict: BoundKernel;
  correct: BoundKernel;
  one: { block: BoundKernel; close: BoundKernel } | undefined;
  many: { schedule: BoundKernel; enlist: BoundKernel } | undefined;
}

export class BlockLoop {
  readonly shape: BlockShape;
  readonly #state: DirectState;
  readonly #forces: DirectForces;
  readonly #listed: ReturnType<DirectForces["indirect"]> | undefined;
  readonly #kernels: Kernels;
  readonly #together: boolean;
  readonly #groups: [number, number];
  readonly #destroy: () => void;

  private constructor(
    state: DirectState,
    forces: DirectForces,
    listed: ReturnType<DirectForces["indirect"]> | undefined,
    kernels: Kernels,
    together: boolean,
    destroy: () => void,
  ) {
    this.shape = kernels.one ? "one" : "many";
    this.#state = state;
    this.#forces = forces;
    this.#listed = listed;
    this.#kernels = kernels;
    this.#together = together;
    this.#groups = workgroups(state.count, MANY_GROUP);
    this.#destroy = destroy;
  }

  /** Compiles. `shape`: by the number of particles unless given. Throws "device". */
  static async create(
    gpu: GpuContext,
    settings: DirectPipelineSettings,
    state: DirectState,
    forces: DirectForces,
    shape: BlockShape = state.count <= MOST_FOR_ONE ? "one" : "many",
  ): Promise<BlockLoop> {
    const { count } = state;
    const { buffers } = gpu;
    const { integrator, steps } = settings.direct;
    const groups = Math.ceil(count / MANY_GROUP);
    const going = buffers.uniform("direct settings", loopSettings(settings, state, false));
    const closing = buffers.uniform("direct settings, closing", loopSettings(settings, state, true));
    // All particles in order, until blocks write their own: what a block of all is.
    const list = buffers.upload(
      "direct active list",
      Uint32Array.from({ length: count }, (_, i) => i),
      "particles",
    );
    const slots = buffers.upload("direct active slots", Uint32Array.of(0), "particles");
    const manySlots = shape === "many" ? buffers.storage("direct active slots", 4 * count, "particles") : slots;
    const due = buffers.storage("direct due times", 8 * groups, "other");
    const compile = (source: WgslSource, entry: string, bindings: BindingKind[], constants?: WgslConstants) =>
      integratorKernel(gpu, {
        ...{ label: entry, integrator, scheme: steps, fields: settings.externalFields.length },
        ...{ source, entry, bindings, ...(constants && { constants }) },
      });
    const { control, particles, derivatives, bodies, forces: results } = state;
    const shared = [control, particles, derivatives, bodies];
    const kernels = async (): Promise<Kernels> => {
      const [start, predict, correct] = await Promise.all([
        compile(correctWgsl, "start", ["read", "read", "read-write"]),
        compile(predictWgsl, "predict", []),
        compile(correctWgsl, "correct", ["read", "read", "read-write"]),
      ]);
      const bound = {
        start: start.bind(going, ...shared, results, manySlots, due),
        predict: predict.bind(going, ...shared),
        correct: correct.bind(going, ...shared, results, manySlots, due),
      };
      if (shape === "one") {
        const block = await compile(blockWgsl, "block", ["read", "read-write"], {
          MOST: `${MOST_FOR_ONE}u`,
          GROUP: `${ONE_GROUP}u`,
        });
        const bind = (uniform: GPUBuffer) => block.bind(uniform, ...shared, results, list);
        return { ...bound, one: { block: bind(going), close: bind(closing) }, many: undefined };
      }
      const [schedule, enlist] = await Promise.all([
        compile(manyWgsl, "schedule", ["read-write", "read-write", "read-write"]),
        compile(manyWgsl, "enlist", ["read-write", "read-write", "read-write"]),
      ]);
      const bind = (kernel: typeof schedule) => kernel.bind(going, ...shared, list, manySlots, due);
      return { ...bound, one: undefined, many: { schedule: bind(schedule), enlist: bind(enlist) } };
    };
    // With shared steps the number of blocks is known, and none of them is recorded in vain.
    const listed =
      steps === "shared"
        ? undefined
        : forces.indirect({
            ...{ targets: bodies, list, count: control, mostTargets: count },
            ...{ sources: bodies, sourceCount: count, result: results },
          });
    return new BlockLoop(state, forces, listed, await kernels(), steps !== "block", () => {
      listed?.destroy();
      buffers.release(going, closing, list, slots, due, ...(shape === "many" ? [manySlots] : []));
    });
  }

  /** Bodies of all particles at the time that all blocks have reached. */
  encodePredict(batch: Batch): void {
    batch.stage("predict").dispatch(this.#kernels.predict, workgroups(this.#state.count, PREDICT_GROUP));
  }

  /** Forces of all bodies on all. */
  encodeForces(batch: Batch): void {
    const { bodies, forces, count } = this.#state;
    batch.stage("force");
    this.#forces.encode(batch, {
      ...{ targets: bodies, targetCount: count, sources: bodies, sourceCount: count, result: forces },
    });
  }

  /** Derivatives and first steps from the forces on all. */
  encodeStart(batch: Batch): void {
    batch.stage("correct").dispatch(this.#kernels.start, this.#groups);
  }

  /** What blocks build on: to be recorded once before the first, with no block in progress. */
  encodeOpening(batch: Batch): void {
    if (this.#kernels.many) batch.stage("correct").dispatch(this.#kernels.correct, this.#groups);
  }

  /** One block. With `stages` its parts are timed apart; else they go under the batch's present stage. */
  encodeBlock(batch: Batch, stages: boolean): void {
    const { one, many, correct } = this.#kernels;
    const part = (name: string) => {
      if (stages) batch.stage(name);
    };
    part("schedule");
    if (one) batch.dispatch(one.block, [1]);
    if (many) {
      batch.dispatch(many.schedule, this.#groups);
      if (!this.#together) batch.dispatch(many.enlist, this.#groups);
    }
    part("force");
    if (this.#listed) this.#listed.encode(batch);
    else this.#encodeAll(batch);
    part("correct");
    if (many) batch.dispatch(correct, this.#groups);
  }

  /** Ends the last block: afterwards no particle is between prediction and correction. */
  encodeClosing(batch: Batch): void {
    if (this.#kernels.one) batch.dispatch(this.#kernels.one.close, [1]);
  }

  destroy(): void {
    this.#destroy();
  }

  #encodeAll(batch: Batch): void {
    const { bodies, forces, count } = this.#state;
    this.#forces.encode(batch, {
      ...{ targets: bodies, targetCount: count, sources: bodies, sourceCount: count, result: forces },
    });
  }
}

/** `Settings` of wgsl/lib/hermite-state.wgsl. */
function loopSettings(settings: DirectPipelineSettings, { units, count }: DirectState, closing: boolean): ArrayBuffer {
  const { direct, externalFields } = settings;
  const fields = fieldRecords(externalFields, units);
  const HEAD_WORDS = 8;
  const packed = new ArrayBuffer(4 * HEAD_WORDS + fields.byteLength);
  const integers = new Uint32Array(packed);
  const floats = new Float32Array(packed);
  integers[1] = closing ? 1 : 0;
  integers[2] = externalFields.length;
  floats[3] = direct.nu;
  floats[4] = direct.eta;
  floats[5] = direct.softening * units.perLength;
  integers[6] = count;
  integers[7] = Math.ceil(count / MANY_GROUP);
  new Uint8Array(packed).set(new Uint8Array(fields), 4 * HEAD_WORDS);
  return packed;
}
