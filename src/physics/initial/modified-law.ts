/**
 * Models in modified gravity: the field that they are set up in is Newton's of all components times ν(g_N/a0), right for spheres and, within
 * some per cent, in the plane of disks (Brada & Milgrom 1995). With an external field g_Ne at an angle θ it is the mean over the sphere
 * of the outward part of ν(|g|/a0) g, g = g_N + g_Ne: QUMOND's monopole, as ∇·(∇Φ − ν∇Φ_N) = 0.
 */
import { gaussLegendre } from "../cosmology/quadrature.ts";
import { newtonian, phantomShare } from "../mond/interpolation.ts";
import type { MondTable } from "../mond/settings.ts";
import { profileOfMasses, type SphericalProfile } from "./profiles.ts";

/** ν of Newton's field of that strength. */
export type GravityLaw = (strength: number) => number;

/** Angles of the mean over a sphere, the share of the external field below which ν is linear, and a step of differences. */
const [ANGLES, LEAST_SHARE, STEP] = [32, 1e-4, 1e-4];

/** Undefined where gravity is Newton's. */
export function gravityLaw(mond: MondTable | undefined): GravityLaw | undefined {
  if (!mond || mond.formulation === "none") return undefined;
  const { interpolation, a0, externalField } = mond;
  const external = newtonian(interpolation, a0, Math.hypot(...externalField));
  const nu = (strength: number) => 1 + phantomShare(interpolation, a0, strength);
  if (external === 0) return nu;
  const { nodes, weights } = gaussLegendre(ANGLES);
  const slope = Math.log(nu(external * (1 + STEP)) / nu(external * (1 - STEP))) / (2 * STEP); // d ln ν/d ln g
  return (strength) => {
    let outward = 0;
    for (let k = 0; k < nodes.length; k++) {
      const along = strength - external * nodes[k];
      const across = external * Math.sqrt(1 - nodes[k] ** 2);
      outward += 0.5 * weights[k] * nu(Math.hypot(along, across)) * along;
    }
    // The field of nothing is linear in what there is.
    return strength > LEAST_SHARE * external ? outward / strength : nu(external) * (1 + slope / 3);
  };
}

/** Nodes, and their range in sides of the box: as far out as eddington.ts looks, and farther. */
const [INNERMOST, OUTERMOST, NODES] = [1e-7, 1e4, 2400];

/** What the total mass would be in Newton's gravity: ν M; its depth is that to 10⁴ sides of the box, as it may have no limit. */
export function modifiedProfile(
  total: SphericalProfile,
  law: GravityLaw,
  { G, boxSize }: { G: number; boxSize: number },
): SphericalProfile {
  const step = Math.log(OUTERMOST / INNERMOST) / (NODES - 1);
  const radii = Float64Array.from({ length: NODES }, (_, i) => INNERMOST * boxSize * Math.exp(i * step));
  const masses = radii.map((r) => {
    const mass = total.mass(r);
    return law((G * mass) / r ** 2) * mass;
  });
  return profileOfMasses(radii, masses, step);
}
