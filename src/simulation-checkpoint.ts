/** The checkpoint of a simulation: what it is, and the particles that a resumed one begins with. */
import type { ExactState } from "./backend.ts";
import type { CosmicEnergyState } from "./cosmology/layzer-irvine.ts";
import { type ComponentRange, commonMass, emptyParticles, type ParticleSet } from "./particles/state.ts";
import type { Sums } from "./particles/sums.ts";
import type { ExternalPotential } from "./potentials/potential.ts";
import type { Scenario } from "./scenario/scenario.ts";
import type { StepsPlace } from "./simulation-steps.ts";

/** Everything that resuming needs; arrays are exact. */
export interface SimulationCheckpoint extends StepsPlace {
  initialSums: Sums;
  components: ComponentRange[];
  /** Mass of a particle per component, or of every particle when they differ within one. */
  masses: number[] | Float64Array;
  externalPotentials: ExternalPotential[];
  /** Comoving clock: the energy equation's integral so far. */
  cosmicEnergy?: CosmicEnergyState | undefined;
  state: ExactState;
}

/** One mass per component when it is the same for all its particles, else the array itself. */
export function massesByComponent(
  components: readonly ComponentRange[],
  masses: Float64Array,
): number[] | Float64Array {
  const perComponent = components.map((range) => commonMass(masses, [range]));
  return perComponent.every((mass) => mass !== undefined) ? perComponent : masses;
}

/** Particles of the right number, masses and components at the centre of the box: the exact state replaces them. */
export function placeholderParticles(scenario: Scenario, { components, masses }: SimulationCheckpoint): ParticleSet {
  const count = components.reduce((sum, component) => sum + component.count, 0);
  const particles = emptyParticles(count, components);
  particles.positions.fill(scenario.box.size / 2);
  if (masses instanceof Float64Array) return { ...particles, masses };
  for (const [c, { first, count: n }] of components.entries()) particles.masses.fill(masses[c], first, first + n);
  return particles;
}
