/**
 * What pulls two galaxies towards each other while each keeps its shape: M(r), so that their separation has r̈ = −G M(r)/r².
 * The force between two spheres at a distance r is the mean over one's shells, of radius s and share w of its mass, of the
 * other's field, whose mass inside u is A(u) and depth Ψ(u) = ∫_u^∞ A/u² du,
 *   r² F/G m = Σ w/(4s) { ∫_|r−s|^{r+s} A du + (r² − s²) [Ψ(|r−s|) − Ψ(r+s)] },
 * equal and opposite for both. Free ones share it by their masses, M = (m₁ + m₂) r² F/G m₁m₂; about one that is held
 * M = r² F/G m. Newton's shells: of points, and of spheres that don't overlap, M = m₁ + m₂.
 */
import { integral } from "../cosmology/quadrature.ts";
import { profileOfMasses, type SphericalProfile, sumOfProfiles } from "./profiles.ts";
import { cubic, placeBelow } from "./tables.ts";

/** Where the mass of a galaxy's part is, about its centre. */
export interface MassPart {
  /** [mass] */
  mass: number;
  /** Its shape, up to a factor; a point without one. */
  profile?: SphericalProfile | undefined;
}

/** M(r) [mass] and ∫_r^∞ M/r² dr [mass/length]. */
export type OrbitField = Pick<SphericalProfile, "mass" | "depth">;

const POINT: SphericalProfile = { mass: () => 1, density: () => 0, depth: (r) => 1 / r };

const times = (profile: SphericalProfile, factor: number): SphericalProfile => ({
  mass: (r) => factor * profile.mass(r),
  density: (r) => factor * profile.density(r),
  depth: (r) => factor * profile.depth(r),
});

/** As a profile of its whole mass; `outermost` [length] is beyond all of it. */
const scaled = ({ mass, profile = POINT }: MassPart, outermost: number) =>
  times(profile, mass / profile.mass(outermost));

const total = (parts: readonly MassPart[]) => parts.reduce((sum, { mass }) => sum + mass, 0);

export interface OrbitPair {
  /** What has mass and moves, of the galaxy that has the orbit and of the one that it is about. */
  own: readonly MassPart[];
  host: readonly MassPart[];
  /** What can't move of the latter, which is then held, with its masses and depths as they are. */
  fixed: readonly SphericalProfile[];
  held: boolean;
  /** The separations that are asked for are below it, and so are all radii of parts [length]. */
  outermost: number;
}

/** The field of a pair; `rough` takes the galaxy that has the orbit for a point. */
export function orbitField({ own, host, fixed, held, outermost }: OrbitPair, rough = false): OrbitField {
  const massive = (parts: readonly MassPart[]) => parts.filter(({ mass }) => mass > 0);
  const ownParts = massive(own);
  const [m, M] = [total(own), total(host)];
  const profileOf = (parts: readonly MassPart[]) => sumOfProfiles(parts.map((part) => scaled(part, outermost)));
  const field = sumOfProfiles([...fixed, ...massive(host).map((part) => scaled(part, outermost))]);
  if (held) return rough ? field : smeared(field, shellsOf(ownParts, outermost), outermost);
  if (!(M > 0)) return profileOf(ownParts);
  if (!(m > 0)) return field;
  const both = (m + M) / M;
  if (rough) return times(field, both);
  // The wider one's field is smooth at the shells of the other.
  const ownField = profileOf(ownParts);
  if (halfMassRadius(ownField, m, outermost) > halfMassRadius(field, M, outermost)) {
    return times(smeared(ownField, shellsOf(massive(host), outermost), outermost), (m + M) / m);
  }
  return times(smeared(field, shellsOf(ownParts, outermost), outermost), both);
}

/** Radii [length] and shares of the whole. */
type Shells = Record<"radii" | "shares", Float64Array>;

/** Shells of each part, of less mass inside and far out. */
const SHELLS = 64;
const share = (t: number) => t * t * (3 - 2 * t);
/** Smaller radii, in outermost ones, are points. */
const INNERMOST = 1e-10;

function shellsOf(parts: readonly MassPart[], outermost: number): Shells {
  const whole = total(parts);
  const radii: number[] = [];
  const shares: number[] = [];
  for (const { mass, profile } of parts) {
    const count = profile ? SHELLS : 1;
    const all = profile?.mass(outermost) ?? 0;
    for (let k = 0; k < count; k++) {
      radii.push(profile ? radiusOf(profile, share((k + 0.5) / count) * all, outermost) : 0);
      shares.push((mass / whole) * (share((k + 1) / count) - share(k / count)));
    }
  }
  return { radii: Float64Array.from(radii), shares: Float64Array.from(shares) };
}

/** That holds `mass` [length]; 0 where the innermost one does. */
function radiusOf({ mass: within }: Pick<SphericalProfile, "mass">, mass: number, outermost: number): number {
  let [low, high] = [Math.log(INNERMOST * outermost), Math.log(outermost)];
  if (within(Math.exp(low)) >= mass) return 0;
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    if (within(Math.exp(middle)) < mass) low = middle;
    else high = middle;
  }
  return Math.exp(high);
}

const halfMassRadius = (field: OrbitField, mass: number, outermost: number) => radiusOf(field, mass / 2, outermost);

/** Nodes of ln r. */
const NODES = 640;
/** A shell of a smaller share of the separation is a point: its share squared is the error. */
const POINTLIKE = 1e-3;

/** What pulls a sphere of these shells in a field. */
function smeared(field: SphericalProfile, { radii: shells, shares }: Shells, outermost: number): SphericalProfile {
  if (shells.every((s) => s === 0)) return field;
  const step = -Math.log(INNERMOST) / (NODES - 1);
  const radii = Float64Array.from({ length: NODES }, (_, i) => outermost * Math.exp(step * (i - NODES + 1)));
  const integrated = massIntegral(field, radii, step);
  const masses = radii.map((r) => {
    const point = field.mass(r);
    let sum = 0;
    for (let i = 0; i < shells.length; i++) {
      const s = shells[i];
      if (s < POINTLIKE * r) sum += shares[i] * point;
      else if (s !== r) {
        const [near, far] = [Math.abs(r - s), r + s];
        const depths = (r * r - s * s) * (field.depth(near) - field.depth(far));
        sum += (shares[i] / (4 * s)) * (integrated(far) - integrated(near) + depths);
      } else sum += (shares[i] / (4 * s)) * integrated(2 * s);
    }
    return sum;
  });
  return profileOfMasses(radii, masses, step);
}

/** ∫_0^u A du by cubic Hermite polynomials in ln u; outside the nodes as of a power law and of a point. */
function massIntegral({ mass }: OrbitField, radii: Float64Array, step: number): (u: number) => number {
  const last = radii.length - 1;
  const slopes = radii.map((r) => r * mass(r));
  const values = new Float64Array(radii.length);
  values[0] = slopes[0]; // of a point: too much, by less than matters so far in
  for (let i = 0; i < last; i++) {
    const x = Math.log(radii[i]);
    values[i + 1] = values[i] + integral((at) => Math.exp(at) * mass(Math.exp(at)), x, x + step);
  }
  return (u) => {
    if (u <= radii[0]) return (values[0] * u) / radii[0];
    if (u >= radii[last]) return values[last] + (u - radii[last]) * mass(radii[last]);
    const i = placeBelow(radii, u, 0, last);
    return cubic(Math.log(u / radii[i]) / step, step, values.subarray(i), slopes.subarray(i));
  };
}
