/**
 * How far one variant's particles are from another's, particle by particle.
 *
 *   rms     = √(Σ |a − b|² / Σ |b|²)                 largest = max |a − b| / √(Σ |b|² / N)
 *
 * Both are in units of the reference's rms: a relative difference per particle says nothing where a force vanishes.
 */
import type { Difference } from "./record.ts";

/** Of quantities with `width` components a particle, [width·N] each. */
export function relativeDifference(values: ArrayLike<number>, reference: ArrayLike<number>, width: 1 | 3): Difference {
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

/** √⟨|x − x₀|²⟩ of [3N] positions [length]; in a periodic box of that side by the shortest way around. */
export function rmsDistance(values: ArrayLike<number>, reference: ArrayLike<number>, periodicSize?: number): number {
  let sum = 0;
  for (let i = 0; i < reference.length; i++) {
    let along = values[i] - reference[i];
    if (periodicSize !== undefined) along -= periodicSize * Math.round(along / periodicSize);
    sum += along * along;
  }
  return reference.length === 0 ? 0 : Math.sqrt((3 * sum) / reference.length);
}
