/**
 * Phase space on the GPU. Positions are unsigned 32-bit fixed point, x = L·(image + u/2^32): exact cells, the same
 * resolution everywhere, the periodic wrap for free. An isolated run keeps a packed box image per particle, so that escaped
 * particles stay exact too. Masses are integer mass units of the heaviest particle. What ordering moves exists twice;
 * `current` says which half holds the particles. More than a buffer holds lie in chunks of slots with buffers of their own.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { Batch } from "../../foundation/gpu/batch.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { rangeLimits } from "../../foundation/gpu/windows.ts";
import { type Ranks, requireEnough, type Share, SINGLE_RANK, shareOf } from "../../foundation/ranks/ranks.ts";
import { blockRanges } from "../../physics/particles/blocks.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import { MASS_UNITS } from "../../physics/particles/fixed-point.ts";
import { StepPhase } from "../../physics/particles/phase.ts";
import type { ArrayInPieces, SavedArray } from "../../physics/particles/saved-arrays.ts";
import { blockOfShare, type ParticleSource, sourceOf } from "../../physics/particles/source.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import { SlotWrites } from "./slot-writes.ts";
import { type ExactBlock, ExactBlocks, type IntegerMasses, integerMasses } from "./upload.ts";
import { type BufferPair, makeWindow, type ParticleHalf, type ParticleWindow, particleWindows } from "./windows.ts";

/** Exact state in id order, what a checkpoint holds. A type alias, so that it passes as ExactState["arrays"]. */
export type ExactParticles = {
  /** [3N, xyzxyz…] fixed point, units of L/2^32. */
  positions: Uint32Array<ArrayBuffer>;
  /** [3N, xyzxyz…] [velocity] */
  velocities: Float32Array<ArrayBuffer>;
  /** [N] packed box images (fixed-point.ts); isolated runs only. */
  images?: Uint32Array<ArrayBuffer>;
};

/** Storage buffers of order-scatter.wgsl with box images. */
const ISOLATED_SCATTER_BUFFERS = 10;

export class ParticleBuffers {
  /** N; of several ranks those of this one's share. */
  readonly count: number;
  /** Windows of slots, in order; one unless the device binds too little. */
  readonly windows: readonly ParticleWindow[];
  /** [N] u32 mass units by id, cut as the slots are; undefined when all masses are equal (then each is `uniformMassUnits`). */
  readonly massWindows: readonly GPUBuffer[] | undefined;
  readonly uniformMassUnits = MASS_UNITS;
  readonly totalMassUnits: bigint;
  /** Mass of the heaviest particle [mass]; one mass unit is heaviest / MASS_UNITS. Of tracers alone their weight, 1/N. */
  readonly heaviest: number;
  /** No particle has mass: mass units are weights, and nothing attracts. */
  readonly massless: boolean;
  /** Σm²/(Σm)² of all particles of the run. */
  readonly inverseNumber: () => number;
  readonly phase = new StepPhase();
  #current: 0 | 1 = 0;
  /** How often the half that isn't current was taken for something, and whether velocities are kept there. */
  #taken = 0;
  #keeping = false;
  /** The device binds fewer storage buffers than moving an isolated particle at once takes. */
  readonly fewBindings: boolean;
  readonly #slots: SlotWrites;

  private constructor(
    private readonly gpu: GpuContext,
    { heaviest, equal, total, massless, inverseNumber }: IntegerMasses,
    /** Side of the box [length]. */
    readonly boxSize: number,
    readonly boundary: Boundary,
    /** Who has the particles: id i here is id share.first + i of the run. Masses are in units of the run's heaviest. `massUnits` fills in those of any ids. */
    readonly held: { ranks: Ranks; share: Share; ofRun: { count: number; massUnits: IntegerMasses["fill"] } },
  ) {
    const { buffers } = gpu;
    const { count } = held.share;
    this.count = count;
    const cuts = particleWindows(rangeLimits(gpu), count);
    this.heaviest = heaviest;
    this.massless = massless;
    this.inverseNumber = inverseNumber;
    this.totalMassUnits = total;
    this.massWindows = equal ? undefined : cuts.map((cut) => buffers.storage("mass units", 4 * cut.count, "particles"));
    this.windows = cuts.map((cut) => makeWindow(buffers, cut, { boundary, named: cuts.length > 1 }));
    const { maxStorageBuffersPerShaderStage } = gpu.device.limits;
    this.fewBindings = boundary === "isolated" && maxStorageBuffersPerShaderStage < ISOLATED_SCATTER_BUFFERS;
    this.#slots = new SlotWrites(gpu, this.windows);
  }

