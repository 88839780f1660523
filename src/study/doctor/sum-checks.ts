/** Direct sums: forces through every shape of the kernels, sources that move and are changed, neighbours. */

import { pseudoRandom } from "../../engine/direct/arithmetic.ts";
import { FORCE_ORDERS } from "../../engine/direct/bodies.ts";
import { CHECKED_SOFTENING, forceCheck } from "../../engine/direct/force-check.ts";
import { availableShapes } from "../../engine/direct/force-shapes.ts";
import { DirectForces } from "../../engine/direct/forces.ts";
import type { Precision } from "../../engine/direct/settings.ts";
import type { SofteningKernel } from "../../engine/direct/softening.ts";
import { DirectSummation, type DirectSummationOptions } from "../../engine/direct-summation.ts";
import { ParticleBuffers } from "../../engine/gpu-particles/buffers.ts";
import { directForces } from "../../engine/reference/direct/forces.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { ProbeCheck } from "../../foundation/gpu/probe.ts";
import {
  asOtherKind,
  asTold,
  BOX,
  type Check,
  type CheckComparison,
  close,
  ofEach,
  onContext,
  same,
  sphere,
} from "./check.ts";
import { DIRECT_RUN } from "./run-checks.ts";

/** A force through every shape that the adapter can run. */
export async function everyForce(
  gpu: GpuContext,
  order: (typeof FORCE_ORDERS)[number],
  precision: Precision,
  softened: SofteningKernel = "plummer",
): Promise<ProbeCheck> {
  const variant = { order, precision, softened };
  const all = new Map<string, DirectForces>();
  for (const { name: shape } of availableShapes(gpu)) {
    all.set(
      shape,
      await DirectForces.create(gpu, { ...variant, softening: CHECKED_SOFTENING, softeningKernel: softened, shape }),
    );
  }
  const check = await forceCheck(gpu, variant, all);
  for (const one of all.values()) one.destroy();
  return check;
}

const forces = (order: (typeof FORCE_ORDERS)[number], precision: Precision, softened?: SofteningKernel): Check => ({
  name: `direct forces with ${order}, ${precision}${softened ? `, ${softened}` : ""}`,
  part: "direct",
  twin: "the sum in float64 (engine/direct/force-check.ts), and every shape with the bits of the first",
  // Sums of slices are folded by one lane on a processor, by several on a GPU.
  run: (gpu) =>
    ofEach(order === "acceleration" ? [gpu.adapter, asOtherKind(gpu)] : [gpu.adapter], (adapter) =>
      onContext(gpu, { adapter }, async (context) => asTold(await everyForce(context, order, precision, softened))),
    ),
});

/** The mesh's particles as sources. */
const meshSources = (precision: Precision): Check => ({
  name: "sources from the mesh",
  part: "direct",
  twin: "the sum in float64 (engine/reference/direct/forces.ts)",
  run: async (gpu) => {
    const [softening, set] = [0.05, sphere(500)];
    const { count, positions, masses } = set;
    const particles = await ParticleBuffers.create(gpu, set, { boxSize: BOX, boundary: "isolated" });
    const { positions: buffers, ids, images, current: half } = particles;
    const sources = { count, boxSize: BOX, positions: buffers[half], ids: ids[half], images: images![half], masses };
    return releasing(DirectSummation.create({ gpu, precision, softening }), async (direct) => {
      await direct.setSourcesFromMesh(sources);
      const { accelerations } = await direct.forces();
      const bodies = { count, positions, masses, ids: Uint32Array.from(masses.keys()) };
      const exact = directForces({ order: "acceleration", softening, targets: bodies, sources: bodies });
      const allowed = DIRECT_RUN[precision];
      return [close("accelerations of the mesh's particles", accelerations, exact.accelerations, allowed)];
    });
  },
});

type Moving = Record<"positions" | "masses" | "velocities" | "accelerations", Float64Array> & { ids: Uint32Array };

function moving(count: number): Moving {
  const random = pseudoRandom(count);
  const vectors = (size: number) => Float64Array.from({ length: 3 * count }, () => size * (random() - 0.5));
  return {
    ...{ positions: vectors(2), velocities: vectors(1), accelerations: vectors(1) },
    masses: Float64Array.from({ length: count }, () => (0.5 + random()) / count),
    ids: Uint32Array.from({ length: count }, (_, i) => i),
  };
}

/** The same of both engines: sources set, predicted, changed in part; forces on them and on others. */
const asked = (on: DirectSummationOptions) =>
  releasing(DirectSummation.create({ order: "jerk", softening: 0.02, ...on }), async (direct) => {
    const [there, here] = [moving(700), moving(60)];
    await direct.setSources(there);
    await direct.predict(0.1);
    const rows = Uint32Array.of(3, 99, 500);
    await direct.updateSources(rows, { positions: Float64Array.from({ length: 9 }, (_, i) => 0.1 * i - 0.3) });
    const own = await direct.forces();
    const { positions, velocities } = here;
    const others = await direct.forces({ positions, velocities });
    const near = await direct.neighbours({ positions, velocities }, { radius: 0.4, capacity: 8 });
    return { own, others, near };
  });

const summation = (precision: Precision): Check => ({
  name: "sources that move, are changed, and have neighbours",
  part: "direct",
  twin: "the same in float64 (engine/reference/direct/summation.ts)",
  run: async (gpu: GpuContext): Promise<CheckComparison[]> => {
    const found = await asked({ gpu, precision });
    const expected = await asked({ backend: "cpu" });
    const allowed = DIRECT_RUN[precision];
    return [
      close("accelerations of the sources", found.own.accelerations, expected.own.accelerations, allowed),
      close("jerks of the sources", found.own.jerks!, expected.own.jerks!, 10 * allowed),
      close("accelerations of others", found.others.accelerations, expected.others.accelerations, allowed),
      close("potentials of others", found.others.potentials, expected.others.potentials, allowed),
      same("nearest sources", found.near.nearestIds, expected.near.nearestIds),
      same("numbers of neighbours", found.near.lists!.counts, expected.near.lists!.counts),
      same("lists of neighbours", found.near.lists!.ids, expected.near.lists!.ids),
    ];
  },
});

export const sumChecks = (precision: Precision): readonly Check[] => {
  const precisions: readonly Precision[] = precision === "single" ? ["single"] : ["double-single", "single"];
  return [
    ...FORCE_ORDERS.flatMap((order) => precisions.map((one) => forces(order, one))),
    ...precisions.slice(-1).map((one) => forces("snap", one, "spline")),
    summation(precision),
    ...(precision === "single" ? [] : [meshSources(precision)]),
  ];
};
