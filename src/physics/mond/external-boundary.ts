/**
 * The difference of AQUAL's potential from QUMOND's, far from a mass in an external field g_e:
 *   AQUAL  −GM/(μ_e √((1 + L_μ) s² + z²)) (Milgrom 1986),   QUMOND  −GM ν_e (1/r + ½ L_ν s²/r³) (Milgrom 2010),
 * z along the field and s across it, both for a field that dominates: the difference counts with the share g_e²/(g_e² + g²),
 * g = GM ν_e/r² the mass's own. Both have the same potential where the mass's field dominates.
 */
import { interpolatingFunctions, modified } from "./interpolation.ts";
import type { MondSettings } from "./settings.ts";

/** The difference [velocity²] at a place seen from the centre of mass, of G·M `strength`. */
export function boundaryDifference(
  { interpolation, a0, externalField }: MondSettings,
  strength: number,
): (d: readonly [number, number, number]) => number {
  const size = Math.hypot(...externalField);
  if (size === 0) return () => 0;
  const { mu, muSlope } = interpolatingFunctions[interpolation];
  const muE = mu(size / a0);
  const slopeMu = muSlope(size / a0);
  // x = y ν and y = x μ: d ln ν/d ln y = −L_μ/(1 + L_μ).
  const slopeNu = -slopeMu / (1 + slopeMu);
  return (d) => {
    const z = (d[0] * externalField[0] + d[1] * externalField[1] + d[2] * externalField[2]) / size;
    const r2 = d[0] ** 2 + d[1] ** 2 + d[2] ** 2;
    const s2 = r2 - z * z;
    const r = Math.sqrt(r2);
    const aqual = -1 / (muE * Math.sqrt((1 + slopeMu) * s2 + z * z));
    const qumond = -(1 / r + (0.5 * slopeNu * s2) / r ** 3) / muE;
    const own = strength / (muE * r2);
    return (strength * (aqual - qumond) * size ** 2) / (size ** 2 + own ** 2);
  };
}

/**
 * p of r⁻ᵖ, with which a quadrupole falls far from a mass of G·M `strength` in AQUAL's equation, linearised about the mass's own field
 * at half a box: (1 + L) p (p − 1 + 2L/(1 + L)) = 6, L = d ln μ/d ln x: 3 in Newton's gravity, √3 in the deep regime. 0 in an
 * external field, where there is no such law.
 */
export function boundaryDecay(
  { interpolation, a0, externalField }: MondSettings,
  strength: number,
  boxSize: number,
): number {
  if (Math.hypot(...externalField) > 0) return 0;
  const slope = interpolatingFunctions[interpolation].muSlope(
    modified(interpolation, a0, strength / (boxSize / 2) ** 2) / a0,
  );
  const below = 1 - (2 * slope) / (1 + slope);
  return (below + Math.sqrt(below ** 2 + 24 / (1 + slope))) / 2;
}
