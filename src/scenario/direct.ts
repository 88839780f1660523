/**
 * Settings of direct summation as a deck gives them: defaults, what is wrong with a choice, what a step costs.
 * Plain functions; the solver itself is in direct/.
 */
import type { DirectSettings } from "./scenario.ts";

/** ν = 0.01: Portegies Zwart+ 2007, §4; η = 0.1: Bédorf+ 2015, §3.7. */
export const directDefaults: Readonly<DirectSettings> = {
  integrator: "hermite-4",
  steps: "block",
  softening: 0,
  precision: "double-single",
  nu: 0.01,
  eta: 0.1,
};

/** Bytes a particle: a body and a force record of 64, the integrator's state, ticks and lists. */
export const DIRECT_BYTES = 512;
/** The largest single binding, per particle. */
export const DIRECT_BINDING_BYTES = 128;

/** Interactions a second of an ordinary laptop's CPU driver and of a good GPU, for the remark below. */
const SLOW = 1e9;
/** A remark is due from here [s]. */
const LONG = 3600;

/** What is wrong with the settings, by key; empty when nothing is. */
export function directProblems({ integrator, steps, softening }: DirectSettings): {
  key: keyof DirectSettings;
  expected: string;
  hint: string;
}[] {
  if (integrator !== "leapfrog" || steps === "shared" || softening > 0) return [];
  return [
    {
      key: "softening",
      expected: `a number above 0 with integrator = "leapfrog" and steps = "${steps}"`,
      hint: "Leapfrog takes its step from sqrt(softening/|a|): set a softening, or use a Hermite integrator",
    },
  ];
}

const INTEGRATORS = { leapfrog: "leapfrog", "hermite-4": "Hermite 4", "hermite-6": "Hermite 6" } as const;

/** "Hermite 4, block steps" */
export function integratorText({ integrator, steps }: DirectSettings): string {
  return `${INTEGRATORS[integrator]}, ${steps} steps`;
}

/** A remark when even one force on every particle per largest step takes long without a GPU; else undefined. */
export function directCostRemark(count: number, largestSteps: number): string | undefined {
  const seconds = (count ** 2 * largestSteps) / SLOW;
  if (seconds < LONG) return undefined;
  const hours = Math.round(seconds / 3600);
  return (
    `direct summation of ${count} particles over ${largestSteps} steps is at least ${(count ** 2 * largestSteps).toExponential(0)} ` +
    `interactions: about ${hours} hours at 1e9 a second, minutes on a fast GPU (fewer particles, or gravity = "mesh")`
  );
}
