/** The table [direct]: the sum over all pairs, its integrators, and what a step of it costs. */
import { z } from "zod";
import { choice, nonNegative, optional, positive } from "../../foundation/deck/keys.ts";
import { mismatch, type Problem } from "../../foundation/deck/problems.ts";
import type { ExternalPotential } from "../../physics/potentials/potential.ts";
import type { Integrator } from "./integrators/integrator.ts";
import { integratorNames, integrators } from "./integrators.ts";
import { SOFTENING_KERNELS } from "./softening.ts";

/** Defaults: ν of Portegies Zwart+ 2007, §4; η of Bédorf+ 2015, §3.7. */
export const directTable = z
  .strictObject({
    integrator: optional(choice(...integratorNames), "hermite-4", {
      meaning: "kick-drift-kick leapfrog, or Hermite schemes of 4th or 6th order",
    }),
    steps: optional(choice("shared", "adaptive", "block"), "block", {
      meaning:
        "time.step for all; one step for all, chosen during the run; or one for every particle: time.step divided by powers of two",
    }),
    softening: optional(nonNegative, 0, {
      unit: "length",
      meaning: "forces go as r/(r² + softening²)^(3/2), or as softeningKernel says",
    }),
    softeningKernel: optional(choice(...SOFTENING_KERNELS), "plummer", {
      meaning:
        "Plummer's, or a cubic spline as deep in the middle, beyond whose radius of 2.8 softening forces are Newton's",
    }),
    precision: optional(choice("single", "double-single"), "double-single", {
      meaning: "of forces and orbits on the GPU; the CPU works in float64",
    }),
    nu: optional(positive, 0.01, {
      meaning: "accuracy of adaptive and block steps: Portegies Zwart+ 2007, eq. 9; leapfrog: √(2 nu softening/|a|)",
    }),
    eta: optional(positive, 0.1, {
      meaning: "accuracy of the steps of hermite-6 (Nitadori & Makino 2008)",
    }),
  })
  .describe('Direct summation; used with gravity = "direct"');
export type DirectSettings = z.output<typeof directTable>;
export type StepScheme = DirectSettings["steps"];
export type Precision = DirectSettings["precision"];

export const directDefaults: Readonly<DirectSettings> = directTable.parse({});

export interface DirectPipelineSettings {
  direct: DirectSettings;
  /** Side of the box [length]: positions are kept about its centre; nothing ends at its faces. */
  boxSize: number;
  /** Gravitational constant in deck units. */
  G: number;
  externalPotentials: readonly ExternalPotential[];
  /** The largest step [time], which `advance` is called with. */
  step: number;
}

/** Bytes a particle: a body and a force record of 64, the integrator's state, ticks and lists. */
export const DIRECT_BYTES = 512;
/** The largest single binding, per particle. */
export const DIRECT_BINDING_BYTES = 128;

/** Interactions a second of an ordinary laptop's CPU driver and of a good GPU, for the remark below. */
const SLOW = 1e9;
/** A remark is due from here [s]. */
const LONG = 3600;

export function directProblems({ integrator, steps, softening }: DirectSettings): Problem[] {
  const { title, stepsNeedSoftening }: Integrator = integrators[integrator];
  if (!stepsNeedSoftening || steps === "shared" || softening > 0) return [];
  const expected = `a number above 0 with integrator = "${integrator}" and steps = "${steps}"`;
  const name = title[0].toUpperCase() + title.slice(1);
  const hint = `${name} takes its step from sqrt(softening/|a|): set a softening, or use a Hermite integrator`;
  return [mismatch(["direct", "softening"], expected, softening, hint)];
}

/** "Hermite 4, block steps" */
export function integratorText({ integrator, steps }: DirectSettings): string {
  return `${integrators[integrator].title}, ${steps} steps`;
}

/** A remark when even one force of the massive particles on every one per largest step takes long without a GPU. */
export function directCostRemark(count: number, massive: number, largestSteps: number): string | undefined {
  const interactions = count * massive * largestSteps;
  const seconds = interactions / SLOW;
  if (seconds < LONG) return undefined;
  const hours = Math.round(seconds / 3600);
  return (
    `direct summation of ${count} particles over ${largestSteps} steps is at least ${interactions.toExponential(0)} ` +
    `interactions: about ${hours} hours at 1e9 a second, minutes on a fast GPU (fewer particles, or gravity = "mesh")`
  );
}
