/** GPU buffers and textures with a label, a purpose and an account of the memory they hold. */
import { bytesText } from "../base/bytes.ts";
import { GravmeshError } from "../base/errors.ts";
import { captured } from "./faults.ts";

/** GPUBufferUsage flags by their values in the WebGPU specification: no global needed in Node. */
export const USAGE = {
  MAP_READ: 0x0001,
  COPY_SRC: 0x0004,
  COPY_DST: 0x0008,
  UNIFORM: 0x0040,
  STORAGE: 0x0080,
  QUERY_RESOLVE: 0x0200,
} as const;

/** GPUTextureUsage.STORAGE_BINDING and COPY_DST. */
const TEXELS_USAGE = 0x08 | 0x02;
export const TEXEL_BYTES = 16;

export const READ_AT_A_TIME = 64 * 2 ** 20;

/** GPUMapMode.READ of the WebGPU specification. */
export const MAP_READ = 0x0001;

export type MemoryPurpose = "particles" | "mesh" | "other";

/** Buffers from this size on may find no room on the device; whether one did is known only a while later [bytes]. */
const LARGE = 2 ** 16;

/** A large buffer that isn't known to have found room. */
interface Asked {
  label: string;
  size: number;
  /** Held on the device's pool when it was asked for [bytes]. */
  held: number;
  /** What went wrong when it was made or got its first content. */
  error: Promise<GravmeshError | undefined>;
}

interface NewBuffer {
  label: string;
  bytes: number;
  usage: number;
  purpose: MemoryPurpose;
  write?: (buffer: GPUBuffer) => void;
}

/** The device itself had no room. */
export class OutOfMemory extends GravmeshError {
  constructor(
    label: string,
    readonly asked: number,
    /** What it did hold then [bytes]. */
    readonly held: number,
  ) {
    super(
      "memory",
      `${label}: the device has no room for ${bytesText(asked)} beside the ${bytesText(held)} held already; try fewer particles or mesh.cells`,
    );
  }
}

const STORAGE_USAGE = USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST;

/** Creates buffers on one device and accounts for them; what one pool holds, those above it hold too. */
export class BufferPool {
  readonly #held = new Map<GPUBuffer, MemoryPurpose>();
  readonly #textures = new Map<GPUTexture, { purpose: MemoryPurpose; bytes: number }>();
  readonly #asked = new Map<GPUBuffer, Asked>();

  constructor(
    private readonly device: GPUDevice,
    private readonly above?: BufferPool,
  ) {}

  /** A storage buffer of `bytes` (rounded up to 4), zero-initialised. Throws "memory" when a limit forbids it. */
  storage(label: string, bytes: number, purpose: MemoryPurpose, extraUsage = 0): GPUBuffer {
    this.#requireBinding(label, bytes);
    return this.#create({ label, bytes, usage: STORAGE_USAGE | extraUsage, purpose });
  }

  /** The same for a buffer of which kernels bind parts: it may be larger than a binding. */
  inParts(label: string, bytes: number, purpose: MemoryPurpose): GPUBuffer {
    return this.#create({ label, bytes, usage: STORAGE_USAGE, purpose });
  }

