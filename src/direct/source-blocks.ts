/**
 * The sources of a direct sum on the GPU: records (source-records.ts) and the bodies that the force kernels read, in
 * blocks that one binding holds. What moves is predicted from its records into the bodies (predict-sources.ts); what
 * doesn't is a body already. Updates and gathers are kernels, so that nothing is read back or sent twice.
 */
import updateWgsl from "../../wgsl/direct/source-update.wgsl";
import { type Batch, workgroups } from "../gpu/batch.ts";
import { u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Kernel } from "../gpu/kernel.ts";
import { bodyBytes, type ForceOrder } from "./bodies.ts";
import { SLICE } from "./force-shapes.ts";
import { PredictSources } from "./predict-sources.ts";
import { GATHER_GROUP, gatherKernel } from "./source-gather.ts";
import {
  fieldMask,
  MOVING_VECTORS,
  type NewSources,
  packSources,
  type SourceFields,
  STILL_VECTORS,
  VECTOR_BYTES,
} from "./source-records.ts";

/** Consecutive rows of the sources. */
export interface SourceBlock {
  /** First row, a multiple of the rows per block. */
  first: number;
  count: number;
  /** Body records by row − first, at the time of the last prediction. */
  bodies: GPUBuffer;
  /** Records to predict from; sources that move only. */
  records: GPUBuffer | undefined;
}

/** Rows of a block: a force on a few hundred targets is then a submission of its own on a slow adapter. */
const MOST_ROWS = 2 ** 17;
/** Rows sent at a time. */
const CHUNK = 2 ** 16;
const GROUP = 64;

export interface SourceRoom {
  /** Source rows to make room for. */
  capacity?: number | undefined;
  /** Bytes of a block of sources at most, where the device allows more. */
  largestBinding?: number | undefined;
}

export class SourceBlocks {
  readonly #stale = new Set<SourceBlock>();
  #blocks: SourceBlock[] = [];
  #allocated = { rows: 0, moving: false };
  #count = 0;
  #origin: readonly [number, number, number] = [0, 0, 0];
  #time: number | undefined;

  private constructor(
    private readonly gpu: GpuContext,
    readonly order: ForceOrder,
    private readonly predictor: PredictSources,
    private readonly sizes: { capacity: number; largestBinding: number },
  ) {}

  static async create(
    gpu: GpuContext,
    order: ForceOrder,
    { capacity = 0, largestBinding = Number.POSITIVE_INFINITY }: SourceRoom,
  ): Promise<SourceBlocks> {
    const { maxStorageBufferBindingSize, maxBufferSize } = gpu.device.limits;
    const binding = Math.min(largestBinding, maxStorageBufferBindingSize, maxBufferSize);
    return new SourceBlocks(gpu, order, await PredictSources.create(gpu, order), { capacity, largestBinding: binding });
  }

  get count(): number {
    return this.#count;
  }

  /** What positions on the GPU are relative to [length]. */
  get origin(): readonly [number, number, number] {
    return this.#origin;
  }

