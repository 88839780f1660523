/**
 * The sources of a direct sum on the GPU: records (source-records.ts) and the bodies that the force kernels read, in
 * blocks that one binding holds. What moves is predicted from its own time to a common one, in pairs of float32, from its
 * records into the bodies (wgsl/engine/direct/source-predict.wgsl); what doesn't is a body already.
 *   x + v h + a h²/2 + j h³/6,  v + a h + j h²/2,  a + j h,  h = T − t
 * (Portegies Zwart+ 2007, eqs. 3 and 4; on the GPU as in Bédorf+ 2015, §2.2.4.) Updates and gathers are copies by a kernel,
 * so that nothing is read back, and no more sent than has changed.
 */
import gatherWgsl from "../../../wgsl/engine/direct/source-gather.wgsl";
import predictWgsl from "../../../wgsl/engine/direct/source-predict.wgsl";
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import { f32, packUniform, u32 } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { BoundKernel, Kernel } from "../../foundation/gpu/kernel.ts";
import { type ForceOrder, RECORD_BYTES } from "./bodies.ts";
import { SLICE } from "./force-shapes.ts";
import {
  assignRows,
  MOVING_VECTORS,
  type NewSources,
  packSources,
  type SourceFields,
  STILL_VECTORS,
  VECTOR_BYTES,
} from "./source-records.ts";

/** Consecutive rows of the sources. */
export interface SourceRows {
  /** First row, a multiple of the rows per block. */
  first: number;
  count: number;
  /** Body records by row − first, at the time of the last prediction. */
  bodies: GPUBuffer;
  /** Records to predict from; sources that move only. */
  records: GPUBuffer | undefined;
  /** The prediction to the moment that its uniform holds. */
  prediction: { kernel: BoundKernel; moment: GPUBuffer } | undefined;
}

/** Rows of a block: a force on a few hundred targets is then a submission of its own on a slow adapter. */
const MOST_ROWS = 2 ** 17;
/** Rows sent at a time. */
const CHUNK = 2 ** 16;
/** Invocations of a workgroup that predicts. */
const GROUP = 64;
const MOMENT_BYTES = 32;
/** Invocations of a workgroup that copies, a row each. */
export const GATHER_GROUP = 64;

/** Copies listed rows of so many vectors of four words. Bindings: part of the list (first, count), list (from, to), rows, copies. */
export const gatherKernel = (gpu: GpuContext, vectors: number): Promise<Kernel> =>
  gpu.kernel({
    label: "direct sources/gather",
    sources: [gatherWgsl],
    entry: "collect",
    constants: { WIDTH: `${vectors}u` },
  });

export interface SourceRoom {
  /** Source rows to make room for. */
  capacity?: number | undefined;
  /** Bytes of a block of sources at most, where the device allows more. */
  largestBinding?: number | undefined;
}

export class SourceBlocks {
  readonly #stale = new Set<SourceRows>();
  #blocks: SourceRows[] = [];
  /** What the host set, for updates; none of the mesh's. */
  #fields: SourceFields = {};
  #allocated = { rows: 0, moving: false };
  #count = 0;
  #origin: readonly [number, number, number] = [0, 0, 0];
  #time: number | undefined;

  private constructor(
    private readonly gpu: GpuContext,
    readonly order: ForceOrder,
    private readonly predictor: Kernel,
    private readonly sizes: { capacity: number; largestBinding: number },
  ) {}

  static async create(
    gpu: GpuContext,
    order: ForceOrder,
    { capacity = 0, largestBinding = Number.POSITIVE_INFINITY }: SourceRoom,
  ): Promise<SourceBlocks> {
    const { maxStorageBufferBindingSize, maxBufferSize } = gpu.device.limits;
    const binding = Math.min(largestBinding, maxStorageBufferBindingSize, maxBufferSize);
    const predictor = await gpu.kernel({
      label: "direct sources/predict",
      sources: [predictWgsl],
      entry: "predict",
      constants: { RECORD: `${MOVING_VECTORS}u`, BODY: `${RECORD_BYTES[order] / VECTOR_BYTES}u` },
    });
    return new SourceBlocks(gpu, order, predictor, { capacity, largestBinding: binding });
  }

