/** Sums over the particles in float64: energies, momenta, virial, radii; the GPU's are in engine/diagnostics/energy.ts. */

import { type MutableVector, SUM_TERMS, TERM_NAMES, type TermSums, termSums } from "./sum-terms.ts";

/** Sums over all particles. Energies count each mesh pair once; external potentials count fully. */
export interface Sums extends TermSums {
  mass: number;
  /** Σ m x / Σ m, box coordinates. */
  centreOfMass: MutableVector;
  /** Σ m a·(x − centre of mass): the virial of Clausius. */
  virial: number;
  /** Particles outside an isolated mesh. */
  outside: number;
  /** Radii about the centre of mass that hold LAGRANGIAN_FRACTIONS of the mass [length]. */
  lagrangianRadii: number[];
}

export const LAGRANGIAN_FRACTIONS = [0.01, 0.1, 0.25, 0.5, 0.75, 0.9] as const;

/** What the sums are taken over: particles in id order at a synchronous time, with the forces on them. */
export interface SumInput {
  /** [3N] box coordinates [length] */
  positions: Float64Array;
  /** [3N] [velocity] */
  velocities: Float64Array | Float32Array;
  /** [N] [mass] */
  masses: Float64Array;
  /** [3N] [velocity/time] */
  accelerations: Float64Array;
  /** [N] of the mesh, or, for particles outside it, of the mass on it [velocity²] */
  meshPotential: Float64Array;
  /** [N] of the external potentials [velocity²] */
  externalPotential: Float64Array;
  /** Numbers of the particles outside an isolated mesh. */
  escaped: Uint32Array;
  /** Side of the box [length]. */
  boxSize: number;
}

export function sumParticles(input: SumInput): Sums {
  const { positions: x, velocities: v, masses, accelerations: a, meshPotential, externalPotential } = input;
  const half = input.boxSize / 2;
  const found = TERM_NAMES.map((name) => ({ name, of: SUM_TERMS[name].of, sums: [0, 0, 0] }));
  let mass = 0;
  for (let i = 0, j = 0; i < masses.length; i++, j += 3) {
    const m = masses[i];
    mass += m;
    const d: MutableVector = [x[j] - half, x[j + 1] - half, x[j + 2] - half];
    const potential = 0.5 * meshPotential[i] + externalPotential[i];
    const particle = { d, v: [v[j], v[j + 1], v[j + 2]] satisfies MutableVector, potential };
    for (const { of, sums } of found) {
      const term = of(particle);
      if (typeof term === "number") sums[0] += m * term;
      else for (let axis = 0; axis < 3; axis++) sums[axis] += m * term[axis];
    }
  }
  const terms = termSums((wanted, axis) => found.find(({ name }) => name === wanted)!.sums[axis]);
  // The mesh's force on an escaped particle has no partner that counts the other half.
  for (const i of input.escaped) terms.potential += 0.5 * masses[i] * meshPotential[i];
  const centreOfMass = weightedCentre(x, masses, mass);
  let virial = 0;
  for (let i = 0, j = 0; i < masses.length; i++, j += 3) {
    const inner =
      a[j] * (x[j] - centreOfMass[0]) +
      a[j + 1] * (x[j + 1] - centreOfMass[1]) +
      a[j + 2] * (x[j + 2] - centreOfMass[2]);
    virial += masses[i] * inner;
  }
  return {
    ...terms,
    mass,
    centreOfMass,
    virial,
    outside: input.escaped.length,
    lagrangianRadii: lagrangianRadii(x, masses, centreOfMass),
  };
}

function weightedCentre(x: Float64Array, masses: Float64Array, mass: number): MutableVector {
  const centre: MutableVector = [0, 0, 0];
  if (mass === 0) return centre;
  for (let i = 0; i < masses.length; i++) {
    for (let axis = 0; axis < 3; axis++) centre[axis] += masses[i] * x[3 * i + axis];
  }
  return centre.map((sum) => sum / mass) as MutableVector;
}

/** Bits of a float64's high word that tell bins apart: sign, exponent and 8 bits of the mantissa. */
const LEADING_SHIFT = 12;
export const LEADING_BINS = 2 ** (32 - LEADING_SHIFT - 1);
const probe = new Float64Array([1]);
const words = new Uint32Array(probe.buffer);
const HIGH = words[1] === 0 ? 0 : 1;

/** They sort like the numbers, from 0 up. */
export function leadingBits(value: number): number {
  probe[0] = value;
  return words[HIGH] >>> LEADING_SHIFT;
}

/**
 * For each fraction the distance from `centre` of the particle at which the mass inside, itself included, reaches that
 * fraction of the whole [length]; all 0 without mass. Only the bin of leading bits that holds a radius is sorted.
 */
export function lagrangianRadii(
  positions: Float64Array,
  masses: Float64Array,
  centre: Readonly<MutableVector>,
  fractions: readonly number[] = LAGRANGIAN_FRACTIONS,
): number[] {
  const count = masses.length;
  const squared = new Float64Array(count);
  for (let i = 0, j = 0; i < count; i++, j += 3) {
    const dx = positions[j] - centre[0];
    const dy = positions[j + 1] - centre[1];
    const dz = positions[j + 2] - centre[2];
    squared[i] = dx * dx + dy * dy + dz * dz;
  }
  const bins = new Uint32Array(count);
  const massInBin = new Float64Array(LEADING_BINS);
  let mass = 0;
  for (let i = 0; i < count; i++) {
    bins[i] = leadingBits(squared[i]);
    massInBin[bins[i]] += masses[i];
    mass += masses[i];
  }
  const radii = fractions.map(() => 0);
  if (!(mass > 0)) return radii;
  fractions.forEach((fraction, f) => {
    const wanted = fraction * mass;
    let below = 0;
    let bin = 0;
    while (bin < massInBin.length - 1 && below + massInBin[bin] < wanted) below += massInBin[bin++];
    const members: number[] = [];
    for (let i = 0; i < count; i++) if (bins[i] === bin) members.push(i);
    members.sort((i, j) => squared[i] - squared[j]);
    let inside = below;
    for (const i of members) {
      inside += masses[i];
      radii[f] = Math.sqrt(squared[i]);
      if (inside >= wanted) break;
    }
  });
  return radii;
}

/** Largest |a| [velocity/time] and |v| [velocity] of [3N] vectors. */
export function largest(vectors: Float64Array | Float32Array): number {
  let most = 0;
  for (let j = 0; j < vectors.length; j += 3) {
    const square = vectors[j] ** 2 + vectors[j + 1] ** 2 + vectors[j + 2] ** 2;
    if (!(square <= most)) most = square;
  }
  return Math.sqrt(most);
}
