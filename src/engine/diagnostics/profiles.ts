/**
 * Profiles and projected maps of particles, as pure functions on plain arrays.
 *
 *   density          ρ(r) = Σ m / (4π/3)(r₂³ − r₁³)         spherical shells, logarithmic
 *   surface density  Σ(R) = Σ m / π(R₂² − R₁²)              rings about the z axis, linear
 *   rotation         ⟨v_φ⟩, and v_c = √(R·⟨−a_R⟩) from accelerations (Binney & Tremaine 2008, eq 2.29 in the mean)
 *   dispersions      σ² = ⟨v²⟩ − ⟨v⟩², mass-weighted, in a shell or a ring
 */

import { binOf } from "../../physics/particles/host-reductions.ts";
import { axesOf } from "../../physics/particles/map-grid.ts";
import type { IdRange, MapView, Rings, Shells, Vector } from "../../physics/particles/reductions.ts";

interface ParticleArrays {
  /** [3N, xyzxyz…] [length] */
  positions: ArrayLike<number>;
  /** [N] [mass] */
  masses: ArrayLike<number>;
}

interface MovingParticles extends ParticleArrays {
  /** [3N, xyzxyz…] [velocity] */
  velocities: ArrayLike<number>;
}

/** Bins of distance, and how many particles are in them. */
interface RadialBins {
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

interface DispersionProfile extends RadialBins {
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

const all = ({ masses }: ParticleArrays): IdRange => ({ first: 0, count: masses.length });

/** Σ m x / Σ m [length]. */
export function centreOfMass(particles: ParticleArrays, range = all(particles)): [number, number, number] {
  const { first, count } = range;
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
export function meanVelocity(particles: MovingParticles, range?: IdRange): [number, number, number] {
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

/** What the particles between `edges` have: `of` gives a particle's distance, and `size` quantities for means by mass. */
function binned(
  particles: ParticleArrays,
  { first, count: number }: IdRange,
  edges: readonly number[],
  of: (i: number) => readonly number[],
  size = 0,
) {
  const [count, mass] = [0, 0].map((none) => new Array<number>(edges.length - 1).fill(none));
  const [sums, squares] = [count, count].map(({ length }) =>
    Array.from({ length: size }, () => new Float64Array(length)),
  );
  for (let i = first; i < first + number; i++) {
    const values = of(i);
    const bin = binOf(edges, values[0]);
    if (bin < 0) continue;
    const m = particles.masses[i];
    count[bin]++;
    mass[bin] += m;
    for (let k = 0; k < size; k++) {
      sums[k][bin] += m * values[k + 1];
      squares[k][bin] += m * values[k + 1] ** 2;
    }
  }
  const mean = (k: number) => mass.map((m, bin) => sums[k][bin] / m);
  const meanSquare = (k: number) => mass.map((m, bin) => squares[k][bin] / m);
  return { count, mass, mean, meanSquare };
}

/** What is at the centre has no direction from it, and is in no bin. */
const away = (distance: number) => distance || Number.NaN;

/** From `centre` in so many dimensions [length]. */
function distanceFrom({ positions }: ParticleArrays, centre: Vector, dimensions: 2 | 3) {
  return (i: number) => {
    let square = 0;
    for (let axis = 0; axis < dimensions; axis++) square += (positions[3 * i + axis] - centre[axis]) ** 2;
    return [Math.sqrt(square)];
  };
}

/** ρ(r) about `centre` in shells between `edges` [length]. */
export function densityProfile(
  particles: ParticleArrays,
  centre: Vector,
  edges: readonly number[],
  range = all(particles),
): RadialProfile {
  return densityIn(binned(particles, range, edges, distanceFrom(particles, centre, 3)), edges);
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
  range = all(particles),
): RadialProfile {
  return surfaceDensityIn(binned(particles, range, edges, distanceFrom(particles, centre, 2)), edges);
}

/** Σ(R) of what is in rings between `edges` [length]. */
export function surfaceDensityIn({ count, mass }: Shells, edges: readonly number[]): RadialProfile {
  return {
    ...radialBins(edges, count, "arithmetic"),
    density: mass.map((m, b) => m / (Math.PI * (edges[b + 1] ** 2 - edges[b] ** 2))),
  };
}

/** Rotation curve about the z axis through `centre`, relative to its `velocity`; `accelerations` [3N, length/time²]. */
export function rotationCurve(
  particles: MovingParticles & { accelerations?: ArrayLike<number> },
  centre: Vector,
  velocity: Vector,
  edges: readonly number[],
  range = all(particles),
): RotationCurve {
  const { positions, velocities, accelerations: a } = particles;
  const motionOf = (i: number) => {
    const x = positions[3 * i] - centre[0];
    const y = positions[3 * i + 1] - centre[1];
    const R = away(Math.sqrt(x * x + y * y));
    const vx = velocities[3 * i] - velocity[0];
    const vy = velocities[3 * i + 1] - velocity[1];
    const vz = velocities[3 * i + 2] - velocity[2];
    // R·(−a_R) = −(x a_x + y a_y): no division needed.
    const inward = a ? -(a[3 * i] * x + a[3 * i + 1] * y) : 0;
    return [R, (x * vx + y * vy) / R, (x * vy - y * vx) / R, vz, inward];
  };
  const { count, mean, meanSquare } = binned(particles, range, edges, motionOf, 4);
  const motion = (of: (k: number) => number[]) => ({ radial: of(0), azimuthal: of(1), vertical: of(2) });
  return rotationIn({ count, velocity: motion(mean), square: motion(meanSquare), inward: a && mean(3) }, edges);
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
  range = all(particles),
): DispersionProfile {
  const { positions, velocities } = particles;
  const motionOf = (i: number) => {
    let [r2, v2, rv] = [0, 0, 0];
    for (let axis = 0; axis < 3; axis++) {
      const x = positions[3 * i + axis] - centre[axis];
      const v = velocities[3 * i + axis] - velocity[axis];
      r2 += x * x;
      v2 += v * v;
      rv += x * v;
    }
    const r = away(Math.sqrt(r2));
    return [r, rv / r, Math.sqrt(Math.max(0, v2 - (rv / r) * (rv / r)))];
  };
  const { count, mean, meanSquare } = binned(particles, range, edges, motionOf, 2);
  const means = mean(0);
  const sigmaRadial = meanSquare(0).map((square, bin) => Math.sqrt(Math.max(0, square - means[bin] ** 2)));
  const sigmaTangential = meanSquare(1).map((square) => Math.sqrt(square / 2));
  return {
    ...radialBins(edges, count, "geometric"),
    sigmaRadial,
    sigmaTangential,
    anisotropy: sigmaRadial.map((radial, b) => 1 - (sigmaTangential[b] / radial) ** 2),
  };
}

/**
 * Projected density of the particles in a rectangle about `centre`, with no smoothing: mass in each pixel / its area.
 * `span` [length] is the rectangle's width; its height follows from the pixels, which are square.
 */
export function projectedDensity(
  particles: ParticleArrays,
  { axis, centre, span, width, height = width }: Omit<MapView, "height"> & Partial<MapView>,
  range = all(particles),
): DensityMap {
  const { first, count } = range;
  const { positions, masses } = particles;
  const pixel = span / width;
  const [right, up] = axesOf(axis);
  const left = centre[right] - span / 2;
  const top = centre[up] + (pixel * height) / 2;
  const sums = new Float64Array(width * height);
  for (let i = first; i < first + count; i++) {
    const column = Math.floor((positions[3 * i + right] - left) / pixel);
    const row = Math.floor((top - positions[3 * i + up]) / pixel);
    if (column >= 0 && column < width && row >= 0 && row < height) sums[row * width + column] += masses[i];
  }
  const values = Float32Array.from(sums, (mass) => mass / (pixel * pixel));
  return { values, width, height, spanX: span, spanY: pixel * height };
}
