/** The direct sum on a GPU, in short submissions: targets against blocks of sources that the pace doesn't change. */
import type { Batch } from "../../foundation/gpu/batch.ts";
import type { BufferPool } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { emptyForces, type ForceArrays, type ForceOrder, packBodies, RECORD_BYTES, unpackForces } from "./bodies.ts";
import { DirectForces } from "./forces.ts";
import { DirectNeighbours } from "./neighbours.ts";
import { SubmissionPace } from "./pace.ts";
import type { Precision } from "./settings.ts";
import type { Softening } from "./softening.ts";
import { SourceBlocks, type SourceRoom, type SourceRows } from "./source-blocks.ts";
import { fillFromMesh, type MeshParticles } from "./source-mesh.ts";
import type { NewSources, SourceFields } from "./source-records.ts";
import {
  type EngineTargets,
  type EvaluationControl,
  type NeighbourSearch,
  type Neighbours,
  noNeighbours,
  type SourceBuffers,
  type SourceState,
  type SummationEngine,
  throwIfAborted,
  withOverflows,
} from "./summation.ts";

export interface GpuSummationOptions extends SourceRoom, Softening {
  order: ForceOrder;
  precision: Precision;
}

/** Targets of a set. */
const MOST_TARGETS = 2 ** 16;
const LEAST_TARGETS = 64;

/** What a set of targets goes through. */
interface Evaluation {
  mostTargets: number;
  /** Before the blocks of the targets [first, first + count). */
  begin?(first: number, count: number): void;
  /** Records one block. */
  encode(batch: Batch, targets: GPUBuffer, count: number, block: SourceRows, accumulate: boolean): void;
  /** Reads their results, with the last block. */
  read(batch: Batch, first: number, count: number): void;
}

export class GpuSummation implements SummationEngine {
  readonly kind = "webgpu";
  readonly #order: ForceOrder;
  readonly #paces: { forces: SubmissionPace; neighbours: SubmissionPace };
  #sets: { size: number; own: BufferPool; targets: GPUBuffer; result: GPUBuffer } | undefined;
  #search: { key: string; neighbours: DirectNeighbours } | undefined;

  private constructor(
    private readonly gpu: GpuContext,
    private readonly forceKernels: DirectForces,
    private readonly sources: SourceBlocks,
  ) {
    this.#order = sources.order;
    const { software } = gpu.adapter;
    this.#paces = { forces: new SubmissionPace(software), neighbours: new SubmissionPace(software) };
  }

  /** Throws "device" when double-single arithmetic doesn't survive the adapter's compiler. */
  static async create(gpu: GpuContext, options: GpuSummationOptions): Promise<GpuSummation> {
    const { order, precision, softening, softeningKernel } = options;
    const forces = await DirectForces.create(gpu, { order, precision, softening, softeningKernel });
    return new GpuSummation(gpu, forces, await SourceBlocks.create(gpu, order, options));
  }

  get count(): number {
    return this.sources.count;
  }

  setSources(sources: NewSources): Promise<void> {
    return this.sources.set(sources);
  }

  /** `masses`: G·m by id. Rows are ids. */
  setSourcesFromMesh(particles: MeshParticles, masses: Float64Array): Promise<void> {
    return fillFromMesh(this.gpu, this.sources, particles, masses);
  }

  updateSources(rows: Uint32Array, fields: SourceFields): Promise<void> {
    return this.sources.update(rows, fields);
  }

  async predict(time: number | undefined): Promise<void> {
    this.sources.predict(time);
  }

