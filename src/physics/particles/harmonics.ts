/**
 * Fourier sums in rings and multipoles in shells, and the frame that both are taken in, in float64; the kernels' are
 * wgsl/engine/diagnostics/bins-waves.wgsl and bins-multipoles.wgsl.
 *   waves       C_k = Σ m e^{ikφ} / Σ m
 *   multipoles  Q_lm = Σ m S_lm / Σ m,  S_lm = √(4π/(2l + 1)) Y_lm, real
 * Of the real harmonics S with this norm (Schmidt's) the squares of one l sum to 1 in every direction.
 */
import type { RingWaves, ShellMultipoles, Vector } from "./reductions.ts";

/** Orders of the Fourier sums: k = 1 … 6. */
export const WAVES = 6;
/** Highest degree of the multipoles. */
export const MOST_DEGREE = 4;
/** (l, m) of each multipole, in the order of the sums. */
export const POLES: readonly (readonly [number, number])[] = Array.from(
  { length: MOST_DEGREE },
  (_, i) => i + 1,
).flatMap((l) => Array.from({ length: 2 * l + 1 }, (_, k) => [l, k - l] as const));

/** Two axes in a plane and its normal. */
export type Axes = readonly [Vector, Vector, Vector];

/** Right-handed, its first axis as near to x as the plane allows, or else to y. Throws a RangeError for no direction. */
export function axesAbout(normal: Vector = [0, 0, 1]): Axes {
  const length = Math.hypot(...normal);
  if (!(length > 0 && length < Infinity)) throw new RangeError(`expected a direction, found [${normal.join(", ")}]`);
  const n: Vector = [normal[0] / length, normal[1] / length, normal[2] / length];
  const from: Vector = Math.abs(n[0]) < 0.999 ? [1, 0, 0] : [0, 1, 0];
  const along = n[0] * from[0] + n[1] * from[1];
  const inPlane: Vector = [from[0] - along * n[0], from[1] - along * n[1], -along * n[2]];
  const size = Math.hypot(...inPlane);
  const first: Vector = [inPlane[0] / size, inPlane[1] / size, inPlane[2] / size];
  return [
    first,
    [n[1] * first[2] - n[2] * first[1], n[2] * first[0] - n[0] * first[2], n[0] * first[1] - n[1] * first[0]],
    n,
  ];
}

/** A vector in a frame. */
export const turnedInto = ([a, b, c]: Axes, x: number, y: number, z: number): [number, number, number] => [
  x * a[0] + y * a[1] + z * a[2],
  x * b[0] + y * b[1] + z * b[2],
  x * c[0] + y * c[1] + z * c[2],
];

/** S_lm of a unit vector, in the order of POLES. */
export function polesOf(x: number, y: number, z: number): number[] {
  const [x2, y2, z2] = [x * x, y * y, z * z];
  const s = Math.sqrt;
  return [
    ...[y, z, x],
    ...[s(3) * x * y, s(3) * y * z, (3 * z2 - 1) / 2, s(3) * x * z, (s(3) / 2) * (x2 - y2)],
    ...[s(5 / 8) * y * (3 * x2 - y2), s(15) * x * y * z, s(3 / 8) * y * (5 * z2 - 1), (z * (5 * z2 - 3)) / 2],
    ...[s(3 / 8) * x * (5 * z2 - 1), (s(15) / 2) * z * (x2 - y2), s(5 / 8) * x * (x2 - 3 * y2)],
    ...[(s(35) / 2) * x * y * (x2 - y2), s(35 / 8) * y * z * (3 * x2 - y2), (s(5) / 2) * x * y * (7 * z2 - 1)],
    ...[s(5 / 8) * y * z * (7 * z2 - 3), ((35 * z2 - 30) * z2 + 3) / 8, s(5 / 8) * x * z * (7 * z2 - 3)],
    ...[(s(5) / 4) * (x2 - y2) * (7 * z2 - 1), s(35 / 8) * x * z * (x2 - 3 * y2)],
    (s(35) / 8) * (x2 * (x2 - 6 * y2) + y2 * y2),
  ];
}

/** Sums of a ring: cos kφ and sin kφ of each k, then z/h, (z/h)², (z/h) cos 2φ, (z/h) sin 2φ. */
export const WAVE_SUMS = 2 * WAVES + 4;

/** Adds m times the terms of a particle at (x, y, z) of the frame to the sums [WAVE_SUMS][B] of its ring; R > 0. */
export function addWaves(sums: readonly Float64Array[], bin: number, mass: number, at: readonly number[]): void {
  const [x, y, z] = at;
  const R = Math.sqrt(x * x + y * y);
  const [c, s] = [x / R, y / R];
  let [re, im] = [c, s];
  for (let k = 0; k < WAVES; k++) {
    sums[2 * k][bin] += mass * re;
    sums[2 * k + 1][bin] += mass * im;
    if (k === 1) {
      sums[2 * WAVES][bin] += mass * z;
      sums[2 * WAVES + 1][bin] += mass * z * z;
      sums[2 * WAVES + 2][bin] += mass * z * re;
      sums[2 * WAVES + 3][bin] += mass * z * im;
    }
    [re, im] = [re * c - im * s, im * c + re * s];
  }
}

/** Means from sums of mass times the terms; `unit` [length] is what heights were measured in. */
export function wavesOf(count: number[], mass: number[], sums: readonly ArrayLike<number>[], unit: number): RingWaves {
  const mean = (k: number, scale = 1) => mass.map((m, bin) => (scale * sums[k][bin]) / m);
  const each = (of: (k: number) => number[]) => Array.from({ length: WAVES }, (_, k) => of(k));
  const after = 2 * WAVES;
  return {
    ...{ count, mass },
    cosine: each((k) => mean(2 * k)),
    sine: each((k) => mean(2 * k + 1)),
    height: mean(after, unit),
    squaredHeight: mean(after + 1, unit ** 2),
    bending: { cosine: mean(after + 2, unit), sine: mean(after + 3, unit) },
  };
}

/** Means from sums of mass times S_lm [POLES][B]. */
export function multipolesOf(count: number[], mass: number[], sums: readonly ArrayLike<number>[]): ShellMultipoles {
  return { count, mass, terms: POLES.map((_, i) => mass.map((m, bin) => sums[i][bin] / m)) };
}

/** √(Σ_m Q_lm²) of degree l in each shell: 0 of a round one, 1 where all its mass is in one direction. */
export function poleStrength({ mass, terms }: ShellMultipoles, l: number): number[] {
  const of = POLES.flatMap(([degree], i) => (degree === l ? [terms[i]] : []));
  return mass.map((_, bin) => Math.sqrt(of.reduce((sum, one) => sum + one[bin] ** 2, 0)));
}
