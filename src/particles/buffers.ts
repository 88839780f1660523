/**
 * Phase space on the GPU: what lies where in memory, and the way between it and float64 box coordinates.
 * Positions are unsigned 32-bit fixed point, x = L·(image + u/2^32): exact cells, the same resolution everywhere,
 * the periodic wrap for free. An isolated run keeps a packed box image per particle, so that escaped particles
 * stay exact too. Masses are integer mass units of the heaviest particle.
 * What ordering moves exists twice; `current` says which half holds the particles.
 */
import { GravmeshError } from "../errors.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import type { Boundary } from "./box.ts";
import { boxCoordinates, MASS_UNITS } from "./fixed-point.ts";
import { StepPhase } from "./phase.ts";
import { type ParticleSource, sourceOf } from "./source.ts";
import type { ParticleSet } from "./state.ts";
import { type ExactBlock, ExactBlocks, type IntegerMasses, integerMasses } from "./upload.ts";

export type BufferPair = readonly [GPUBuffer, GPUBuffer];

/** A kernel bound for either half being current. */
export type BothHalves = readonly [BoundKernel, BoundKernel];

/** Buffers of one half; where there are no images or all masses are equal, ids stand in for what no kernel reads. */
export type ParticleHalf = Record<"positions" | "velocities" | "ids" | "images" | "massUnits", GPUBuffer>;

/** Exact state in id order, what a checkpoint holds. A type alias, so that it passes as ExactState["arrays"]. */
export type ExactParticles = {
  /** [3N, xyzxyz…] fixed point, units of L/2^32. */
  positions: Uint32Array<ArrayBuffer>;
  /** [3N, xyzxyz…] [velocity] */
  velocities: Float32Array<ArrayBuffer>;
  /** [N] packed box images (fixed-point.ts); isolated runs only. */
  images?: Uint32Array<ArrayBuffer>;
};

/** Particles uploaded or read back at a time: bounds the scratch of host and driver. */
const CHUNK = 2 ** 20;

export class ParticleBuffers {
  /** N */
  readonly count: number;
  /** [3N, xyzxyz…] u32 fixed point. */
  readonly positions: BufferPair;
  /** [3N, xyzxyz…] f32 [velocity]. */
  readonly velocities: BufferPair;
  /** [N] u32: id of the particle in each slot. */
  readonly ids: BufferPair;
  /** [N] u32 packed box images; isolated only. */
  readonly images: BufferPair | undefined;
  /** [N] u32: place of each particle of the current half within its cell, made with the counts. */
  readonly rank: GPUBuffer;
  /** [N] u32 mass units by id; undefined when all masses are equal (then each is `uniformMassUnits`). */
  readonly massUnits: GPUBuffer | undefined;
  readonly uniformMassUnits = MASS_UNITS;
  /** Sum of the mass units of all particles. */
  readonly totalMassUnits: bigint;
  /** Mass of the heaviest particle [mass]; one mass unit is heaviest / MASS_UNITS. */
  readonly heaviest: number;
  /**
   * Where in a step the particles are. While velocities are behind, `origins` says from which slot of the other half the
   * update has to fetch that of each slot.
   */
  readonly phase = new StepPhase();
  #current: 0 | 1 = 0;
  #origins: GPUBuffer | undefined;

  private constructor(
    private readonly gpu: GpuContext,
    count: number,
    { heaviest, equal, total }: IntegerMasses,
    /** Side of the box [length]. */
    readonly boxSize: number,
    readonly boundary: Boundary,
  ) {
    const { buffers } = gpu;
    const pair = (label: string, words: number): BufferPair => [
      buffers.storage(`${label} (0)`, 4 * words * count, "particles"),
      buffers.storage(`${label} (1)`, 4 * words * count, "particles"),
    ];
    this.count = count;
    this.heaviest = heaviest;
    this.totalMassUnits = total;
    this.massUnits = equal ? undefined : buffers.storage("mass units", 4 * count, "particles");
    this.positions = pair("positions", 3);
    this.velocities = pair("velocities", 3);
    this.ids = pair("ids", 1);
    this.images = boundary === "isolated" ? pair("images", 1) : undefined;
    this.rank = buffers.storage("ranks in cells", 4 * count, "particles");
  }

