/**
 * Poisson's equation ∇²φ = 4πGρ by multigrid in float64: V-cycles on the 7-point Laplacian of cell centres, which start from
 * the last potential (Brandt 1977; Aubert, Amini & David 2009, §2). The oracle of the solver on the GPU, step by step.
 */

import { GravmeshError } from "../../../foundation/base/errors.ts";
import type { Boundary } from "../../../physics/particles/box.ts";
import type { SavedArrays } from "../../../physics/particles/state.ts";
import {
  COLD_CYCLES,
  coarsestRelaxation,
  FLOAT64_REACH,
  type MultigridSettings,
  multigridPresets,
  multigridProblems,
  multigridSides,
  notConverged,
  RELAXATION,
  START_CYCLES,
  wallShare,
} from "../../mesh/multigrid/multigrid-settings.ts";
import { BoundaryPotential } from "./multigrid-boundary.ts";
import {
  compactSource,
  createLevel,
  forEachRow,
  type GhostedLevel,
  prolongate,
  relax,
  removeMean,
  residualNorm,
  restrictResidual,
  setFixedGhosts,
} from "./multigrid-levels.ts";
import type { PoissonSolver } from "./poisson-solver.ts";

/** What a cycle does on its levels. */
export interface CycleSettings extends Pick<MultigridSettings, "presmooth" | "postsmooth"> {
  omega: number;
}

/** Levels of the given sides, finest first; the order is the finest's, the others are of second order. */
export function createHierarchy(sizes: readonly number[], boundary: Boundary, order: 2 | 4 = 2): GhostedLevel[] {
  return sizes.map((n, l) => createLevel(n, boundary === "periodic", wallShare(l, boundary), l === 0 ? order : 2));
}

/** One V-cycle from level `top` down and back. */
export function cycleLevels(levels: readonly GhostedLevel[], settings: CycleSettings, top = 0): void {
  const level = levels[top];
  if (top === levels.length - 1) {
    const { omega, sweeps } = coarsestRelaxation(level.cells, level.periodic ? "periodic" : "isolated");
    relax(level, sweeps, omega);
    return;
  }
  relax(level, settings.presmooth, settings.omega);
  restrictResidual(level, levels[top + 1]);
  cycleLevels(levels, settings, top + 1);
  prolongate(levels[top + 1], level);
  relax(level, settings.postsmooth, settings.omega);
}

export class MultigridSolver implements PoissonSolver {
  /** Residual over the source's rms before the first cycle and after each, of the last solve. */
  residuals: number[] = [];
  private readonly h: number;
  private readonly levels: GhostedLevel[];
  private readonly ghosts: BoundaryPotential | undefined;
  private readonly cycle: CycleSettings;
  private warm = false;
  /** The potential was restored and belongs to the density as it is: the next solve has nothing to do. */
  private restored = false;

  /** boxSize [length]. Throws "scenario" for settings that can't work. */
  constructor(
    readonly cells: number,
    boxSize: number,
    readonly G: number,
    readonly boundary: Boundary,
    readonly settings: MultigridSettings = multigridPresets.default,
  ) {
    const [problem] = multigridProblems(cells, settings, FLOAT64_REACH);
    if (problem) throw new GravmeshError("scenario", problem.message);
    this.h = boxSize / cells;
    this.levels = createHierarchy(multigridSides(cells, settings.levels), boundary, settings.order);
    this.ghosts = boundary === "isolated" ? new BoundaryPotential(cells) : undefined;
    this.cycle = { ...settings, omega: RELAXATION };
  }

  /**
   * [n³] potential [velocity²] of a density [n³] [mass/length³], from the last solve's potential if there was one.
   * Throws "numerical" when the tolerance isn't reached in maxCycles.
   */
  potential(density: Float64Array): Float64Array {
    const { levels, boundary } = this;
    const { tolerance, maxCycles } = this.settings;
    const finest = levels[0];
    if (this.restored) {
      this.restored = false;
      return this.interior(finest.potential);
    }
    if (!this.warm) finest.potential.fill(0);
    this.loadSource(density);
    if (this.ghosts) this.ghosts.fill(finest.source, finest.boundary!);
    setFixedGhosts(finest);
    if (this.settings.order === 4) compactSource(finest);
    const sourceNorm = rms(this.interior(finest.source));
    const relative = () => (sourceNorm === 0 ? 0 : residualNorm(finest) / sourceNorm);
    this.residuals = [];
    let cycles = maxCycles;
    if (!this.warm) {
      for (let c = 0; c < START_CYCLES; c++) cycleLevels(levels, this.cycle);
      if (tolerance === 0) cycles = Math.max(maxCycles, COLD_CYCLES);
    }
    if (tolerance > 0) this.residuals.push(relative());
    for (let c = 0; c < cycles; c++) {
      if (tolerance > 0 && this.residuals.at(-1)! <= tolerance) break;
      cycleLevels(levels, this.cycle);
      if (tolerance > 0) this.residuals.push(relative());
    }
    if (tolerance > 0 && !(this.residuals.at(-1)! <= tolerance)) {
      throw notConverged(this.residuals, this.residuals.length - 1, this.settings);
    }
    this.warm = true;
    if (boundary === "periodic") removeMean(finest, finest.potential);
    return this.interior(finest.potential);
  }

  /** The potential that the next solve starts from, empty before the first. */
  saveState(): { multigridPotential: Float64Array } {
    return { multigridPotential: this.warm ? this.interior(this.levels[0].potential) : new Float64Array(0) };
  }

  /** The next solve is taken to be for the density of the state and yields its potential; the one after starts from it. */
  restoreState({ multigridPotential: potential }: SavedArrays): void {
    if (!(potential instanceof Float64Array)) return;
    this.warm = this.restored = potential.length > 0;
    if (!this.warm) return;
    const { cells: n } = this;
    const target = this.levels[0].potential;
    forEachRow(n, (row, y, z) => {
      const from = (z * n + y) * n;
      target.set(potential.subarray(from, from + n), row);
    });
  }

  /** Bytes held between calls, and besides during one. */
  memory(): { held: number; working: number } {
    const cells = this.levels.reduce((sum, { potential }) => sum + potential.length, 0);
    return { held: 3 * 8 * cells, working: 8 * this.cells ** 3 };
  }

  /** Source h²·4πGρ, without its mean where the mesh is periodic. */
  private loadSource(density: Float64Array): void {
    const { cells: n, h, G } = this;
    const finest = this.levels[0];
    const scale = 4 * Math.PI * G * h * h;
    forEachRow(n, (row, y, z) => {
      for (let x = 0; x < n; x++) finest.source[row + x] = scale * density[(z * n + y) * n + x];
    });
    if (this.boundary === "periodic") removeMean(finest, finest.source);
  }

  private interior(values: Float64Array): Float64Array {
    const { cells: n } = this;
    const result = new Float64Array(n ** 3);
    forEachRow(n, (row, y, z) => result.set(values.subarray(row, row + n), (z * n + y) * n));
    return result;
  }
}

function rms(values: Float64Array): number {
  return Math.sqrt(values.reduce((sum, v) => sum + v * v, 0) / values.length);
}
