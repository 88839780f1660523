/**
 * QUMOND on the GPU (Milgrom 2010; in float64 with the equations: engine/reference/mesh/qumond.ts): deposited mass in `field` and
 * `high` → modified potential in `field`, by a linear solver before and after: Newton's potential, kept in a buffer of its own
 * (4 bytes a cell, as the mass is) → phantom matter as mass words → its potential, to which Newton's and the reference's are added.
 */
import qumondWgsl from "../../../../wgsl/engine/mesh/mond/qumond.wgsl";
import { type Batch, type HostStage, type Pass, workgroups } from "../../../foundation/gpu/batch.ts";
import { type BufferPool, f32, u32 } from "../../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import { ORDER } from "../../../physics/mond/beyond-box.ts";
import { named, unnamed } from "../../../physics/mond/phantom-names.ts";
import { newtonianExternal, type SmoothExcess, unitVector } from "../../../physics/mond/reference-field.ts";
import type { MondSettings } from "../../../physics/mond/settings.ts";
import type { ArraysInPieces } from "../../../physics/particles/saved-arrays.ts";
import type { MeshBuffers } from "../field.ts";
import { readField } from "../force/field-reading.ts";
import { encodeFieldGhosts } from "../ghosts.ts";
import { runLength } from "../multigrid/multigrid-levels.ts";
import { meanWords } from "../poisson/poisson-periodic.ts";
import type { PoissonProblem, PoissonSolver } from "../poisson/poisson-solver.ts";
import { ghostRows, interpolationSource, massPasses, referenceTable } from "./mond.ts";

const GROUP = 64;
/** Cells along x of an invocation: a walk on processors, neighbours that read together on GPUs. */
const RUN = { processor: 32, gpu: 2 };

interface Held {
  pool: BufferPool;
  /** Newton's potential and what lies in cells [mass units], as the field. */
  slabs: readonly { newton: GPUBuffer; masses: GPUBuffer }[];
  /** vec4f: centre of mass [cells] and mass units. */
  centre: GPUBuffer;
}

export interface LinearSolvers {
  /** Solvers of ∇²φ = 4πGρ for Newton's potential and for the phantom matter's: one where it remembers nothing. */
  newton: PoissonSolver;
  phantom: PoissonSolver;
  excess: SmoothExcess;
}

/** A stage that needs no host. */
export const recorded = (encode: (batch: Batch) => void): HostStage => ({ needsHost: false, encode });

export class Qumond implements PoissonSolver {
  private constructor(
    private readonly gpu: GpuContext,
    private readonly mesh: MeshBuffers,
    private readonly solvers: LinearSolvers,
    /** What is done in turn; AQUAL adds to it, and what takes off the net force. */
    readonly stages: HostStage[],
    readonly held: Held,
  ) {}

  static async create(
    gpu: GpuContext,
    mesh: MeshBuffers,
    problem: PoissonProblem,
    mond: MondSettings,
    solvers: LinearSolvers,
  ): Promise<Qumond> {
    const pool = gpu.buffers.pool();
    const slabs = mesh.slabs.map(({ field }) => ({
      newton: pool.storage("Newton's potential", field.size, "mesh"),
      masses: pool.storage("masses of cells", field.size, "mesh"),
    }));
    await pool.settle();
    const newton = slabs.map((slab) => slab.newton);
    const masses = slabs.map((slab) => slab.masses);
    const { centre, series, passes } = await massPasses(gpu, pool, mesh, { masses, problem, mond });
    const { excess } = solvers;
    const { phantom, finish } = await meshStages(gpu, pool, mesh, { problem, mond, newton, centre, series, excess });
    const between = recorded((batch) => {
      if (mesh.slabs.length > 1) encodeFieldGhosts(batch, mesh);
      for (const [s, { field }] of mesh.slabs.entries()) batch.copy(field, 0, newton[s], 0, field.size);
      batch.passes(phantom);
    });
    const stages = [
      recorded((batch) => batch.passes(passes)),
      solvers.newton,
      between,
      solvers.phantom,
      recorded((batch) => batch.passes(finish)),
    ];
    return new Qumond(gpu, mesh, solvers, stages, { pool, slabs, centre });
  }

  get needsHost(): boolean {
    return this.stages.some(({ needsHost }) => needsHost);
  }

  encode(batch: Batch): void {
    for (const stage of this.stages) stage.encode(batch.stage("poisson"));
  }

  async run(): Promise<void> {
    let batch = this.gpu.batch("modified gravity");
    for (const stage of this.stages) batch = await batch.stage("poisson").through(stage);
    await batch.submit();
  }

  newtonPotential(): Promise<Float32Array> {
    const { cells, pitch, slabs } = this.mesh;
    const fields = slabs.map((slab, s) => ({ ...slab, field: this.held.slabs[s].newton }));
    return readField(this.gpu, { cells, pitch, slabs: fields });
  }

  saveState(): ArraysInPieces {
    const { newton, phantom } = this.solvers;
    return { ...newton.saveState?.(), ...(phantom !== newton && named(phantom.saveState?.())) };
  }

  async restoreState(arrays: ArraysInPieces): Promise<void> {
    const { newton, phantom } = this.solvers;
    await newton.restoreState?.(arrays);
    if (phantom !== newton) await phantom.restoreState?.(unnamed(arrays));
  }

  destroy(): void {
    const { newton, phantom } = this.solvers;
    newton.destroy();
    if (phantom !== newton) phantom.destroy();
    this.held.pool.destroyAll();
  }
}

interface Between {
  problem: PoissonProblem;
  mond: MondSettings;
  newton: readonly GPUBuffer[];
  centre: GPUBuffer;
  series: GPUBuffer;
  excess: SmoothExcess;
}

/** What runs between the two solves and after them, slab by slab. */
async function meshStages(
  gpu: GpuContext,
  pool: BufferPool,
  mesh: MeshBuffers,
  { problem, mond, newton, centre, series, excess }: Between,
) {
  const { cells: n, pitch, slabs } = mesh;
  const { boundary, boxSize, G, massUnit, totalUnits = 0 } = problem;
  const h = boxSize / n;
  const isolated = boundary === "isolated";
  const { values, orders, step } = referenceTable(n, problem, mond, excess);
  const table = pool.upload("mond reference", values, "other");
  const external = newtonianExternal(mond);
  const axis = unitVector(external);
  const mean = isolated ? [0, 0] : meanWords(totalUnits, n);
  const unit = (h * h) / (4 * Math.PI * G * massUnit);
  const run = runLength(n, gpu.adapter.software ? RUN.processor : RUN.gpu);
  const uniforms = slabs.map(({ first, planes, cut }) =>
    pool.uniform("qumond", [
      ...f32(...external, 1 / h, ...axis, 1 / mond.a0),
      ...u32(...mean, first, planes, ghostRows(mesh, cut)),
      ...f32(unit, unit * h, step),
    ]),
  );
  const passes = async (entry: string): Promise<Pass[]> => {
    const kernel = await gpu.kernel({
      label: `qumond/${entry}`,
      sources: [interpolationSource(mond), qumondWgsl],
      entry,
      constants: { CELLS: n, PITCH: pitch, RUN: run, ISOLATED: isolated, ORDERS: orders, TABLE: 5, ORDER },
    });
    return slabs.map(({ field, high, planes }, s) => ({
      kernel: kernel.bind(uniforms[s], newton[s], field, high, centre, table, series),
      groups: workgroups((planes * n * n) / run, GROUP),
    }));
  };
  const [phantom, finish] = await Promise.all([passes("phantom"), passes("finish")]);
  return { phantom, finish };
}
