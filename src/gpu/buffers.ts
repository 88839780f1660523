/** GPU buffers with a label, a purpose and an account of the memory they hold. */
import { GravmeshError } from "../errors.ts";

/** GPUBufferUsage flags by their values in the WebGPU specification: no global needed in Node. */
export const USAGE = {
  MAP_READ: 0x0001,
  MAP_WRITE: 0x0002,
  COPY_SRC: 0x0004,
  COPY_DST: 0x0008,
  INDEX: 0x0010,
  VERTEX: 0x0020,
  UNIFORM: 0x0040,
  STORAGE: 0x0080,
  INDIRECT: 0x0100,
  QUERY_RESOLVE: 0x0200,
} as const;

/** GPUMapMode.READ of the WebGPU specification. */
export const MAP_READ = 0x0001;

export type MemoryPurpose = "particles" | "mesh" | "other";

const STORAGE_USAGE = USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST;

/** Creates buffers on one device and accounts for them; what one pool holds, those above it hold too. */
export class BufferPool {
  readonly #held = new Map<GPUBuffer, MemoryPurpose>();

  constructor(
    private readonly device: GPUDevice,
    private readonly above?: BufferPool,
  ) {}

  /** A storage buffer of `bytes` (rounded up to 4), zero-initialised. Throws "memory" when a limit forbids it. */
  storage(label: string, bytes: number, purpose: MemoryPurpose, extraUsage = 0): GPUBuffer {
    const limit = this.device.limits.maxStorageBufferBindingSize;
    if (bytes > limit) {
      throw new GravmeshError(
        "memory",
        `${label} needs a buffer of ${mib(bytes)}, the adapter binds at most ${mib(limit)} at a time; try fewer particles or mesh.cells`,
      );
    }
    return this.#create(label, bytes, STORAGE_USAGE | extraUsage, purpose);
  }

  /** A uniform buffer of so many bytes, or of the words or bytes given. */
  uniform(label: string, content: readonly UniformWord[] | ArrayBuffer | number): GPUBuffer {
    const data = Array.isArray(content) ? packUniform(content) : (content as ArrayBuffer | number);
    const bytes = typeof data === "number" ? data : data.byteLength;
    const buffer = this.#create(label, bytes, USAGE.UNIFORM | USAGE.COPY_DST, "other");
    if (typeof data !== "number") this.device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  /** Uploads a typed array into a new storage buffer. */
  upload(label: string, data: ArrayBufferView<ArrayBuffer>, purpose: MemoryPurpose, extraUsage = 0): GPUBuffer {
    const buffer = this.storage(label, Math.max(4, data.byteLength), purpose, extraUsage);
    if (data.byteLength > 0) this.device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  /** A mappable buffer for read-back. */
  staging(label: string, bytes: number): GPUBuffer {
    return this.#create(label, bytes, USAGE.MAP_READ | USAGE.COPY_DST, "other");
  }

  /** A pool within this one, whose buffers are given back together. */
  pool(): BufferPool {
    return new BufferPool(this.device, this);
  }

  release(...buffers: (GPUBuffer | undefined)[]): void {
    for (const buffer of buffers) {
      if (!buffer || !this.#held.delete(buffer)) continue;
      for (let pool = this.above; pool; pool = pool.above) pool.#held.delete(buffer);
      buffer.destroy();
    }
  }

  destroyAll(): void {
    this.release(...this.#held.keys());
  }

  /** Bytes held now, in all and by purpose. */
  bytes(): { total: number; particles: number; mesh: number; other: number } {
    const account = { total: 0, particles: 0, mesh: 0, other: 0 };
    for (const [buffer, purpose] of this.#held) {
      account.total += buffer.size;
      account[purpose] += buffer.size;
    }
    return account;
  }

  #create(label: string, bytes: number, usage: number, purpose: MemoryPurpose): GPUBuffer {
    const size = Math.ceil(bytes / 4) * 4;
    const limit = this.device.limits.maxBufferSize;
    if (size > limit) {
      throw new GravmeshError(
        "memory",
        `${label} needs ${mib(size)}, the adapter's largest buffer is ${mib(limit)}; try fewer particles or mesh.cells`,
      );
    }
    const buffer = this.device.createBuffer({ label, size, usage });
    for (let pool: BufferPool | undefined = this; pool; pool = pool.above) pool.#held.set(buffer, purpose);
    return buffer;
  }
}

export function mib(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(2)} GiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** A word of a uniform struct. */
export type UniformWord = readonly ["u32" | "f32", number];

/** Words of a uniform struct, one a value; vectors are spelled out by the caller. */
export const u32 = (...values: number[]): UniformWord[] => values.map((value) => ["u32", value]);
export const f32 = (...values: number[]): UniformWord[] => values.map((value) => ["f32", value]);

/** A uniform struct, which is padded to 16 bytes. */
export function packUniform(words: readonly UniformWord[]): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(Math.ceil(words.length / 4) * 16));
  words.forEach(([type, value], index) => {
    if (type === "f32") view.setFloat32(4 * index, value, true);
    else view.setUint32(4 * index, value, true);
  });
  return view.buffer;
}
