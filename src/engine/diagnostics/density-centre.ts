/** Densest place of a galaxy and the velocity there, by a shrinking sphere (Power et al. 2003, section 2.5). */
import type { IdRange, Reductions, Sphere, Vector } from "../../physics/particles/reductions.ts";

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

/** The centre of the particles in `ranges`, all of them by default. */
export async function densityCentre(particles: Reductions, ranges?: readonly IdRange[]): Promise<DensityCentre> {
  const whole = await particles.centre(ranges);
  const least = Math.max(LAST_COUNT, LAST_SHARE * whole.count);
  let { centre } = whole;
  let members: Sphere | undefined;
  let radius = await particles.radius(1, { centre, flat: false }, ranges);
  while (radius > 0) {
    radius *= SHRINK;
    const inside = await particles.centre(ranges, { centre, radius });
    if (inside.count < least) break;
    members = { centre, radius };
    centre = inside.centre;
  }
  return { centre, velocity: await particles.meanVelocity(ranges, members) };
}

/** A sphere that follows a centre goes down by this factor a time. */
const FASTER = 0.7;
/** Share of its first radius at which it stops: where particles are in one place, nothing smaller says more. */
const SMALLEST = 1e-4;

/** The same, with a sphere that begins where the galaxy is known to be, or from the beginning if it isn't there. */
export async function followedCentre(
  particles: Reductions,
  about: Sphere,
  ranges?: readonly IdRange[],
): Promise<DensityCentre> {
  const all = ranges?.reduce((sum, { count }) => sum + count, 0) ?? particles.count;
  const least = Math.max(LAST_COUNT, LAST_SHARE * all);
  let { centre, radius } = about;
  let members: Sphere | undefined;
  for (; radius > SMALLEST * about.radius; radius *= FASTER) {
    const inside = await particles.centre(ranges, { centre, radius });
    if (inside.count < least) break;
    members = { centre, radius };
    centre = inside.centre;
  }
  if (!members) return densityCentre(particles, ranges);
  return { centre, velocity: await particles.meanVelocity(ranges, members) };
}
