/**
 * Profiles and projected maps of particles, as pure functions on plain arrays.
 *
 *   density          ρ(r) = Σ m / (4π/3)(r₂³ − r₁³)         spherical shells, logarithmic
 *   surface density  Σ(R) = Σ m / π(R₂² − R₁²)              rings about the z axis, linear
 *   rotation         ⟨v_φ⟩, and v_c = √(R·⟨−a_R⟩) from accelerations (Binney & Tremaine 2008, eq 2.29 in the mean)
 *   dispersions      σ² = ⟨v²⟩ − ⟨v⟩², mass-weighted, in a shell or a ring
 */

import { binOf } from "../particles/host-reductions.ts";
import type { Rings, Shells } from "../particles/reductions.ts";

export interface ParticleArrays {
  /** [3N, xyzxyz…] [length] */
  positions: ArrayLike<number>;
  /** [N] [mass] */
  masses: ArrayLike<number>;
}

export interface MovingParticles extends ParticleArrays {
  /** [3N, xyzxyz…] [velocity] */
  velocities: ArrayLike<number>;
}

/** A run of particles; all of them by default. */
export interface ParticleRange {
  first: number;
  count: number;
}

export type Vector = readonly [number, number, number];

/** Bins of distance, and how many particles are in them. */
export interface RadialBins {
  /** [B + 1] bin edges [length]. */
  edges: number[];
  /** [B] geometric (shells) or arithmetic (rings) middle of each bin [length]. */
  radius: number[];
  /** [B] particles in each bin. */
  count: number[];
}

export interface RadialProfile extends RadialBins {
  /** [B] ρ [mass/length³] or Σ [mass/length²]. */
  density: number[];
}

export interface RotationCurve extends RadialBins {
  /** [B] ⟨v_φ⟩ [velocity]; NaN in an empty ring, like everything below. */
  rotation: number[];
  /** [B] √(R·⟨−a_R⟩) [velocity], 0 where the mean force points outward; absent without accelerations. */
  circular?: number[];
  /** [B] σ_R, σ_φ, σ_z [velocity]. */
  sigmaR: number[];
  sigmaPhi: number[];
  sigmaZ: number[];
}

export interface DispersionProfile extends RadialBins {
  /** [B] radial dispersion and one-dimensional tangential dispersion √(σ_t²/2) [velocity]. */
  sigmaRadial: number[];
  sigmaTangential: number[];
  /** [B] anisotropy β = 1 − σ_t²/(2 σ_r²). */
  anisotropy: number[];
}

export interface DensityMap {
  /** [width·height], rows from the top (largest second coordinate first) [mass/length²]. */
  values: Float32Array;
  width: number;
  height: number;
  /** What the map spans along its rows and columns [length]. */
  spanX: number;
  spanY: number;
}

function rangeOf(particles: ParticleArrays, range: ParticleRange | undefined): ParticleRange {
  return range ?? { first: 0, count: particles.masses.length };
}

/** Σ m x / Σ m [length]. */
export function centreOfMass(particles: ParticleArrays, range?: ParticleRange): [number, number, number] {
  const { first, count } = rangeOf(particles, range);
  const sum = [0, 0, 0];
  let mass = 0;
  for (let i = first; i < first + count; i++) {
    const m = particles.masses[i];
    mass += m;
    for (let axis = 0; axis < 3; axis++) sum[axis] += m * particles.positions[3 * i + axis];
  }
  return [sum[0] / mass, sum[1] / mass, sum[2] / mass];
}

/** Σ m v / Σ m [velocity]. */
export function meanVelocity(particles: MovingParticles, range?: ParticleRange): [number, number, number] {
  return centreOfMass({ positions: particles.velocities, masses: particles.masses }, range);
}

/** `bins` + 1 edges from `least` to `most`, evenly spaced in the logarithm. */
export function logarithmicEdges(least: number, most: number, bins: number): number[] {
  const step = Math.log(most / least) / bins;
  return Array.from({ length: bins + 1 }, (_, i) => (i === bins ? most : least * Math.exp(i * step)));
}

/** `bins` + 1 edges from 0 to `most`, evenly spaced. */
export function linearEdges(most: number, bins: number): number[] {
  return Array.from({ length: bins + 1 }, (_, i) => (most * i) / bins);
}

/** The bins between `edges` with these numbers of particles. */
function radialBins(edges: readonly number[], count: number[], middle: "arithmetic" | "geometric"): RadialBins {
  const radius = count.map((_, b) => {
    if (middle === "arithmetic") return (edges[b] + edges[b + 1]) / 2;
    return edges[b] > 0 ? Math.sqrt(edges[b] * edges[b + 1]) : edges[b + 1] / 2;
  });
  return { edges: [...edges], radius, count };
}

