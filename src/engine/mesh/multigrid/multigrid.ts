/**
 * Poisson's equation ∇²φ = 4πGρ on the GPU by multigrid: deposited mass in `field` and `high` → potential in `field` (see
 * field.ts). 7-point Laplacian, red–black Gauss–Seidel, V-cycles that start from the last potential, which is held and part
 * of the exact state (Brandt 1977; Aubert, Amini & David 2009, §2). In float64: engine/reference/mesh/multigrid.ts.
 */
import { GravmeshError } from "../../../foundation/base/errors.ts";
import type { Batch, Pass } from "../../../foundation/gpu/batch.ts";
import type { BufferPool } from "../../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import { shapeByKind } from "../../../foundation/gpu/shapes.ts";
import { type ArraysInPieces, arrayType, wholeArray } from "../../../physics/particles/saved-arrays.ts";
import type { MeshBuffers } from "../field.ts";
import { encodeFieldGhosts } from "../ghosts.ts";
import type { PoissonProblem, PoissonSolver } from "../poisson/poisson-solver.ts";
import { type LevelArrays, placeLevels, potentialInPieces, writePotential } from "./multigrid-arrays.ts";
import { boundaryPasses } from "./multigrid-boundary.ts";
import { type MeshPasses, meshPasses } from "./multigrid-field.ts";
import { compileLevelKernels, type LevelSteps, levelSteps } from "./multigrid-levels.ts";
import { MEASURE, type MultigridMeasure, measurePasses } from "./multigrid-measure.ts";
import {
  COLD_CYCLES,
  cyclesNeeded,
  type MultigridSettings,
  multigridProblems,
  multigridSides,
  notConverged,
  roundingResidual,
  START_CYCLES,
  tailStart,
} from "./multigrid-settings.ts";

export interface MultigridSolverSettings extends PoissonProblem {
  multigrid: MultigridSettings;
  /** Cells along x per invocation; by the kind of adapter when left out. Changes no bits. */
  run?: number;
}

/** Cells along x per invocation: one of each colour on GPUs, a walk on processors. */
const RUNS: Record<string, number> = { "run 2": 2, "run 32": 32 };
const BY_KIND = { processor: "run 32", gpu: "run 2" };
/** Cycles that a first solve runs before it asks. */
const FIRST_EXPECTED = 2;

/** Somewhat more than a cycle takes off the residual. */
const WORTH_A_CYCLE = 40;

interface Parts {
  finest: LevelArrays;
  levels: LevelSteps;
  /** They write the ghosts of an isolated mesh. */
  boundary: readonly Pass[];
  measure: MultigridMeasure;
  passes: MeshPasses;
  own: BufferPool;
  run: number;
}

export class Multigrid implements PoissonSolver {
  /** Residual over the source's rms at each check of the last solve with a tolerance. */
  residuals: number[] = [];
  readonly #settings: MultigridSettings;
  readonly #periodic: boolean;
  #warm = false;
  /** The potential was restored and belongs to the particles as they are: the next solve has nothing to do. */
  #restored = false;
  #expected = FIRST_EXPECTED;

  private constructor(
    private readonly gpu: GpuContext,
    private readonly mesh: MeshBuffers,
    settings: MultigridSolverSettings,
    private readonly parts: Parts,
  ) {
    this.#settings = settings.multigrid;
    this.#periodic = settings.boundary === "periodic";
  }

  /** Throws "scenario" for settings that can't work. */
  static async create(gpu: GpuContext, mesh: MeshBuffers, settings: MultigridSolverSettings): Promise<Multigrid> {
    const { cells: n } = mesh;
    const { boundary, boxSize, G, massUnit, multigrid, totalUnits } = settings;
    const [problem] = multigridProblems(n, multigrid);
    if (problem) throw new GravmeshError("scenario", problem.message);
    const own = gpu.buffers.pool();
    const sizes = multigridSides(n, multigrid.levels);
    const { order } = multigrid;
    const arrays = placeLevels(own, sizes.slice(0, tailStart(sizes) + 1), { gpu, mesh, boundary, order });
    await own.settle();
    const kernels = await compileLevelKernels(gpu, { sizes, boundary, order });
    const run = settings.run ?? RUNS[shapeByKind(gpu, "multigrid", Object.keys(RUNS), BY_KIND)];
    const levels = levelSteps(own, { kernels, levels: arrays, settings: multigrid, boundary, run });
    const [finest] = arrays;
    const measure = await measurePasses(gpu, own, finest, { boundary, order });
    const periodic = boundary === "periodic";
    const unit = (4 * Math.PI * G * massUnit * n) / boxSize;
    return new Multigrid(gpu, mesh, settings, {
      ...{ finest, levels, measure, own, run },
      boundary: periodic ? [] : await boundaryPasses(gpu, own, mesh, finest),
      passes: await meshPasses(gpu, own, mesh, finest, {
        ...{ periodic, order, unit, totalUnits },
        totals: measure.totals,
      }),
    });
  }

