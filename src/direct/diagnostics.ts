/**
 * Sums over the particles of a direct sum, in float64 on the host:
 *   K = Σ ½ m v²,  U = −½ Σᵢ Σⱼ G mᵢmⱼ/√(r² + ε²) + Σ m φ_external
 * Integrators conserve energy to 1e-10, more than float32 potentials show. U is therefore summed again: in float64 on
 * the host for few particles, in pairs on the GPU for more (wgsl/direct/sums-potential.wgsl). For very many the
 * potentials of the force kernels have to do, whose errors average out to about 1e-10 of U.
 */
import potentialWgsl from "../../wgsl/direct/sums-potential.wgsl";
import { workgroups } from "../gpu/batch.ts";
import { f32, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import { weightsOf } from "../particles/masses.ts";
import type { Sums } from "../particles/sums.ts";
import { sumParticles } from "../particles/sums.ts";
import { externalField } from "../potentials/external.ts";
import { massiveOf } from "./massive.ts";
import { Pace } from "./pace.ts";
import type { DirectPipelineSettings } from "./settings.ts";
import type { DirectPhase, DirectState } from "./state.ts";
import type { TargetSharing } from "./target-sharing.ts";

/** Pairs at most that the host sums, in half a second; a software adapter is no quicker than the host. */
const MOST_FOR_HOST = 2 ** 13;
const MOST_FOR_HOST_INSTEAD_OF_SOFTWARE = 2 ** 15;
/** Particles at most whose potentials are summed in pairs. */
const MOST_IN_PAIRS = 2 ** 17;
/** A pair in pair arithmetic, in interactions of a force. */
const PAIR_COST = 8;
const GROUP = 64;
/** Time after which other work on the event loop gets a turn [ms]. */
const TURN = 30;

export type PotentialMethod = "host" | "pairs" | "force";

/** How the potentials of an energy are summed. */
export function potentialMethod(gpu: Pick<GpuContext, "adapter">, count: number): PotentialMethod {
  const { software } = gpu.adapter;
  if (count <= (software ? MOST_FOR_HOST_INSTEAD_OF_SOFTWARE : MOST_FOR_HOST)) return "host";
  return count <= MOST_IN_PAIRS && !software ? "pairs" : "force";
}

export interface DirectSumInput extends DirectPhase {
  /** [N], those that the GPU works with [mass] */
  masses: Float64Array;
  /** [3N] of the other particles [velocity/time] */
  accelerations: Float64Array;
  /** [N] of the other particles [velocity²] */
  potentials: Float64Array;
  /** Of the state [time] */
  time: number;
}

/** The sums of the Backend interface. */
export function directSums(settings: DirectPipelineSettings, input: DirectSumInput): Sums {
  const { positions, velocities, masses, potentials } = input;
  const external = externalField(settings, positions, input.time);
  return sumParticles({
    ...{ positions, velocities, masses: weightsOf(masses), boxSize: settings.boxSize },
    accelerations: external.accelerations.map((a, k) => a + input.accelerations[k]),
    meshPotential: potentials,
    externalPotential: external.potential,
    escaped: new Uint32Array(0),
  });
}

/**
 * −Σ Gm/√(r² + ε²) over the others [N] [velocity²], in float64; pairs at no distance without softening count for
 * nothing, and pairs of tracers are left out. Gives way to other work now and then. Ranks sum their parts of the particles,
 * each with all others, to the same bits: pair by pair in the order in which one rank takes them.
 */
export async function hostPotentials(
  positions: Float64Array,
  masses: Float64Array,
  G: number,
  softening: number,
  sharing?: TargetSharing,
): Promise<Float64Array> {
  const count = masses.length;
  const { rows } = massiveOf(masses);
  const well: Well = { positions, squared: softening * softening };
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
  /** ε² */
  squared: number;
}

/** Σ m/√(r² + ε²) over the particles after i; takes i's part from their potentials. */
function depthOfLater(
  i: number,
  masses: Float64Array,
  gms: Float64Array,
  { positions, squared }: Well,
  potentials: Float64Array,
): number {
  const [x, y, z] = [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
  let depth = 0;
  for (let j = i + 1, at = 3 * j; j < masses.length; j++, at += 3) {
    const dx = positions[at] - x;
    const dy = positions[at + 1] - y;
    const dz = positions[at + 2] - z;
    const square = dx * dx + dy * dy + dz * dz + squared;
    if (square === 0) continue;
    const inverse = 1 / Math.sqrt(square);
    depth += masses[j] * inverse;
    potentials[j] -= gms[i] * inverse;
  }
  return depth;
}

/** Σ weight/√(r² + ε²) at i over particles of these rows: as `depthOfLater` has the same pairs. */
function depthAmong(rows: Uint32Array, weights: Float64Array, i: number, { positions, squared }: Well): number {
  const [x, y, z] = [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
  let depth = 0;
  for (const j of rows) {
    const dx = positions[3 * j] - x;
    const dy = positions[3 * j + 1] - y;
    const dz = positions[3 * j + 2] - z;
    const square = dx * dx + dy * dy + dz * dz + squared;
    if (square !== 0) depth += weights[j] * (1 / Math.sqrt(square));
  }
  return depth;
}

/**
 * The same on the GPU in pairs, in short submissions, from the particles as they are at the end of a step; ranks sum their
 * parts of the particles.
 */
export async function pairPotentials(
  gpu: GpuContext,
  state: DirectState,
  softening: number,
  sharing?: TargetSharing,
): Promise<Float64Array> {
  const { buffers } = gpu;
  const { count, units, massive } = state;
  const kernel = await gpu.kernel({
    label: "direct sums/potential",
    sources: [potentialWgsl],
    entry: "potential",
  });
  const result = buffers.storage("direct potentials", 8 * count, "other");
  const own = (softening * units.perLength) ** 2;
  const pace = new Pace(gpu.adapter.software, PAIR_COST);
  const mine = sharing?.shareOf(count) ?? { first: 0, count };
  try {
    for (let { first } = mine; first < mine.first + mine.count; ) {
      const end = Math.min(
        mine.first + mine.count,
        first + GROUP * Math.max(1, Math.floor(pace.budget / massive.end / GROUP)),
      );
      const range = [...u32(first, end, massive.end, 0), ...f32(own, own - Math.fround(own))];
      const uniform = buffers.uniform("direct potentials range", range);
      const batch = gpu.batch("potentials of the direct sum").stage("diagnostics");
      const started = performance.now();
      await batch.dispatch(kernel.bind(uniform, state.particles, result), workgroups(end - first, GROUP)).submit();
      pace.learn((end - first) * massive.end, performance.now() - started);
      buffers.release(uniform);
      first = end;
    }
    const packed = await gpu.read(result);
    const words = new Float32Array(packed);
    await sharing?.exchange(count, [{ array: new Uint32Array(packed), width: 2 }], []);
    return Float64Array.from({ length: count }, (_, i) => (words[2 * i] + words[2 * i + 1]) / units.perVelocity ** 2);
  } finally {
    buffers.release(result);
  }
}