function binned(
  particles: ParticleArrays,
  centre: Vector,
  edges: readonly number[],
  dimensions: 2 | 3,
  range: ParticleRange | undefined,
): { count: number[]; mass: number[] } {
  const { first, count } = rangeOf(particles, range);
  const { positions, masses } = particles;
  const counts = new Array<number>(edges.length - 1).fill(0);
  const sums = new Array<number>(edges.length - 1).fill(0);
  for (let i = first; i < first + count; i++) {
    const x = positions[3 * i] - centre[0];
    const y = positions[3 * i + 1] - centre[1];
    const z = dimensions === 3 ? positions[3 * i + 2] - centre[2] : 0;
    const bin = binOf(edges, Math.sqrt(x * x + y * y + z * z));
    if (bin < 0) continue;
    counts[bin]++;
    sums[bin] += masses[i];
  }
  return { count: counts, mass: sums };
}

/** ρ(r) about `centre` in shells between `edges` [length]. */
export function densityProfile(
  particles: ParticleArrays,
  centre: Vector,
  edges: readonly number[],
  range?: ParticleRange,
): RadialProfile {
  return densityIn(binned(particles, centre, edges, 3, range), edges);
}

/** ρ(r) of what is in spherical shells between `edges` [length]. */
export function densityIn({ count, mass }: Shells, edges: readonly number[]): RadialProfile {
  return {
    ...radialBins(edges, count, "geometric"),
    density: mass.map((m, b) => m / (((4 * Math.PI) / 3) * (edges[b + 1] ** 3 - edges[b] ** 3))),
  };
}

/** Σ(R) about the z axis through `centre`, in rings between `edges` [length]. */
export function surfaceDensityProfile(
  particles: ParticleArrays,
  centre: Vector,
  edges: readonly number[],
  range?: ParticleRange,
): RadialProfile {
  return surfaceDensityIn(binned(particles, centre, edges, 2, range), edges);
}

/** Σ(R) of what is in rings between `edges` [length]. */
export function surfaceDensityIn({ count, mass }: Shells, edges: readonly number[]): RadialProfile {
  return {
    ...radialBins(edges, count, "arithmetic"),
    density: mass.map((m, b) => m / (Math.PI * (edges[b + 1] ** 2 - edges[b] ** 2))),
  };
}

/** Mass-weighted means and dispersions of `size` quantities in bins. */
class Moments {
  readonly count: number[];
  private readonly mass: Float64Array;
  private readonly first: Float64Array;
  private readonly second: Float64Array;

  constructor(
    bins: number,
    readonly size: number,
  ) {
    this.count = new Array<number>(bins).fill(0);
    this.mass = new Float64Array(bins);
    this.first = new Float64Array(bins * size);
    this.second = new Float64Array(bins * size);
  }

  add(bin: number, mass: number, ...values: number[]): void {
    this.count[bin]++;
    this.mass[bin] += mass;
    for (let k = 0; k < this.size; k++) {
      this.first[bin * this.size + k] += mass * values[k];
      this.second[bin * this.size + k] += mass * values[k] ** 2;
    }
  }

  mean(k: number): number[] {
    return this.count.map((_, bin) => this.first[bin * this.size + k] / this.mass[bin]);
  }

  meanSquare(k: number): number[] {
    return this.count.map((_, bin) => this.second[bin * this.size + k] / this.mass[bin]);
  }

  dispersion(k: number): number[] {
    const mean = this.mean(k);
    return this.meanSquare(k).map((square, bin) => Math.sqrt(Math.max(0, square - mean[bin] ** 2)));
  }
}

/** Rotation curve about the z axis through `centre`, relative to its `velocity`; `accelerations` [3N, length/time²]. */
export function rotationCurve(
  particles: MovingParticles & { accelerations?: ArrayLike<number> },
  centre: Vector,
  velocity: Vector,
  edges: readonly number[],
  range?: ParticleRange,
): RotationCurve {
  const { first, count } = rangeOf(particles, range);
  const { positions, velocities, masses, accelerations } = particles;
  const moments = new Moments(edges.length - 1, 4);
  for (let i = first; i < first + count; i++) {
    const x = positions[3 * i] - centre[0];
    const y = positions[3 * i + 1] - centre[1];
    const R = Math.sqrt(x * x + y * y);
    const bin = binOf(edges, R);
    if (bin < 0 || R === 0) continue;
    const vx = velocities[3 * i] - velocity[0];
    const vy = velocities[3 * i + 1] - velocity[1];
    const vz = velocities[3 * i + 2] - velocity[2];
    const inward = accelerations ? -(accelerations[3 * i] * x + accelerations[3 * i + 1] * y) : 0;
    // R·(−a_R) = −(x a_x + y a_y): no division needed.
    moments.add(bin, masses[i], (x * vx + y * vy) / R, (x * vy - y * vx) / R, vz, inward);
  }
  const motion = (of: (k: number) => number[]) => ({ radial: of(0), azimuthal: of(1), vertical: of(2) });
  const means = motion((k) => moments.mean(k));
  const square = motion((k) => moments.meanSquare(k));
  return rotationIn({ count: moments.count, velocity: means, square, inward: accelerations && moments.mean(3) }, edges);
}

