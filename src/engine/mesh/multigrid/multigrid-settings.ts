/**
 * The table [multigrid]: presets of the multigrid Poisson solver, what each setting may be, and the numbers that follow
 * from them, for the solver on the GPU and its float64 oracle.
 */
import { z } from "zod";
import { GravmeshError } from "../../../foundation/base/errors.ts";
import {
  choice,
  type DerivedDefault,
  derived,
  either,
  entry,
  integer,
  nonNegative,
  optional,
} from "../../../foundation/deck/keys.ts";
import { mismatch, type Problem } from "../../../foundation/deck/problems.ts";
import type { Boundary } from "../../../physics/particles/box.ts";

const MOST_CYCLES = 1000;
const MOST_SWEEPS = 100;

/** `aubert2009`: Aubert, Amini & David 2009, §2: 3 V-cycles on 5 levels with 5 + 5 sweeps. */
const presets = {
  default: { order: 2, tolerance: 0, maxCycles: 2, presmooth: 2, postsmooth: 2, levels: 0 },
  aubert2009: { order: 2, tolerance: 0, maxCycles: 3, presmooth: 5, postsmooth: 5, levels: 5 },
} as const;

function fromPreset(key: keyof typeof presets.default): DerivedDefault {
  return {
    text: `${presets.default[key]} (aubert2009: ${presets.aubert2009[key]})`,
    value: ({ deck }) => presets[entry(deck, "multigrid", "preset") === "aubert2009" ? "aubert2009" : "default"][key],
  };
}

export const multigridTable = z
  .strictObject({
    preset: optional(choice("default", "aubert2009"), "default", {
      meaning:
        "settings that the keys below start from; aubert2009: 3 V-cycles on 5 levels, 5 + 5 sweeps (Aubert, Amini & David 2009)",
    }),
    order: derived(either(2, 4), fromPreset("order"), {
      meaning: "of the discretisation: 2, the 7-point Laplacian, or 4, the compact 19-point one",
    }),
    tolerance: derived(nonNegative, fromPreset("tolerance"), {
      meaning:
        "rms residual over the source's rms at which a solve ends; 0 runs exactly maxCycles and asks for no residual",
    }),
    maxCycles: derived(integer(1, 1000), fromPreset("maxCycles"), {
      meaning: "cycles per solve; with a tolerance, a solve that needs more is an error",
    }),
    presmooth: derived(integer(0, 100), fromPreset("presmooth"), { meaning: "sweeps before the coarser level" }),
    postsmooth: derived(integer(0, 100), fromPreset("postsmooth"), { meaning: "sweeps after the coarser level" }),
    levels: derived(integer(0, 32), fromPreset("levels"), { meaning: "levels, the finest included; 0 takes all" }),
  })
  .describe('The multigrid solver; used with mesh.poisson = "multigrid"');
export type MultigridDeck = z.output<typeof multigridTable>;
export type MultigridPreset = MultigridDeck["preset"];
export type MultigridSettings = Omit<MultigridDeck, "preset">;

export const multigridPresets: Readonly<Record<MultigridPreset, Readonly<MultigridSettings>>> = presets;

/** Sides of all the levels that a mesh of `cells` has: halved as long as the result is even. */
export function allLevelSizes(cells: number): number[] {
  const sizes = [cells];
  for (let n = cells / 2; n >= 2 && n % 2 === 0; n /= 2) sizes.push(n);
  return sizes;
}

/** Residual that float32 misses even for the easiest source, white noise (2.6e-7 at 64³, 4.3e-7 at 128³). */
export const FLOAT32_FLOOR = 1e-6;
/** What float64 reaches with room to spare, for the oracle. */
export const FLOAT64_REACH = 1e-12;

/** Problems of the settings, as the deck's own or a program's; `reach`: the least tolerance of the arithmetic. */
export function multigridProblems(
  cells: number,
  settings: MultigridSettings,
  reach: number = FLOAT32_FLOOR,
): Problem[] {
  const problems: Problem[] = [];
  const { tolerance, maxCycles, presmooth, postsmooth, levels } = settings;
  const expect = (key: keyof MultigridSettings, expected: string, hint: string) =>
    problems.push(mismatch(["multigrid", key], expected, settings[key], hint));
  const count = (value: number, low: number, high: number) => Number.isInteger(value) && value >= low && value <= high;
  if (!(tolerance >= 0 && tolerance < 1)) {
    expect("tolerance", "0, or a number below 1", "0 runs exactly maxCycles cycles; 1e-3 is a common choice");
  } else if (tolerance > 0 && tolerance < reach) {
    const expected = `0, or at least ${reach}, the least that the arithmetic reaches`;
    expect("tolerance", expected, "Raise it, or run a fixed number of cycles with 0");
  }
  if (!count(maxCycles, 1, MOST_CYCLES)) {
    const hint = "Without a cycle there is no new potential; 3 V(2,2) cycles are a common choice";
    expect("maxCycles", `an integer from 1 to ${MOST_CYCLES}`, hint);
  }
  for (const key of ["presmooth", "postsmooth"] as const) {
    if (count(settings[key], 0, MOST_SWEEPS)) continue;
    expect(key, `an integer from 0 to ${MOST_SWEEPS}`, "2 sweeps are a common choice");
  }
  if (presmooth + postsmooth === 0) {
    const hint = "Without a sweep the rough part of the error stays; 2 sweeps are a common choice";
    expect("presmooth", "presmooth + postsmooth of at least 1", hint);
  }
  const all = allLevelSizes(cells);
  if (levels !== 0 && !count(levels, 2, all.length)) {
    const odd = all.at(-1)! / 2;
    const end = odd > 1 ? `the next would have ${odd}, an odd number` : "the next would be a single cell";
    const expected = `0 (all), or 2 to ${all.length}: a mesh of ${cells} has levels of ${all.join(", ")} cells (${end})`;
    expect("levels", expected, "0 is fastest");
  }
  return problems;
}

/** Over-relaxation of the red–black sweeps (measured: 0.060 per V(2,2) cycle against 0.105 with 1). */
export const RELAXATION = 1.15;
/** V-cycles from nothing to a first potential, which count for no tolerance and no limit. */
export const START_CYCLES = 3;
/** Those that follow where no tolerance says when it is enough. */
export const COLD_CYCLES = 3;
/** Largest side of the levels that one workgroup keeps in its memory. */
export const TAIL_SIDE = 12;
/** The error that the sweeps of the coarsest level leave. */
const COARSEST_REDUCTION = 1e-3;

/** Sides of the levels in use, finest first. `levels` as in the settings. */
export function multigridSides(cells: number, levels: number): number[] {
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
      `${cycles} ${cycles === 1 ? "cycle" : "cycles"} (residuals seen: ${history}). ${advice(last, falling, reach)}`,
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
