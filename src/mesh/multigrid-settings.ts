/**
 * Settings of the multigrid Poisson solver, what they may be, and the numbers that follow from them: sizes of the
 * levels, relaxation of the coarsest one, the residual that float32 can reach. Shared by the solver on the GPU and
 * by its float64 oracle, so that both run the same algorithm. Plain functions, no GPU.
 */
import { GravmeshError } from "../errors.ts";
import { allLevelSizes, type MultigridSettings } from "../scenario/multigrid.ts";
import type { Boundary } from "../scenario/scenario.ts";

export {
  allLevelSizes,
  FLOAT32_FLOOR,
  FLOAT64_REACH,
  float32Reach,
  type MultigridPreset,
  type MultigridSettings,
  multigridPresets,
  multigridProblems,
  sensibleTolerance,
} from "../scenario/multigrid.ts";

/** Over-relaxation of the red–black sweeps (numerics.md: 0.060 per V(2,2) cycle against 0.105 with 1). */
export const RELAXATION = 1.15;
/** Cycles of a cold start where no tolerance says when it is enough: one of full multigrid, then these. */
export const COLD_CYCLES = 3;
/** Largest side of the levels that one workgroup keeps in its memory; full multigrid starts there. */
export const TAIL_SIDE = 12;
/** V-cycles that solve the first level of full multigrid. */
export const START_CYCLES = 4;
/** The error that the sweeps of the coarsest level leave. */
const COARSEST_REDUCTION = 1e-3;

/** Sides of the levels in use, finest first. `levels` as in the settings. */
export function levelSizes(cells: number, levels: number): number[] {
  const all = allLevelSizes(cells);
  return levels === 0 ? all : all.slice(0, levels);
}

/** First level of the tail, or the last of all. */
export function tailStart(sizes: readonly number[]): number {
  const start = sizes.findIndex((n) => n <= TAIL_SIDE);
  return start < 0 ? sizes.length - 1 : start;
}

/** Relaxation factor and number of sweeps that solve the coarsest level, of side n. */
export function coarsestRelaxation(n: number, boundary: Boundary): { omega: number; sweeps: number } {
  // Largest eigenvalue of the Jacobi iteration apart from the mean: Young 1954, ω = 2/(1 + √(1 − μ²)).
  const mu = boundary === "periodic" ? (2 + Math.cos((2 * Math.PI) / n)) / 3 : Math.cos(Math.PI / (n + 1));
  const omega = 2 / (1 + Math.sqrt(1 - mu * mu));
  const sweeps = Math.max(4, 2 + Math.ceil(Math.log(COARSEST_REDUCTION) / Math.log(omega - 1)));
  return { omega, sweeps };
}

/**
 * Ghost value of a level's correction at an isolated face, as a share of the cell inside: −wall. Corrections vanish at
 * the finest level's ghost centres, half a finest cell h outside; with cells of H the linear ghost is −(H−h)/(H+h).
 */
export function wallShare(level: number, boundary: Boundary): number {
  return boundary === "periodic" ? 0 : (2 ** level - 1) / (2 ** level + 1);
}

/** Error reduction per cycle that is hoped for when nothing better is known. */
const TYPICAL_FACTOR = 0.06;

/** Cycles that should take a residual to the tolerance. */
export function cyclesNeeded(residual: number, tolerance: number): number {
  return Math.max(1, Math.ceil(Math.log(tolerance / residual) / Math.log(TYPICAL_FACTOR)));
}

/** Residual over 2⁻²⁴·(rms φ)/(rms F) once only rounding is left; measured: 5.5 to 5.7, whatever the source. */
const ROUNDING = 6;

/** Residual that the rounding of a float32 potential leaves, relative to the source; both rms, for a cell side of 1. */
export function roundingResidual(potentialRms: number, sourceRms: number): number {
  return (ROUNDING * 2 ** -24 * potentialRms) / sourceRms;
}

/**
 * The error of a solve that didn't reach its tolerance in `cycles`, with the residuals seen and what to try.
 * `reach`: what rounding leaves of this source's residual.
 */
export function notConverged(
  residuals: readonly number[],
  cycles: number,
  { tolerance }: MultigridSettings,
  reach = 0,
): GravmeshError {
  const last = residuals.at(-1)!;
  const falling = last < 0.8 * (residuals.at(-2) ?? Number.POSITIVE_INFINITY);
  const history = residuals.map((r) => r.toExponential(2)).join(", ");
  return new GravmeshError(
    "numerical",
    `multigrid: expected a residual of at most ${tolerance} of the source, found ${last.toExponential(2)} after ` +
      `${cycles} cycles (residuals seen: ${history}). ${advice(last, falling, reach)}`,
  );
}

function advice(last: number, falling: boolean, reach: number): string {
  if (!Number.isFinite(last)) return "It is no number: look for a density that isn't finite";
  if (last < 2 * reach) {
    return `float32 reaches ${reach.toExponential(1)} for this source: raise multigrid.tolerance to ${(2 * reach).toExponential(1)}`;
  }
  if (falling) return "It still falls: raise multigrid.maxCycles, or multigrid.tolerance";
  return (
    "It no longer falls: raise multigrid.tolerance, or use all levels (multigrid.levels = 0) and more sweeps " +
    "(multigrid.presmooth, multigrid.postsmooth)"
  );
}
