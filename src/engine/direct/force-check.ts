/**
 * Whether the kernels of the direct sum compute what they should on this adapter, which specifications leave to drivers
 * in part (reciprocal roots, contraction, shuffles): one small force through every variant that a run may take, against
 * float64 on the host and bit by bit against each other. It takes a few milliseconds a device, after the compilation.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { adapterName } from "../../foundation/gpu/adapter.ts";
import type { Batch } from "../../foundation/gpu/batch.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { ProbeCheck } from "../../foundation/gpu/probe.ts";
import { checkedOnce, inPair, pseudoRandom } from "./arithmetic.ts";
import {
  type BodyArrays,
  type ForceArrays,
  type ForceOrder,
  packBodies,
  RECORD_BYTES,
  unpackForces,
} from "./bodies.ts";
import type { ForceShape, ForceVariant } from "./force-shapes.ts";
import { pairLaw, type Softening } from "./softening.ts";

/** A force through one shape, on a job. */
export interface CheckedForces {
  encode(
    batch: Batch,
    job: { targets: GPUBuffer; targetCount: number; sources: GPUBuffer; sourceCount: number; result: GPUBuffer },
  ): void;
  destroy(): void;
}

/** Bodies of a lattice, shaken: more than two slices of sources, the last one ragged, and none close to another. */
const LATTICE = [7, 7, 6] as const;
const COUNT = LATTICE[0] * LATTICE[1] * LATTICE[2];
/** ε where there is one [length]; neighbours are 0.3 apart on average. */
export const CHECKED_SOFTENING = 0.125;

/**
 * Errors that pass, rms over that of the force. A software adapter's are a fifth of it or less; a reciprocal root with
 * the 2 units in the last place that WGSL allows stays below.
 */
const TOLERANCE = { "double-single": { forces: 1e-6, derivatives: 1e-5 }, single: { forces: 5e-6, derivatives: 5e-5 } };

/** The check of these shapes, by name; their forces are of the variant, with CHECKED_SOFTENING or without any. */
export async function forceCheck(
  gpu: GpuContext,
  { order, precision, softened }: ForceVariant,
  forces: ReadonlyMap<string, CheckedForces>,
): Promise<ProbeCheck> {
  const names = [...forces.keys()];
  const bodies = shakenLattice();
  const found = await resultsOf(gpu, order, bodies, [...forces.values()]);
  const expected = inFloat64(order, bodies, { softening: softened ? CHECKED_SOFTENING : 0, softeningKernel: softened });
  const faults: string[] = [];
  let largest = 0;
  const bits = found.map((result) => new Uint32Array(result));
  names.forEach((shape, k) => {
    const others = bits[k].filter((word, at) => word !== bits[0][at]).length;
    if (others > 0) {
      faults.push(`${others} of ${bits[k].length} words of shape "${shape}" differ from those of "${names[0]}"`);
    }
    for (const { name, error } of errorsOf(unpackForces(order, found[k], COUNT), expected)) {
      const kind = name === "acceleration" || name === "potential" ? "forces" : "derivatives";
      if (kind === "forces") largest = Math.max(largest, error);
      if (error < TOLERANCE[precision][kind]) continue;
      faults.push(`${name} of shape "${shape}" is off by ${error.toExponential(1)}`);
    }
  });
  return {
    name: `direct forces, ${order}, ${precision}${softened === "spline" ? ", spline" : ""}`,
    passed: faults.length === 0,
    detail:
      faults.length === 0
        ? `the same bits from ${names.join(", ")}; relative error ${largest.toExponential(1)}`
        : faults.join("; "),
  };
}

/** Checked once a device; throws "device". `forcesOf` makes a variant's forces, with CHECKED_SOFTENING or none. */
export async function requireForces(
  gpu: GpuContext,
  variant: ForceVariant,
  shapes: readonly ForceShape[],
  forcesOf: (shape: ForceShape) => CheckedForces,
): Promise<void> {
  const { order, precision, softened } = variant;
  const key = [order, precision, softened, ...shapes.map(({ name }) => name)].join(" ");
  const { passed, detail } = await checkedOnce(gpu, key, () => {
    const forces = new Map(shapes.map((shape) => [shape.name, forcesOf(shape)]));
    return forceCheck(gpu, variant, forces).finally(() => {
      for (const one of forces.values()) one.destroy();
    });
  });
  if (passed) return;
  throw new GravmeshError(
    "device",
    `the direct sum isn't right on ${adapterName(gpu.adapter)}: ${detail}; try another kernel shape (GRAVMESH_SHAPES="direct=plain"), or --backend cpu`,
  );
}

