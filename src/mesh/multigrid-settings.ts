/**
 * Settings of the multigrid Poisson solver, what they may be, and the numbers that follow from them: sizes of the
 * levels, relaxation of the coarsest one, the residual that float32 can reach. Shared by the solver on the GPU and
 * by its float64 oracle, so that both run the same algorithm. Plain functions, no GPU.
 */
import { GravmeshError } from "../errors.ts";
import type { Boundary } from "../scenario/scenario.ts";

export interface MultigridSettings {
  /** Of the discretisation: 2, the 7-point Laplacian, or 4, the compact one of 19 points (Mehrstellen). */
  order: 2 | 4;
  /** V-cycle, or F-cycle: on every level the coarser one is visited by an F- and then by a V-cycle. */
  cycle: "v" | "f";
  /** Residual to reach, rms relative to the source's rms; 0 runs exactly `maxCycles` cycles and never asks. */
  tolerance: number;
  /** Cycles per solve: at most (with a tolerance) or exactly (without). */
  maxCycles: number;
  /** Red–black sweeps before and after the visit to the coarser level. */
  presmooth: number;
  postsmooth: number;
  /** Levels, the finest included; 0 takes all there are. */
  levels: number;
}

export type MultigridPreset = "default" | "aubert2009";

/** `aubert2009`: Aubert, Amini & David 2009, §2: 3 V-cycles on 5 levels with 5 + 5 sweeps. */
export const multigridPresets: Readonly<Record<MultigridPreset, Readonly<MultigridSettings>>> = {
  default: { order: 2, cycle: "v", tolerance: 0, maxCycles: 3, presmooth: 2, postsmooth: 2, levels: 0 },
  aubert2009: { order: 2, cycle: "v", tolerance: 0, maxCycles: 3, presmooth: 5, postsmooth: 5, levels: 5 },
};

/** Over-relaxation of the red–black sweeps (numerics.md: 0.060 per V(2,2) cycle against 0.105 with 1). */
export const RELAXATION = 1.15;
/** Cycles of a cold start where no tolerance says when it is enough: one of full multigrid, then these. */
export const COLD_CYCLES = 6;
/** Largest side of the levels that one workgroup keeps in its memory; full multigrid starts there. */
export const TAIL_SIDE = 12;
/** V-cycles that solve the first level of full multigrid. */
export const START_CYCLES = 4;
/** The error that the sweeps of the coarsest level leave. */
const COARSEST_REDUCTION = 1e-3;
const MOST_CYCLES = 1000;
const MOST_SWEEPS = 100;

/** Sides of all the levels that a mesh of `cells` has: halved as long as the result is even. */
export function allLevelSizes(cells: number): number[] {
  const sizes = [cells];
  for (let n = cells / 2; n >= 2 && n % 2 === 0; n /= 2) sizes.push(n);
  return sizes;
}

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

/**
 * Residual that float32 reaches for any source, relative to the source's rms: the potential is rounded to 2⁻²⁴ of
 * itself, and the Laplacian of that noise is largest beside the source of the longest wave in the box, for which
 * φ/h² is n²/4π² of the source.
 */
export function float32Reach(cells: number): number {
  return 1.5e-8 * cells ** 2;
}

/** What float64 reaches with room to spare, for the oracle. */
export const FLOAT64_REACH = 1e-12;

/** What is wrong with the settings, by key, for the scenario's checks; empty when nothing is. */
export function multigridProblems(
  cells: number,
  settings: MultigridSettings,
  reach: number = float32Reach(cells),
): { key: keyof MultigridSettings; expected: string; hint: string }[] {
  const problems: ReturnType<typeof multigridProblems> = [];
  const { tolerance, maxCycles, presmooth, postsmooth, levels } = settings;
  const count = (value: number, low: number, high: number) => Number.isInteger(value) && value >= low && value <= high;
  if (!(tolerance >= 0 && tolerance < 1)) {
    const hint = "0 runs exactly maxCycles cycles; 1e-3 is a common choice";
    problems.push({ key: "tolerance", expected: "0, or a number below 1", hint });
  } else if (tolerance > 0 && tolerance < reach) {
    const expected = `0, or at least ${reach.toPrecision(2)}, what the arithmetic reaches on a mesh of ${cells}^3`;
    problems.push({ key: "tolerance", expected, hint: "Raise it, or run a fixed number of cycles with 0" });
  }
  if (!count(maxCycles, 1, MOST_CYCLES)) {
    const hint = "Without a cycle there is no new potential; 3 V(2,2) cycles are a common choice";
    problems.push({ key: "maxCycles", expected: `an integer from 1 to ${MOST_CYCLES}`, hint });
  }
  for (const [key, value] of [
    ["presmooth", presmooth],
    ["postsmooth", postsmooth],
  ] as const) {
    if (!count(value, 0, MOST_SWEEPS)) {
      problems.push({ key, expected: `an integer from 0 to ${MOST_SWEEPS}`, hint: "2 sweeps are a common choice" });
    }
  }
  if (presmooth + postsmooth === 0) {
    const hint = "Without a sweep the rough part of the error stays; 2 sweeps are a common choice";
    problems.push({ key: "presmooth", expected: "presmooth + postsmooth of at least 1", hint });
  }
  const all = allLevelSizes(cells);
  if (levels !== 0 && !count(levels, 2, all.length)) {
    const odd = all.at(-1)! / 2;
    const end = odd > 1 ? `the next would have ${odd}, an odd number` : "the next would be a single cell";
    const expected = `0 (all), or 2 to ${all.length}: a mesh of ${cells} has levels of ${all.join(", ")} cells (${end})`;
    problems.push({ key: "levels", expected, hint: "0 is fastest" });
  }
  return problems;
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

/** The error of a solve that didn't reach its tolerance in `cycles`, with the residuals seen and what to try. */
export function notConverged(
  residuals: readonly number[],
  cycles: number,
  { tolerance }: MultigridSettings,
): GravmeshError {
  const last = residuals.at(-1)!;
  const falling = last < 0.8 * (residuals.at(-2) ?? Number.POSITIVE_INFINITY);
  const advice = !Number.isFinite(last)
    ? "It is no number: look for a density that isn't finite"
    : falling
      ? "It still falls: raise multigrid.maxCycles, or multigrid.tolerance"
      : "It no longer falls: raise multigrid.tolerance, or use all levels (multigrid.levels = 0) and more sweeps " +
        "(multigrid.presmooth, multigrid.postsmooth)";
  const history = residuals.map((r) => r.toExponential(2)).join(", ");
  return new GravmeshError(
    "numerical",
    `multigrid: expected a residual of at most ${tolerance} of the source, found ${last.toExponential(2)} after ` +
      `${cycles} cycles (residuals seen: ${history}). ${advice}`,
  );
}
