/** The integrators of direct summation, by their names in decks. */
import { hermite4 } from "./integrators/hermite-4.ts";
import { hermite6 } from "./integrators/hermite-6.ts";
import type { Integrator } from "./integrators/integrator.ts";
import { leapfrog } from "./integrators/leapfrog.ts";

export const integrators = {
  leapfrog,
  "hermite-4": hermite4,
  "hermite-6": hermite6,
} as const satisfies Record<string, Integrator>;

export type IntegratorName = keyof typeof integrators;

export const integratorNames = Object.keys(integrators) as [IntegratorName, ...IntegratorName[]];
