/**
 * How far one run's particles are from another's, particle by particle.
 *
 *   rms     = √(Σ |a − b|² / Σ |b|²)                 largest = max |a − b| / √(Σ |b|² / N)
 *
 * Both are in units of the reference's rms: a relative difference per particle says nothing where a force vanishes.
 */
import { median } from "d3-array";

/** How far a quantity of the particles is from a reference's, in units of that one's rms. */
export interface ParticleDifference {
  rms: number;
  largest: number;
}

/** √⟨|x − x₀|²⟩ and the median of |x − x₀| [cells]. */
export interface OrbitDistance {
  rms: number;
  median: number;
}

/** Compares quantities with `width` components for each particle, [width·N] each. */
export function relativeDifference(
  values: ArrayLike<number>,
  reference: ArrayLike<number>,
  width: 1 | 3,
): ParticleDifference {
  let difference = 0;
  let size = 0;
  let largest = 0;
  for (let i = 0; i < reference.length; i += width) {
    let square = 0;
    for (let k = i; k < i + width; k++) {
      square += (values[k] - reference[k]) ** 2;
      size += reference[k] ** 2;
    }
    difference += square;
    largest = Math.max(largest, square);
  }
  const count = reference.length / width;
  if (difference === 0) return { rms: 0, largest: 0 };
  return { rms: Math.sqrt(difference / size), largest: Math.sqrt((largest * count) / size) };
}

/** Distance of [3N] positions in two runs, over `cell` [length]; periodic ones by the shortest way around. */
export function orbitDistance(
  positions: ArrayLike<number>,
  reference: ArrayLike<number>,
  cell: number,
  periodicSize = Number.POSITIVE_INFINITY,
): OrbitDistance {
  const squares = Float64Array.from({ length: reference.length / 3 }, (_, i) => {
    let square = 0;
    for (let k = 3 * i; k < 3 * i + 3; k++) {
      const along = positions[k] - reference[k];
      const around = Math.round(along / periodicSize);
      square += (around === 0 ? along : along - periodicSize * around) ** 2;
    }
    return square;
  });
  const mean = squares.reduce((sum, square) => sum + square, 0) / Math.max(1, squares.length);
  return { rms: Math.sqrt(mean) / cell, median: Math.sqrt(median(squares) ?? 0) / cell };
}
