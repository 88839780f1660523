/** Initial conditions of a scenario: in blocks (source.ts), or all at once in arrays. */
import { collected } from "../particles/source.ts";
import type { ParticleSet } from "../particles/state.ts";
import type { ExternalPotential } from "../potentials/potential.ts";
import type { InitialSettings } from "./components.ts";
import { type InitialConditionsOptions, initialSource } from "./source.ts";

export type { CrewMaker } from "./crew.ts";
export type { GivenParticles } from "./given.ts";
export type {
  DisplacementFields,
  DisplacementMaker,
  DisplacementRequest,
  Displacements,
  LoadedSnapshot,
  SnapshotLoader,
  SnapshotSource,
} from "./model.ts";
export { type InitialConditionsOptions, type InitialParticles, type InitialSource, initialSource } from "./source.ts";

export interface InitialConditions {
  particles: ParticleSet;
  externalPotentials: ExternalPotential[];
}

/**
 * Particles (box coordinates, deck units) and external potentials of a scenario.
 * Throws "input" for numbers that are not finite, "scenario" for particles outside the box and for components that
 * have no equilibrium, "usage" for a snapshot without a loader, "aborted" after an abort.
 */
export async function initialConditions(
  scenario: InitialSettings,
  options: InitialConditionsOptions,
): Promise<InitialConditions> {
  const { source, externalPotentials } = await initialSource(scenario, options);
  return { particles: await collected(source), externalPotentials };
}
