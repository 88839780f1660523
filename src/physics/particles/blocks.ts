/** Particles in blocks of consecutive ids, so that the host never holds all of them; no result depends on the blocks' size. */
import type { ParticleSet } from "./state.ts";

/** Particles of a block: bounds the memory of the host and of what is staged on a device. */
export const BLOCK_PARTICLES = 2 ** 20;

/** What a file may hold of the particles. */
export const PARTICLE_FIELDS = ["positions", "velocities", "ids", "masses", "potential", "accelerations"] as const;
export type ParticleColumn = (typeof PARTICLE_FIELDS)[number];

/** The request for these fields. */
export const requestFor = (fields: readonly ParticleColumn[]): ReadRequest => ({
  potential: fields.includes("potential"),
  accelerations: fields.includes("accelerations"),
});

/** Fields that are read in addition to positions and velocities. */
export interface ReadRequest {
  potential?: boolean;
  accelerations?: boolean;
}

export interface BlockRequest extends ReadRequest {
  /** Only the particles whose id it divides; all of them when left out. */
  every?: number;
  block?: number;
  /** The arrays of a block are wanted until the next is asked for: their memory may be used again. */
  reuse?: boolean;
}

/** c particles in id order: their ids are `every` × first, `every` × (first + 1) … */
export interface ParticleBlock {
  first: number;
  count: number;
  /** [3c, xyzxyz…] box coordinates [length] */
  positions: Float64Array;
  /** [3c, xyzxyz…] [velocity] */
  velocities: Float32Array | Float64Array;
  /** [c] [mass] */
  masses: Float64Array;
  /** [c] [velocity²] */
  potential?: Float32Array;
  /** [3c, xyzxyz…] [velocity/time] */
  accelerations?: Float32Array;
}

/** First and count of each block of `total` things. */
export function* blockRanges(total: number, block = BLOCK_PARTICLES): Generator<{ first: number; count: number }> {
  for (let first = 0; first < total; first += block) yield { first, count: Math.min(block, total - first) };
}

export const everyCount = (count: number, every = 1): number => Math.ceil(count / every);

/** Values of the particles of a block, out of those of all [width·N]. */
export function valuesOf<A extends Float64Array | Float32Array>(
  all: A,
  width: number,
  { first, count, every = 1 }: { first: number; count: number; every?: number },
): A {
  if (every === 1) return all.subarray(width * first, width * (first + count)) as A;
  const values = (all instanceof Float64Array ? new Float64Array(width * count) : new Float32Array(width * count)) as A;
  for (let i = 0; i < count; i++) {
    const from = width * every * (first + i);
    for (let k = 0; k < width; k++) values[width * i + k] = all[from + k];
  }
  return values;
}

export function* blocksOf(
  all: Pick<ParticleSet, "count" | "positions" | "velocities" | "masses"> &
    Pick<ParticleBlock, "potential" | "accelerations">,
  { every = 1, block, potential, accelerations }: BlockRequest = {},
): Generator<ParticleBlock> {
  for (const { first, count } of blockRanges(everyCount(all.count, every), block)) {
    const range = { first, count, every };
    yield {
      ...{ first, count },
      positions: valuesOf(all.positions, 3, range),
      velocities: valuesOf(all.velocities, 3, range),
      masses: valuesOf(all.masses, 1, range),
      ...(potential && all.potential && { potential: valuesOf(all.potential, 1, range) }),
      ...(accelerations && all.accelerations && { accelerations: valuesOf(all.accelerations, 3, range) }),
    };
  }
}

/** All particles of blocks that follow each other from id 0 on, in arrays. */
export async function wholeOf(
  set: Pick<ParticleSet, "count" | "masses" | "components">,
  blocks: AsyncIterable<ParticleBlock>,
): Promise<ParticleSet & Pick<ParticleBlock, "potential" | "accelerations">> {
  const { count, masses, components } = set;
  const positions = new Float64Array(3 * count);
  const velocities = new Float32Array(3 * count);
  let potential: Float32Array | undefined;
  let accelerations: Float32Array | undefined;
  for await (const block of blocks) {
    positions.set(block.positions, 3 * block.first);
    velocities.set(block.velocities, 3 * block.first);
    if (block.potential) {
      potential ??= new Float32Array(count);
      potential.set(block.potential, block.first);
    }
    if (block.accelerations) {
      accelerations ??= new Float32Array(3 * count);
      accelerations.set(block.accelerations, 3 * block.first);
    }
  }
  return {
    ...{ count, masses, components, positions, velocities },
    ...(potential && { potential }),
    ...(accelerations && { accelerations }),
  };
}