  /** Blocks that hold the rows. */
  get blocks(): readonly SourceBlock[] {
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
    const bytes = this.#vectors * VECTOR_BYTES;
    for (const block of this.blocks) {
      const target = block.records ?? block.bodies;
      for (let first = 0; first < block.count; first += CHUNK) {
        const length = Math.min(CHUNK, block.count - first);
        const packed = packSources(this.#vectors, sources, this.#origin, block.first + first, length);
        this.gpu.device.queue.writeBuffer(target, first * bytes, packed);
        this.gpu.device.queue.submit([]); // hands the driver's staging memory back before the next chunk takes its own
      }
    }
    await this.gpu.wait(this.gpu.device.queue.onSubmittedWorkDone(), "uploading the sources");
  }

  /**
   * Makes room for `count` rows, whose contents are undefined, at their own times, about `origin` [length].
   * Throws "memory" when the device can't hold them.
   */
  reset(count: number, moving: boolean, origin: readonly [number, number, number]): void {
    this.#allocate(Math.max(count, this.sizes.capacity), moving);
    this.#count = count;
    this.#origin = origin;
    this.#time = undefined;
    for (const block of this.#blocks) block.count = Math.max(0, Math.min(this.#rowsOfBlock, count - block.first));
    this.#allStale();
  }

  /** Overwrites the given fields of `rows` (each once); entry k belongs to row rows[k]. */
  async update(rows: Uint32Array, fields: SourceFields): Promise<void> {
    const kernel = await this.gpu.kernel({
      label: "direct sources/update",
      sources: [updateWgsl],
      entry: "scatter",
      constants: { RECORD: `${this.#vectors}u` },
    });
    for (let first = 0; first < rows.length; first += CHUNK) {
      const length = Math.min(CHUNK, rows.length - first);
      await this.#send(
        kernel,
        rows.subarray(first, first + length),
        packSources(this.#vectors, fields, this.#origin, first, length),
        fieldMask(fields),
      );
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
    if (block?.records) this.predictor.encode(batch, block.records, block.bodies, block.count, this.#time);
    this.#stale.delete(block);
    return this.#stale.size === 0;
  }

  /** Records the copy of the bodies of `rows` into `targets`, by place in the list. Release the scratch afterwards. */
  async encodeGather(batch: Batch, rows: Uint32Array, targets: GPUBuffer): Promise<GPUBuffer[]> {
    const kernel = await gatherKernel(this.gpu, this.order);
    const byBlock = this.#byBlock(rows);
    const moves = new Uint32Array(2 * rows.length);
    let at = 0;
    for (const [block, slots] of byBlock) {
      for (const slot of slots) {
        moves[2 * at] = rows[slot] - block.first;
        moves[2 * at + 1] = slot;
        at++;
      }
    }
    const list = this.gpu.buffers.upload("rows to gather", moves, "other");
    const scratch = [list];
    let first = 0;
    for (const [block, slots] of byBlock) {
      const uniform = this.gpu.buffers.uniform("gather", u32(first, slots.length));
      scratch.push(uniform);
      batch.dispatch(kernel.bind(uniform, list, block.bodies, targets), workgroups(slots.length, GATHER_GROUP));
      first += slots.length;
    }
    return scratch;
  }

  destroy(): void {
    this.#release();
  }

  async #send(kernel: Kernel, rows: Uint32Array, packed: ArrayBuffer, mask: number): Promise<void> {
    const { buffers } = this.gpu;
    const bytes = this.#vectors * VECTOR_BYTES;
    const records = new Uint8Array(packed);
    const batch = this.gpu.batch("updating sources").stage("sources");
    const scratch: GPUBuffer[] = [];
    for (const [block, entries] of this.#byBlock(rows)) {
      const places = Uint32Array.from(entries, (entry) => rows[entry] - block.first);
      const chosen = new Uint8Array(bytes * entries.length);
      entries.forEach((entry, k) => {
        chosen.set(records.subarray(bytes * entry, bytes * (entry + 1)), bytes * k);
      });
      const uniform = buffers.uniform("source update", u32(entries.length, mask));
      const list = buffers.upload("rows to update", places, "other");
      const incoming = buffers.upload("source records", chosen, "other");
      scratch.push(uniform, list, incoming);
      const target = block.records ?? block.bodies;
      batch.dispatch(kernel.bind(uniform, list, incoming, target), workgroups(entries.length, GROUP));
      if (block.records) this.#stale.add(block);
    }
    await batch.submit();
    buffers.release(...scratch);
  }

  /** Places in `rows`, by the block that holds the row. */
  #byBlock(rows: Uint32Array): Map<SourceBlock, number[]> {
    const lists = new Map<SourceBlock, number[]>();
    rows.forEach((row, place) => {
      const block = this.#blocks[Math.floor(row / this.#rowsOfBlock)];
      const list = lists.get(block);
      if (list) list.push(place);
      else lists.set(block, [place]);
    });
    return lists;
  }

  get #rowsOfBlock(): number {
    const record = Math.max(bodyBytes(this.order), this.#vectors * VECTOR_BYTES);
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
        const records = moving ? storage("source records", MOVING_VECTORS * VECTOR_BYTES) : undefined;
        this.#blocks.push({ first, count: 0, bodies: storage("source bodies", bodyBytes(this.order)), records });
      }
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  #release(): void {
    this.predictor.forget();
    for (const { bodies, records } of this.#blocks) this.gpu.buffers.release(bodies, records);
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
