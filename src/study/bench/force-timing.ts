/** Times forces of a direct sum between bodies on the GPU, several evaluations in a submission. */
import { type BodyArrays, type ForceOrder, packBodies, RECORD_BYTES } from "../../engine/direct/bodies.ts";
import { DirectForces } from "../../engine/direct/forces.ts";
import { SubmissionPace } from "../../engine/direct/pace.ts";
import type { Precision } from "../../engine/direct/settings.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";

export interface BenchBodies {
  order: ForceOrder;
  /** Plummer softening ε [length]. */
  softening: number;
  bodies: BodyArrays;
  /** Targets of a job at most; all by default. */
  mostTargets?: number;
}

/** Forces of the first sources on the first targets. */
export interface ForceTiming {
  precision: Precision;
  /** A kernel shape; those that a job takes by default. */
  shape?: string | undefined;
  /** All by default. */
  targets?: number;
  sources?: number;
}

/** Evaluations that a submission has at most. */
const MOST_TIMES = 64;

/** So many evaluations of `each` [s] that they take about `about` [s] together. */
export const timesWithin = (about: number, each: number, most = MOST_TIMES): number =>
  Math.min(most, Math.max(1, Math.round(about / each)));

export interface TimedTargets {
  count: number;
  /** What all of them would take [s], and may take. */
  whole: number;
  longest: number;
  /** The fewest that are timed; more come in multiples of it. */
  least: number;
}

/** So many targets that they take at most `longest`. */
export function targetsWithin({ count, whole, longest, least }: TimedTargets): number {
  if (whole <= longest) return count;
  return Math.min(count, Math.max(least, least * Math.floor((count * longest) / whole / least)));
}

/** Direct sums of the same bodies, made when first asked for. */
export class ForceBench {
  readonly count: number;
  /** Force records of the last job. */
  readonly result: GPUBuffer;
  readonly #bodies: GPUBuffer;
  readonly #made = new Map<string, DirectForces>();

  constructor(
    private readonly gpu: GpuContext,
    private readonly of: BenchBodies,
  ) {
    const { order, bodies, mostTargets = bodies.count } = of;
    this.count = bodies.count;
    const packed = new Uint8Array(packBodies(order, bodies));
    this.#bodies = gpu.buffers.upload("benchmark bodies", packed, "particles");
    this.result = gpu.buffers.storage("benchmark forces", mostTargets * RECORD_BYTES[order], "particles");
  }

  async forces({ precision, shape }: ForceTiming): Promise<DirectForces> {
    const key = `${precision} ${shape}`;
    let forces = this.#made.get(key);
    if (!forces) {
      const { order, softening } = this.of;
      forces = await DirectForces.create(this.gpu, { order, precision, softening, ...(shape && { shape }) });
      this.#made.set(key, forces);
    }
    return forces;
  }

  /**
   * Seconds of an evaluation, the mean of `times` in one submission; one of many pairs takes as many submissions as a
   * run's would, none longer than a display driver's patience.
   */
  async seconds(job: ForceTiming, times = 1): Promise<number> {
    const forces = await this.forces(job);
    const { targets: targetCount = this.count, sources: sourceCount = this.count } = job;
    const [targets, sources, result] = [this.#bodies, this.#bodies, this.result];
    const portions = forces.portions({ targets, targetCount, sources, sourceCount, result });
    const several = portions.length > 1;
    const pace = new SubmissionPace(this.gpu.adapter.software);
    const queue = Array.from({ length: times }, () => portions).flat();
    let ms = 0;
    for (let next = 0; next < queue.length; ) {
      const batch = this.gpu.batch(`force, ${job.shape ?? "as chosen"}`).stage("force");
      let work = 0;
      do {
        work += queue[next].interactions;
        queue[next++].encode(batch);
      } while (next < queue.length && (!several || work + queue[next].interactions <= pace.budget()));
      const started = performance.now();
      await batch.submit();
      const took = performance.now() - started;
      pace.learn(work, took);
      ms += took;
    }
    return ms / 1000 / times;
  }

  destroy(): void {
    for (const forces of this.#made.values()) forces.destroy();
    this.gpu.buffers.release(this.#bodies, this.result);
  }
}