  /** `planes` of `cells`² texels of four floats that kernels read and write. */
  texels(label: string, cells: number, planes: number, purpose: MemoryPurpose): GPUTexture {
    const texture = this.device.createTexture({
      ...{ label, dimension: "3d", size: [cells, cells, planes] },
      ...{ format: "rgba32float", usage: TEXELS_USAGE },
    });
    for (const pool of this.#pools())
      pool.#textures.set(texture, { purpose, bytes: TEXEL_BYTES * cells ** 2 * planes });
    return texture;
  }

  /** A uniform buffer of so many bytes, or of the words or bytes given. */
  uniform(label: string, content: readonly UniformWord[] | ArrayBuffer | number): GPUBuffer {
    const data = Array.isArray(content) ? packUniform(content) : (content as ArrayBuffer | number);
    const bytes = typeof data === "number" ? data : data.byteLength;
    const buffer = this.#create({ label, bytes, usage: USAGE.UNIFORM | USAGE.COPY_DST, purpose: "other" });
    if (typeof data !== "number") this.device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  /** Uploads a typed array into a new storage buffer. */
  upload(label: string, data: ArrayBufferView<ArrayBuffer>, purpose: MemoryPurpose, extraUsage = 0): GPUBuffer {
    const { byteLength } = data;
    this.#requireBinding(label, byteLength);
    const write = (buffer: GPUBuffer) => {
      if (byteLength > 0) this.device.queue.writeBuffer(buffer, 0, data);
    };
    return this.#create({ label, bytes: Math.max(4, byteLength), usage: STORAGE_USAGE | extraUsage, purpose, write });
  }

  /** A pool within this one, whose buffers are given back together. */
  pool(): BufferPool {
    return new BufferPool(this.device, this);
  }

  /** Waits until the large buffers are known to have found room, before they are bound. Throws "memory" naming the first without. */
  async settle(): Promise<void> {
    const asked = [...this.#asked];
    const errors = await Promise.all(asked.map(([, { error }]) => error.catch(() => undefined))); // of a lost device
    for (const [buffer] of asked) for (const pool of this.#pools()) pool.#asked.delete(buffer);
    for (const [i, error] of errors.entries()) {
      if (!error) continue;
      const [buffer, { label, size, held }] = asked[i];
      this.release(buffer);
      if (error.kind === "memory") throw new OutOfMemory(label, size, held);
      throw new GravmeshError(error.kind, `${label}: ${error.message}`);
    }
  }

  release(...buffers: (GPUBuffer | undefined)[]): void {
    for (const buffer of buffers) {
      if (!buffer || !this.#held.has(buffer)) continue;
      for (const pool of this.#pools()) {
        pool.#held.delete(buffer);
        pool.#asked.delete(buffer);
      }
      buffer.destroy();
    }
  }

  destroyAll(): void {
    this.release(...this.#held.keys());
    for (const texture of [...this.#textures.keys()]) {
      for (const pool of this.#pools()) pool.#textures.delete(texture);
      texture.destroy();
    }
  }

  bytes(): { total: number; particles: number; mesh: number; other: number } {
    const account = { total: 0, particles: 0, mesh: 0, other: 0 };
    for (const [buffer, purpose] of this.#held) {
      account.total += buffer.size;
      account[purpose] += buffer.size;
    }
    for (const { purpose, bytes } of this.#textures.values()) {
      account.total += bytes;
      account[purpose] += bytes;
    }
    return account;
  }

  #requireBinding(label: string, bytes: number): void {
    const limit = this.device.limits.maxStorageBufferBindingSize;
    if (bytes <= limit) return;
    throw new GravmeshError(
      "memory",
      `${label} needs a buffer of ${bytesText(bytes)}, the adapter binds at most ${bytesText(limit)} at a time; try fewer particles or mesh.cells`,
    );
  }

  #create({ label, bytes, usage, purpose, write }: NewBuffer): GPUBuffer {
    const size = Math.ceil(bytes / 4) * 4;
    const limit = this.device.limits.maxBufferSize;
    if (size > limit) {
      throw new GravmeshError(
        "memory",
        `${label} needs ${bytesText(size)}, the adapter's largest buffer is ${bytesText(limit)}; try fewer particles or mesh.cells`,
      );
    }
    const make = () => {
      const buffer = this.device.createBuffer({ label, size, usage });
      write?.(buffer);
      return buffer;
    };
    const pools = this.#pools();
    const held = size < LARGE ? 0 : pools[pools.length - 1].bytes().total;
    const { value: buffer, error } = size < LARGE ? { value: make(), error: undefined } : captured(this.device, make);
    for (const pool of pools) {
      pool.#held.set(buffer, purpose);
      if (error) pool.#asked.set(buffer, { label, size, held, error });
    }
    return buffer;
  }

  /** This one and those above it, the device's last. */
  #pools(): BufferPool[] {
    return this.above ? [this, ...this.above.#pools()] : [this];
  }
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
