/**
 * Models in modified gravity: the field that they are set up in is Newton's of all components, g = ν(√(g_N² + g_Ne²)/a0) g_N, exact for
 * spheres without an external field g_Ne, and in the plane of disks within some per cent (Brada & Milgrom 1995).
 */
import { LEAST_Y, type Interpolation, interpolatingFunctions, newtonian } from "../mond/interpolation.ts";
import { profileOfMasses, type SphericalProfile } from "./profiles.ts";

/** The keys of the table [mond] that models depend on. */
export interface MondOfModels {
  formulation: string;
  interpolation: Interpolation;
  a0: number;
  externalField: readonly [number, number, number];
}

/** ν of Newton's field of that strength. */
export type GravityLaw = (strength: number) => number;

/** Undefined where gravity is Newton's. */
export function gravityLaw(mond: MondOfModels | undefined): GravityLaw | undefined {
  if (!mond || mond.formulation === "none") return undefined;
  const { interpolation, a0, externalField } = mond;
  const external = newtonian(interpolation, a0, Math.hypot(...externalField));
  const { nuMinusOne } = interpolatingFunctions[interpolation];
  return (strength) => 1 + nuMinusOne(Math.max(Math.hypot(strength, external) / a0, LEAST_Y));
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
