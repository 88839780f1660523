/**
 * Particles as plain arrays: what initial conditions yield, snapshots hold and read-back returns.
 * Box coordinates: the box spans [0, box.size) on each axis; an isolated run may hold particles outside it.
 */

/** GADGET particle types, the names a deck uses. */
export const SPECIES = ["gas", "halo", "disk", "bulge", "stars", "black-holes"] as const;
export type Species = (typeof SPECIES)[number];

/** A run of particles with consecutive ids that came from one deck component. */
export interface ComponentRange {
  name: string;
  species: Species;
  /** First id. */
  first: number;
  count: number;
}

/** Arrays of an exact state by name, as a checkpoint holds them. */
export type SavedArrays = Record<string, Uint32Array | Float32Array | Float64Array | Int32Array>;

export interface ParticleSet {
  count: number;
  /** [3N, xyzxyz…] box coordinates [length]. */
  positions: Float64Array;
  /** [3N, xyzxyz…] [velocity]. */
  velocities: Float32Array;
  /** [N] [mass]. Particle i has id i: arrays are always in id order. */
  masses: Float64Array;
  components: ComponentRange[];
}
