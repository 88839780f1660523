/**
 * A quiet start: every drawn particle stands for 24, which the rotations of a cube make of it. Multipoles of l = 1, 2 and 3
 * of the set vanish exactly, and a mesh about the same centre has the same symmetry: l = 2 begins from what is put there
 * on purpose, far below the noise √(1/N) of as many random particles.
 * Source of the idea: Sellwood 1983, J. Comput. Phys. 50, 337 (rings of particles for disks).
 */
import type { ParticleSet } from "../../../particles/state.ts";

const AXES: readonly (readonly [number, number, number])[] = [
  [0, 1, 2],
  [1, 2, 0],
  [2, 0, 1],
  [0, 2, 1],
  [2, 1, 0],
  [1, 0, 2],
];

interface Rotation {
  /** Which coordinate each axis takes, and with which sign. */
  axes: readonly [number, number, number];
  signs: readonly number[];
}

/** Signed permutations with determinant 1. */
const ROTATIONS: readonly Rotation[] = AXES.flatMap((axes, k) =>
  [1, -1].flatMap((x) => [1, -1].map((y) => ({ axes, signs: [x, y, (k < 3 ? 1 : -1) * x * y] }))),
);

export const COPIES = ROTATIONS.length;

/**
 * All copies of `drawn`, each with its share of the mass, in a box of side `size` about its centre. Positions are drawn out
 * along z by `stretch` and pressed together along x and y by half of it: ⟨P₂(cos θ)⟩ ≈ 6/5 of it to first order.
 */
export function quietStart(drawn: ParticleSet, size: number, stretch: number) {
  const count = COPIES * drawn.count;
  const positions = new Float64Array(3 * count);
  const velocities = new Float64Array(3 * count);
  const masses = new Float64Array(count);
  const half = size / 2;
  for (let i = 0; i < drawn.count; i++) {
    ROTATIONS.forEach(({ axes, signs }, copy) => {
      const at = i * COPIES + copy;
      masses[at] = drawn.masses[i] / COPIES;
      for (let k = 0; k < 3; k++) {
        const from = 3 * i + axes[k];
        const factor = signs[k] * (k === 2 ? 1 + stretch : 1 - stretch / 2);
        positions[3 * at + k] = half + factor * (drawn.positions[from] - half);
        velocities[3 * at + k] = signs[k] * drawn.velocities[from];
      }
    });
  }
  return { positions, velocities, masses };
}
