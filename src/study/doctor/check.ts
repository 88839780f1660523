/**
 * A check of `gravmesh doctor --report`: what kernels compute beside the same in float64 or exact integers on the host,
 * and how far they may be apart. Sizes are small: a check takes a few seconds.
 */

import { relativeDifference } from "../../engine/diagnostics/differences.ts";
import { pseudoRandom } from "../../engine/direct/arithmetic.ts";
import { SLOTS_A_MARK } from "../../engine/gpu-particles/windows.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import { GpuContext } from "../../foundation/gpu/context.ts";
import type { ProbeCheck } from "../../foundation/gpu/probe.ts";
import { pinnedShapes } from "../../foundation/gpu/shapes.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";

/** One figure that was compared. */
export interface CheckComparison {
  what: string;
  /** As `measure` says; null where it is no finite number. */
  error: number | null;
  /** At most; null where a check tells it in its own words, as `detail` has them. */
  allowed: number | null;
  measure: "rms difference over rms" | "largest difference over largest" | "values that differ" | "as told";
  passed: boolean;
  detail?: string;
}

export interface Check {
  /** "deposit, cic, periodic" */
  name: string;
  /** The stage of docs/architecture.md that it belongs to. */
  part: string;
  /** What the kernels are held against. */
  twin: string;
  /** On a context of the check's own, with the usual shapes of kernels. */
  run(gpu: GpuContext): Promise<CheckComparison[]>;
}

const finite = (value: number) => (Number.isFinite(value) ? value : null);

function judged(what: string, error: number, allowed: number, measure: CheckComparison["measure"]): CheckComparison {
  return { what, error: finite(error), allowed, measure, passed: error <= allowed };
}

/** Root mean square of the difference over that of what is expected; infinite where a number is none. */
export function rmsError(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (found.length !== expected.length) return Number.POSITIVE_INFINITY;
  const { rms } = relativeDifference(found, expected, 1);
  return Number.isNaN(rms) ? Number.POSITIVE_INFINITY : rms;
}

type Compare = (
  what: string,
  found: ArrayLike<number>,
  expected: ArrayLike<number>,
  allowed: number,
) => CheckComparison;

export const close: Compare = (what, found, expected, allowed) =>
  judged(what, rmsError(found, expected), allowed, "rms difference over rms");

/** By the largest difference, for values of which few are large. */
export const nowhereFar: Compare = (what, found, expected, allowed) => {
  let [error, size] = [found.length === expected.length ? 0 : Number.POSITIVE_INFINITY, 0];
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(found[i] - expected[i]);
    if (!(difference <= error)) error = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
    size = Math.max(size, Math.abs(expected[i]));
  }
  return judged(what, error === 0 ? 0 : error / size, allowed, "largest difference over largest");
};

/** Integers, or floats that must have the same bits. */
export function same(what: string, found: ArrayLike<number>, expected: ArrayLike<number>): CheckComparison {
  let differing = Math.abs(found.length - expected.length);
  for (let i = 0; i < Math.min(found.length, expected.length); i++) if (!Object.is(found[i], expected[i])) differing++;
  return judged(what, differing, 0, "values that differ");
}

/** A check that has judged itself. */
export function asTold({ name, passed, detail }: ProbeCheck): CheckComparison {
  return { what: name, error: null, allowed: null, measure: "as told", passed, detail };
}

/** Which kernel variants are usual depends on whether an adapter is a processor: those of the other kind are checked, too. */
export const asOtherKind = ({ adapter }: GpuContext): GpuContext["adapter"] => ({
  ...adapter,
  software: !adapter.software,
});

/** The same device with other wishes; with the usual shapes where none are wished for. */
export function onContext<T>(
  gpu: GpuContext,
  wishes: Partial<ConstructorParameters<typeof GpuContext>[2]> & { adapter?: GpuContext["adapter"] },
  use: (context: GpuContext) => Promise<T>,
): Promise<T> {
  const { adapter = gpu.adapter, shapes = pinnedShapes("usual"), ...more } = wishes;
  return releasing(new GpuContext(gpu.device, adapter, { owned: false, parent: gpu, shapes, ...more }), use);
}

/** What each of a list comes to, one after the other. */
export async function ofEach<T>(
  list: Iterable<T> | AsyncIterable<T>,
  compare: (one: T) => Promise<CheckComparison | CheckComparison[]>,
): Promise<CheckComparison[]> {
  const found: CheckComparison[] = [];
  for await (const one of list) found.push(...[await compare(one)].flat());
  return found;
}

/** Side of the box [length]. */
export const BOX = 4;
/** Particles that a piece of them holds at least, and enough for three. */
export const LEAST_PIECE = SLOTS_A_MARK;
export const IN_PIECES = 2 * LEAST_PIECE + 809;

/** Particles over the box and in a clump, of unequal mass; of an isolated box some lie beyond its faces. */
export function someParticles(boundary: Boundary, count = 4001): ParticleSet {
  const random = pseudoRandom(7);
  const positions = Float64Array.from({ length: 3 * count }, (_, i) => {
    const clumped = i % 12 < 6;
    const spread = clumped ? 0.15 : boundary === "isolated" && i % 30 < 3 ? 1.3 : 0.98;
    // Multiples of 2⁻³² of the box, which both sides hold exactly.
    return (BOX * Math.round(2 ** 32 * (0.5 + spread * (random() - 0.5)))) / 2 ** 32;
  });
  return {
    count,
    positions,
    velocities: Float32Array.from({ length: 3 * count }, () => random() - 0.5),
    masses: Float64Array.from({ length: count }, () => Math.fround(2 ** (-8 * random()))),
    components: [{ name: "all", species: "halo", first: 0, count }],
  };
}

/** A sphere of Plummer's profile about the middle of the box, at rest in itself: positions from inverse sampling. */
export function sphere(count: number, scale = 0.25): ParticleSet {
  const random = pseudoRandom(11);
  const positions = new Float64Array(3 * count);
  const velocities = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) {
    const r = scale / Math.sqrt((0.02 + 0.9 * random()) ** (-2 / 3) - 1);
    const [z, angle] = [2 * random() - 1, 2 * Math.PI * random()];
    const flat = Math.sqrt(1 - z * z);
    const direction = [flat * Math.cos(angle), flat * Math.sin(angle), z];
    for (let axis = 0; axis < 3; axis++) {
      positions[3 * i + axis] = BOX / 2 + r * direction[axis];
      velocities[3 * i + axis] = 0.4 * (random() - 0.5);
    }
  }
  const masses = new Float64Array(count).fill(1 / count);
  return { count, positions, velocities, masses, components: [{ name: "sphere", species: "halo", first: 0, count }] };
}
