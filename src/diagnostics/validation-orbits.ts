/** How far the same particles are apart in two runs: √⟨|x − x₀|²⟩ and the median of |x − x₀|. */
import { quantile } from "./validation.ts";

/** [length], or in units of `unit`. */
export interface OrbitDistance {
  rms: number;
  median: number;
}

/** Of [3N, xyzxyz…] positions, in units of `unit` [length]. */
export function orbitDistance(positions: ArrayLike<number>, reference: ArrayLike<number>, unit: number): OrbitDistance {
  const count = reference.length / 3;
  const distances = new Float64Array(count);
  let squares = 0;
  for (let i = 0; i < count; i++) {
    let square = 0;
    for (let k = 3 * i; k < 3 * i + 3; k++) square += (positions[k] - reference[k]) ** 2;
    squares += square;
    distances[i] = Math.sqrt(square);
  }
  return { rms: Math.sqrt(squares / count) / unit, median: quantile(distances.sort(), 0.5) / unit };
}
