/**
 * Settings of the multigrid Poisson solver as a deck gives them: presets, what each may be, and what is wrong with a
 * choice. Plain functions; the solver's own numbers are in mesh/multigrid-settings.ts.
 */

import type { Boundary } from "./scenario.ts";

/** Forces to about 1e-3: mesh forces of a point mass are off by percents at a few cells. */
const SENSIBLE_TOLERANCE = 1e-3;
const MOST_CYCLES = 1000;
const MOST_SWEEPS = 100;

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
  default: { order: 2, cycle: "v", tolerance: 0, maxCycles: 2, presmooth: 2, postsmooth: 2, levels: 0 },
  aubert2009: { order: 2, cycle: "v", tolerance: 0, maxCycles: 3, presmooth: 5, postsmooth: 5, levels: 5 },
};

/** Sides of all the levels that a mesh of `cells` has: halved as long as the result is even. */
export function allLevelSizes(cells: number): number[] {
  const sizes = [cells];
  for (let n = cells / 2; n >= 2 && n % 2 === 0; n /= 2) sizes.push(n);
  return sizes;
}

/** Share of n² that float32Reach takes, by boundary: about 1.5 times what the hardest sources were measured to leave. */
const FLOAT32_REACH = { periodic: 1.5e-8, isolated: 6e-8 } as const;

/**
 * Residual that float32 reaches for every source, relative to the source's rms. The potential is rounded to 2⁻²⁴ of itself,
 * and the Laplacian of that noise is largest beside a source without small scales, for which φ/h² is some n²/4π² of the
 * source: one long wave in a periodic box, an evenly filled isolated one. Concentrated sources reach ten times less.
 */
export function float32Reach(cells: number, boundary: Boundary): number {
  return FLOAT32_REACH[boundary] * cells ** 2;
}

/** Tolerance that makes the solver's error small beside the mesh's own, and that float32 reaches for every source. */
export function sensibleTolerance(cells: number, boundary: Boundary): number {
  return Math.max(SENSIBLE_TOLERANCE, float32Reach(cells, boundary));
}

/** Residual that float32 misses even for the easiest source, white noise (2.6e-7 at 64³, 4.3e-7 at 128³). */
export const FLOAT32_FLOOR = 1e-6;
/** What float64 reaches with room to spare, for the oracle. */
export const FLOAT64_REACH = 1e-12;

/** What is wrong with the settings, by key, for the scenario's checks; empty when nothing is. */
export function multigridProblems(
  cells: number,
  settings: MultigridSettings,
  reach: number = FLOAT32_FLOOR,
): { key: keyof MultigridSettings; expected: string; hint: string }[] {
  const problems: ReturnType<typeof multigridProblems> = [];
  const { tolerance, maxCycles, presmooth, postsmooth, levels } = settings;
  const count = (value: number, low: number, high: number) => Number.isInteger(value) && value >= low && value <= high;
  if (!(tolerance >= 0 && tolerance < 1)) {
    const hint = "0 runs exactly maxCycles cycles; 1e-3 is a common choice";
    problems.push({ key: "tolerance", expected: "0, or a number below 1", hint });
  } else if (tolerance > 0 && tolerance < reach) {
    const expected = `0, or at least ${reach}, the least that the arithmetic reaches`;
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
