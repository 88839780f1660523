/**
 * Records of the direct sum on the GPU: bodies (sources and targets alike) and forces, and how host arrays are packed
 * into them. Positions are pairs of float32, x = high + low with high = fround(x), relative to an origin that the
 * caller chooses: 48 bits, of which a single-precision sum uses the upper 24.
 *
 * Words of a body (wgsl/engine/direct/lib/body.wgsl):   0–2 position, 3 G·m, 4–6 low words of the position, 7 id (u32),
 *   jerk and snap: 8–10 velocity; snap: 12–14 acceleration.
 * Words of a force (the same):                   0–2 acceleration, 3 potential, 4–6 and 7 their low words,
 *   jerk and snap: 8–10 jerk; snap: 12–14 snap.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";

/** How far the force is differentiated in time: with jerk da/dt, with snap d²a/dt². */
export type ForceOrder = "acceleration" | "jerk" | "snap";

export const FORCE_ORDERS: readonly ForceOrder[] = ["acceleration", "jerk", "snap"];

/** Size of a record, a body's or a force's [byte]. */
export const RECORD_BYTES: Record<ForceOrder, number> = { acceleration: 32, jerk: 48, snap: 64 };
const WORD = Float32Array.BYTES_PER_ELEMENT;

/** Constants by which kernels include the lines of an order. */
export const orderConstants = (order: ForceOrder) => ({ JERK: order !== "acceleration", SNAP: order === "snap" });

/** A set of bodies on the host. */
export interface BodyArrays {
  count: number;
  /** [3N, xyzxyz…], relative to the origin that all sets share [length]. */
  positions: Float64Array;
  /** G·m [N]. */
  masses: Float64Array;
  /** [N]: bodies with equal ids exert nothing on each other. */
  ids: Uint32Array;
  /** [3N], for jerk and snap. */
  velocities?: Float64Array | undefined;
  /** [3N], for snap. */
  accelerations?: Float64Array | undefined;
}

/** Forces on the host, in the order of the targets. */
export interface ForceArrays {
  /** [3N] [length/time²]. */
  accelerations: Float64Array;
  /** −Σ G·m/√(r² + ε²) [N]. */
  potentials: Float64Array;
  /** [3N]; with jerk and snap. */
  jerks?: Float64Array;
  /** [3N]; with snap. */
  snaps?: Float64Array;
}

/** Body records as the kernels read them. Throws "usage" when an array that `order` needs is missing or too short. */
export function packBodies(order: ForceOrder, bodies: BodyArrays): ArrayBuffer {
  const { count, positions, masses, ids } = bodies;
  const velocities = order === "acceleration" ? undefined : bodies.velocities;
  const accelerations = order === "snap" ? bodies.accelerations : undefined;
  requireLength("positions", positions, 3 * count);
  requireLength("masses", masses, count);
  requireLength("ids", ids, count);
  if (order !== "acceleration") requireLength("velocities", velocities, 3 * count);
  if (order === "snap") requireLength("accelerations", accelerations, 3 * count);
  const words = RECORD_BYTES[order] / WORD;
  const packed = new ArrayBuffer(count * RECORD_BYTES[order]);
  const floats = new Float32Array(packed);
  const integers = new Uint32Array(packed);
  for (let i = 0, at = 0; i < count; i++, at += words) {
    for (let axis = 0; axis < 3; axis++) {
      const x = positions[3 * i + axis];
      const high = Math.fround(x);
      floats[at + axis] = high;
      floats[at + 4 + axis] = x - high;
      if (velocities) floats[at + 8 + axis] = velocities[3 * i + axis];
      if (accelerations) floats[at + 12 + axis] = accelerations[3 * i + axis];
    }
    floats[at + 3] = masses[i];
    integers[at + 7] = ids[i];
  }
  return packed;
}

/** Room for the forces on `count` targets, zero. */
export function emptyForces(order: ForceOrder, count: number): ForceArrays {
  return {
    accelerations: new Float64Array(3 * count),
    potentials: new Float64Array(count),
    ...(order !== "acceleration" && { jerks: new Float64Array(3 * count) }),
    ...(order === "snap" && { snaps: new Float64Array(3 * count) }),
  };
}

/** The first `count` force records of `packed` in float64, high and low words added, in `out` from target `first` on. */
export function unpackForces(
  order: ForceOrder,
  packed: ArrayBuffer,
  count: number,
  out = emptyForces(order, count),
  first = 0,
): ForceArrays {
  const words = RECORD_BYTES[order] / WORD;
  const floats = new Float32Array(packed);
  requireLength("force records", floats, words * count);
  const { accelerations, potentials, jerks, snaps } = out;
  for (let i = first, at = 0; i < first + count; i++, at += words) {
    for (let axis = 0; axis < 3; axis++) {
      accelerations[3 * i + axis] = floats[at + axis] + floats[at + 4 + axis];
      if (jerks) jerks[3 * i + axis] = floats[at + 8 + axis];
      if (snaps) snaps[3 * i + axis] = floats[at + 12 + axis];
    }
    potentials[i] = floats[at + 3] + floats[at + 7];
  }
  return out;
}

function requireLength(name: string, array: ArrayLike<number> | undefined, expected: number): void {
  const found = array?.length ?? 0;
  if (found >= expected) return;
  throw new GravmeshError("usage", `bodies of the direct sum: ${name} needs ${expected} numbers, found ${found}`);
}
