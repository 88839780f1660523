/**
 * Distribution function of a spherical component whose orbits become radial outside r_a, β = r²/(r² + r_a²), with the
 * density ρ_t of the isotropic component that is cut off at Ψc (eddington.ts):
 *   f(Q) = f_iso(Q) + F(Q)/r_a²,   F(Q) = 1/(√8 π²) ∫_{Ψc}^Q d²(r²ρ_t)/dΨ² dΨ/√(Q − Ψ),   Q = Ψ(r) − v²/2 − L²/2r_a²
 * since Eddington's formula holds of (1 + r²/r_a²) ρ_t. With R(Ψ) = ρ − ρ_t what the cutoff has taken out,
 *   R = 4π√2 ∫₀^{Ψc} f_iso √(Ψ − E) dE,   R'' = −√2 π ∫₀^{Ψc} f_iso (Ψ − E)^{−3/2} dE,
 * whose part −√8 π f_iso(Ψc)/√(Ψ − Ψc) is singular at the edge and integrated by itself.
 * Orbits with Q > Ψc have E > Ψc: none leaves the cutoff.
 * Sources: Osipkov 1979, SvAL 5, 42; Merritt 1985, AJ 90, 1027; Binney & Tremaine 2008, section 4.3.2. G = 1.
 */
import { ABEL_FACTOR, abelIntegral, clearNegative, type DistributionFunction, densityCurvature } from "./eddington.ts";
import type { SphericalComponent, SphericalProfile } from "./profiles.ts";

/** The nodes are this much closer in the outer part of the component, where r²ρ_t falls to 0 at the edge. */
const SUBDIVISION = 8;
/** In cutoffs. */
const OUTER_PART = 0.25;

/** f(Q = Ψ) at the nodes [K]; positive. Throws a "scenario" error where no such equilibrium exists. */
export function anisotropicValues(
  sphere: SphericalComponent & { anisotropyRadius: number },
  total: SphericalProfile,
  { radii: given, values: isotropic, beyond }: DistributionFunction,
): Float64Array<ArrayBuffer> {
  const { shape, cutoff, anisotropyRadius } = sphere;
  const { radii, places } = subdivided(given, OUTER_PART * cutoff);
  const depths = radii.map((r) => total.depth(r));
  const atEdge = Math.max(0, beyond.values[0]);
  const weighted = {
    density: (r: number) => r * r * shape.density(r),
    slope: (r: number) => shape.slope(r) + 2,
    slopeGradient: shape.slopeGradient,
  };
  const regular = radii.map((r, i) => {
    const mass = total.mass(r);
    const depthSlope = -mass / (r * r);
    const depthCurvature = (2 * mass) / r ** 3 - 4 * Math.PI * total.density(r);
    // r² and its derivatives by Ψ
    const first = (2 * r) / depthSlope;
    const second = (2 - first * depthCurvature) / depthSlope ** 2;
    const removed = removedAt(beyond, depths[i]);
    const lost = second * removed.value + 2 * first * removed.slope + r * r * removed.curvature;
    return densityCurvature(weighted, total, r) - lost;
  });
  const singular = radii.map((r) => r * r * 2 * Math.SQRT2 * Math.PI * atEdge);
  const rest = Float64Array.from(places, (i) => {
    return (abelIntegral(depths, regular, i) + edgeIntegral(depths, singular, i)) / ABEL_FACTOR;
  });
  const values = isotropic.map((value, i) => value + rest[i] / anisotropyRadius ** 2);
  clearNegative(sphere, given, values, { isotropic, rest });
  return values;
}

/** Nodes with more between those beyond `from`, and where each of the given ones is among them. */
function subdivided(given: Float64Array, from: number): { radii: Float64Array; places: number[] } {
  const radii: number[] = [];
  const places: number[] = [];
  given.forEach((r, i) => {
    places.push(radii.length);
    const next = given[i + 1];
    const parts = next > from ? SUBDIVISION : 1;
    for (let k = 0; k < parts; k++) radii.push(k === 0 ? r : r * (next / r) ** (k / parts));
  });
  return { radii: Float64Array.from(radii), places };
}

/** R, R' and R'' without its singular part at Ψ = `depth`; f is linear in E between its nodes. */
function removedAt({ depths, values }: DistributionFunction["beyond"], depth: number) {
  let [value, slope, curvature] = [0, 0, 0];
  let upper = Math.sqrt(Math.max(0, depth - depths[0]));
  for (let j = 1; j < depths.length; j++) {
    const lower = Math.sqrt(depth - depths[j]);
    const rate = (values[j - 1] - values[j]) / (depths[j - 1] - depths[j]); // df/dE
    // f = start + rate u at u = Ψ − E, from u = upper² to lower²
    const start = values[j - 1] + rate * upper * upper;
    const [roots, cubes, fifths] = [lower - upper, lower ** 3 - upper ** 3, lower ** 5 - upper ** 5];
    value += start * (2 / 3) * cubes - rate * (2 / 5) * fifths;
    slope += start * 2 * roots - rate * (2 / 3) * cubes;
    curvature += 4 * rate * roots;
    upper = lower;
  }
  return {
    value: 4 * Math.PI * Math.SQRT2 * value,
    slope: 2 * Math.PI * Math.SQRT2 * slope,
    curvature: Math.SQRT2 * Math.PI * curvature,
  };
}

/** ∫ g dΨ/√((Q − Ψ)(Ψ − Ψc)) from Ψc to Q = depths[at], with Ψ = Ψc + (Q − Ψc) sin²θ; g is linear between nodes. */
function edgeIntegral(depths: Float64Array, g: Float64Array, at: number): number {
  const edge = depths[depths.length - 1];
  const span = depths[at] - edge;
  if (!(span > 0)) return Math.PI * g[at];
  let sum = 0;
  let upper = Math.PI / 2;
  for (let j = at; j + 1 < depths.length; j++) {
    const lower = Math.asin(Math.sqrt((depths[j + 1] - edge) / span));
    const rate = (g[j] - g[j + 1]) / (depths[j] - depths[j + 1]);
    const start = g[j + 1] - rate * (depths[j + 1] - edge); // g = start + rate (Ψ − Ψc)
    const width = upper - lower;
    sum += 2 * start * width + rate * span * (width - (Math.sin(2 * upper) - Math.sin(2 * lower)) / 2);
    upper = lower;
  }
  return sum;
}
