/** The checkpoint of a simulation: what it is, and the particles that a resumed one begins with. */
import type { ExactState } from "./backend.ts";
import type { CosmicEnergyState } from "./cosmology/layzer-irvine.ts";
import type { ComponentRange, ParticleSet } from "./particles/state.ts";
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
  const perComponent = components.map(({ first }) => masses[first]);
  const uniform = components.every(({ first, count }, c) => {
    for (let i = first; i < first + count; i++) if (masses[i] !== perComponent[c]) return false;
    return true;
  });
  return uniform ? perComponent : masses;
}

/** Particles of the right number, masses and components at the centre of the box: the exact state replaces them. */
export function placeholderParticles(scenario: Scenario, { components, masses }: SimulationCheckpoint): ParticleSet {
  const count = components.reduce((sum, component) => sum + component.count, 0);
  const all = masses instanceof Float64Array ? masses : new Float64Array(count);
  if (all !== masses) {
    components.forEach(({ first, count: n }, c) => {
      all.fill(masses[c], first, first + n);
    });
  }
  return {
    count,
    positions: new Float64Array(3 * count).fill(scenario.box.size / 2),
    velocities: new Float32Array(3 * count),
    masses: all,
    components,
  };
}
