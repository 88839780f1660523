/**
 * Boundary values of an isolated mesh for the multigrid solver on the GPU: the open-space potential of the source at the
 * ghost centres, by sums of Gaussians over a coarse mesh (multigrid-boundary-tables.ts; wgsl/mesh/multigrid-boundary.wgsl;
 * in float64: reference/mesh/multigrid-boundary.ts). Needs no transform, works beside masses near the faces as well.
 */
import boundaryWgsl from "../../wgsl/mesh/multigrid-boundary.wgsl";
import { type Batch, type Pass, workgroups } from "../gpu/batch.ts";
import type { BufferPool } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BufferSlice } from "../gpu/kernel.ts";
import type { MeshBuffers } from "./field.ts";
import { type BoundaryTables, boundaryTables } from "./multigrid-boundary-tables.ts";

const GROUP = 64;
/** Coefficients of a term that travel together. */
const QUAD = 4;
/** Targets of an invocation along the faces. */
const TOGETHER = 4;
const BYTES = 4;

export class MultigridBoundary {
  private constructor(
    private readonly passes: Pass[],
    private readonly own: BufferPool,
  ) {}

  /** `scratch`: room for (n/2)³ words; `potential`: [n³ + 6(n+2)²], the ghosts last. */
  static async create(
    gpu: GpuContext,
    mesh: MeshBuffers,
    potential: GPUBuffer,
    scratch: BufferSlice,
  ): Promise<MultigridBoundary> {
    const { cells: n, pitch, field } = mesh;
    const tables = boundaryTables(n);
    const { coarse, factor, terms, sources, targets } = tables;
    const quads = terms / QUAD;
    const halved = factor > 2;
    const buffers = gpu.buffers.pool();
    const normalTable = buffers.upload("multigrid boundary, normal", inQuads(normalWeights(tables), terms), "other");
    const alongTable = buffers.upload("multigrid boundary, along", inQuads(tables.along, terms), "other");
    const spread = buffers.storage("multigrid boundary sources", BYTES * sources ** 3, "mesh");
    const planes = buffers.storage("multigrid boundary planes", BYTES * 6 * terms * sources ** 2, "mesh");
    const halves = buffers.storage("multigrid boundary rows", BYTES * 6 * terms * sources * targets, "mesh");
    const faces = buffers.storage("multigrid boundary faces", BYTES * 6 * targets ** 2, "mesh");
    await buffers.settle();
    const pass = async (entry: string, count: number, first: BufferSlice, second: BufferSlice) => {
      const kernel = await gpu.kernel({
        label: `multigrid/boundary ${entry}`,
        sources: [boundaryWgsl],
        entry,
        constants: {
          CELLS: `${n}u`,
          COARSE: `${coarse}u`,
          QUADS: `${quads}u`,
          SOURCE_PITCH: `${pitch}u`,
          HALVED: halved,
        },
      });
      const bound = kernel.bind(normalTable, alongTable, first, second, planes, halves);
      return { kernel: bound, groups: workgroups(count, GROUP) };
    };
    const passes = await Promise.all([
      ...(halved ? [pass("halve", (2 * coarse) ** 3, field, scratch)] : []),
      pass("spread", sources ** 3, halved ? scratch : field, spread),
      pass("normal", 3 * sources ** 2, spread, faces),
      pass("along1", (6 * quads * sources * targets) / TOGETHER, spread, faces),
      pass("along2", (6 * targets ** 2) / TOGETHER, faces, spread),
      pass("ghosts", 6 * (n + 2) ** 2, faces, potential),
    ]);
    return new MultigridBoundary(passes, buffers);
  }

  /** Source in the mesh field → ghosts of the potential. */
  encode(batch: Batch): void {
    batch.passes(this.passes);
  }

  destroy(): void {
    this.own.destroyAll();
  }
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