type ShakenLattice = BodyArrays & Record<"velocities" | "accelerations", Float64Array>;

/** Pseudo-random, the same everywhere; positions are pairs of float32. */
function shakenLattice(): ShakenLattice {
  const random = pseudoRandom();
  const vectors = () => Float64Array.from({ length: 3 * COUNT }, () => Math.fround(random() - 0.5));
  const [nx, ny] = LATTICE;
  const site = (i: number) => [i % nx, Math.floor(i / nx) % ny, Math.floor(i / (nx * ny))];
  const positions = Float64Array.from({ length: 3 * COUNT }, (_, i) =>
    inPair((2 / nx) * (site(Math.floor(i / 3))[i % 3] + 0.4 * random()) - 1),
  );
  return {
    count: COUNT,
    positions,
    masses: Float64Array.from({ length: COUNT }, () => Math.fround((0.5 + random()) / COUNT)),
    ids: Uint32Array.from({ length: COUNT }, (_, i) => i),
    velocities: vectors(),
    accelerations: vectors(),
  };
}

/** Force records of each shape, from one submission. */
async function resultsOf(
  gpu: GpuContext,
  order: ForceOrder,
  bodies: BodyArrays,
  forces: readonly CheckedForces[],
): Promise<ArrayBuffer[]> {
  const account = gpu.account(); // the check is no part of anybody's times
  const own = account.buffers;
  try {
    const bytes = RECORD_BYTES[order] * COUNT;
    const held = own.storage("checked bodies", RECORD_BYTES[order] * COUNT, "other");
    gpu.device.queue.writeBuffer(held, 0, packBodies(order, bodies));
    const all = own.storage("checked forces", bytes * forces.length, "other");
    const batch = account.batch("checking the direct sum").stage("probe");
    forces.forEach((one, k) => {
      const result = own.storage("checked force", bytes, "other");
      one.encode(batch, { targets: held, targetCount: COUNT, sources: held, sourceCount: COUNT, result });
      batch.copy(result, 0, all, bytes * k, bytes);
    });
    await batch.submit();
    const read = await account.read(all);
    return forces.map((_, k) => read.slice(bytes * k, bytes * (k + 1)));
  } finally {
    account.destroy();
  }
}

/** The sum by its formulas (src/engine/direct/forces.ts), in the plainest way. */
function inFloat64(order: ForceOrder, bodies: ShakenLattice, softening: Softening): ForceArrays {
  const { positions, velocities, accelerations: given, masses } = bodies;
  const accelerations = new Float64Array(3 * COUNT);
  const potentials = new Float64Array(COUNT);
  const [jerks, snaps] = [new Float64Array(3 * COUNT), new Float64Array(3 * COUNT)];
  const between = (array: ArrayLike<number>, i: number, j: number) =>
    [0, 1, 2].map((k) => array[3 * j + k] - array[3 * i + k]);
  const dot = (a: readonly number[], b: readonly number[]) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  for (let i = 0; i < COUNT; i++) {
    for (let j = 0; j < COUNT; j++) {
      if (j === i) continue;
      const [r, v, a] = [between(positions, i, j), between(velocities, i, j), between(given, i, j)];
      const { depth, f, q, b } = pairLaw(dot(r, r), softening);
      const alpha = q * dot(r, v);
      const beta = q * (dot(v, v) + dot(r, a)) + b * dot(r, v) ** 2;
      potentials[i] -= masses[j] * depth;
      for (let k = 0; k < 3; k++) {
        const force = masses[j] * f * r[k];
        const jerk = masses[j] * f * v[k] - 3 * alpha * force;
        accelerations[3 * i + k] += force;
        jerks[3 * i + k] += jerk;
        snaps[3 * i + k] += masses[j] * f * a[k] - 6 * alpha * jerk - 3 * beta * force;
      }
    }
  }
  return { accelerations, potentials, ...(order !== "acceleration" && { jerks }), ...(order === "snap" && { snaps }) };
}

/** Root mean square differences over the root mean square of what is expected. */
function errorsOf(found: ForceArrays, expected: ForceArrays): { name: string; error: number }[] {
  return (Object.entries(expected) as [keyof ForceArrays, Float64Array][]).map(([name, values]) => {
    let [difference, square] = [0, 0];
    values.forEach((value, i) => {
      difference += (found[name]![i] - value) ** 2;
      square += value ** 2;
    });
    return { name: name.slice(0, -1), error: Math.sqrt(difference / square) };
  });
}
