/** Where each galaxy of a run is densest, how its core moves, and how far its mass has spread from there. */
import type { IdRange, Reductions, Sphere, Vector } from "../../physics/particles/reductions.ts";
import { type ComponentRange, galaxyNames } from "../../physics/particles/state.ts";
import { virialRatioOf } from "./columns/virial-ratio.ts";
import { densityCentre, followedCentre } from "./density-centre.ts";

export interface GalaxyParticles {
  name: string;
  ranges: IdRange[];
}

export interface GalaxyState {
  /** Its density centre, in box coordinates [length]. */
  centre: Vector;
  /** Mean of the core [velocity]. */
  velocity: Vector;
  /** Mass of all its particles [mass]. */
  mass: number;
  /** About the centre: radii that hold 10, 50 and 90 % of its mass [length]. */
  radii: [number, number, number];
  /** Its mass within given radii [mass]. */
  within: number[];
}

/** Shares of the mass that `radii` hold. */
export const MASS_SHARES = [0.1, 0.5, 0.9] as const;

/** Bins of the profile that radii are read from: 3 % wide from 10⁻⁴ of the largest radius on. */
const BINS = 312;
const INNERMOST = 1e-4;

/** The galaxies that components belong to, with their particles. */
export function galaxiesOf(components: readonly ComponentRange[]): GalaxyParticles[] {
  return galaxyNames(components).map((name) => ({
    name,
    ranges: components.filter(({ galaxy }) => galaxy === name).map(({ first, count }) => ({ first, count })),
  }));
}

/** `reach`: mass beyond is not looked for [length]; `radii` [length], in any order; `about`: where it is known to be. */
export async function galaxyState(
  particles: Reductions,
  ranges: readonly IdRange[],
  reach: number,
  radii: readonly number[] = [],
  about?: Sphere,
): Promise<GalaxyState> {
  const { centre, velocity } = about
    ? await followedCentre(particles, about, ranges)
    : await densityCentre(particles, ranges);
  const { mass } = await particles.centre(ranges);
  const ratio = INNERMOST ** (-1 / (BINS - 1));
  const edges = [0, ...Array.from({ length: BINS }, (_, k) => reach * INNERMOST * ratio ** k)];
  const shells = await particles.shells(edges, { centre, flat: false }, ranges);
  const inside = [0];
  for (const one of shells.mass) inside.push(inside[inside.length - 1] + one);
  const [r10, r50, r90] = MASS_SHARES.map((share) => interpolated(inside, edges, share * mass));
  return { centre, velocity, mass, radii: [r10, r50, r90], within: radii.map((r) => interpolated(edges, inside, r)) };
}

/**
 * The virial ratio of some particles in their own frame (columns/virial-ratio.ts), all forces included. Σ m v² and Σ m
 * a·x are those of one ring about each axis: a·x is half the sum of a_R R. NaN without accelerations, or mass.
 */
export async function ownVirialRatio(
  particles: Reductions,
  ranges: readonly IdRange[],
  reach: number,
): Promise<number> {
  const { centre } = await particles.centre(ranges);
  const velocity = await particles.meanVelocity(ranges);
  const about = { centre, velocity, edges: [0, reach], accelerations: true };
  let [square, inward] = [Number.NaN, 0];
  for (const normal of [X, Y, Z]) {
    const ring = await particles.rings({ ...about, normal }, ranges);
    const { radial, azimuthal, vertical } = ring.square;
    square = radial[0] + azimuthal[0] + vertical[0];
    inward += 0.5 * (ring.inward?.[0] ?? Number.NaN);
  }
  return virialRatioOf({ kinetic: 0.5 * square, virial: -inward, momentum: [0, 0, 0], mass: 1 });
}

const [X, Y, Z]: Vector[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** y at x between the points (xs, ys), ascending; the last y beyond them. */
function interpolated(xs: readonly number[], ys: readonly number[], x: number): number {
  const next = xs.findIndex((one) => one >= x);
  if (next < 0) return ys[ys.length - 1];
  if (next === 0) return ys[0];
  const width = xs[next] - xs[next - 1];
  return ys[next - 1] + (width > 0 ? ((x - xs[next - 1]) / width) * (ys[next] - ys[next - 1]) : 0);
}
