/**
 * The short-range half of P³M in float64 (Hockney & Eastwood 1988, ch. 8): what pairs within reach add to the smooth force of the
 * mesh, soft(r) − f(r) with f of engine/p3m/long-range.ts. Particles are chained by cubes at least as long as the reach.
 */
import type { FieldAtPoints } from "../../backend/backend.ts";
import { pairLaw } from "../../direct/softening.ts";
import { LEVEL_SPLIT } from "../../mesh/levels/level-grid.ts";
import type { PairSettings } from "../../mesh/settings.ts";
import { longRangeLaw } from "../../p3m/long-range.ts";

interface PairsOf {
  positions: Float64Array;
  masses: Float64Array;
  /** Those on the mesh. */
  inside: Uint32Array;
  G: number;
  boxSize: number;
  /** Side of the mesh's cells [length]. */
  h: number;
  wraps: boolean;
}

/**
 * Adds them to accelerations [velocity/time] and potentials [velocity²] at some positions, those of the particles, too: of a
 * particle itself only the smooth potential that it has on the mesh is taken away.
 */
export function addPairs(
  pairs: PairSettings,
  of: PairsOf,
  out: FieldAtPoints,
  at: Pick<PairsOf, "positions" | "inside">,
) {
  const { masses, G, boxSize, h, wraps } = of;
  const split = LEVEL_SPLIT * h;
  const reach2 = (pairs.reach * split) ** 2;
  const cubes = Math.max(1, Math.floor(boxSize / (pairs.reach * split)));
  const cubeOf = ({ positions }: Pick<PairsOf, "positions">, i: number) =>
    [0, 1, 2].map((axis) => Math.floor((positions[3 * i + axis] / boxSize) * cubes) % cubes);
  const chains = new Map<number, number[]>();
  const keyOf = ([x, y, z]: readonly number[]) => (z * cubes + y) * cubes + x;
  for (const i of of.inside) {
    const key = keyOf(cubeOf(of, i));
    const chain = chains.get(key);
    if (chain) chain.push(i);
    else chains.set(key, [i]);
  }
  const ofParticles = at.positions === of.positions;
  const own = longRangeLaw(0, split).depth;
  for (const i of at.inside) {
    if (ofParticles) out.potential[i] += G * masses[i] * own;
    const keys = new Set(near(cubeOf(at, i), cubes, wraps).map(keyOf));
    for (const key of keys) {
      for (const j of chains.get(key) ?? []) {
        if (ofParticles && j === i) continue;
        const d = [0, 1, 2].map((axis) => {
          const x = of.positions[3 * j + axis] - at.positions[3 * i + axis];
          return wraps ? x - boxSize * Math.round(x / boxSize) : x;
        });
        const square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (square >= reach2) continue;
        const [soft, smooth] = [pairLaw(square, pairs), longRangeLaw(square, split)];
        const strength = G * masses[j];
        for (const axis of [0, 1, 2]) out.accelerations[3 * i + axis] += strength * (soft.f - smooth.f) * d[axis];
        out.potential[i] -= strength * (soft.depth - smooth.depth);
      }
    }
  }
}

const AROUND = [-1, 0, 1];

/** The cubes about one, those beyond the faces only where the box wraps. */
function near(cube: readonly number[], cubes: number, wraps: boolean): number[][] {
  const all = AROUND.flatMap((z) => AROUND.flatMap((y) => AROUND.map((x) => [cube[0] + x, cube[1] + y, cube[2] + z])));
  const there = wraps ? all : all.filter((one) => one.every((c) => c >= 0 && c < cubes));
  return there.map((one) => one.map((c) => (c + cubes) % cubes));
}
