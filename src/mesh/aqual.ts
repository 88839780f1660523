/**
 * AQUAL on the GPU (Bekenstein & Milgrom 1984; in float64 with the equations: reference/mesh/aqual.ts): deposited mass in `field` and
 * `high` → modified potential in `field`, by the full approximation scheme from QUMOND's potential, which is the boundary of an
 * isolated mesh, too. The levels have buffers of their own, 14 bytes a cell in all.
 */
import aqualWgsl from "../../wgsl/mesh/aqual.wgsl";
import { GravmeshError } from "../base/errors.ts";
import { type Batch, type Pass, workgroups } from "../gpu/batch.ts";
import { type BufferPool, f32, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BufferSlice } from "../gpu/kernel.ts";
import { boundaryDecay } from "../mond/external-boundary.ts";
import type { MondSettings } from "../mond/settings.ts";
import type { ArraysInPieces } from "../particles/saved-arrays.ts";
import { allLevelSizes, COARSEST_SWEEPS, leastX, type MultigridSettings, notConverged } from "./aqual-settings.ts";
import type { MeshBuffers } from "./field.ts";
import { muSource } from "./mond.ts";
import { runLength } from "./multigrid-levels.ts";
import { meanWords } from "./poisson-periodic.ts";
import type { PoissonProblem, PoissonSolver } from "./poisson-solver.ts";
import type { Qumond } from "./qumond.ts";

const GROUP = 64;
const BYTES = 4;
/** Cells along x of an invocation that relaxes. */
const RUN = { processor: 32, gpu: 2 };
const COLOURS = 4;

interface LevelBuffers {
  cells: number;
  phi: GPUBuffer;
  old: GPUBuffer;
  source: GPUBuffer;
}

interface Passes {
  loadSource: Pass[];
  /** QUMOND's potential and the boundary. */
  begin: Pass[];
  cycle: Pass[];
  measure: Pass[];
  store: Pass[];
  totals: GPUBuffer;
}

export class Aqual implements PoissonSolver {
  /** Of the last solve with a tolerance, over the source's rms. */
  residuals: number[] = [];

  private constructor(
    private readonly gpu: GpuContext,
    private readonly qumond: Qumond,
    private readonly settings: MultigridSettings,
    private readonly passes: Passes,
    private readonly own: BufferPool,
  ) {}

  static async create(
    gpu: GpuContext,
    mesh: MeshBuffers,
    problem: PoissonProblem,
    { mond, multigrid, qumond }: { mond: MondSettings; multigrid: MultigridSettings; qumond: Qumond },
  ): Promise<Aqual> {
    if (mesh.slabs.length > 1) {
      const expected = 'mond.formulation = "aqual": expected a mesh in one piece, which this device doesn\'t bind';
      throw new GravmeshError(
        "memory",
        `${expected}, found ${mesh.slabs.length} slabs; try fewer mesh.cells, or "qumond"`,
      );
    }
    const own = gpu.buffers.pool();
    const levels = allLevelSizes(mesh.cells).map((cells): LevelBuffers => {
      const [phi, old, source] = ["potential", "first potential", "source"].map((name) =>
        own.storage(`aqual ${name}`, BYTES * (cells + 2) ** 3, "mesh"),
      );
      return { cells, phi, old, source };
    });
    await own.settle();
    const passes = await passesOf(gpu, own, mesh, { problem, mond, multigrid, levels, centre: qumond.centre });
    return new Aqual(gpu, qumond, multigrid, passes, own);
  }

  get needsHost(): boolean {
    return this.settings.tolerance > 0 || this.qumond.needsHost;
  }

  encode(batch: Batch): Batch {
    batch.stage("poisson").passes(this.passes.loadSource);
    this.qumond.encode(batch);
    batch.passes(this.passes.begin);
    for (let cycle = 0; cycle < this.settings.maxCycles; cycle++) batch.passes(this.passes.cycle);
    return batch.passes(this.passes.store);
  }

  /** The same to the tolerance, which is asked for after every cycle. Throws "numerical". */
  async run(): Promise<void> {
    const { passes, settings } = this;
    const { tolerance, maxCycles } = settings;
    const batch = () => this.gpu.batch("aqual").stage("poisson");
    await batch().passes(passes.loadSource).submit();
    if (this.qumond.needsHost) await this.qumond.run();
    else await this.qumond.encode(batch()).submit();
    await batch().passes(passes.begin).submit();
    this.residuals = [];
    for (let cycle = 0; cycle < maxCycles; cycle++) {
      await batch().passes(passes.cycle).submit();
      if (tolerance === 0) continue;
      this.residuals.push(await this.#residual());
      if (this.residuals.at(-1)! <= tolerance) break;
    }
    if (tolerance > 0 && !(this.residuals.at(-1)! <= tolerance)) {
      throw notConverged(this.residuals, maxCycles, settings);
    }
    await batch().passes(passes.store).submit();
  }

  async #residual(): Promise<number> {
    const { measure, totals } = this.passes;
    let found = new Float32Array(2);
    const batch = this.gpu.batch("aqual").stage("poisson").passes(measure);
    await batch
      .read(totals, 0, 2 * BYTES, (data) => {
        found = new Float32Array(data);
      })
      .submit();
    return found[0] === 0 ? 0 : Math.sqrt(found[1] / found[0]);
  }

  newtonPotential(): Promise<Float32Array> {
    return this.qumond.newtonPotential();
  }

  saveState(): ArraysInPieces {
    return this.qumond.saveState();
  }