  /**
   * Uploads particles given in box coordinates, as their blocks come; periodic positions are wrapped into the box. Throws
   * "input" for what can't be held exactly, "memory" when the adapter can't hold it.
   */
  static async create(
    gpu: GpuContext,
    particles: ParticleSet | ParticleSource,
    { boxSize, boundary, ranks = SINGLE_RANK }: { boxSize: number; boundary: Boundary; ranks?: Ranks | undefined },
  ): Promise<ParticleBuffers> {
    const source = "blocks" in particles ? particles : sourceOf(particles);
    if (source.count < 1) throw new GravmeshError("input", "there are no particles: a run needs at least one");
    requireEnough(source.count, ranks);
    const masses = integerMasses(source.masses);
    const share = shareOf(source.count, ranks);
    const ofRun = { count: source.count, massUnits: masses.fill };
    const self = new ParticleBuffers(gpu, masses, boxSize, boundary, { ranks, share, ofRun });
    try {
      await gpu.buffers.settle();
      const exact = new ExactBlocks(boxSize, boundary);
      for await (const block of source.blocks()) {
        const own = blockOfShare(block, share);
        if (own) await self.#writeBlock(exact.of(own), masses);
      }
    } catch (error) {
      self.destroy();
      throw error;
    }
    return self;
  }

  get ranks(): Ranks {
    return this.held.ranks;
  }

  /** [3N, xyzxyz…] u32 fixed point, of the only chunk; so are the other names below. */
  get positions(): BufferPair {
    return this.#only.positions;
  }

  get velocities(): BufferPair {
    return this.#only.velocities;
  }

  get ids(): BufferPair {
    return this.#only.ids;
  }

  get images(): BufferPair | undefined {
    return this.#only.images;
  }

  get places(): GPUBuffer {
    return this.#only.places;
  }

  get massUnits(): GPUBuffer | undefined {
    void this.#only; // by id: of several windows a slot's mass may lie in any
    return this.massWindows?.[0];
  }

  /** What is made for either half being current, of its buffers and those of the other; of the only window. */
  eachHalf<T>(make: (here: ParticleHalf, there: ParticleHalf) => T): readonly [T, T] {
    return this.ofWindow(this.#only, make);
  }

  /** The same of one window. */
  ofWindow<T>(window: ParticleWindow, make: (here: ParticleHalf, there: ParticleHalf) => T): readonly [T, T] {
    const masses = this.massWindows && (this.windows.length > 1 ? window.places : this.massWindows[0]);
    const of = (half: 0 | 1): ParticleHalf => {
      const ids = window.ids[half];
      const [positions, velocities] = [window.positions[half], window.velocities[half]];
      return { positions, velocities, ids, images: window.images?.[half] ?? ids, massUnits: masses ?? ids };
    };
    return [make(of(0), of(1)), make(of(1), of(0))];
  }

  /** Mass of the heaviest particle as a source of gravity [mass]. */
  get heaviestSource(): number {
    return this.massless ? 0 : this.heaviest;
  }

  /** The chunk that holds all particles. Throws where there are several. */
  get #only(): ParticleWindow {
    if (this.windows.length > 1) throw new Error(`expected one window of particles, found ${this.windows.length}`);
    return this.windows[0];
  }

  /** Which half holds the particles: positions[current], velocities[current], … */
  get current(): 0 | 1 {
    return this.#current;
  }

  /** To be called before writing into the half that isn't current. The answer tells whether another has since. */
  takeOtherHalf(): () => boolean {
    this.#taken += 1;
    const taken = this.#taken;
    return () => this.#taken !== taken;
  }

  /** Whether velocities are kept in the half that isn't current, which mustn't be lost. */
  get keepsVelocities(): boolean {
    return this.#keeping;
  }

