/**
 * Neighbours on the GPU (wgsl/engine/direct/neighbours.wgsl): of every target the nearest source, and lists of the sources
 * closer than a radius of its own, with the true count where a list overflows (Bédorf+ 2015, §2.1 and §3).
 * Distances are unsoftened, float32 differences of pairs: two sources whose distances differ by less than about 2e-7
 * of themselves may change places. A source of the target's id is no neighbour; of several nearest ones the smallest
 * id counts.
 */
import neighboursWgsl from "../../../wgsl/engine/direct/neighbours.wgsl";
import type { Batch } from "../../foundation/gpu/batch.ts";
import { u32 } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { Kernel } from "../../foundation/gpu/kernel.ts";
import { type ForceOrder, RECORD_BYTES } from "./bodies.ts";
import { VECTOR_BYTES } from "./source-records.ts";
import { type Neighbours, NO_NEIGHBOUR } from "./summation.ts";

export interface NeighbourJob {
  /** Body records. */
  targets: GPUBuffer;
  targetCount: number;
  /** Body records. */
  sources: GPUBuffer;
  sourceCount: number;
  /** Go on from what `found` and `lists` hold of these targets: the sources follow those seen so far. */
  accumulate?: boolean;
}

/** Sources that an invocation walks. */
const CHUNK = 512;
/** Invocations of a workgroup: as few as keep a processor busy, so that few targets are no more work than they have to be. */
const GROUP = { software: 16, hardware: 64 };
const groupOf = ({ adapter }: GpuContext) => (adapter.software ? GROUP.software : GROUP.hardware);
const FOUND_BYTES = 16;
/** Bytes of scratch and lists that a set of targets may take. */
const MOST_BYTES = 2 ** 25;

type Entry = "survey" | "merge" | "list";
/** Targets of an invocation of the survey. */
const SURVEYED = 4;

/** A search among fixed-size sets of targets and sources, with its scratch. */
export class DirectNeighbours {
  readonly #radii: GPUBuffer;
  readonly #parts: GPUBuffer;
  readonly #found: GPUBuffer;
  readonly #lists: GPUBuffer;
  readonly #uniforms: GPUBuffer[] = [];

  private constructor(
    private readonly gpu: GpuContext,
    private readonly kernels: Record<Entry, Kernel>,
    private readonly capacity: number,
    readonly mostTargets: number,
    chunks: number,
  ) {
    const storage = (label: string, bytes: number) => gpu.buffers.storage(label, bytes, "other");
    this.#radii = storage("neighbour radii", 4 * mostTargets);
    this.#parts = storage("neighbours by chunk", FOUND_BYTES * mostTargets * chunks);
    this.#found = storage("neighbours found", FOUND_BYTES * mostTargets);
    this.#lists = storage("neighbour lists", 4 * Math.max(1, mostTargets * capacity));
  }

  /** For up to `mostTargets` targets (or fewer, see there) among up to `mostSources`; `capacity` 0: no lists. */
  static async create(
    gpu: GpuContext,
    order: ForceOrder,
    { capacity, mostTargets, mostSources }: { capacity: number; mostTargets: number; mostSources: number },
  ): Promise<DirectNeighbours> {
    const kernel = (entry: Entry) =>
      gpu.kernel({
        label: `direct neighbours/${entry}`,
        sources: [neighboursWgsl],
        entry,
        constants: {
          BODY: `${RECORD_BYTES[order] / VECTOR_BYTES}u`,
          CHUNK: `${CHUNK}u`,
          GROUP: `${groupOf(gpu)}u`,
          SURVEYED: `${SURVEYED}u`,
          LISTS: capacity > 0,
        },
      });
    const [survey, merge, list] = await Promise.all((["survey", "merge", "list"] as const).map(kernel));
    const chunks = Math.max(1, Math.ceil(mostSources / CHUNK));
    const perTarget = Math.max(FOUND_BYTES * chunks, 4 * capacity);
    const targets = Math.max(1, Math.min(mostTargets, Math.floor(MOST_BYTES / perTarget)));
    return new DirectNeighbours(gpu, { survey, merge, list }, capacity, targets, chunks);
  }

  /** Radii of the targets of the jobs that follow [targetCount] [length]. */
  setRadii(radii: Float64Array): void {
    this.gpu.device.queue.writeBuffer(
      this.#radii,
      0,
      Float32Array.from(radii, (radius) => radius * radius),
    );
  }

  /** Records a search. Its buffers must not be destroyed before the batch is submitted, nor `release` called. */
  encode(batch: Batch, { targets, targetCount, sources, sourceCount, accumulate = false }: NeighbourJob): void {
    const chunks = Math.ceil(sourceCount / CHUNK);
    const words = u32(targetCount, sourceCount, chunks, this.capacity, accumulate ? 0 : 1, 0);
    const uniform = this.gpu.buffers.uniform("neighbour search", words);
    this.#uniforms.push(uniform);
    const dispatch = (entry: Entry, targetsPerGroup: number, chunksInGrid: number) => {
      const bound = this.kernels[entry].bind(
        ...[uniform, targets, sources, this.#radii, this.#parts, this.#found, this.#lists],
      );
      batch.dispatch(bound, [Math.ceil(targetCount / targetsPerGroup), chunksInGrid]);
    };
    const group = groupOf(this.gpu);
    dispatch("survey", SURVEYED * group, chunks);
    dispatch("merge", group, 1);
    if (this.capacity > 0) dispatch("list", group, chunks);
  }

  /** Gives back what the batches submitted so far took. */
  release(): void {
    this.gpu.buffers.release(...this.#uniforms.splice(0));
  }

  /** Records the reading of what was found of the first `count` targets to the places from `first` on of `into`. */
  read(batch: Batch, count: number, first: number, into: Neighbours): void {
    const { nearestIds, nearestDistances, lists } = into;
    batch.read(this.#found, 0, FOUND_BYTES * count, (data) => {
      const [found, squares] = [new Uint32Array(data), new Float32Array(data)];
      for (let k = 0; k < count; k++) {
        const none = found[4 * k] === NO_NEIGHBOUR;
        nearestIds[first + k] = none ? NO_NEIGHBOUR : found[4 * k + 1];
        nearestDistances[first + k] = none ? Number.POSITIVE_INFINITY : Math.sqrt(squares[4 * k]);
        if (lists) lists.counts[first + k] = found[4 * k + 2];
      }
    });
    if (!lists) return;
    const { capacity, counts } = lists;
    batch.read(this.#lists, 0, 4 * capacity * count, (data) => {
      const ids = new Uint32Array(data);
      for (let k = 0; k < count; k++) {
        const listed = Math.min(capacity, counts[first + k]);
        lists.ids.set(ids.subarray(capacity * k, capacity * k + listed), capacity * (first + k));
      }
    });
  }

  destroy(): void {
    this.release();
    this.gpu.buffers.release(this.#radii, this.#parts, this.#found, this.#lists);
  }
}
