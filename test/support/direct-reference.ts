/** Direct summation in float64 for tests: backends with exact velocities, and particles that have known orbits. */
import type { DirectPipelineSettings, DirectSettings } from "../../src/engine/direct/settings.ts";
import { ReferenceDirect } from "../../src/engine/reference/direct/pipeline.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { particleSet, plummerSphere } from "./particles.ts";

export function directSettings(changes: Partial<DirectSettings> = {}): DirectSettings {
  return {
    integrator: "hermite-4",
    steps: "block",
    softening: 0,
    softeningKernel: "plummer",
    precision: "single",
    nu: 0.01,
    eta: 0.1,
    ...changes,
  };
}

/** Positions about the origin in a box of no size, G = 1, unless changed. */
export function directPipelineSettings(
  direct: Partial<DirectSettings>,
  step: number,
  changes: Partial<DirectPipelineSettings> = {},
): DirectPipelineSettings {
  return { direct: directSettings(direct), boxSize: 0, G: 1, externalPotentials: [], step, ...changes };
}

export interface PhaseSpace {
  positions: Float64Array;
  velocities: Float64Array;
}

/** What a backend's state holds in full precision, about the centre of the box. */
export async function exactPhaseSpace(backend: ReferenceDirect): Promise<PhaseSpace> {
  const { positions, velocities } = (await backend.saveState()).arrays;
  return { positions: Float64Array.from(positions), velocities: Float64Array.from(velocities) };
}

/** A backend of these bodies. */
export async function exactDirect(
  settings: DirectPipelineSettings,
  bodies: { positions: number[]; velocities: number[]; masses: number[] },
): Promise<ReferenceDirect> {
  const { positions, velocities, masses } = bodies;
  const set = particleSet(positions, velocities, masses);
  return new ReferenceDirect(settings, { ...set, velocities: Float64Array.from(velocities) });
}

export async function totalEnergy(backend: ReferenceDirect): Promise<number> {
  const { kinetic, potential } = await backend.sums();
  return kinetic + potential;
}

/** Two equal bodies at apocentre, G = M = 1 and semi-major axis 1: the period is 2π. */
export function keplerPair(eccentricity: number) {
  const apart = 1 + eccentricity;
  const speed = Math.sqrt(2 / apart - 1);
  return {
    positions: [apart / 2, 0, 0, -apart / 2, 0, 0],
    velocities: [0, speed / 2, 0, 0, -speed / 2, 0],
    masses: [0.5, 0.5],
  };
}

/**
 * A Plummer sphere in standard units, as Portegies Zwart+ (2007) take it: at rest in the origin, scaled to kinetic
 * energy 1/4 and potential −1/2.
 */
export async function standardPlummer(count: number, seed: number, softening: number): Promise<ParticleSet> {
  const sphere = await plummerSphere(count, 20, seed);
  const { positions, velocities } = sphere;
  for (const vectors of [positions, velocities]) {
    for (let axis = 0; axis < 3; axis++) {
      let mean = 0;
      for (let k = axis; k < 3 * count; k += 3) mean += vectors[k] / count;
      for (let k = axis; k < 3 * count; k += 3) vectors[k] -= mean;
    }
  }
  const { kinetic, potential } = await new ReferenceDirect(directPipelineSettings({ softening }, 1), sphere).sums();
  for (let k = 0; k < 3 * count; k++) {
    positions[k] *= -2 * potential;
    velocities[k] *= Math.sqrt(0.25 / kinetic);
  }
  return sphere;
}