  /** Makes the other half current: ordering calls it when it has recorded its move. */
  flip(): void {
    this.takeOtherHalf();
    this.#keeping = false;
    this.#current = this.#current === 0 ? 1 : 0;
  }

  /** [N] the id of the particle in each slot of the current half. */
  async readIds(): Promise<Uint32Array<ArrayBuffer>> {
    const slots = new Uint32Array(this.count);
    for (const { first, count, ids } of this.windows) {
      slots.set(new Uint32Array(await this.gpu.read(ids[this.#current], 0, 4 * count)), first);
    }
    return slots;
  }

  /** Puts exact state (in id order) back into the first half, its arrays as they come. */
  async restore(exact: { [K in keyof ExactParticles]: SavedArray | ArrayInPieces }): Promise<void> {
    const { count, boundary } = this;
    const { positions, velocities, images } = exact;
    const expected = boundary === "isolated" ? count : undefined;
    if (positions.length !== 3 * count || velocities.length !== 3 * count || images?.length !== expected) {
      throw new GravmeshError(
        "input",
        `the saved state has ${positions.length / 3} positions, ${velocities.length / 3} velocities and ${images?.length ?? "no"} images; this ${boundary} run has ${count} particles`,
      );
    }
    this.#current = 0;
    this.takeOtherHalf();
    this.#keeping = false;
    this.phase.reset();
    await this.#slots.putPieces(({ positions }) => positions[0], positions, 3);
    await this.#slots.putPieces(({ velocities }) => velocities[0], velocities, 3);
    if (images) await this.#slots.putPieces(({ images }) => images![0], images, 1);
    for (const { first, count: length } of blockRanges(count)) {
      const ids = Uint32Array.from({ length }, (_, i) => first + i);
      this.#slots.put(({ ids }) => ids[0], first, ids, 1);
      await this.#slots.settled();
    }
  }

  /** Keeps the velocities as they are now beside the particles, until these are ordered again. */
  encodeKeepVelocities(batch: Batch): Batch {
    this.takeOtherHalf();
    this.#keeping = true;
    // Of the half that isn't current, only ordering and deposit use the positions.
    for (const { velocities, positions } of this.windows) {
      const kept = positions[this.#current === 0 ? 1 : 0];
      batch.copy(velocities[this.#current], 0, kept, 0, kept.size);
    }
    return batch;
  }

  /** Takes the velocities that were kept for those of the particles. */
  encodePutVelocitiesBack(batch: Batch): Batch {
    this.takeOtherHalf();
    this.#keeping = false;
    for (const { velocities, positions } of this.windows) {
      const kept = positions[this.#current === 0 ? 1 : 0];
      batch.copy(kept, 0, velocities[this.#current], 0, kept.size);
    }
    return batch;
  }

  destroy(): void {
    for (const { positions, velocities, ids, images, places, marks, bound } of this.windows) {
      this.gpu.buffers.release(...positions, ...velocities, ...ids, ...(images ?? []), places, marks, bound);
    }
    this.gpu.buffers.release(...(this.massWindows ?? []));
  }

  /** Puts a block that was never on the GPU into the slots of its ids. */
  async #writeBlock(block: ExactBlock, masses: IntegerMasses): Promise<void> {
    const { first, count, positions, velocities, images } = block;
    this.#slots.put(({ positions }) => positions[0], first, positions, 3);
    this.#slots.put(({ velocities }) => velocities[0], first, velocities, 3);
    if (images) this.#slots.put(({ images }) => images![0], first, images, 1);
    const words = Uint32Array.from({ length: count }, (_, i) => first + i);
    this.#slots.put(({ ids }) => ids[0], first, words, 1);
    if (this.massWindows) {
      masses.fill(words, this.held.share.first + first);
      this.#slots.put((_, index) => this.massWindows![index], first, words, 1);
    }
    await this.#slots.settled();
  }
}

/** Constants of wgsl/engine/gpu-particles/mass.wgsl. */
export function massConstants({ massWindows, windows }: Pick<ParticleBuffers, "massWindows" | "windows">) {
  return { MASS_UNITS, EQUAL_MASSES: massWindows === undefined, MASS_BY_SLOT: windows.length > 1 };
}
