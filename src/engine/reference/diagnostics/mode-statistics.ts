/**
 * Two- and three-point statistics of the modes of densities (density-modes.ts), V the volume, δ* the conjugate:
 *   P_ab(k) = V ⟨Re δ_a δ_b*⟩
 *   P_ℓ(k) = (2ℓ+1) V ⟨|δ|² L_ℓ(μ)⟩, μ the cosine to the line of sight (Hamilton 1998, astro-ph/9708102, eq. 5.4)
 *   P_s(k, μ) = (1 + f μ²)² P(k) in linear theory (Kaiser 1987, MNRAS 227, 1, eq. 3.5)
 *   B(k₁, k₂, k₃) = V² ⟨δ δ δ⟩ over triangles of bins, by transforms of bins (Scoccimarro 2015, PRD 92, 083532, eq. 25)
 *   ξ(r) = V⁻¹ Σ_k (P − noise) j₀(kr) (Peebles 1980, eq. 41.5), averaged over the volume of a bin of r
 */
import { isMeshSize } from "../../../foundation/deck/mesh-sizes.ts";
import { type ModeBins, modeBins, SPECTRUM_ASSIGNMENT } from "../../diagnostics/power-spectrum-bins.ts";
import { RealFft3 } from "../mesh/fft3.ts";
import { type DensityModes, meansOfModes } from "./density-modes.ts";

/** L_ℓ(μ) of ℓ = 0, 2, 4 times 2ℓ + 1, by μ². */
const LEGENDRE = [() => 1, (m: number) => 2.5 * (3 * m - 1), (m: number) => (9 / 8) * ((35 * m - 30) * m + 3)] as const;
export const MULTIPOLES = [0, 2, 4] as const;

/** The bins of interlaced modes in shells one fundamental wide. */
export const shellsOf = (cells: number): ModeBins =>
  modeBins({ cells, assignment: SPECTRUM_ASSIGNMENT, interlaced: true, bins: { kind: "linear" } });

/** [bins] P_aa, P_bb, P_ab [length³]; both of one mesh. */
export function crossSpectrum(a: DensityModes, b: DensityModes, bins: Pick<ModeBins, "binOf" | "modes">) {
  const volume = a.boxSize ** 3;
  const [x, y] = [a.values, b.values];
  const [first, second, both] = meansOfModes(a.cells, bins, 3, (out, i) => {
    out[0] = volume * (x[i] ** 2 + x[i + 1] ** 2);
    out[1] = volume * (y[i] ** 2 + y[i + 1] ** 2);
    out[2] = volume * (x[i] * y[i] + x[i + 1] * y[i + 1]);
  });
  return { first, second, both };
}

/** [3][bins] P₀, P₂, P₄ [length³] about an axis, noise included in P₀. */
export function multipolesOf({ cells, boxSize, values }: DensityModes, bins: ModeBins, axis: 0 | 1 | 2) {
  return multipoles(cells, bins, axis, (i) => boxSize ** 3 * (values[i] ** 2 + values[i + 1] ** 2));
}

/** The same of Kaiser's spectrum over the same modes: `power` at k [2π/L], f the growth rate. */
export function kaiserMultipoles(
  cells: number,
  bins: ModeBins,
  axis: 0 | 1 | 2,
  f: number,
  power: (k: number) => number,
) {
  const bySquare = Float64Array.from(bins.binOf, (_, square) => (square > 0 ? power(Math.sqrt(square)) : 0));
  return multipoles(cells, bins, axis, (_, muSquare, square) => (1 + f * muSquare) ** 2 * bySquare[square]);
}

function multipoles(
  cells: number,
  bins: ModeBins,
  axis: 0 | 1 | 2,
  power: (at: number, muSquare: number, square: number) => number,
): Float64Array[] {
  return meansOfModes(cells, bins, LEGENDRE.length, (out, at, mode, square) => {
    const muSquare = mode[axis] ** 2 / square;
    const value = power(at, muSquare, square);
    for (const [l, legendre] of LEGENDRE.entries()) out[l] = value * legendre(muSquare);
  });
}

/** A triangle of bins, k₁ ≥ k₂ ≥ k₃; k the mean of each bin's modes [1/length]. */
export interface Triangle {
  k: [number, number, number];
  /** Ordered triples of modes that add up to 0. */
  triangles: number;
  /** B [length⁶] less nothing, and what discreteness adds to it: (P₁ + P₂ + P₃) noise + noise of three, P without noise. */
  bispectrum: number;
  shotNoise: number;
  /** B over P₁P₂ + P₂P₃ + P₃P₁, both without noise. */
  reduced: number;
}