  /**
   * Uploads particles given in box coordinates, as their blocks come; periodic positions are wrapped into the box.
   * Throws "input" for a position, velocity or mass that is no number, an escaped particle too far to be held,
   * and masses too unequal; "memory" when the adapter can't hold them.
   */
  static async create(
    gpu: GpuContext,
    particles: ParticleSet | ParticleSource,
    { boxSize, boundary }: { boxSize: number; boundary: Boundary },
  ): Promise<ParticleBuffers> {
    const source = "blocks" in particles ? particles : sourceOf(particles);
    if (source.count < 1) throw new GravmeshError("input", "there are no particles: a run needs at least one");
    const masses = integerMasses(source.masses);
    const self = new ParticleBuffers(gpu, source.count, masses, boxSize, boundary);
    try {
      await gpu.buffers.settle();
      const exact = new ExactBlocks(boxSize, boundary);
      for await (const block of source.blocks()) await self.#writeBlock(exact.of(block), masses);
    } catch (error) {
      self.destroy();
      throw error;
    }
    return self;
  }

  /** What is made for either half being current, of its buffers and those of the other. */
  eachHalf<T>(make: (here: ParticleHalf, there: ParticleHalf) => T): readonly [T, T] {
    const of = (half: 0 | 1): ParticleHalf => {
      const ids = this.ids[half];
      const [positions, velocities] = [this.positions[half], this.velocities[half]];
      return { positions, velocities, ids, images: this.images?.[half] ?? ids, massUnits: this.massUnits ?? ids };
    };
    return [make(of(0), of(1)), make(of(1), of(0))];
  }

  /** Which half holds the particles: positions[current], velocities[current], … */
  get current(): 0 | 1 {
    return this.#current;
  }

  /** [N] u32: where the ordering left the velocity of each slot; undefined where it leaves none behind. */
  get origins(): GPUBuffer | undefined {
    return this.#origins;
  }

  /** Room for `origins`, for an ordering that leaves velocities behind. */
  makeOrigins(): GPUBuffer {
    this.#origins ??= this.gpu.buffers.storage("origins of velocities", 4 * this.count, "particles");
    return this.#origins;
  }

  /** Makes the other half current: ordering calls it when it has recorded its move. */
  flip(): void {
    this.#current = this.#current === 0 ? 1 : 0;
  }