  get count(): number {
    return this.#count;
  }

  /** What positions on the GPU are relative to [length]. */
  get origin(): readonly [number, number, number] {
    return this.#origin;
  }

  get blocks(): readonly SourceRows[] {
    return this.#blocks.filter(({ count }) => count > 0);
  }

  /** Whether the sources can be predicted. */
  get moving(): boolean {
    return this.#allocated.moving;
  }

  /** Vectors of four words in what an update writes. */
  get #vectors(): number {
    return this.moving ? MOVING_VECTORS : STILL_VECTORS;
  }

  /** Replaces all sources; they stand at their own times until the next prediction. */
  async set(sources: NewSources): Promise<void> {
    const count = sources.masses.length;
    this.reset(count, sources.velocities !== undefined, meanOf(sources.positions));
    this.#fields = sources;
    const bytes = this.#vectors * VECTOR_BYTES;
    for (const block of this.blocks) {
      const target = block.records ?? block.bodies;
      for (let first = 0; first < block.count; first += CHUNK) {
        const length = Math.min(CHUNK, block.count - first);
        const packed = packSources(this.#vectors, sources, this.#origin, length, (k) => block.first + first + k);
        this.gpu.device.queue.writeBuffer(target, first * bytes, packed);
        this.gpu.device.queue.submit([]); // hands the driver's staging memory back before the next chunk takes its own
      }
    }
    await this.gpu.wait(this.gpu.device.queue.onSubmittedWorkDone(), "uploading the sources");
  }

  /** Makes room for `count` undefined rows, at their own times, about `origin` [length]. Throws "memory". */
  reset(count: number, moving: boolean, origin: readonly [number, number, number]): void {
    this.#allocate(Math.max(count, this.sizes.capacity), moving);
    this.#count = count;
    this.#origin = origin;
    this.#time = undefined;
    this.#fields = {};
    for (const block of this.#blocks) block.count = Math.max(0, Math.min(this.#rowsOfBlock, count - block.first));
    this.#allStale();
  }

  /** Overwrites the given fields of `rows` (each once); entry k belongs to row rows[k]. */
  async update(rows: Uint32Array, fields: SourceFields): Promise<void> {
    assignRows(this.#fields, this.#count, rows, fields);
    for (let first = 0; first < rows.length; first += CHUNK) {
      const some = rows.subarray(first, first + CHUNK);
      const packed = packSources(this.#vectors, this.#fields, this.#origin, some.length, (k) => some[k]);
      const incoming = this.gpu.buffers.upload("source records", new Uint8Array(packed), "other");
      const batch = this.gpu.batch("updating sources").stage("sources");
      const kernel = await gatherKernel(this.gpu, this.#vectors);
      const scratch = this.#encodeCopies(batch, some, true, (block) => {
        if (block.records) this.#stale.add(block);
        return (part, list) => kernel.bind(part, list, incoming, block.records ?? block.bodies);
      });
      await batch.submit();
      this.gpu.buffers.release(incoming, ...scratch);
    }
  }

  /** From here on the sources stand at `time`; each at its own for undefined. */
  predict(time: number | undefined): void {
    this.#time = time;
    this.#allStale();
  }

  /** Records what brings the bodies up to date, a block at a time: true when there is nothing left to do. */
  encodeRefresh(batch: Batch): boolean {
    const [block] = this.#stale;
    if (block?.prediction) {
      const { kernel, moment } = block.prediction;
      const time = this.#time ?? 0;
      const [high, isOwn] = [Math.fround(time), this.#time === undefined ? 1 : 0];
      const words = [...u32(block.count, isOwn), ...f32(high, time - high), ...u32(0)];
      this.gpu.device.queue.writeBuffer(moment, 0, packUniform(words));
      batch.dispatch(kernel, workgroups(block.count, GROUP));
    }
    this.#stale.delete(block);
    return this.#stale.size === 0;
  }

  /** Records the copy of the bodies of `rows` into `targets`, by place in the list. Release the scratch afterwards. */
  async encodeGather(batch: Batch, rows: Uint32Array, targets: GPUBuffer): Promise<GPUBuffer[]> {
    const kernel = await gatherKernel(this.gpu, RECORD_BYTES[this.order] / VECTOR_BYTES);
    return this.#encodeCopies(batch, rows, false, ({ bodies }) => (part, list) => {
      return kernel.bind(part, list, bodies, targets);
    });
  }

  destroy(): void {
    this.#release();
  }

  /** Records copies of `rows`, by their places in it, to or from the blocks that hold them. Release the scratch afterwards. */
  #encodeCopies(
    batch: Batch,
    rows: Uint32Array,
    toBlocks: boolean,
    bindingOf: (block: SourceRows) => (part: GPUBuffer, list: GPUBuffer) => BoundKernel,
  ): GPUBuffer[] {
    const byBlock = this.#byBlock(rows);
    const moves = new Uint32Array(2 * rows.length);
    let at = 0;
    for (const [block, places] of byBlock) {
      for (const place of places) {
        const row = rows[place] - block.first;
        moves[at++] = toBlocks ? place : row;
        moves[at++] = toBlocks ? row : place;
      }
    }
    const list = this.gpu.buffers.upload("rows to copy", moves, "other");
    const scratch = [list];
    let first = 0;
    for (const [block, places] of byBlock) {
      const part = this.gpu.buffers.uniform("rows to copy", u32(first, places.length));
      scratch.push(part);
      batch.dispatch(bindingOf(block)(part, list), workgroups(places.length, GATHER_GROUP));
      first += places.length;
    }
    return scratch;
  }

  /** Places in `rows`, by the block that holds the row. */
  #byBlock(rows: Uint32Array): Map<SourceRows, number[]> {
    const lists = new Map<SourceRows, number[]>();
    rows.forEach((row, place) => {
      const block = this.#blocks[Math.floor(row / this.#rowsOfBlock)];
      const list = lists.get(block);
      if (list) list.push(place);
      else lists.set(block, [place]);
    });
    return lists;
  }

  get #rowsOfBlock(): number {
    const record = Math.max(RECORD_BYTES[this.order], this.#vectors * VECTOR_BYTES);
    const rows = Math.min(MOST_ROWS, Math.floor(this.sizes.largestBinding / record));
    return Math.max(SLICE, SLICE * Math.floor(rows / SLICE));
  }

  #allocate(rows: number, moving: boolean): void {
    if (rows <= this.#allocated.rows && moving === this.#allocated.moving) return;
    this.#release();
    this.#allocated = { rows, moving };
    const perBlock = this.#rowsOfBlock;
    try {
      for (let first = 0; first < rows; first += perBlock) {
        const count = Math.min(perBlock, rows - first);
        const storage = (label: string, bytes: number) => this.gpu.buffers.storage(label, bytes * count, "particles");
        const bodies = storage("source bodies", RECORD_BYTES[this.order]);
        const records = moving ? storage("source records", MOVING_VECTORS * VECTOR_BYTES) : undefined;
        const moment = records && this.gpu.buffers.uniform("prediction", MOMENT_BYTES);
        const prediction = records && moment && { kernel: this.predictor.bind(moment, records, bodies), moment };
        this.#blocks.push({ first, count: 0, bodies, records, prediction });
      }
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  #release(): void {
    for (const { bodies, records, prediction } of this.#blocks) {
      this.gpu.buffers.release(bodies, records, prediction?.moment);
    }
    this.#blocks = [];
    this.#stale.clear();
    this.#allocated = { rows: 0, moving: false };
    this.#count = 0;
  }

  #allStale(): void {
    if (!this.moving) return;
    for (const block of this.blocks) this.#stale.add(block);
  }
}

/** Mean of [3N] positions: differences from it are the smallest that float32 must hold. */
function meanOf(positions: Float64Array): [number, number, number] {
  const mean: [number, number, number] = [0, 0, 0];
  const count = Math.max(1, positions.length / 3);
  for (let i = 0; i < positions.length; i += 3) {
    for (let axis = 0; axis < 3; axis++) mean[axis] += positions[i + axis] / count;
  }
  return mean;
}
