/**
 * Sums over the particles of a direct sum, in float64 on the host:
 *   K = Σ ½ m v²,  U = −½ Σᵢ Σⱼ G mᵢmⱼ/√(r² + ε²) + Σ m φ_external
 * Integrators conserve energy to 1e-10 and better, which the float32 potentials of single particles don't show; but
 * those errors are independent, and in U they average out with the number of pairs.
 */
import type { Sums } from "../backend.ts";
import type { ExternalField } from "../particles/state.ts";
import { addExternalField } from "../reference/fields.ts";
import { sumParticles } from "../reference/sums.ts";
import type { DirectPhase } from "./state.ts";

/** Up to here pairs are summed again in float64, in less than 0.2 s; beyond, the GPU's potentials are accurate enough. */
export const MOST_FOR_HOST = 8192;

export interface DirectSumInput extends DirectPhase {
  /** [N], those that the GPU works with [mass] */
  masses: Float64Array;
  /** [3N] of the other particles [velocity/time] */
  accelerations: Float64Array;
  /** [N] of the other particles [velocity²] */
  potentials: Float64Array;
  boxSize: number;
  G: number;
  softening: number;
  externalFields: readonly ExternalField[];
}

export function directSums(input: DirectSumInput): Sums {
  const { positions, velocities, masses, G, softening, boxSize } = input;
  const few = masses.length <= MOST_FOR_HOST;
  const { accelerations, potential } = externalForces(input);
  for (let k = 0; k < accelerations.length; k++) accelerations[k] += input.accelerations[k];
  return sumParticles({
    ...{ positions, velocities, masses, accelerations, boxSize },
    meshPotential: few ? pairPotentials(positions, masses, G, softening) : input.potentials,
    externalPotential: potential,
    escaped: new Uint32Array(0),
  });
}

/** Acceleration [3N] [velocity/time] and potential [N] [velocity²] in the external fields. */
export function externalForces({
  positions,
  G,
  externalFields,
}: Pick<DirectSumInput, "positions" | "G" | "externalFields">): {
  accelerations: Float64Array;
  potential: Float64Array;
} {
  const out = { accelerations: new Float64Array(positions.length), potential: new Float64Array(positions.length / 3) };
  for (const field of externalFields) addExternalField(field, G, positions, out);
  return out;
}

/** −Σ Gm/√(r² + ε²) over the others [N] [velocity²]; pairs at no distance without softening count for nothing. */
export function pairPotentials(
  positions: Float64Array,
  masses: Float64Array,
  G: number,
  softening: number,
): Float64Array {
  const count = masses.length;
  const squared = softening * softening;
  const potentials = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
    const gm = G * masses[i];
    let own = 0;
    for (let j = i + 1, at = 3 * j; j < count; j++, at += 3) {
      const dx = positions[at] - x;
      const dy = positions[at + 1] - y;
      const dz = positions[at + 2] - z;
      const square = dx * dx + dy * dy + dz * dz + squared;
      if (square === 0) continue;
      const inverse = 1 / Math.sqrt(square);
      own += masses[j] * inverse;
      potentials[j] -= gm * inverse;
    }
    potentials[i] -= G * own;
  }
  return potentials;
}