  /** Exact state in id order. */
  async readExact(): Promise<ExactParticles> {
    this.phase.expectVelocities("reading the particles");
    const slots = await this.readIds();
    const positions = await this.readInIdOrder(this.positions[this.#current], 3, slots);
    const velocities = await this.readInIdOrder(this.velocities[this.#current], 3, slots);
    const images = this.images && (await this.readInIdOrder(this.images[this.#current], 1, slots));
    return { positions, velocities: new Float32Array(velocities.buffer), ...(images && { images }) };
  }

  /** Positions [3N, box coordinates, length] and velocities [3N, velocity] in id order. */
  async read(): Promise<{ positions: Float64Array<ArrayBuffer>; velocities: Float32Array<ArrayBuffer> }> {
    const { positions, velocities, images } = await this.readExact();
    return { positions: boxCoordinates(positions, images, this.boxSize), velocities };
  }

  /** [N] the id of the particle in each slot of the current half. */
  async readIds(): Promise<Uint32Array<ArrayBuffer>> {
    return new Uint32Array(await this.gpu.read(this.ids[this.#current], 0, 4 * this.count));
  }

  /**
   * A buffer with `words` 4-byte words for each slot of the current half, in id order.
   * Give `slots` (from readIds) when several buffers are read; take `.buffer` for a float view.
   */
  async readInIdOrder(
    buffer: GPUBuffer,
    words: number,
    slots?: Uint32Array<ArrayBuffer>,
  ): Promise<Uint32Array<ArrayBuffer>> {
    const ids = slots ?? (await this.readIds());
    const ordered = new Uint32Array(words * this.count);
    for (let first = 0; first < this.count; first += CHUNK) {
      const length = Math.min(CHUNK, this.count - first);
      const part = new Uint32Array(await this.gpu.read(buffer, 4 * words * first, 4 * words * length));
      for (let i = 0; i < length; i++) {
        const target = words * ids[first + i];
        for (let word = 0; word < words; word++) ordered[target + word] = part[words * i + word];
      }
    }
    return ordered;
  }

  /** Puts exact state (in id order) back into the first half. */
  async restore(exact: ExactParticles): Promise<void> {
    const expected = this.boundary === "isolated" ? this.count : undefined;
    if (
      exact.positions.length !== 3 * this.count ||
      exact.velocities.length !== 3 * this.count ||
      exact.images?.length !== expected
    ) {
      throw new GravmeshError(
        "input",
        `the saved state has ${exact.positions.length / 3} positions, ${exact.velocities.length / 3} velocities and ${exact.images?.length ?? "no"} images; this ${this.boundary} run has ${this.count} particles`,
      );
    }
    this.#current = 0;
    this.phase.reset({ velocitiesBehind: false });
    this.#write(this.positions[0], exact.positions);
    this.#write(this.velocities[0], exact.velocities);
    if (this.images && exact.images) this.#write(this.images[0], exact.images);
    this.#write(
      this.ids[0],
      Uint32Array.from({ length: this.count }, (_, id) => id),
    );
    await this.gpu.wait(this.gpu.device.queue.onSubmittedWorkDone(), "uploading the particles");
  }

  /** [3N] velocities in id order. */
  async readVelocities(): Promise<Float32Array<ArrayBuffer>> {
    this.phase.expectVelocities("reading the velocities");
    return new Float32Array((await this.readInIdOrder(this.velocities[this.#current], 3)).buffer);
  }

  /** Replaces the velocities by others [3N, in id order]; the particles stay where and in what phase they are. */
  async writeVelocities(velocities: Float32Array<ArrayBuffer>): Promise<void> {
    this.phase.expectVelocities("writing the velocities");
    const ids = await this.readIds();
    const inSlots = new Float32Array(velocities.length);
    for (let slot = 0; slot < this.count; slot++) {
      for (let axis = 0; axis < 3; axis++) inSlots[3 * slot + axis] = velocities[3 * ids[slot] + axis];
    }
    this.#write(this.velocities[this.#current], inSlots);
  }

  destroy(): void {
    const pairs = [this.positions, this.velocities, this.ids, this.images ?? []];
    this.gpu.buffers.release(...pairs.flat(), this.rank, this.#origins, this.massUnits);
  }

  /** Puts a block that was never on the GPU into the slots of its ids. */
  async #writeBlock(block: ExactBlock, masses: IntegerMasses): Promise<void> {
    const { queue } = this.gpu.device;
    const { first, count, positions, velocities, images } = block;
    queue.writeBuffer(this.positions[0], 12 * first, positions);
    queue.writeBuffer(this.velocities[0], 12 * first, velocities);
    if (this.images && images) queue.writeBuffer(this.images[0], 4 * first, images);
    const words = Uint32Array.from({ length: count }, (_, i) => first + i);
    queue.writeBuffer(this.ids[0], 4 * first, words);
    if (this.massUnits) {
      masses.fill(words, first);
      queue.writeBuffer(this.massUnits, 4 * first, words);
    }
    queue.submit([]); // hands the driver's staging memory back before the next block takes its own
    await this.gpu.wait(queue.onSubmittedWorkDone(), "uploading the particles");
  }

  #write(buffer: GPUBuffer, data: Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>): void {
    const { queue } = this.gpu.device;
    const words = 3 * CHUNK;
    for (let first = 0; first < data.length; first += words) {
      queue.writeBuffer(buffer, 4 * first, data, first, Math.min(words, data.length - first));
      queue.submit([]); // hands the driver's staging memory back before the next chunk takes its own
    }
  }
}

/** Constants of wgsl/particles/mass.wgsl. */
export function massConstants({ massUnits }: { massUnits?: GPUBuffer | undefined }) {
  return { MASS_UNITS, EQUAL_MASSES: massUnits === undefined };
}