  async forces(targets: EngineTargets, control: EvaluationControl): Promise<ForceArrays> {
    const count = this.#countOf(targets);
    const out = emptyForces(this.#order, count);
    const bytes = RECORD_BYTES[this.#order];
    await this.#evaluate(targets, this.#paces.forces, control, {
      mostTargets: MOST_TARGETS,
      encode: (batch, buffer, targetCount, { bodies, count: sourceCount }, accumulate) => {
        const { result } = this.#sets!;
        const job = { targets: buffer, targetCount, sources: bodies, sourceCount, result, accumulate };
        this.forceKernels.encode(batch.stage("direct forces"), job);
      },
      read: (batch, first, targetCount) => {
        const take = (packed: ArrayBuffer) => void unpackForces(this.#order, packed, targetCount, out, first);
        batch.read(this.#sets!.result, 0, bytes * targetCount, take);
      },
    });
    return out;
  }

  async neighbours(targets: EngineTargets, search: NeighbourSearch, control: EvaluationControl): Promise<Neighbours> {
    const count = this.#countOf(targets);
    const found = noNeighbours(count, search);
    if (count === 0 || this.sources.count === 0) return found;
    const kernels = await this.#neighbours(search.radii ? search.capacity : 0, count);
    try {
      await this.#evaluate(targets, this.#paces.neighbours, control, {
        mostTargets: kernels.mostTargets,
        begin: (first, targetCount) => {
          if (search.radii) kernels.setRadii(search.radii.subarray(first, first + targetCount));
        },
        encode: (batch, buffer, targetCount, { bodies, count: sourceCount }, accumulate) => {
          const job = { targets: buffer, targetCount, sources: bodies, sourceCount, accumulate };
          kernels.encode(batch.stage("neighbours"), job);
        },
        read: (batch, first, targetCount) => kernels.read(batch, targetCount, first, found),
      });
    } finally {
      kernels.release();
    }
    return withOverflows(found);
  }

