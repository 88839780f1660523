/**
 * The mass that an external potential of any symmetry is to spheres about its centre: its field has the same mean radial
 * force over a sphere, M(r) = −r² ⟨a·r̂⟩/G by Gauss's law, with the density M'/4πr² and the depth ∫_r^∞ M/r² dr.
 * The mean is Gauss and Legendre's over both halves of cos θ (a disk's force has a kink between them) and over equal steps
 * of azimuth.
 */
import { gaussLegendre } from "../cosmology/quadrature.ts";
import { formulaOf, sphericalMass } from "../potentials/external.ts";
import { factorAt } from "../potentials/motion.ts";
import type { ExternalPotential } from "../potentials/potential.ts";
import { profileOfMasses, type SphericalProfile } from "./profiles.ts";

/** Nodes of ln r, and the first radius in outermost ones. */
const NODES = 640;
const INNERMOST = 1e-10;
/** Nodes of cos θ in a hemisphere. */
const HEIGHTS = 24;
/** A mean force below this fraction of the mean size of the force is rounding. */
const ROUNDING = 1e-9;

/** Directions in the plane for means over azimuth: exact for patterns of fewer arms. */
export const AZIMUTHS = 16;

/** Their unit vectors, the first `phase` steps from the x axis. */
export function azimuths(phase = 0): { cosine: number; sine: number }[] {
  return Array.from({ length: AZIMUTHS }, (_, k) => {
    const azimuth = (2 * Math.PI * (k + phase)) / AZIMUTHS;
    return { cosine: Math.cos(azimuth), sine: Math.sin(azimuth) };
  });
}

/** Unit vectors with weights of sum 1, that a mean is taken over. */
export type Directions = readonly { direction: readonly [number, number, number]; weight: number }[];

/**
 * With no mass beyond `outermost` [length], by the formula of a spherical potential; undefined where the mean force is none.
 * `G` in deck units.
 */
export function meanMass(
  potential: ExternalPotential,
  G: number,
  outermost: number,
  directions?: Directions,
): SphericalProfile | undefined {
  const spherical = sphericalMass(potential, G, outermost);
  if (spherical) return spherical;
  const force = meanForce(potential, G, directions);
  const step = -Math.log(INNERMOST) / (NODES - 1);
  const radii = Float64Array.from({ length: NODES }, (_, i) => outermost * Math.exp(step * (i - NODES + 1)));
  const masses = radii.map((r) => (-r * r * force(r)) / G);
  if (!masses.some((mass) => mass !== 0)) return undefined;
  return profileOfMasses(radii, masses, step);
}

/** ⟨a·r̂⟩ over a sphere [velocity/time] as a function of its radius, with the potential's factor at the start. */
export function meanForce(potential: ExternalPotential, G: number, given?: Directions): (r: number) => number {
  const { formula, p } = formulaOf(potential, G);
  const directions = given ?? sphereDirections(formula.round?.(p) ? 1 : AZIMUTHS);
  const [factor] = factorAt(potential, 0);
  const [x, a] = [new Float64Array(3), new Float64Array(3)];
  return (r) => {
    let [mean, size] = [0, 0];
    for (const { direction, weight } of directions) {
      for (let k = 0; k < 3; k++) x[k] = r * direction[k];
      formula.acceleration(p, x, a);
      mean += weight * (a[0] * direction[0] + a[1] * direction[1] + a[2] * direction[2]);
      size += weight * Math.hypot(a[0], a[1], a[2]);
    }
    return Math.abs(mean) > ROUNDING * size ? factor * mean : 0;
  };
}

/** `around`: directions at each cos θ, one where all are the same. */
function sphereDirections(around: number): Directions {
  const { nodes, weights } = gaussLegendre(HEIGHTS);
  return [...nodes].flatMap((node, i) =>
    [-1, 1].flatMap((side) =>
      azimuths(0.5)
        .slice(0, around)
        .map(({ cosine, sine }) => {
          const z = (side * (1 + node)) / 2;
          const planar = Math.sqrt(1 - z * z);
          return {
            direction: [planar * cosine, planar * sine, z] as [number, number, number],
            weight: weights[i] / (4 * around),
          };
        }),
    ),
  );
}
