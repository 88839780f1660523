/**
 * Modified gravity without a net force on all mass (in float64, with the equations: reference/mesh/net-force.ts). Not a bit changes
 * where the potential is Newton's.
 */
import netForceWgsl from "../../wgsl/mesh/net-force.wgsl";
import { type Batch, type Pass, workgroups } from "../gpu/batch.ts";
import { type BufferPool, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Boundary } from "../particles/box.ts";
import type { ArraysInPieces } from "../particles/saved-arrays.ts";
import { FIELD_BYTES, FIELD_GHOSTS, type MeshBuffers } from "./field.ts";
import { encodeGhosts } from "./ghosts.ts";
import { GRADIENT_POINTS } from "./gradient.ts";
import { ghostRows } from "./mond.ts";
import type { PoissonSolver } from "./poisson-solver.ts";
import type { Qumond } from "./qumond.ts";
import type { GradientScheme } from "./settings.ts";

const GROUP = 64;
/** Of a vector and a matrix. */
const SUM_BYTES = 64;
const VECTOR_BYTES = 16;

interface Parts {
  /** Solves, after `qumond` or by it. */
  solver: PoissonSolver & Pick<Qumond, "newtonPotential" | "saveState" | "restoreState">;
  qumond: Qumond;
  gradient: Exclude<GradientScheme, "spectral">;
  boundary: Boundary;
}

export class WithoutNetForce implements PoissonSolver {
  private constructor(
    private readonly gpu: GpuContext,
    private readonly mesh: MeshBuffers,
    private readonly parts: Parts,
    private readonly passes: readonly Pass[],
    private readonly own: BufferPool,
  ) {}

  static async create(gpu: GpuContext, mesh: MeshBuffers, parts: Parts): Promise<WithoutNetForce> {
    const { qumond, gradient, boundary } = parts;
    const own = gpu.buffers.pool();
    const { cells: n, pitch, slabs } = mesh;
    const sums = own.storage("net force of columns", SUM_BYTES * n * n, "mesh");
    const shift = own.storage("shift", VECTOR_BYTES, "other");
    await own.settle();
    const passes = async (entry: string): Promise<Pass[]> => {
      const kernel = await gpu.kernel({
        ...{ label: `net-force/${entry}`, sources: [netForceWgsl], entry },
        constants: { CELLS: n, PITCH: pitch, POINTS: GRADIENT_POINTS[gradient], ISOLATED: boundary === "isolated" },
      });
      return slabs.map(({ first, planes, cut, field }, s) => {
        const range = own.uniform("planes", u32(first, planes, ghostRows(mesh, cut)));
        const { newton, masses } = qumond.slabs[s];
        return {
          kernel: kernel.bind(range, field, newton, masses, sums, shift),
          groups: workgroups(planes * n, GROUP),
        };
      });
    };
    const [columns, [total], takeOff] = await Promise.all(["columns", "total", "takeOff"].map(passes));
    return new WithoutNetForce(gpu, mesh, parts, [...columns, { ...total, groups: [1, 1] }, ...takeOff], own);
  }

  get needsHost(): boolean {
    return this.parts.solver.needsHost;
  }

  encode(batch: Batch): Batch {
    this.parts.solver.encode(batch);
    return this.#takeOff(batch);
  }

  async run(): Promise<void> {
    await this.parts.solver.run?.();
    await this.#takeOff(this.gpu.batch("net force")).submit();
  }

  #takeOff(batch: Batch): Batch {
    batch.stage("poisson");
    const { slabs, pitch, cells } = this.mesh;
    const masses = slabs.map(({ planes }, s) => ({ buffer: this.parts.qumond.slabs[s].masses, offset: 0, planes }));
    encodeGhosts(batch, masses, FIELD_BYTES * pitch * cells, FIELD_GHOSTS);
    return batch.passes(this.passes);
  }

  newtonPotential(): Promise<Float32Array> {
    return this.parts.solver.newtonPotential();
  }

  saveState(): ArraysInPieces {
    return this.parts.solver.saveState();
  }

  restoreState(arrays: ArraysInPieces): Promise<void> {
    return this.parts.solver.restoreState(arrays);
  }

  destroy(): void {
    this.parts.solver.destroy();
    this.own.destroyAll();
  }
}
