/**
 * Predicts sources from their own individual times to a common one, in pairs of float32 (wgsl/direct/source-predict.wgsl):
 *   x + v h + a h²/2 + j h³/6,  v + a h + j h²/2,  a + j h,  h = T − t
 * (Portegies Zwart+ 2007, eqs. 3 and 4; on the GPU as in Bédorf+ 2015, §2.2.4). What is written are bodies of the
 * force's order: pairs of the positions, float32 of velocities and accelerations.
 */
import predictWgsl from "../../wgsl/direct/source-predict.wgsl";
import { type Batch, workgroups } from "../gpu/batch.ts";
import { f32, packUniform, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel, Kernel } from "../gpu/kernel.ts";
import { bodyBytes, type ForceOrder } from "./bodies.ts";
import { MOVING_VECTORS, VECTOR_BYTES } from "./source-records.ts";

const GROUP = 64;
const MOMENT_BYTES = 32;

export class PredictSources {
  readonly #bound = new Map<GPUBuffer, { kernel: BoundKernel; moment: GPUBuffer }>();

  private constructor(
    private readonly gpu: GpuContext,
    private readonly kernel: Kernel,
  ) {}

  static async create(gpu: GpuContext, order: ForceOrder): Promise<PredictSources> {
    const kernel = await gpu.kernel({
      label: "direct sources/predict",
      sources: [predictWgsl],
      entry: "predict",
      constants: { RECORD: `${MOVING_VECTORS}u`, BODY: `${bodyBytes(order) / VECTOR_BYTES}u` },
    });
    return new PredictSources(gpu, kernel);
  }

  /**
   * Bodies of the first `count` records at `time`; each at its own for undefined. At most once per batch for the same
   * bodies.
   */
  encode(batch: Batch, records: GPUBuffer, bodies: GPUBuffer, count: number, time: number | undefined): void {
    let bound = this.#bound.get(bodies);
    if (!bound) {
      const moment = this.gpu.buffers.uniform("prediction", MOMENT_BYTES);
      bound = { kernel: this.kernel.bind(moment, records, bodies), moment };
      this.#bound.set(bodies, bound);
    }
    const high = Math.fround(time ?? 0);
    const data = packUniform([...u32(count, time === undefined ? 1 : 0), ...f32(high, (time ?? 0) - high), ...u32(0)]);
    this.gpu.device.queue.writeBuffer(bound.moment, 0, data);
    batch.dispatch(bound.kernel, workgroups(count, GROUP));
  }

  /** Forgets the buffers bound so far. */
  forget(): void {
    for (const { moment } of this.#bound.values()) this.gpu.buffers.release(moment);
    this.#bound.clear();
  }
}
