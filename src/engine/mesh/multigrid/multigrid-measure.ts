/**
 * Means over the finest level of the multigrid solver: squares of source, residual and potential, the potential. The order of
 * the sums is fixed, so the same mesh gives the same bits (wgsl/engine/mesh/multigrid/multigrid-measure.wgsl).
 */
import laplacian7Wgsl from "../../../../wgsl/engine/mesh/multigrid/multigrid-laplacian-7.wgsl";
import laplacian19Wgsl from "../../../../wgsl/engine/mesh/multigrid/multigrid-laplacian-19.wgsl";
import measureWgsl from "../../../../wgsl/engine/mesh/multigrid/multigrid-measure.wgsl";
import { type Pass, workgroups } from "../../../foundation/gpu/batch.ts";
import { type BufferPool, f32, u32 } from "../../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { Boundary } from "../../../physics/particles/box.ts";
import type { LevelArrays } from "./multigrid-arrays.ts";
import { slabUniform } from "./multigrid-slabs.ts";

/** Places in `totals`. */
export const MEASURE = { SOURCE: 0, RESIDUAL: 1, POTENTIAL: 2, SIZE: 3 } as const;
type Measured = keyof typeof MEASURE;

const GROUP = 64;
/** Cells that one invocation adds up, more of them on large meshes. */
const SHARE = 32;
const MOST_PARTIALS = 2 ** 16;
const SLAB = 5;

export interface MultigridMeasure extends Record<Measured, readonly Pass[]> {
  /** [4] f32: mean square of the source, of the residual, mean of the potential, its mean square. */
  totals: GPUBuffer;
}

/** The passes that write each of the means into `totals`. */
export async function measurePasses(
  gpu: GpuContext,
  pool: BufferPool,
  level: LevelArrays,
  { boundary, order }: { boundary: Boundary; order: 2 | 4 },
): Promise<MultigridMeasure> {
  const { cells: n, slabs, sourcePitch, ghosts, sourceGhosts } = level;
  const share = Math.max(SHARE, Math.ceil(n ** 3 / MOST_PARTIALS));
  const count = GROUP * Math.ceil(n ** 3 / (GROUP * share));
  const totals = pool.storage("multigrid totals", 4 * Object.keys(MEASURE).length, "other");
  const partials = pool.storage("multigrid partial sums", 4 * count, "other");
  const uniform = pool.uniform("multigrid level", [...u32(n, sourcePitch, 2, 0), ...f32(0, 1, 1, 0)]);
  const passes = async (measured: Measured): Promise<Pass[]> => {
    const kernels = ["measure", "total"].map((entry) =>
      gpu.kernel({
        label: `multigrid/${entry} ${measured.toLowerCase()}`,
        sources: [measureWgsl, order === 4 ? laplacian19Wgsl : laplacian7Wgsl],
        entry,
        constants: {
          ...{ ISOLATED: boundary === "isolated", ...MEASURE, MEASURE: MEASURE[measured] },
          ...{ SHARE: `${share}u`, PARTIALS: `${count}u`, SLAB },
        },
      }),
    );
    const [measure, total] = await Promise.all(kernels);
    const passes = slabs.map(({ first, planes, source, potential }) => {
      const slab = slabUniform(pool, { first, planes, ghosts, sourceGhosts });
      const kernel = measure.bind(uniform, source, potential, partials, totals, slab);
      // Chunks of GROUP·share cells that the slab's cells lie in.
      const begin = Math.floor((first * n ** 2) / (GROUP * share));
      const end = Math.ceil(((first + planes) * n ** 2) / (GROUP * share));
      return { kernel, groups: workgroups(GROUP * (end - begin), GROUP) };
    });
    const [{ source, potential }] = slabs;
    const kernel = total.bind(uniform, source, potential, partials, totals);
    return [...passes, { kernel, groups: [1, 1] }];
  };
  const names = ["SOURCE", "RESIDUAL", "POTENTIAL", "SIZE"] as const satisfies Measured[];
  const [SOURCE, RESIDUAL, POTENTIAL, SIZE] = await Promise.all(names.map(passes));
  return { totals, SOURCE, RESIDUAL, POTENTIAL, SIZE };
}
