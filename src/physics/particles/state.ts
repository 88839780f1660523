/**
 * Particles as plain arrays: what initial conditions yield, snapshots hold and read-back returns.
 * Box coordinates: the box spans [0, box.size) on each axis; an isolated run may hold particles outside it.
 */

import type { SavedArray } from "./saved-arrays.ts";

/** GADGET particle types, the names a deck uses. */
export const SPECIES = ["gas", "halo", "disk", "bulge", "stars", "black-holes"] as const;
export type Species = (typeof SPECIES)[number];

/** A run of particles with consecutive ids that came from one deck component. */
export interface ComponentRange {
  name: string;
  species: Species;
  /** Name of the galaxy that it belongs to, if to any. */
  galaxy?: string | undefined;
  first: number;
  count: number;
}

/** Names of the galaxies of components, in their order. */
export function galaxyNames(components: readonly Pick<ComponentRange, "galaxy">[]): string[] {
  return [...new Set(components.flatMap(({ galaxy }) => galaxy ?? []))];
}

/** Arrays of an exact state by name, as a checkpoint holds them. */
export type SavedArrays = Record<string, SavedArray>;

export interface ParticleSet {
  count: number;
  /** [3N, xyzxyz…] box coordinates [length]. */
  positions: Float64Array;
  /** [3N, xyzxyz…] [velocity]. float32 is what the mesh works with; float64 where particles are summed directly. */
  velocities: Float32Array | Float64Array;
  /** [N] [mass]. Particle i has id i: arrays are always in id order. */
  masses: Float64Array;
  components: ComponentRange[];
}

/** `count` particles at the origin, at rest and without mass; their velocities have `bits` of 32 or 64. */
export function emptyParticles(count: number, components: ComponentRange[] = [], bits: 32 | 64 = 32): ParticleSet {
  return {
    count,
    positions: new Float64Array(3 * count),
    velocities: bits === 64 ? new Float64Array(3 * count) : new Float32Array(3 * count),
    masses: new Float64Array(count),
    components,
  };
}