  async readSources(): Promise<SourceState> {
    await this.#refresh();
    const { count, blocks, origin } = this.sources;
    const words = RECORD_BYTES[this.#order] / 4;
    const vectors = (wanted: boolean) => (wanted ? new Float64Array(3 * count) : undefined);
    const positions = new Float64Array(3 * count);
    const [velocities, accelerations] = [vectors(words > 8), vectors(words > 12)];
    const masses = new Float64Array(count);
    const ids = new Uint32Array(count);
    for (const block of blocks) {
      const packed = await this.gpu.read(block.bodies, 0, 4 * words * block.count);
      const [floats, integers] = [new Float32Array(packed), new Uint32Array(packed)];
      for (let k = 0, at = 0, row = block.first; k < block.count; k++, row++, at += words) {
        for (let axis = 0; axis < 3; axis++) {
          positions[3 * row + axis] = origin[axis] + (floats[at + axis] + floats[at + 4 + axis]);
          if (velocities) velocities[3 * row + axis] = floats[at + 8 + axis];
          if (accelerations) accelerations[3 * row + axis] = floats[at + 12 + axis];
        }
        masses[row] = floats[at + 3];
        ids[row] = integers[at + 7];
      }
    }
    return { positions, ...(velocities && { velocities }), ...(accelerations && { accelerations }), masses, ids };
  }

  /** The sources' body records, at the time they stand at. They stay valid until the sources are set anew. */
  async sourceBuffers(): Promise<SourceBuffers> {
    await this.#refresh();
    const { origin, blocks } = this.sources;
    return {
      origin,
      bodyBytes: RECORD_BYTES[this.#order],
      blocks: blocks.map(({ first, count, bodies }) => ({ first, count, bodies })),
    };
  }

  destroy(): void {
    this.#search?.neighbours.destroy();
    this.forceKernels.destroy();
    this.sources.destroy();
    this.#sets?.own.destroyAll();
    this.#search = undefined;
    this.#sets = undefined;
  }

  /** Sets of targets in turn, each against all blocks. */
  async #evaluate(
    targets: EngineTargets,
    pace: SubmissionPace,
    control: EvaluationControl,
    evaluation: Evaluation,
  ): Promise<void> {
    const count = this.#countOf(targets);
    const { blocks } = this.sources;
    if (count === 0 || blocks.length === 0) return;
    const total = count * this.sources.count;
    let done = 0;
    for (let first = 0; first < count; ) {
      const targetCount = Math.min(count - first, evaluation.mostTargets, setSize(pace.budget() / blocks[0].count));
      const buffer = this.#setOf(targetCount);
      throwIfAborted(control);
      evaluation.begin?.(first, targetCount);
      let batch = await this.#upToDate();
      const scratch = await this.#fill(batch, buffer, targets, first, targetCount);
      let [work, started] = [0, performance.now()];
      for (const block of blocks) {
        const isLast = block === blocks.at(-1);
        evaluation.encode(batch, buffer, targetCount, block, block !== blocks[0]);
        work += targetCount * block.count;
        if (isLast) evaluation.read(batch, first, targetCount);
        if (!isLast && work < pace.budget()) continue;
        await batch.submit();
        this.gpu.buffers.release(...scratch.splice(0));
        pace.learn(work, performance.now() - started);
        done += work;
        if (isLast) break;
        control.onProgress?.(done / total);
        throwIfAborted(control);
        batch = this.gpu.batch("direct sum");
        [work, started] = [0, performance.now()];
      }
      first += targetCount;
      control.onProgress?.(done / total);
    }
  }

  /** Puts the targets [first, first + count) into the set's buffer; what it took is to be released after the batch. */
  async #fill(
    batch: Batch,
    buffer: GPUBuffer,
    targets: EngineTargets,
    first: number,
    count: number,
  ): Promise<GPUBuffer[]> {
    if (targets === undefined || "rows" in targets) {
      const rows = targets
        ? targets.rows.subarray(first, first + count)
        : Uint32Array.from({ length: count }, (_, k) => first + k);
      return this.sources.encodeGather(batch.stage("sources"), rows, buffer);
    }
    const { origin } = this.sources;
    const vectors = (array: Float64Array | undefined) => array?.subarray(3 * first, 3 * (first + count));
    const [velocities, accelerations] = [vectors(targets.velocities), vectors(targets.accelerations)];
    const packed = packBodies(this.#order, {
      count,
      positions: vectors(targets.positions)!.map((x, i) => x - origin[i % 3]),
      // Neighbours need places alone; what else a body holds is then 0.
      velocities: velocities ?? new Float64Array(3 * count),
      accelerations: accelerations ?? new Float64Array(3 * count),
      masses: new Float64Array(count),
      ids: targets.ids.subarray(first, first + count),
    });
    this.gpu.device.queue.writeBuffer(buffer, 0, packed);
    return [];
  }

  #countOf(targets: EngineTargets): number {
    if (!targets) return this.sources.count;
    return "rows" in targets ? targets.rows.length : targets.count;
  }

  /** A batch that finds, or makes, the bodies up to date. */
  async #upToDate(): Promise<Batch> {
    for (;;) {
      const batch = this.gpu.batch("direct sum").stage("sources");
      if (this.sources.encodeRefresh(batch)) return batch;
      await batch.submit();
    }
  }

  async #refresh(): Promise<void> {
    await (await this.#upToDate()).submit();
  }

  /** The target buffer of a set, with a result buffer of its size. */
  #setOf(count: number): GPUBuffer {
    const size = Math.max(LEAST_TARGETS, 2 ** Math.ceil(Math.log2(count)));
    if (!this.#sets || this.#sets.size < size) {
      this.#sets?.own.destroyAll();
      const own = this.gpu.buffers.pool();
      this.#sets = {
        ...{ size, own },
        targets: own.storage("direct sum targets", size * RECORD_BYTES[this.#order], "other"),
        result: own.storage("direct sum result", size * RECORD_BYTES[this.#order], "other"),
      };
    }
    return this.#sets.targets;
  }

  async #neighbours(capacity: number, count: number): Promise<DirectNeighbours> {
    const mostTargets = Math.min(MOST_TARGETS, Math.max(LEAST_TARGETS, 2 ** Math.ceil(Math.log2(count))));
    const mostSources = Math.max(...this.sources.blocks.map((block) => block.count));
    const key = `${capacity} ${mostTargets} ${mostSources}`;
    if (this.#search?.key !== key) {
      this.#search?.neighbours.destroy();
      this.#search = undefined;
      const sizes = { capacity, mostTargets, mostSources };
      this.#search = { key, neighbours: await DirectNeighbours.create(this.gpu, this.#order, sizes) };
    }
    return this.#search.neighbours;
  }
}

/** A power of two: few different sizes, so that kernels and their jobs are known. */
function setSize(targets: number): number {
  return Math.max(LEAST_TARGETS, 2 ** Math.floor(Math.log2(Math.max(1, targets))));
}
