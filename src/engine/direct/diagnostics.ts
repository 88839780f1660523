/**
 * Potentials for the energy of a direct sum, in float64 on the host:
 *   U = −½ Σᵢ Σⱼ G mᵢmⱼ/√(r² + ε²), or as the spline has it (softening.ts)
 * Integrators conserve energy to 1e-10, more than float32 potentials show. U is therefore summed again in float64 on the
 * host. For many particles the potentials of the force kernels have to do, whose errors average out to about 1e-10 of U.
 */
import { massiveOf } from "./massive.ts";
import { type PairLaw, type Softening, splineLaw, splineRadius } from "./softening.ts";
import type { TargetSharing } from "./target-sharing.ts";

/** Particles at most whose potentials the host sums, in half a second; a software adapter is no quicker than the host. */
const MOST_FOR_HOST = { software: 2 ** 15, hardware: 2 ** 13 };
/** Time after which other work on the event loop gets a turn [ms]. */
const TURN = 30;

/** Whether the potentials of an energy are summed on the host, in float64. */
export const sumsOnHost = (software: boolean, count: number): boolean =>
  count <= (software ? MOST_FOR_HOST.software : MOST_FOR_HOST.hardware);

/**
 * −Σ Gm/√(r² + ε²) over the others [N] [velocity²], in float64; pairs at no distance without softening count for
 * nothing, and pairs of tracers are left out. Gives way to other work now and then. Ranks sum their parts of the particles,
 * each with all others, to the same bits: pair by pair in the order in which one rank takes them.
 */
export async function hostPotentials(
  positions: Float64Array,
  masses: Float64Array,
  G: number,
  softening: Softening,
  sharing?: TargetSharing,
): Promise<Float64Array> {
  const count = masses.length;
  const { rows } = massiveOf(masses);
  const radius = splineRadius(softening);
  const well: Well = { positions, radius, squared: radius > 0 ? 0 : softening.softening ** 2 };
  const gms = masses.map((mass) => G * mass);
  const potentials = new Float64Array(count);
  const { first, count: some } = sharing?.shareOf(count) ?? { first: 0, count };
  // Ranks have no use for what a particle takes from the later ones: theirs may be another's.
  const later = sharing ? new Float64Array(count) : potentials;
  let since = performance.now();
  for (let i = first, at = 0; i < first + some; i++) {
    while (rows[at] < i) at++;
    if (sharing) potentials[i] -= depthAmong(rows.subarray(0, at), gms, i, well);
    const depth =
      masses[i] > 0 ? depthOfLater(i, masses, gms, well, later) : depthAmong(rows.subarray(at), masses, i, well);
    potentials[i] -= G * depth;
    if (i % 16 === 0 && performance.now() - since > TURN) {
      await new Promise((resolve) => setTimeout(resolve));
      since = performance.now();
    }
  }
  await sharing?.exchange(count, [{ array: potentials, width: 1 }], []);
  return potentials;
}

interface Well {
  positions: Float64Array;
  /** ε² of Plummer's. */
  squared: number;
  /** Of the spline; 0: there is none. */
  radius: number;
}

const law: PairLaw = { depth: 0, f: 0, q: 0, b: 0 };

/** −φ/Gm at r² + ε², not 0 but for the spline. */
function depthAt(square: number, radius: number): number {
  if (square >= radius * radius) return 1 / Math.sqrt(square);
  splineLaw(square, radius, law);
  return law.depth;
}

/** Σ m/√(r² + ε²) over the particles after i; takes i's part from their potentials. */
function depthOfLater(
  i: number,
  masses: Float64Array,
  gms: Float64Array,
  { positions, squared, radius }: Well,
  potentials: Float64Array,
): number {
  const [x, y, z] = [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
  let depth = 0;
  for (let j = i + 1, at = 3 * j; j < masses.length; j++, at += 3) {
    const dx = positions[at] - x;
    const dy = positions[at + 1] - y;
    const dz = positions[at + 2] - z;
    const square = dx * dx + dy * dy + dz * dz + squared;
    if (square === 0 && radius === 0) continue;
    const inverse = depthAt(square, radius);
    depth += masses[j] * inverse;
    potentials[j] -= gms[i] * inverse;
  }
  return depth;
}

/** Σ weight/√(r² + ε²) at i over particles of these rows: as `depthOfLater` has the same pairs. */
function depthAmong(rows: Uint32Array, weights: Float64Array, i: number, { positions, squared, radius }: Well) {
  const [x, y, z] = [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
  let depth = 0;
  for (const j of rows) {
    const dx = positions[3 * j] - x;
    const dy = positions[3 * j + 1] - y;
    const dz = positions[3 * j + 2] - z;
    const square = dx * dx + dy * dy + dz * dz + squared;
    if (square !== 0 || radius > 0) depth += weights[j] * depthAt(square, radius);
  }
  return depth;
}
