/**
 * What the suite `fujiwara2009` varies (Fujiwara & Nakasato 2009, section V): four systems of galaxies and stars, and how
 * far the loops over targets and sources are unrolled. One softened force with its potential counts 38 operations.
 */

import { unitSystem } from "../../../deck/units.ts";
import { initialConditions } from "../../../initial/index.ts";
import type { ParticleSet } from "../../../particles/state.ts";
import { loadScenario } from "../../../run/scenario-source.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import type { SuiteSettings } from "../suite.ts";

/** Decks that ship, with the paper's numbers of particles. */
export const SYSTEMS = [
  { deck: "figure-eight-3", name: "three galaxies", count: 7500 },
  { deck: "figure-eight-4", name: "four galaxies", count: 10_000 },
  { deck: "cartwheel", name: "cartwheel", count: 18_000 },
  { deck: "random-100k", name: "random", count: 100_000 },
] as const;
export type System = (typeof SYSTEMS)[number];

/** Shapes of our kernel that unroll as the paper's: figures 2, 3 and 4. */
export const UNROLLINGS = ["plain", "targets-4", "targets-4-sources-4"] as const;
export type Unrolling = (typeof UNROLLINGS)[number];
/** And the one that a run takes: chosen among all shapes by a measurement on the adapter. */
export const PROGRAMS = [...UNROLLINGS, "chosen"] as const;
export type Program = (typeof PROGRAMS)[number];

export const PROGRAM_NAMES: Record<Program, string> = {
  plain: "no unrolling",
  "targets-4": "targets × 4",
  "targets-4-sources-4": "targets × 4, sources × 4",
  chosen: "as chosen here",
};

/** Steps of the paper's second experiment. */
export const STEPS = 100;
/** Operations of an interaction, by the paper's count. */
export const OPERATIONS = 38;

/** Numbers of particles of the scan over N (figure 14). */
export function scanCounts({ quick }: SuiteSettings): number[] {
  const [first, last] = quick ? [10, 15] : [10, 18];
  return Array.from({ length: last - first + 1 }, (_, i) => 2 ** (first + i));
}

/** [Gflop/s] of `count`² interactions in `seconds`. */
export const gigaflops = (count: number, seconds: number): number => (OPERATIONS * count ** 2) / seconds / 1e9;

export interface Sample {
  scenario: Scenario;
  particles: ParticleSet;
  G: number;
}

let last: { name: string; sample: Sample } | undefined;

/** The particles of a deck; those of the last one asked for are kept, since measurements of the same come in a row. */
export async function sampleOf(deck: System["deck"], signal: AbortSignal, overrides: string[] = []): Promise<Sample> {
  const name = [deck, ...overrides].join(" ");
  if (last?.name === name) return last.sample;
  last = undefined;
  const { scenario } = loadScenario(deck, overrides);
  const { G } = unitSystem(scenario.units.system);
  const { particles } = await initialConditions(scenario, { G, signal });
  last = { name, sample: { scenario, particles, G } };
  return last.sample;
}

/** So many bodies of the random system, for the scan. */
export const randomSample = (count: number, signal: AbortSignal): Promise<Sample> =>
  sampleOf("random-100k", signal, [`particles.uniform.count=${count}`]);