/** Triangles of `count` bins of |k|, each `width` fundamentals wide, the first from half a fundamental on. */
export function bispectrum(modes: DensityModes, count: number, width: number): Triangle[] {
  const { cells: n, boxSize, noise, noiseOfThree } = modes;
  const fundamental = (2 * Math.PI) / boxSize;
  const edge = (bin: number) => 0.5 + bin * width;
  const last = Math.ceil(edge(count)) - 1;
  // Sums of three wavenumbers have no image on such a mesh.
  let m = 3 * last + 1;
  while (!isMeshSize(m)) m++;
  const fft = new RealFft3(m);
  const bins = Array.from({ length: count }, (_, bin) => {
    const [ones, field] = [0, 1].map(() => new Float64Array(m * m * (m + 2)));
    let [found, k, square] = [0, 0, 0];
    for (let z = -last; z <= last; z++) {
      for (let y = -last; y <= last; y++) {
        for (let x = 0; x <= last; x++) {
          const length = Math.hypot(x, y, z);
          if (length < edge(bin) || length >= edge(bin + 1)) continue;
          const from = 2 * ((((z + n) % n) * n + ((y + n) % n)) * (n / 2 + 1) + x);
          const to = 2 * ((((z + m) % m) * m + ((y + m) % m)) * (m / 2 + 1) + x);
          const [re, im] = [modes.values[from], modes.values[from + 1]];
          field[to] = m ** 3 * re;
          field[to + 1] = m ** 3 * im;
          ones[to] = m ** 3;
          const weight = x === 0 ? 1 : 2;
          found += weight;
          k += weight * length;
          square += weight * (re * re + im * im);
        }
      }
    }
    const power = (boxSize ** 3 * square) / found - noise;
    return { k: (fundamental * k) / found, power, ones: fft.inverse(ones), field: fft.inverse(field) };
  });
  const rows: Triangle[] = [];
  for (let i = 0; i < count; i++) {
    for (let j = 0; j <= i; j++) {
      for (let l = 0; l <= j; l++) {
        if (edge(i) >= edge(j + 1) + edge(l + 1)) continue;
        const [a, b, c] = [bins[i], bins[j], bins[l]];
        let [number, sum] = [0, 0];
        for (let p = 0; p < a.ones.length; p++) {
          number += a.ones[p] * b.ones[p] * c.ones[p];
          sum += a.field[p] * b.field[p] * c.field[p];
        }
        const triangles = Math.round(number / m ** 3);
        if (triangles === 0) continue;
        const measured = (boxSize ** 6 * sum) / number;
        const shotNoise = noise * (a.power + b.power + c.power) + noiseOfThree;
        const hierarchical = a.power * b.power + b.power * c.power + c.power * a.power;
        const reduced = (measured - shotNoise) / hierarchical;
        rows.push({ k: [a.k, b.k, c.k], triangles, bispectrum: measured, shotNoise, reduced });
      }
    }
  }
  return rows;
}

/**
 * [bins] ξ of shells between ascending `edges` [length], self-pairs left out: what pairs of particles have, as far as modes
 * below the Nyquist wavenumber tell. A shell's mean of j₀(kr) is 3 [r³ j₁(kr)/kr] over the difference of r³.
 */
export function correlationFunction(modes: DensityModes, edges: ArrayLike<number>): Float64Array {
  const { cells: n, boxSize, noise, values } = modes;
  const half = (n / 2) ** 2;
  // A bin for every |k|², and sums in place of means.
  const each = { binOf: Uint32Array.from({ length: half }, (_, i) => i), modes: new Float64Array(half).fill(1) };
  const [sums] = meansOfModes(n, each, 1, (out, i) => {
    out[0] = boxSize ** 3 * (values[i] ** 2 + values[i + 1] ** 2) - noise;
  });
  return Float64Array.from({ length: edges.length - 1 }, (_, bin) => {
    let sum = 0;
    for (let square = 1; square < half; square++) {
      if (sums[square] === 0) continue;
      const k = ((2 * Math.PI) / boxSize) * Math.sqrt(square);
      const inside = [edges[bin], edges[bin + 1]].map((r) => (Math.sin(k * r) - k * r * Math.cos(k * r)) / k ** 3);
      sum += sums[square] * (inside[1] - inside[0]);
    }
    return (3 * sum) / (boxSize ** 3 * (edges[bin + 1] ** 3 - edges[bin] ** 3));
  });
}