  /** Whether a solve asks for its residual: then `run` it, otherwise `encode` it. */
  get needsHost(): boolean {
    return this.#settings.tolerance > 0;
  }

  /** Cells along x per invocation. */
  get runLength(): number {
    return this.parts.run;
  }

  /** field and high [mass units] → field [velocity²] by exactly maxCycles cycles (more for the first potential). */
  encode(batch: Batch): Batch {
    batch.stage("poisson");
    if (this.#keepRestored(batch)) return batch;
    const cold = this.#begin(batch);
    const cycles = cold ? Math.max(this.#settings.maxCycles, COLD_CYCLES) : this.#settings.maxCycles;
    this.#cycles(batch, cycles);
    return this.#end(batch);
  }

  /** The same to the tolerance, which is asked for after as many cycles as the last solve needed. Throws "numerical". */
  async run(): Promise<void> {
    const { tolerance, maxCycles } = this.#settings;
    const { measure } = this.parts;
    let batch = this.gpu.batch("multigrid").stage("poisson");
    if (this.#keepRestored(batch)) return batch.submit();
    this.#begin(batch);
    batch.passes(measure.SOURCE);
    this.residuals = [];
    let done = 0;
    let next = Math.min(this.#expected, maxCycles);
    for (;;) {
      this.#cycles(batch, next);
      done += next;
      batch.passes(measure.RESIDUAL);
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
    await this.#end(this.gpu.batch("multigrid").stage("poisson")).submit();
  }

  /** [n³] f32 last potential [velocity²], empty before the first solve; cycles after which the next one asks first. */
  saveState(): ArraysInPieces {
    const potential = this.#warm ? potentialInPieces(this.gpu, this.parts.finest) : new Float32Array(0);
    return { multigridPotential: potential, multigridCycles: Uint32Array.of(this.#expected) };
  }

  /** The next solve is for the particles of the state and yields its potential as it is. Throws "input" for another mesh. */
  async restoreState({ multigridPotential: potential, multigridCycles: cycles }: ArraysInPieces): Promise<void> {
    if (!potential || !cycles || arrayType(potential) !== "Float32Array") return;
    const { finest } = this.parts;
    const expected = finest.cells ** 3;
    if (potential.length !== 0 && potential.length !== expected) {
      throw new GravmeshError(
        "input",
        `multigrid state: expected a potential of ${expected} cells or none, found ${potential.length}; resume with the mesh of the checkpoint`,
      );
    }
    await writePotential(this.gpu, finest, potential);
    this.#warm = this.#restored = potential.length > 0;
    [this.#expected] = await wholeArray(cycles);
  }

  destroy(): void {
    this.parts.own.destroyAll();
  }

  /** Source, boundary and, before the first cycles, a first potential; whether it was the first. */
  #begin(batch: Batch): boolean {
    const { passes, boundary, levels, finest } = this.parts;
    const cold = !this.#warm;
    if (cold) for (const { potential } of finest.slabs) batch.clear(potential.buffer);
    batch.passes(passes.load);
    batch.passes(boundary);
    batch.steps(levels.faces);
    if (passes.compact.length > 0) encodeFieldGhosts(batch, this.mesh).passes(passes.compact);
    batch.steps(levels.exchange); // others than the cycles have changed the potential
    if (cold) this.#cycles(batch, START_CYCLES);
    this.#warm = true;
    return cold;
  }

  #cycles(batch: Batch, count: number): void {
    for (let c = 0; c < count; c++) batch.steps(this.parts.levels.cycle);
  }

  #end(batch: Batch): Batch {
    const { measure, passes } = this.parts;
    if (this.#periodic) batch.passes(measure.POTENTIAL);
    return batch.passes(passes.finish);
  }

  #keepRestored(batch: Batch): boolean {
    if (!this.#restored) return false;
    this.#restored = false;
    batch.passes(this.parts.passes.keep);
    return true;
  }

  /** Submits and reads the residual over the source's rms; 0 for no source. */
  async #residual(batch: Batch): Promise<number> {
    const totals = new Float32Array(await batch.readBack(this.parts.measure.totals));
    const source = totals[MEASURE.SOURCE];
    return source === 0 ? 0 : Math.sqrt(totals[MEASURE.RESIDUAL] / source);
  }

  /** What rounding leaves of the residual, over the source's rms. */
  async #rounding(): Promise<number> {
    const batch = this.gpu.batch("multigrid").stage("poisson");
    batch.passes(this.parts.measure.SIZE);
    const totals = new Float32Array(await batch.readBack(this.parts.measure.totals));
    return roundingResidual(Math.sqrt(totals[MEASURE.SIZE]), Math.sqrt(totals[MEASURE.SOURCE]));
  }
}

/** Cycles after which to ask first next time: fewer when this time there was room for one less. */
function cyclesToExpect(done: number, residuals: readonly number[], tolerance: number): number {
  const room = residuals.length === 1 && residuals[0] * WORTH_A_CYCLE < tolerance;
  return room ? Math.max(1, done - 1) : done;
}
