/** Reads the particles on the GPU in id order: in blocks in box coordinates, or by columns as the device holds them. */
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { BlockRequest, ParticleBlock } from "../../physics/particles/blocks.ts";
import { boxCoordinates } from "../../physics/particles/fixed-point.ts";
import type { ParticleMasses } from "../../physics/particles/masses.ts";
import { ARRAY_TYPES, type ArrayInPieces } from "../../physics/particles/saved-arrays.ts";
import type { ParticleBuffers } from "./buffers.ts";
import { type GatheredQuantity, type Gathering, gathered, type SlotWindow, WIDTHS } from "./gather.ts";
import { groupById, LEAST_GROUPED } from "./id-groups.ts";
import type { ParticleWindow } from "./windows.ts";

type BySlot = (window: ParticleWindow) => GPUBuffer;

/** Properties of the particles that aren't in their buffers. */
export type FieldsBySlot = Partial<Record<"potential" | "accelerations", BySlot>>;

type Place = Pick<Gathering, "windows" | "scratch" | "requireThere">;

/** Slots that the scratch may tell. */
interface Slots {
  windows: SlotWindow[];
  lost: () => boolean;
}

export class ParticleReading {
  /** The particles by groups of ids in the half that isn't current, until it is taken for something else. */
  #grouped: Slots | undefined;
  /** The slots that the scratch lists. */
  #listed: Slots | "as they lie" | undefined;

  constructor(
    private readonly gpu: GpuContext,
    private readonly particles: ParticleBuffers,
    private readonly masses: ParticleMasses,
    private readonly leastGrouped = LEAST_GROUPED,
  ) {}

  /** Fields are those that the request asks for, in buffers that are left alone until the last block is there. */
  async *blocks({ every = 1, block, reuse }: BlockRequest, fields: FieldsBySlot): AsyncGenerator<ParticleBlock> {
    const { boxSize, boundary, count } = this.particles;
    const { masses } = this;
    let room = new Float64Array(0);
    const { potential, accelerations } = fields;
    const quantities = [
      ...(["positions", "velocities"] as const),
      ...(boundary === "isolated" ? (["images"] as const) : []),
      ...(potential ? (["potential"] as const) : []),
      ...(accelerations ? (["accelerations"] as const) : []),
    ];
    // Fields by slot lie in the half that isn't current.
    const lost = potential || accelerations ? this.particles.takeOtherHalf() : undefined;
    const place = lost || every > 1 ? this.#asTheyLie(fields, lost) : await this.#place();
    for await (const { first, count: length, words } of gathered(this.gpu, {
      ...{ count, quantities, every, block, reuse },
      ...place,
    })) {
      const float = (name: GatheredQuantity) =>
        words[name] && new Float32Array(words[name].buffer, words[name].byteOffset, words[name].length);
      const [own, forces] = [float("potential"), float("accelerations")];
      const fixed = words.positions!;
      if (!reuse || room.length < fixed.length) room = new Float64Array(fixed.length);
      yield {
        ...{ first, count: length },
        positions: boxCoordinates(fixed, words.images, boxSize, room.subarray(0, fixed.length)),
        velocities: float("velocities")!,
        get masses() {
          return masses.every(every, { first, count: length }); // few ask for them
        },
        ...(own && { potential: own }),
        ...(forces && { accelerations: forces }),
      };
    }
  }

  /** A quantity of all particles, as the device holds it, in id order and pieces. */
  column(quantity: "positions" | "velocities" | "images"): ArrayInPieces {
    return this.#column(quantity, () => this.#place());
  }

  /** The velocities that are kept beside the particles. */
  keptVelocities(): ArrayInPieces {
    const { current } = this.particles;
    const kept = ({ positions }: ParticleWindow) => positions[current === 0 ? 1 : 0];
    return this.#column("velocities", () => this.#asTheyLie({ velocities: kept }));
  }

  #column(quantity: "positions" | "velocities" | "images", place: () => Place | Promise<Place>): ArrayInPieces {
    const { gpu, particles } = this;
    const { count } = particles;
    const type = quantity === "velocities" ? "Float32Array" : "Uint32Array";
    return {
      ...{ type, length: WIDTHS[quantity] * count },
      async *pieces() {
        for await (const { words } of gathered(gpu, { count, ...(await place()), quantities: [quantity] })) {
          const { buffer, byteOffset, length } = words[quantity]!;
          yield new ARRAY_TYPES[type](buffer, byteOffset, length);
        }
      },
    };
  }

  /** Where the particles are best read in id order: on a processor many are grouped by id first. */
  async #place(): Promise<Place> {
    const { gpu, particles } = this;
    const worthwhile = gpu.adapter.software && particles.count >= this.leastGrouped;
    const scratch = this.#scratch();
    if (!worthwhile || particles.keepsVelocities || scratch === undefined) return this.#asTheyLie({});
    if (this.#grouped === undefined || this.#grouped.lost()) {
      const lost = particles.takeOtherHalf();
      await groupById(gpu, particles, scratch);
      this.#grouped = { windows: slotWindows(particles, particles.current === 0 ? 1 : 0), lost };
    }
    const { windows, lost } = this.#grouped;
    return { windows, scratch, requireThere: this.#listing(this.#grouped, lost) };
  }

  /** `others`: buffers for quantities that don't lie with the particles, until they are `lost`. */
  #asTheyLie(others: Partial<Record<GatheredQuantity, BySlot>>, lost: () => boolean = () => false): Place {
    const { particles } = this;
    const windows = slotWindows(particles, particles.current).map((buffers, w) => ({
      ...buffers,
      ...Object.fromEntries(Object.entries(others).map(([name, of]) => [name, of(particles.windows[w])])),
    }));
    return { windows, scratch: this.#scratch(), requireThere: this.#listing("as they lie", lost) };
  }

  /** What to call before each block whose slots the scratch is about to tell. */
  #listing(slots: Slots | "as they lie", lost: () => boolean): () => void {
    this.#listed = slots;
    return () => {
      if (this.#listed === slots && !lost()) return;
      throw new Error("reading the particles: expected nothing else to be done with them between two blocks");
    };
  }

  /** A word a particle that nothing else needs: the places in cells, unless the mass of each slot lies there. */
  #scratch(): GPUBuffer[] | undefined {
    const { windows, massWindows, phase } = this.particles;
    if (massWindows && windows.length > 1) return undefined;
    if (phase.now === "counted") phase.reset();
    return windows.map(({ places }) => places);
  }
}

/** The windows of a half. */
function slotWindows({ windows }: ParticleBuffers, half: 0 | 1): SlotWindow[] {
  return windows.map(({ ids, positions, velocities, images }) => ({
    ...{ ids: ids[half], positions: positions[half], velocities: velocities[half], images: images?.[half] },
  }));
}
