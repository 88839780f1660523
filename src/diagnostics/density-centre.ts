/**
 * Centre of a galaxy that others may have pulled apart: a sphere that shrinks onto the centre of mass of what is in it, so
 * that tails and stripped stars don't count (Power et al. 2003, section 2.5), and the mean velocity there.
 */
import { centreOfMass, type MovingParticles, meanVelocity, type Vector } from "./profiles.ts";

/** The sphere's radius goes down by this factor a time. */
const SHRINK = 0.85;
/** It stops at this share of the particles, or at so few. */
const LAST_SHARE = 0.1;
const LAST_COUNT = 50;

export interface DensityCentre {
  /** [length] */
  centre: Vector;
  /** [velocity] */
  velocity: Vector;
}

export function densityCentre(particles: MovingParticles): DensityCentre {
  const count = particles.masses.length;
  const least = Math.max(LAST_COUNT, LAST_SHARE * count);
  let members = Uint32Array.from({ length: count }, (_, i) => i);
  let centre: Vector = centreOfMass(particles);
  let radius = members.reduce((most, i) => Math.max(most, distance(particles, i, centre)), 0);
  while (radius > 0) {
    radius *= SHRINK;
    const inside = members.filter((i) => distance(particles, i, centre) <= radius);
    if (inside.length < least) break;
    members = inside;
    centre = centreOfMass(chosen(particles, members));
  }
  return { centre, velocity: meanVelocity(chosen(particles, members)) };
}

function distance({ positions: x }: MovingParticles, i: number, centre: Vector): number {
  return Math.hypot(x[3 * i] - centre[0], x[3 * i + 1] - centre[1], x[3 * i + 2] - centre[2]);
}

function chosen({ positions, velocities, masses }: MovingParticles, members: Uint32Array): MovingParticles {
  const vectors = (values: ArrayLike<number>) => {
    const out = new Float64Array(3 * members.length);
    members.forEach((i, k) => {
      for (let axis = 0; axis < 3; axis++) out[3 * k + axis] = values[3 * i + axis];
    });
    return out;
  };
  return {
    positions: vectors(positions),
    velocities: vectors(velocities),
    masses: Float64Array.from(members, (i) => masses[i]),
  };
}
