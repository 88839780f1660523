/**
 * What the suite `aubert2009` varies (Aubert, Amini & David 2009, sections 2 and 3.1): three distributions of n³ particles
 * on n³ cells, three histograms, Poisson solvers; nearest-grid-point assignment and a periodic box, as in the paper.
 */

import { unitSystem } from "../../../deck/units.ts";
import type { GpuContext } from "../../../gpu/context.ts";
import { initialConditions } from "../../../initial/index.ts";
import type { DepositMethod } from "../../../mesh/settings.ts";
import type { ParticleSet } from "../../../particles/state.ts";
import { memoryLimits } from "../../../run/engine.ts";
import { loadScenario } from "../../../run/scenario-source.ts";
import { fitAdvice } from "../../../scenario/estimate.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import type { SuiteSettings } from "../suite.ts";

/** Decks that ship, by name. */
export const DISTRIBUTIONS = ["plummer", "disk", "uniform"] as const;
export type Distribution = (typeof DISTRIBUTIONS)[number];

/** "sort" is the paper's "full GPU", "host" its "GPU mixed"; atomics came after it. */
export const HISTOGRAMS = ["sort", "atomic", "host"] as const satisfies readonly DepositMethod[];
export type Histogram = (typeof HISTOGRAMS)[number];

/** "multigrid": 3 V-cycles on 5 levels with 5 + 5 sweeps, the paper's; "multigrid-default": our 2 V(2,2)-cycles. */
export const SOLVERS = ["fft", "multigrid", "multigrid-default"] as const;
export type Solver = (typeof SOLVERS)[number];

const SOLVER_KEYS: Record<Solver, string[]> = {
  fft: ["mesh.poisson=fft"],
  multigrid: ["mesh.poisson=multigrid", "multigrid.preset=aubert2009"],
  "multigrid-default": ["mesh.poisson=multigrid", "multigrid.preset=default"],
};

export const SOLVER_NAMES: Record<Solver, string> = {
  fft: "FFT",
  multigrid: "the paper's multigrid",
  "multigrid-default": "our multigrid",
};

export const DISTRIBUTION_NAMES: Record<Distribution, string> = {
  plummer: "Plummer",
  disk: "disk",
  uniform: "uniform",
};

export const HISTOGRAM_NAMES: Record<Histogram, string> = { sort: "sort", atomic: "atomics", host: "host" };

/** 128 → "128³". */
export const cube = (cells: number) => `${cells}³`;

/**
 * "paper": nearest grid point, periodic box. "default": cloud in cell, what decks run with. "deck": the same in the deck's
 * own box, isolated for sphere and disk.
 */
export type Scheme = "paper" | "default" | "deck";

const SCHEME_KEYS: Record<Scheme, string[]> = {
  paper: ["mesh.assignment=ngp", "box.boundary=periodic"],
  default: ["mesh.assignment=cic", "box.boundary=periodic"],
  deck: ["mesh.assignment=cic"],
};

export interface Sizes {
  /** Cells per side for the time of a step on the GPU, and on the CPU. */
  gpu: readonly number[];
  cpu: readonly number[];
  energy: readonly number[];
  /** For energy with every histogram. */
  energyOfHistograms: number;
  /** For the distributions in turns. */
  turns: number;
}

export function sizes({ quick }: SuiteSettings): Sizes {
  if (quick) return { gpu: [32, 64, 128], cpu: [32, 64, 128], energy: [64], energyOfHistograms: 64, turns: 128 };
  return { gpu: [32, 64, 128, 256], cpu: [32, 64, 128], energy: [32, 64, 128], energyOfHistograms: 64, turns: 128 };
}

export interface Case {
  cells: number;
  distribution: Distribution;
  histogram: Histogram | "auto";
  solver: Solver;
  scheme: Scheme;
}

/** Whether a step is measured: with --quick, of the largest mesh only what the paper's figures are of, for the disk. */
export function isMeasured({ cells, distribution, solver, histogram }: Case, { quick }: SuiteSettings): boolean {
  if (!quick || cells < 128) return true;
  return distribution === "disk" && solver !== "multigrid-default" && histogram !== "atomic";
}

/** The deck of a case, up to one time unit. */
export function scenarioOf({ cells, distribution, histogram, solver, scheme }: Case): Scenario {
  return loadScenario(distribution, [
    `mesh.cells=${cells}`,
    `mesh.deposit=${histogram}`,
    `particles.${distribution}.count=${cells ** 3}`,
    "time.end=1",
    ...SCHEME_KEYS[scheme],
    ...SOLVER_KEYS[solver],
  ]).scenario;
}

/** Why a case doesn't fit the adapter. */
export function tooLarge(one: Case, gpu: GpuContext): string | undefined {
  const advice = fitAdvice(scenarioOf(one), memoryLimits(gpu));
  return advice.fits ? undefined : `it doesn't fit the adapter: ${advice.message}`;
}

let last: { name: string; particles: ParticleSet } | undefined;

/** The particles of a case; those of the last one asked for are kept, since cases of the same come in a row. */
export async function particlesOf(one: Case, signal: AbortSignal): Promise<ParticleSet> {
  const name = `${one.distribution}-${one.cells}`;
  if (last?.name === name) return last.particles;
  last = undefined;
  const scenario = scenarioOf(one);
  const { particles } = await initialConditions(scenario, { G: unitSystem(scenario.units.system).G, signal });
  last = { name, particles };
  return particles;
}
