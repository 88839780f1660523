/**
 * Poisson's equation ∇²φ = 4πGρ on the GPU by multigrid: deposited mass in `field` and `high` → potential in `field` (see
 * field.ts). 7-point Laplacian, red–black Gauss–Seidel, V- or F-cycles, full multigrid for a cold start, the last
 * potential for a warm one (Brandt 1977; Aubert, Amini & David 2009, §2). In float64: reference/mesh/multigrid.ts.
 *
 * Holds the last potential, 4 bytes a cell beside the mesh buffers. It is the start of the next solve and therefore
 * part of the exact state.
 */
import compactSourceWgsl from "../../wgsl/mesh/multigrid-compact-source.wgsl";
import finishWgsl from "../../wgsl/mesh/multigrid-finish.wgsl";
import sourceWgsl from "../../wgsl/mesh/multigrid-source.wgsl";
import { GravmeshError } from "../errors.ts";
import { type Batch, type Pass, workgroups } from "../gpu/batch.ts";
import { type BufferPool, f32, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import { contenders, fastest, recorded } from "../gpu/tune.ts";
import type { Boundary } from "../particles/box.ts";
import type { SavedArrays } from "../particles/state.ts";
import type { MeshBuffers } from "./field.ts";
import { MultigridBoundary } from "./multigrid-boundary.ts";
import { compileLevelKernels } from "./multigrid-kernels.ts";
import { MultigridLevels } from "./multigrid-levels.ts";
import { MEASURE, MultigridMeasure } from "./multigrid-measure.ts";
import {
  COLD_CYCLES,
  cyclesNeeded,
  levelSizes,
  type MultigridSettings,
  multigridProblems,
  notConverged,
  roundingResidual,
} from "./multigrid-settings.ts";
import type { PoissonSolver } from "./poisson.ts";
import { meanWords } from "./poisson-periodic.ts";

export interface MultigridSolverSettings {
  boundary: Boundary;
  /** Side of the box [length]. */
  boxSize: number;
  /** [length³/(mass·time²)] */
  G: number;
  /** What one unit of `field` and `high` stands for [mass]. */
  massUnit: number;
  /** Units on the mesh in all: a periodic solver subtracts the mean exactly, before rounding to float. */
  totalUnits: number;
  multigrid: MultigridSettings;
  /** Cells along x per invocation; measured on the adapter when left out. Changes no bits. */
  run?: number;
}

const GROUP = 64;
const BYTES = 4;
/** Pairs of cells per invocation of the passes that load the source and hand over the potential. */
const SHARE = 8;
/** Cells along x per invocation of the pass that makes the fourth order's source. */
const COMPACT_RUN = 8;
/** Runs along x that are measured: one cell a half sweep and invocation (GPUs), and walks (processors). */
const RUNS = [2, 8, 32];
/** Cycles that a first solve runs before it asks. */
const FIRST_EXPECTED = 2;

/** Somewhat more than a cycle takes off the residual. */
const WORTH_A_CYCLE = 40;

interface Parts {
  potential: GPUBuffer;
  levels: MultigridLevels;
  boundary: MultigridBoundary | undefined;
  measure: MultigridMeasure;
  load: Pass;
  /** The source of the fourth-order scheme. */
  compact: Pass | undefined;
  finish: Pass;
  /** As `finish`, with the potential as it is. */
  keep: Pass;
  own: BufferPool;
}

export class Multigrid implements PoissonSolver {
  readonly writesGradient = false;
  /** Residual over the source's rms at each check of the last solve with a tolerance. */
  residuals: number[] = [];
  readonly #cells: number;
  readonly #settings: MultigridSettings;
  readonly #periodic: boolean;
  #warm = false;
  /** The potential was restored and belongs to the particles as they are: the next solve has nothing to do. */
  #restored = false;
  #expected = FIRST_EXPECTED;

  private constructor(
    private readonly gpu: GpuContext,
    mesh: MeshBuffers,
    settings: MultigridSolverSettings,
    private readonly parts: Parts,
  ) {
    this.#cells = mesh.cells;
    this.#settings = settings.multigrid;
    this.#periodic = settings.boundary === "periodic";
  }

  /**
   * Compiles and, unless the run length is given or known, measures: what is in the mesh buffers is then lost.
   * Throws "scenario" for settings that can't work.
   */
  static async create(gpu: GpuContext, mesh: MeshBuffers, settings: MultigridSolverSettings): Promise<Multigrid> {
    const { cells: n, pitch, field, high } = mesh;
    const { boundary, boxSize, G, massUnit, multigrid } = settings;
    const [problem] = multigridProblems(n, multigrid);
    if (problem) throw new GravmeshError("scenario", problem.message);
    const buffers = gpu.buffers.pool();
    const periodic = boundary === "periodic";
    const potential = buffers.storage(
      "multigrid potential",
      BYTES * (n ** 3 + (periodic ? 0 : 6 * (n + 2) ** 2)),
      "mesh",
    );
    await buffers.settle();
    const levels = await fastestLevels(gpu, mesh, potential, settings);
    const { order } = multigrid;
    const measure = await MultigridMeasure.create(gpu, { ...levels.finest, potential }, { boundary, order });
    const unit = buffers.uniform("multigrid unit", f32((4 * Math.PI * G * massUnit * n) / boxSize));
    const [low, rest] = periodic ? meanWords(settings.totalUnits, n) : [0, 0];
    const mean = buffers.uniform("multigrid mean mass", u32(low, rest));
    const groups = workgroups(n ** 3 / 2 / SHARE, GROUP);
    const load = await gpu.kernel({
      label: "multigrid/source",
      sources: [sourceWgsl],
      entry: "loadSource",
      constants: { CELLS: n, PITCH: pitch },
    });
    const compact =
      order === 4 &&
      (await gpu.kernel({
        label: "multigrid/compact source",
        sources: [compactSourceWgsl],
        entry: "compactSource",
        constants: { CELLS: n, PITCH: pitch, ISOLATED: !periodic },
      }));
    const finish = (subtract: boolean) =>
      gpu.kernel({
        label: subtract ? "multigrid/finish" : "multigrid/keep",
        sources: [finishWgsl],
        entry: "finish",
        constants: { CELLS: n, PITCH: pitch, SUBTRACT: subtract, POTENTIAL: MEASURE.POTENTIAL },
      });
    const keep = (await finish(false)).bind(field, potential, measure.totals);
    return new Multigrid(gpu, mesh, settings, {
      potential,
      levels,
      boundary: periodic ? undefined : await MultigridBoundary.create(gpu, mesh, potential, levels.scratch),
      measure,
      compact: compact
        ? { kernel: compact.bind(field, levels.finest.source), groups: workgroups(n ** 3 / COMPACT_RUN, GROUP) }
        : undefined,
      load: { kernel: load.bind(unit, field, high, high, mean), groups },
      finish: { kernel: periodic ? (await finish(true)).bind(field, potential, measure.totals) : keep, groups },
      keep: { kernel: keep, groups },
      own: buffers,
    });
  }

  /** Whether a solve asks for its residual: then `run` it, otherwise `encode` it. */
  get needsHost(): boolean {
    return this.#settings.tolerance > 0;
  }

  /** Cells along x per invocation. */
  get runLength(): number {
    return this.parts.levels.run;
  }

  /** field and high [mass units] → field [velocity²] by exactly maxCycles cycles (more for the first potential). */
  encode(batch: Batch): Batch {
    batch.stage("poisson");
    if (this.#keepRestored(batch)) return batch;
    const cold = this.#begin(batch);
    const cycles = cold ? Math.max(this.#settings.maxCycles, COLD_CYCLES) : this.#settings.maxCycles;
    this.#cycles(batch, cycles);
    this.#end(batch);
    return batch;
  }

  /**
   * field and high [mass units] → field [velocity²], to the tolerance. The residual is read back first after as many
   * cycles as the last solve needed. Throws "numerical" when maxCycles don't reach the tolerance.
   */
  async run(): Promise<void> {
    const { tolerance, maxCycles } = this.#settings;
    const { measure } = this.parts;
    let batch = this.gpu.batch("multigrid").stage("poisson");
    if (this.#keepRestored(batch)) return batch.submit();
    this.#begin(batch);
    measure.encode(batch, "SOURCE");
    this.residuals = [];
    let done = 0;
    let next = Math.min(this.#expected, maxCycles);
    for (;;) {
      this.#cycles(batch, next);
      done += next;
      measure.encode(batch, "RESIDUAL");
      const residual = await this.#residual(batch);
      this.residuals.push(residual);
      if (residual <= tolerance) break;
      if (done === maxCycles || !Number.isFinite(residual)) {
        throw notConverged(this.residuals, done, this.#settings, await this.#rounding());
      }
      next = Math.min(cyclesNeeded(residual, tolerance), maxCycles - done);
      batch = this.gpu.batch("multigrid").stage("poisson");
    }
    this.#expected = cyclesToExpect(done, this.residuals, tolerance);
    batch = this.gpu.batch("multigrid").stage("poisson");
    this.#end(batch);
    await batch.submit();
  }

  /** [n³] f32 last potential [velocity²], empty before the first solve; cycles after which the next one asks first. */
  async saveState(): Promise<{ multigridPotential: Float32Array; multigridCycles: Uint32Array }> {
    const { potential } = this.parts;
    const bytes = this.#warm ? BYTES * this.#cells ** 3 : 0;
    return {
      multigridPotential: new Float32Array(await this.gpu.read(potential, 0, bytes)),
      multigridCycles: Uint32Array.of(this.#expected),
    };
  }

  /**
   * The next solve is taken to be for the particles of the state, and yields its potential as it is; the one after
   * starts from it. Throws "input" for a state of another mesh.
   */
  restoreState({ multigridPotential: potential, multigridCycles: cycles }: SavedArrays): void {
    if (!(potential instanceof Float32Array) || !cycles) return;
    const expected = this.#cells ** 3;
    if (potential.length !== 0 && potential.length !== expected) {
      throw new GravmeshError(
        "input",
        `multigrid state: expected a potential of ${expected} cells or none, found ${potential.length}; resume with the mesh of the checkpoint`,
      );
    }
    this.#warm = this.#restored = potential.length > 0;
    [this.#expected] = cycles;
    if (this.#warm) this.gpu.device.queue.writeBuffer(this.parts.potential, 0, new Float32Array(potential));
  }

  destroy(): void {
    const { levels, boundary, measure, own } = this.parts;
    levels.destroy();
    boundary?.destroy();
    measure.destroy();
    own.destroyAll();
  }

  /** Source, boundary and, before the first cycles, a first potential; whether it was the first. */
  #begin(batch: Batch): boolean {
    const { load, boundary, compact, levels } = this.parts;
    batch.passes([load]);
    boundary?.encode(batch);
    if (compact) batch.passes([compact]);
    const cold = !this.#warm;
    if (cold) levels.encodeFullMultigrid(batch);
    this.#warm = true;
    return cold;
  }

  #cycles(batch: Batch, count: number): void {
    for (let c = 0; c < count; c++) this.parts.levels.encodeCycle(batch);
  }

  #end(batch: Batch): void {
    const { measure, finish } = this.parts;
    if (this.#periodic) measure.encode(batch, "POTENTIAL");
    batch.passes([finish]);
  }

  #keepRestored(batch: Batch): boolean {
    if (!this.#restored) return false;
    this.#restored = false;
    batch.passes([this.parts.keep]);
    return true;
  }

  /** Submits and reads the residual over the source's rms; 0 for no source. */
  async #residual(batch: Batch): Promise<number> {
    const totals = await this.#totals(batch);
    const source = totals[MEASURE.SOURCE];
    return source === 0 ? 0 : Math.sqrt(totals[MEASURE.RESIDUAL] / source);
  }

  /** What rounding leaves of the residual, over the source's rms. */
  async #rounding(): Promise<number> {
    const batch = this.gpu.batch("multigrid").stage("poisson");
    this.parts.measure.encode(batch, "SIZE");
    const totals = await this.#totals(batch);
    return roundingResidual(Math.sqrt(totals[MEASURE.SIZE]), Math.sqrt(totals[MEASURE.SOURCE]));
  }

  async #totals(batch: Batch): Promise<Float32Array> {
    const { totals } = this.parts.measure;
    let words = new Float32Array(0);
    await batch
      .read(totals, 0, totals.size, (data) => {
        words = new Float32Array(data);
      })
      .submit();
    return words;
  }
}

/** Cycles after which to ask first next time: fewer when this time there was room for one less. */
function cyclesToExpect(done: number, residuals: readonly number[], tolerance: number): number {
  const room = residuals.length === 1 && residuals[0] * WORTH_A_CYCLE < tolerance;
  return room ? Math.max(1, done - 1) : done;
}

/** Levels in the shape that is fastest here, measured on cycles over whatever the mesh holds. */
async function fastestLevels(
  gpu: GpuContext,
  mesh: MeshBuffers,
  potential: GPUBuffer,
  { boundary, multigrid, run }: MultigridSolverSettings,
): Promise<MultigridLevels> {
  const kernels = await compileLevelKernels(gpu, levelSizes(mesh.cells, multigrid.levels), boundary, multigrid.order);
  const question = {
    stage: "multigrid" as const,
    purpose: `multigrid ${boundary} ${mesh.cells} order ${multigrid.order}`,
    elements: mesh.cells ** 3,
    usual: { software: "run 32", hardware: "run 2" },
  };
  const runs = run === undefined ? contenders(gpu, question, RUNS, (length) => `run ${length}`) : [run];
  const shapes = runs.map(
    (length) => new MultigridLevels(gpu, { kernels, mesh, potential, settings: multigrid, boundary, run: length }),
  );
  const winner = await fastest(
    gpu,
    question,
    shapes.map((levels) => recorded("multigrid", `run ${levels.run}`, (batch) => levels.encodeCycle(batch))),
  );
  const [chosen] = shapes.filter((levels) => `run ${levels.run}` === winner);
  for (const levels of shapes) if (levels !== chosen) levels.destroy();
  return chosen;
}
