/**
 * QUMOND on the GPU (Milgrom 2010; in float64 with the equations: reference/mesh/qumond.ts): deposited mass in `field` and
 * `high` → modified potential in `field`, by a linear solver before and after: Newton's potential, kept in a buffer of its own
 * (4 bytes a cell, as the mass is) → phantom matter as mass words → its potential, to which Newton's and the reference's are added.
 */
import qumondWgsl from "../../wgsl/mesh/qumond.wgsl";
import { type Batch, type Pass, workgroups } from "../gpu/batch.ts";
import { type BufferPool, f32, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import { newtonianExternal, type SmoothExcess } from "../mond/reference-field.ts";
import type { MondSettings } from "../mond/settings.ts";
import type { ArraysInPieces } from "../particles/saved-arrays.ts";
import type { MeshBuffers } from "./field.ts";
import { readField } from "./field-reading.ts";
import { encodeFieldGhosts } from "./ghosts.ts";
import { centrePasses, ghostRows, interpolationSource, referenceTable } from "./mond.ts";
import { runLength } from "./multigrid-levels.ts";
import { meanWords } from "./poisson-periodic.ts";
import type { PoissonProblem, PoissonSolver } from "./poisson-solver.ts";

const GROUP = 64;
/** Cells along x of an invocation: a walk on processors, neighbours that read together on GPUs. */
const RUN = { processor: 32, gpu: 2 };
/** Names of the second solver's arrays in a checkpoint. */
const PHANTOM = "phantom:";

interface Parts {
  own: BufferPool;
  /** Newton's potential and what lies in cells [mass units], as the field. */
  slabs: readonly { newton: GPUBuffer; masses: GPUBuffer }[];
  massCentre: GPUBuffer;
  centre: readonly Pass[];
  phantom: readonly Pass[];
  finish: readonly Pass[];
}

export interface LinearSolvers {
  /** Solvers of ∇²φ = 4πGρ for Newton's potential and for the phantom matter's: one where it remembers nothing. */
  newton: PoissonSolver;
  phantom: PoissonSolver;
  excess: SmoothExcess;
}

export class Qumond implements PoissonSolver {
  private constructor(
    private readonly gpu: GpuContext,
    private readonly mesh: MeshBuffers,
    private readonly solvers: LinearSolvers,
    private readonly parts: Parts,
  ) {}

  static async create(
    gpu: GpuContext,
    mesh: MeshBuffers,
    problem: PoissonProblem,
    mond: MondSettings,
    solvers: LinearSolvers,
  ): Promise<Qumond> {
    const own = gpu.buffers.pool();
    const slabs = mesh.slabs.map(({ field }) => ({
      newton: own.storage("Newton's potential", field.size, "mesh"),
      masses: own.storage("masses of cells", field.size, "mesh"),
    }));
    await own.settle();
    const newton = slabs.map((slab) => slab.newton);
    const masses = slabs.map((slab) => slab.masses);
    const { centre, passes } = await centrePasses(gpu, own, mesh, masses);
    const stages = await meshStages(gpu, own, mesh, { problem, mond, newton, centre, excess: solvers.excess });
    return new Qumond(gpu, mesh, solvers, {
      ...{ own, slabs },
      massCentre: centre,
      centre: passes,
      ...stages,
    });
  }

  /** vec4f: centre of mass [cells] and mass units. */
  get centre(): GPUBuffer {
    return this.parts.massCentre;
  }

  get slabs(): Parts["slabs"] {
    return this.parts.slabs;
  }

  get needsHost(): boolean {
    return this.solvers.newton.needsHost;
  }

  encode(batch: Batch): Batch {
    this.#before(batch);
    this.solvers.newton.encode(batch);
    this.#between(batch);
    this.solvers.phantom.encode(batch);
    return this.#after(batch);
  }

  async run(): Promise<void> {
    const batch = () => this.gpu.batch("qumond");
    await this.#before(batch()).submit();
    await this.solvers.newton.run?.();
    await this.#between(batch()).submit();
    await this.solvers.phantom.run?.();
    await this.#after(batch()).submit();
  }

  #before(batch: Batch): Batch {
    return batch.stage("poisson").passes(this.parts.centre);
  }

  #between(batch: Batch): Batch {
    const { mesh, parts } = this;
    batch.stage("poisson");
    if (mesh.slabs.length > 1) encodeFieldGhosts(batch, mesh);
    for (const [s, { field }] of mesh.slabs.entries()) batch.copy(field, 0, parts.slabs[s].newton, 0, field.size);
    return batch.passes(parts.phantom);
  }

  #after(batch: Batch): Batch {
    return batch.stage("poisson").passes(this.parts.finish);
  }

  newtonPotential(): Promise<Float32Array> {
    const { cells, pitch, slabs } = this.mesh;
    const fields = slabs.map((slab, s) => ({ ...slab, field: this.slabs[s].newton }));
    return readField(this.gpu, { cells, pitch, slabs: fields });
  }

  saveState(): ArraysInPieces {
    const { newton, phantom } = this.solvers;
    if (phantom === newton) return newton.saveState?.() ?? {};
    const second = Object.entries(phantom.saveState?.() ?? {}).map(([name, array]) => [PHANTOM + name, array]);
    return { ...newton.saveState?.(), ...Object.fromEntries(second) };
  }

  async restoreState(arrays: ArraysInPieces): Promise<void> {
    const { newton, phantom } = this.solvers;
    await newton.restoreState?.(arrays);
    if (phantom === newton) return;
    const second = Object.entries(arrays).filter(([name]) => name.startsWith(PHANTOM));
    await phantom.restoreState?.(Object.fromEntries(second.map(([name, a]) => [name.slice(PHANTOM.length), a])));
  }

  destroy(): void {
    const { newton, phantom } = this.solvers;
    newton.destroy();
    if (phantom !== newton) phantom.destroy();
    this.parts.own.destroyAll();
  }
}

interface Between {
  problem: PoissonProblem;
  mond: MondSettings;
  newton: readonly GPUBuffer[];
  centre: GPUBuffer;
  excess: SmoothExcess;
}

/** What runs between the two solves and after them, slab by slab. */
async function meshStages(
  gpu: GpuContext,
  pool: BufferPool,
  mesh: MeshBuffers,
  { problem, mond, newton, centre, excess }: Between,
) {
  const { cells: n, pitch, slabs } = mesh;
  const { boundary, boxSize, G, massUnit, totalUnits = 0 } = problem;
  const h = boxSize / n;
  const isolated = boundary === "isolated";
  const { values, orders, step } = referenceTable(n, problem, mond, excess);
  const table = pool.upload("mond reference", values, "other");
  const external = newtonianExternal(mond, mond.externalField);
  const size = Math.hypot(...external);
  const axis = size === 0 ? [0, 0, 1] : external.map((x) => x / size);
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
      constants: { CELLS: n, PITCH: pitch, RUN: run, ISOLATED: isolated, ORDERS: orders, TABLE: 5 },
    });
    return slabs.map(({ field, high, planes }, s) => ({
      kernel: kernel.bind(uniforms[s], newton[s], field, high, centre, table),
      groups: workgroups((planes * n * n) / run, GROUP),
    }));
  };
  const [phantom, finish] = await Promise.all([passes("phantom"), passes("finish")]);
  return { phantom, finish };
}
