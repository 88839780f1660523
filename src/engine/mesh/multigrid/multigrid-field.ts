/**
 * Between the mesh field and the multigrid levels: deposited mass → source, the fourth order's source, and the potential
 * back into the field, slab by slab.
 */
import compactSourceWgsl from "../../../../wgsl/engine/mesh/multigrid/multigrid-compact-source.wgsl";
import finishWgsl from "../../../../wgsl/engine/mesh/multigrid/multigrid-finish.wgsl";
import sourceWgsl from "../../../../wgsl/engine/mesh/multigrid/multigrid-source.wgsl";
import { type Pass, workgroups } from "../../../foundation/gpu/batch.ts";
import { type BufferPool, f32, u32 } from "../../../foundation/gpu/buffers.ts";
import type { WgslConstants, WgslSource } from "../../../foundation/gpu/compose.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { MeshBuffers, MeshSlab } from "../field.ts";
import { meanWords } from "../poisson/poisson-periodic.ts";
import type { LevelArrays } from "./multigrid-arrays.ts";
import { MEASURE } from "./multigrid-measure.ts";
import { meshSlabUniform } from "./multigrid-slabs.ts";

const GROUP = 64;
/** Pairs of cells per invocation of the passes that load the source and hand over the potential. */
const SHARE = 8;
/** Cells along x per invocation of the pass that makes the fourth order's source. */
const COMPACT_RUN = 8;

export interface MeshPasses {
  load: Pass[];
  /** The source of the fourth-order scheme; reads the field's ghosts. */
  compact: Pass[];
  finish: Pass[];
  /** As `finish`, with the potential as it is. */
  keep: Pass[];
}

interface MeshProblem {
  periodic: boolean;
  order: 2 | 4;
  /** 4πG·massUnit over the side of a cell: a unit of mass in the source. */
  unit: number;
  totalUnits: number | undefined;
  /** [4] f32 of MultigridMeasure. */
  totals: GPUBuffer;
}

export async function meshPasses(
  gpu: GpuContext,
  pool: BufferPool,
  mesh: MeshBuffers,
  finest: LevelArrays,
  problem: MeshProblem,
): Promise<MeshPasses> {
  const { cells: n, pitch, slabs } = mesh;
  const { periodic, order, totals } = problem;
  const unit = pool.uniform("multigrid unit", f32(problem.unit));
  const mean = pool.uniform("multigrid mean mass", u32(...(periodic ? meanWords(problem.totalUnits ?? 0, n) : [0, 0])));
  const uniforms = slabs.map((slab) => meshSlabUniform(pool, slab));
  const kernel = (name: string, entry: string, source: WgslSource, slab: number, constants: WgslConstants = {}) =>
    gpu.kernel({
      label: `multigrid/${name}`,
      sources: [source],
      entry,
      constants: { CELLS: n, PITCH: pitch, SLAB: slab, ...constants },
    });
  const inPairs = ({ planes }: MeshSlab) => workgroups((planes * n ** 2) / 2 / SHARE, GROUP);
  const load = await kernel("source", "loadSource", sourceWgsl, 3);
  const finish = async (subtract: boolean): Promise<Pass[]> => {
    const constants = { SUBTRACT: subtract, POTENTIAL: MEASURE.POTENTIAL };
    const ending = await kernel(subtract ? "finish" : "keep", "finish", finishWgsl, 3, constants);
    return slabs.map((slab, s) => ({
      kernel: ending.bind(slab.field, finest.slabs[s].potential, totals, uniforms[s]),
      groups: inPairs(slab),
    }));
  };
  const keep = await finish(false);
  const compact = async (): Promise<Pass[]> => {
    const source = await kernel("compact source", "compactSource", compactSourceWgsl, 2, { ISOLATED: !periodic });
    return slabs.map(({ field, planes }, s) => ({
      kernel: source.bind(field, finest.slabs[s].source, uniforms[s]),
      groups: workgroups((planes * n ** 2) / COMPACT_RUN, GROUP),
    }));
  };
  return {
    load: slabs.map((slab, s) => ({
      kernel: load.bind(unit, slab.field, slab.high, uniforms[s], mean),
      groups: inPairs(slab),
    })),
    compact: order === 4 ? await compact() : [],
    finish: periodic ? await finish(true) : keep,
    keep,
  };
}