/** Rotation curve of the means in rings between `edges` [length]. */
export function rotationIn(
  { count, velocity, square, inward }: Omit<Rings, "mass">,
  edges: readonly number[],
): RotationCurve {
  const dispersion = (of: keyof Rings["square"]) =>
    square[of].map((mean, b) => Math.sqrt(Math.max(0, mean - velocity[of][b] ** 2)));
  return {
    ...radialBins(edges, count, "arithmetic"),
    rotation: velocity.azimuthal,
    ...{ sigmaR: dispersion("radial"), sigmaPhi: dispersion("azimuthal"), sigmaZ: dispersion("vertical") },
    ...(inward && { circular: inward.map((mean) => Math.sqrt(Math.max(0, mean))) }),
  };
}

/** Velocity dispersions in shells about `centre`, velocities relative to `velocity`. */
export function dispersionProfile(
  particles: MovingParticles,
  centre: Vector,
  velocity: Vector,
  edges: readonly number[],
  range?: ParticleRange,
): DispersionProfile {
  const { first, count } = rangeOf(particles, range);
  const { positions, velocities, masses } = particles;
  const moments = new Moments(edges.length - 1, 2);
  for (let i = first; i < first + count; i++) {
    let r2 = 0;
    let v2 = 0;
    let rv = 0;
    for (let axis = 0; axis < 3; axis++) {
      const x = positions[3 * i + axis] - centre[axis];
      const v = velocities[3 * i + axis] - velocity[axis];
      r2 += x * x;
      v2 += v * v;
      rv += x * v;
    }
    const r = Math.sqrt(r2);
    const bin = binOf(edges, r);
    if (bin < 0 || r === 0) continue;
    const radial = rv / r;
    moments.add(bin, masses[i], radial, Math.sqrt(Math.max(0, v2 - radial * radial)));
  }
  const sigmaRadial = moments.dispersion(0);
  const sigmaTangential = moments.meanSquare(1).map((square) => Math.sqrt(square / 2));
  return {
    ...radialBins(edges, moments.count, "geometric"),
    sigmaRadial,
    sigmaTangential,
    anisotropy: sigmaRadial.map((radial, b) => 1 - (sigmaTangential[b] / radial) ** 2),
  };
}

/** Which way a map looks: along z (face-on: x right, y up), along y (edge-on: x right, z up), along x (y right, z up). */
export type ViewAxis = "x" | "y" | "z";

const PLANES: Record<ViewAxis, readonly [number, number]> = { z: [0, 1], y: [0, 2], x: [1, 2] };

/**
 * Projected density of the particles in a rectangle about `centre`, with no smoothing: mass in each pixel / its area.
 * `span` [length] is the rectangle's width; its height follows from the pixels, which are square.
 */
export function projectedDensity(
  particles: ParticleArrays,
  view: { axis: ViewAxis; centre: Vector; span: number; width: number; height?: number },
  range?: ParticleRange,
): DensityMap {
  const { first, count } = rangeOf(particles, range);
  const { positions, masses } = particles;
  const { width, span } = view;
  const height = view.height ?? width;
  const pixel = span / width;
  const [right, up] = PLANES[view.axis];
  const left = view.centre[right] - span / 2;
  const top = view.centre[up] + (pixel * height) / 2;
  const sums = new Float64Array(width * height);
  for (let i = first; i < first + count; i++) {
    const column = Math.floor((positions[3 * i + right] - left) / pixel);
    const row = Math.floor((top - positions[3 * i + up]) / pixel);
    if (column >= 0 && column < width && row >= 0 && row < height) sums[row * width + column] += masses[i];
  }
  const values = Float32Array.from(sums, (mass) => mass / (pixel * pixel));
  return { values, width, height, spanX: span, spanY: pixel * height };
}
