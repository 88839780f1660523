/**
 * What pictures, profiles and radii are made of: sums over particles of given ids that leave the particles where they are;
 * integers and fixed point on the GPU (engine/diagnostics/reductions.ts), float64 on the host (host-reductions.ts), equal counts.
 */
import type { Boundary } from "./box.ts";
import type { ComponentRange } from "./state.ts";

/** Consecutive ids. */
export interface IdRange {
  first: number;
  count: number;
}

export type Vector = readonly [number, number, number];

/** Which way a map looks: along z (face-on: x right, y up), along y (edge-on: x right, z up), along x (y right, z up). */
export const MAP_AXES = ["x", "y", "z"] as const;
export type MapAxis = (typeof MAP_AXES)[number];

/** A rectangle of square pixels about `centre`; in a periodic box what leaves it on one side comes in on the other. */
export interface MapView {
  axis: MapAxis;
  /** [length] */
  centre: Vector;
  /** The rectangle's width, at most the box's side [length]. */
  span: number;
  width: number;
  height: number;
}

export interface Sphere {
  /** [length] */
  centre: Vector;
  radius: number;
}

export interface MassCentre {
  count: number;
  /** Σ m [mass] */
  mass: number;
  /** Σ m x / Σ m [length]; of no mass the centre of the box. */
  centre: Vector;
}

export interface Radial {
  centre: Vector;
  /** Only x and y count. */
  flat: boolean;
}

/** Particles and mass between neighbouring edges [B each]. */
export interface Shells {
  count: number[];
  /** [mass] */
  mass: number[];
}

/** Means by mass in rings about an axis [B each]; NaN in an empty one. */
export interface Rings extends Shells {
  /** ⟨v_R⟩, ⟨v_φ⟩, ⟨v_z⟩ [velocity] and their mean squares. */
  velocity: { radial: number[]; azimuthal: number[]; vertical: number[] };
  square: { radial: number[]; azimuthal: number[]; vertical: number[] };
  /** ⟨−R a_R⟩ [velocity²]; undefined where accelerations weren't asked for, or there are none. */
  inward: number[] | undefined;
}

/** Bins about an axis. */
export interface MultipolesRequest {
  centre: Vector;
  /** The axis, of any length; z when left out. */
  normal?: Vector;
  /** [B + 1] ascending [length]. */
  edges: readonly number[];
}

export interface RingsRequest extends MultipolesRequest {
  /** Velocities are relative to this one [velocity]. */
  velocity: Vector;
  accelerations: boolean;
}

export interface WavesRequest extends MultipolesRequest {
  /** Particles further than that from the plane of the rings don't count; the outermost edge when left out [length]. */
  height?: number;
}

/** Means by mass in rings [B each]; NaN in an empty one. φ is about the normal, from the direction nearest to x. */
export interface RingWaves extends Shells {
  /** ⟨cos kφ⟩ and ⟨sin kφ⟩ of k = 1 … 6, [6][B]. */
  cosine: number[][];
  sine: number[][];
  /** ⟨z⟩ [length] and ⟨z²⟩ [length²] from the plane. */
  height: number[];
  squaredHeight: number[];
  /** ⟨z cos 2φ⟩ and ⟨z sin 2φ⟩ [length]. */
  bending: { cosine: number[]; sine: number[] };
}

/** Means by mass in shells; NaN in an empty one. */
export interface ShellMultipoles extends Shells {
  /** ⟨S_lm⟩ of l = 1 … 4 and m = −l … l, [24][B]: √(4π/(2l + 1)) times the real spherical harmonics. */
  terms: number[][];
}

/** Motion along the line of sight in the pixels of a map [width·height each], rows from the top; NaN in an empty one. */
export interface VelocityMap {
  /** [mass] */
  mass: Float64Array;
  /** ⟨v⟩ along the axis of the view, positive where the coordinate grows [velocity]. */
  mean: Float64Array;
  /** √(⟨v²⟩ − ⟨v⟩²) [velocity] */
  dispersion: Float64Array;
}

/** No ranges at all are all particles. */
export interface Reductions {
  /** N */
  readonly count: number;
  readonly components: readonly ComponentRange[];
  /** Mass in each pixel of each view [width·height], rows from the top [mass]. Throws "usage" for a view that is too large. */
  maps(views: readonly MapView[], ranges?: readonly IdRange[]): Promise<Float64Array[]>;
  /** The centre of mass of the particles within a sphere, or of all. */
  centre(ranges?: readonly IdRange[], within?: Sphere): Promise<MassCentre>;
  /** Σ m v / Σ m of the same [velocity]. */
  meanVelocity(ranges?: readonly IdRange[], within?: Sphere): Promise<Vector>;
  /** The radius that `share` of the particles, by number, are within [length]; with 1 the largest distance. */
  radius(share: number, about: Radial, ranges?: readonly IdRange[]): Promise<number>;
  shells(edges: readonly number[], about: Radial, ranges?: readonly IdRange[]): Promise<Shells>;
  rings(request: RingsRequest, ranges?: readonly IdRange[]): Promise<Rings>;
  /** Fourier sums over the angle in rings. */
  waves(request: WavesRequest, ranges?: readonly IdRange[]): Promise<RingWaves>;
  multipoles(request: MultipolesRequest, ranges?: readonly IdRange[]): Promise<ShellMultipoles>;
  /** Relative to `velocity`. Throws "usage" for a view that is too large. */
  velocityMaps(views: readonly MapView[], velocity: Vector, ranges?: readonly IdRange[]): Promise<VelocityMap[]>;
}

/** The ranges in order, those that follow each other as one; none where they are all of `count` particles. */
export function mergedRanges(ranges: readonly IdRange[] | undefined, count: number): IdRange[] {
  const merged: IdRange[] = [];
  for (const range of [...(ranges ?? [])].sort((a, b) => a.first - b.first)) {
    const last = merged.at(-1);
    if (range.count === 0) continue;
    if (last && last.first + last.count === range.first) last.count += range.count;
    else merged.push({ ...range });
  }
  const isAll = merged.length === 1 && merged[0].count === count;
  return isAll ? [] : merged;
}

/** Whether ranges were given, but no particle is in them. */
export function noneOf(ranges: readonly IdRange[] | undefined): boolean {
  return ranges !== undefined && ranges.length > 0 && ranges.every(({ count }) => count === 0);
}

/** Which element of n sorted ones has `share` of them below or at it. */
export function rankOf(share: number, n: number): number {
  return Math.min(n - 1, Math.floor(share * n));
}

/** Squares of edges in units of a length, as both sides compare them. */
export function squaredEdges(edges: readonly number[], unit: number): Float64Array {
  return Float64Array.from(edges, (edge) => (edge / unit) ** 2);
}

/** The box that positions are of. */
export interface Box {
  /** [length] */
  size: number;
  boundary: Boundary;
}
