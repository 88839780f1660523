/** Particles that come in blocks of consecutive ids: what initial conditions are to a simulation, and a file to its reader. */
import type { Share } from "../../foundation/ranks/ranks.ts";
import { BLOCK_PARTICLES, blockRanges, everyCount, type ParticleBlock, valuesOf } from "./blocks.ts";
import { type MassRun, ParticleMasses } from "./masses.ts";
import { type ComponentRange, emptyParticles, type ParticleSet } from "./state.ts";

/** Ids first … first + count − 1; their masses are known to the source. */
export type SourceBlock = Pick<ParticleBlock, "first" | "count" | "positions" | "velocities">;

export interface ParticleSource {
  /** N */
  readonly count: number;
  readonly components: readonly ComponentRange[];
  readonly masses: ParticleMasses;
  /** How many bits a component of a velocity has. */
  readonly bits: 32 | 64;
  /** The particles as arrays, where the caller has them anyway. */
  readonly set?: ParticleSet | undefined;
  /** All particles in the order of their ids. The arrays of a block are good until the next one is asked for. */
  blocks(): AsyncIterable<SourceBlock>;
  /** Gives back what the blocks would be made from, where they aren't wanted any more. */
  release?(): void;
}

/** Particles that are there already, in blocks. */
export function sourceOf(set: ParticleSet, block = BLOCK_PARTICLES): ParticleSource {
  const { count, components, positions, velocities } = set;
  const whole = [{ first: 0, count }];
  return {
    ...{ count, components, set },
    bits: velocities instanceof Float64Array ? 64 : 32,
    // Components may be left out where they aren't used.
    masses: ParticleMasses.of(set.masses, components.length > 0 ? components : whole),
    async *blocks() {
      for (const range of blockRanges(count, block)) {
        yield { ...range, positions: valuesOf(positions, 3, range), velocities: valuesOf(velocities, 3, range) };
      }
    },
  };
}

/** Particles at rest at `place` on every axis [length]. */
export function restingParticles(
  { components, masses }: Pick<ParticleSource, "components" | "masses">,
  place: number,
  block = BLOCK_PARTICLES,
): ParticleSource {
  const { count } = masses;
  return {
    ...{ count, components, masses, bits: 32 },
    async *blocks() {
      const length = 3 * Math.min(block, count);
      const [positions, velocities] = [new Float64Array(length).fill(place), new Float32Array(length)];
      for (const range of blockRanges(count, block)) {
        const end = 3 * range.count;
        yield { ...range, positions: positions.subarray(0, end), velocities: velocities.subarray(0, end) };
      }
    },
  };
}

/** All particles as arrays: those that are there, or new ones. */
export async function collected(source: ParticleSource): Promise<ParticleSet> {
  if (source.set) return source.set;
  const particles = emptyParticles(source.count, [...source.components], source.bits);
  source.masses.fill(particles.masses, 0);
  for await (const { first, positions, velocities } of source.blocks()) {
    particles.positions.set(positions, 3 * first);
    particles.velocities.set(velocities, 3 * first);
  }
  return particles;
}

export async function* withMasses(
  blocks: AsyncIterable<SourceBlock>,
  masses: ParticleMasses,
): AsyncGenerator<ParticleBlock> {
  for await (const block of blocks) yield { ...block, masses: masses.every(1, block) };
}

/** One particle in `every`, numbered anew: how many there are, of which components, and their masses. */
export function everyOf(
  { components, masses }: Pick<ParticleSource, "components" | "masses">,
  every: number,
): Pick<ParticleSource, "count" | "components" | "masses"> {
  const among = ({ first, count }: { first: number; count: number }) => {
    const begin = everyCount(first, every);
    return { first: begin, count: everyCount(first + count, every) - begin };
  };
  const runs = masses.runs.map((run): MassRun => {
    const range = among(run);
    return { ...range, mass: typeof run.mass === "number" ? run.mass : masses.every(every, range) };
  });
  return {
    count: everyCount(masses.count, every),
    components: components.map((component) => ({ ...component, ...among(component) })),
    masses: new ParticleMasses(runs),
  };
}

/** What a share has of a block, ids counted from the share's first. */
export function blockOfShare(block: SourceBlock, share: Share): SourceBlock | undefined {
  const first = Math.max(block.first, share.first);
  const end = Math.min(block.first + block.count, share.first + share.count);
  if (first >= end) return undefined;
  const [from, to] = [3 * (first - block.first), 3 * (end - block.first)];
  return {
    ...{ first: first - share.first, count: end - first },
    positions: block.positions.subarray(from, to),
    velocities: block.velocities.subarray(from, to),
  };
}
