/**
 * Boundary values of an isolated mesh for the multigrid solver on the GPU: the open-space potential of the source at the
 * ghost centres, by sums of Gaussians (multigrid-boundary-tables.ts; in float64: engine/reference/mesh/multigrid-boundary.ts).
 */
import boundaryWgsl from "../../../../wgsl/engine/mesh/multigrid/multigrid-boundary.wgsl";
import { type Pass, workgroups } from "../../../foundation/gpu/batch.ts";
import type { BufferPool } from "../../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { BufferSlice } from "../../../foundation/gpu/kernel.ts";
import { FIELD_GHOSTS, type MeshBuffers } from "../field.ts";
import type { LevelArrays } from "./multigrid-arrays.ts";
import { type BoundaryTables, boundaryTables } from "./multigrid-boundary-tables.ts";
import { slabUniform } from "./multigrid-slabs.ts";

const GROUP = 64;
/** Coefficients of a term that travel together. */
const QUAD = 4;
/** Targets of an invocation along the faces. */
const TOGETHER = 4;
const BYTES = 4;
const SLAB = 6;

/**
 * The passes that write the ghosts of `finest`, of all its faces, from the source in the mesh field: behind its cells, or
 * where a level in slabs has them.
 */
export async function boundaryPasses(
  gpu: GpuContext,
  pool: BufferPool,
  mesh: MeshBuffers,
  finest: LevelArrays,
): Promise<Pass[]> {
  const { cells: n, pitch, slabs } = mesh;
  const cut = slabs.length > 1;
  const tables = boundaryTables(n);
  const { coarse, factor, terms, sources, targets } = tables;
  const quads = terms / QUAD;
  const halved = factor > 2;
  const normalTable = pool.upload("multigrid boundary, normal", inQuads(normalWeights(tables), terms), "other");
  const alongTable = pool.upload("multigrid boundary, along", inQuads(tables.along, terms), "other");
  const spread = pool.storage("multigrid boundary sources", BYTES * sources ** 3, "mesh");
  const planes = pool.storage("multigrid boundary planes", BYTES * 6 * terms * sources ** 2, "mesh");
  const halves = pool.storage("multigrid boundary rows", BYTES * 6 * terms * sources * targets, "mesh");
  const faces = pool.storage("multigrid boundary faces", BYTES * 6 * targets ** 2, "mesh");
  await pool.settle();
  const pass = async (
    entry: string,
    count: number,
    first: BufferSlice,
    second: BufferSlice,
    slab: Partial<Parameters<typeof slabUniform>[1]> = {},
  ) => {
    const kernel = await gpu.kernel({
      label: `multigrid/boundary ${entry}`,
      sources: [boundaryWgsl],
      entry,
      constants: {
        ...{ CELLS: `${n}u`, COARSE: `${coarse}u`, QUADS: `${quads}u`, SOURCE_PITCH: `${pitch}u` },
        ...{ HALVED: halved, SLAB },
      },
    });
    const uniform = slabUniform(pool, { first: 0, planes: n, ...slab });
    const bound = kernel.bind(normalTable, alongTable, first, second, planes, halves, uniform);
    return { kernel: bound, groups: workgroups(count, GROUP) };
  };
  return Promise.all([
    ...slabs.flatMap(({ first, planes, field }) => {
      // In cells of half a coarse one.
      const [begin, count] = halved ? [first / 2, planes / 2] : [first, planes];
      const inField = { first, planes, sourceGhosts: cut ? FIELD_GHOSTS : 0 };
      const from = Math.ceil(begin / 2);
      const reached = Math.min(sources, Math.floor((begin + count) / 2) + 2) - from;
      const inHalves = halved ? { first: begin, planes: count } : inField;
      // The force is scratch until the cycles begin, and slab after slab may use the same part of it.
      const scratch = { buffer: slabs[0].force, offset: 0, size: BYTES * (slabs[0].planes / 2) * (2 * coarse) ** 2 };
      return [
        ...(halved ? [pass("halve", count * (2 * coarse) ** 2, field, scratch, inField)] : []),
        pass("spread", reached * sources ** 2, halved ? scratch : field, spread, {
          ...inHalves,
          transfer: { first: from, count: reached },
        }),
      ];
    }),
    pass("normal", 3 * sources ** 2, spread, faces),
    pass("along1", (6 * quads * sources * targets) / TOGETHER, spread, faces),
    pass("along2", (6 * targets ** 2) / TOGETHER, faces, spread),
    pass("ghosts", 6 * (n + 2) ** 2, faces, finest.faces ?? finest.slabs[0].potential, {
      facesBegin: finest.faces ? 0 : n ** 3, // behind the cells, or in a buffer of their own
    }),
  ]);
}

/** [terms × sources] exp(−a d²) with the term's weight and −1/4π. */
function normalWeights({ normal, weights, sources }: BoundaryTables): Float64Array {
  return normal.map((value, i) => (-weights[Math.floor(i / sources)] / (4 * Math.PI)) * value);
}

/** [terms × length] → [terms/4 × length] of four terms each. */
function inQuads(table: Float64Array, terms: number): Float32Array<ArrayBuffer> {
  const length = table.length / terms;
  const out = new Float32Array(table.length);
  for (let q = 0; q < terms; q++) {
    for (let i = 0; i < length; i++)
      out[(Math.floor(q / QUAD) * length + i) * QUAD + (q % QUAD)] = table[q * length + i];
  }
  return out;
}