  restoreState(arrays: ArraysInPieces): Promise<void> {
    return this.qumond.restoreState(arrays);
  }

  destroy(): void {
    this.qumond.destroy();
    this.own.destroyAll();
  }
}

interface Given {
  problem: PoissonProblem;
  mond: MondSettings;
  multigrid: MultigridSettings;
  levels: readonly LevelBuffers[];
  centre: GPUBuffer;
}

async function passesOf(
  gpu: GpuContext,
  pool: BufferPool,
  mesh: MeshBuffers,
  { problem, mond, multigrid, levels, centre }: Given,
): Promise<Passes> {
  const { boundary, boxSize, G, massUnit, totalUnits = 0 } = problem;
  const isolated = boundary === "isolated";
  const { field, high, pitch, cells } = mesh;
  const wanted = gpu.adapter.software ? RUN.processor : RUN.gpu;
  const mean = pool.uniform("mean mass", u32(...(isolated ? [0, 0] : meanWords(totalUnits, cells))));
  const totals = pool.storage("aqual residual", 2 * BYTES, "other");
  const partials = pool.storage("aqual rows", 2 * BYTES * cells ** 2, "mesh");
  await pool.settle();
  const decay = boundaryDecay(mond, G * massUnit * totalUnits, boxSize);
  const uniform = (l: number, colour = 0) => {
    const n = levels[l].cells;
    const h = boxSize / n;
    const wall = (2 ** l - 1) / (2 ** l + 1);
    const unit = (4 * Math.PI * G * massUnit) / h ** 3;
    return pool.uniform("aqual level", [
      ...u32(n, colour, runLength(n, wanted), levels[l + 1]?.cells ?? 0),
      ...f32(1 / h, wall, unit, leastX(mond, G * massUnit * totalUnits, boxSize)),
      ...f32(...mond.externalField, 1 / mond.a0, G * massUnit, h, decay, 0.5 ** l),
    ]);
  };
  const constants = { ISOLATED: isolated, PITCH: pitch };
  const kernel = (entry: string, finest = false) =>
    gpu.kernel({
      ...{ label: `aqual/${entry}`, sources: [muSource(mond), aqualWgsl], entry },
      constants: { ...constants, FINEST: finest },
    });
  const entries = ["relax", "ghosts", "guess", "restrictLevel", "remember", "prolong"] as const;
  const finestEntries = ["boundary", "loadSource", "loadPotential", "store", "measure", "total"] as const;
  const [kernels, finestKernels] = await Promise.all([
    Promise.all(entries.map((entry) => kernel(entry))),
    Promise.all(finestEntries.map((entry) => kernel(entry, true))),
  ]);
  const [relax, ghosts, guess, restrict, remember, prolong] = kernels;
  /** A pass over so many invocations of a level, and what stands in the place of the coarser one. */
  const pass = (
    on: (typeof kernels)[number],
    l: number,
    count: number,
    { colour = 0, beside }: { colour?: number; beside?: readonly BufferSlice[] } = {},
  ): Pass => {
    const { phi, old, source } = levels[l];
    const other = levels[l + 1] ?? levels[0];
    const others = beside ?? [other.phi, other.old, other.source];
    const bound = on.bind(uniform(l, colour), phi, old, source, mean, ...others, centre);
    return { kernel: bound, groups: workgroups(count, GROUP) };
  };
  const shell = (l: number) => 6 * (levels[l].cells + 2) ** 2;
  const withGhosts = (l: number): Pass[] => (isolated && l === 0 && decay === 0 ? [] : [pass(ghosts, l, shell(l))]);
  const relaxed = (l: number, sweeps: number): Pass[] => {
    const n = levels[l].cells;
    const sweep = Array.from({ length: COLOURS }, (_, colour) => [
      ...withGhosts(l),
      pass(relax, l, n ** 3 / 2 / runLength(n, wanted), { colour }),
    ]).flat();
    return Array.from({ length: sweeps }, () => sweep).flat();
  };
  const cycle = (l: number): Pass[] => {
    if (l === levels.length - 1) return relaxed(l, COARSEST_SWEEPS);
    const [n, m] = [levels[l].cells, levels[l + 1].cells];
    const { phi, old, source } = levels[l];
    const finer = { beside: [phi, old, source] };
    return [
      ...relaxed(l, multigrid.presmooth),
      ...withGhosts(l),
      pass(restrict, l, m ** 3),
      isolated ? pass(guess, l + 1, shell(l + 1), finer) : pass(ghosts, l + 1, shell(l + 1)),
      pass(remember, l + 1, (m + 2) ** 3),
      ...cycle(l + 1),
      ...withGhosts(l + 1),
      pass(prolong, l, n ** 3),
      ...relaxed(l, multigrid.postsmooth),
    ];
  };
  const [boundaryKernel, loadSource, loadPotential, store, measure, total] = finestKernels;
  const inField = { beside: [field, high, totals] };
  const toTotals = { beside: [field, partials, totals] };
  return {
    loadSource: [pass(loadSource, 0, cells ** 3 / 2, inField)],
    begin: [
      pass(loadPotential, 0, cells ** 3, inField),
      ...(isolated ? [pass(boundaryKernel, 0, shell(0), inField)] : []),
    ],
    cycle: cycle(0),
    measure: [
      ...withGhosts(0),
      pass(measure, 0, cells ** 2, toTotals),
      { ...pass(total, 0, 1, toTotals), groups: [1, 1] },
    ],
    store: [pass(store, 0, cells ** 3, inField)],
    totals,
  };
}
