/** A clustered set of particles in fixed point: a Poisson process of clumps with Gaussian members (Neyman & Scott 1952). */
import { randomWords } from "./exact-particles.ts";

export interface ClumpSettings {
  clumps: number;
  /** Members of each clump. */
  members: number;
  /** Standard deviation of the members about their clump's centre, in box sides. */
  spread: number;
  /** Particles beside them, uniform over the box. */
  field?: number;
}

/** [3N, xyzxyz…] positions, units of L/2^32, wrapped into the box. */
export function clusteredPositions(seed: number, { clumps, members, spread, field = 0 }: ClumpSettings) {
  const word = randomWords(seed);
  const uniform = () => (word() + 0.5) / 2 ** 32;
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const positions = new Uint32Array(3 * (clumps * members + field));
  let at = 0;
  for (let clump = 0; clump < clumps; clump++) {
    const centre = [uniform(), uniform(), uniform()];
    for (let member = 0; member < members; member++) {
      for (const x of centre) positions[at++] = Math.floor((((x + spread * normal()) % 1) + 1) * 2 ** 32) % 2 ** 32;
    }
  }
  while (at < positions.length) positions[at++] = word();
  return positions;
}
