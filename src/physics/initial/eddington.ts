/**
 * Isotropic distribution function of a spherical component in a given total potential, and the density that is left when
 * every orbit that would leave the cutoff is taken out (G = 1),
 *   f(E) = 1/(√8 π²) ∫₀^E d²ρ/dΨ² dΨ/√(E − Ψ),   E = Ψ(r) − v²/2                                       (Eddington)
 *   ρ_t(r) = ρ(r) − 4π ∫₀^{Ψc} f(E) √(2(Ψ(r) − E)) dE,   Ψc = Ψ(cutoff).
 * ρ reaches to infinity, f is 0 below Ψc: the component stays in equilibrium, keeps its inner profile, fades out smoothly
 * towards the cutoff, and none of its particles can leave the cutoff in this potential. d²ρ/dΨ² is analytic at the nodes
 * and linear in Ψ between them, so the singularity is integrated exactly. Where f comes out negative, no equilibrium has
 * that density, that anisotropy and that potential. As f is linear in 1/r_a² (osipkov-merritt.ts), the least anisotropy
 * radius that leaves it positive follows from its two parts. Sources: Eddington 1916, MNRAS 76, 572; Binney & Tremaine
 * 2008, eqs 4.46 and 4.44; Merritt 1985, AJ 90, 1027, section III.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { shortest } from "../../foundation/deck/problems.ts";
import type { SphericalComponent, SphericalProfile, SphericalShape } from "./profiles.ts";

const NODES_INSIDE = 480;
const NODES_OUTSIDE = 160;
/** First node, in scale radii (or cutoffs, if that is less); nearer to the centre by tenths while it holds more mass. */
const INNERMOST = 1e-4;
const INNERMOST_MASS = 1e-7;
/** Last node, in cutoffs. */
const OUTERMOST = 1e3;
export const ABEL_FACTOR = Math.SQRT2 * 2 * Math.PI ** 2;

export type DistributionFunction = ReturnType<typeof distributionFunction>;

/** Throws a "scenario" error where no isotropic equilibrium exists. */
export function distributionFunction(sphere: SphericalComponent, total: SphericalProfile) {
  const { shape, cutoff } = sphere;
  const radii = nodes(shape, cutoff);
  const deepest = total.depth(0);
  const depths = radii.map((r) => total.depth(r));
  const curvature = radii.map((r) => densityCurvature(shape, total, r));
  // Beyond the cutoff f is needed only as what is taken out.
  const f = radii.map((_, i) => abelIntegral(depths, curvature, i) / ABEL_FACTOR);
  const values = f.slice(0, NODES_INSIDE);
  clearNegative(sphere, radii, values);

  const densities = values.map((_, i) => Math.max(0, shape.density(radii[i]) - removedDensity(depths, f, depths[i])));
  densities[NODES_INSIDE - 1] = 0;
  return {
    /** Nodes up to the cutoff, logarithmic, and Ψ there, of the total potential [K] */
    radii: radii.slice(0, NODES_INSIDE),
    depths: depths.slice(0, NODES_INSIDE),
    /** f at the nodes, f(E = Ψ), positive; ρ_t in the shape's own amplitude, and its M(<r) [K] */
    ...{ values, densities, masses: enclosedMasses(shape, radii, densities) },
    /** Ψ(cutoff): the lowest energy that is populated. */
    edgeDepth: depths[NODES_INSIDE - 1],
    /** Ψ(0), or where that is infinite Ψ well inside the first node */
    centralDepth: Number.isFinite(deepest) ? deepest : total.depth(INNERMOST * radii[0]),
    /** Ψ, and f of the profile without a cutoff, from the cutoff outwards. */
    beyond: { depths: depths.slice(NODES_INSIDE - 1), values: f.slice(NODES_INSIDE - 1) },
  };
}

/** Logarithmic nodes, the cutoff being node NODES_INSIDE − 1. */
function nodes(shape: SphericalShape, cutoff: number): Float64Array {
  let first = INNERMOST * Math.min(shape.scale, cutoff);
  while (shape.mass(first) > INNERMOST_MASS * shape.mass(cutoff)) first *= 0.1;
  const radii = new Float64Array(NODES_INSIDE + NODES_OUTSIDE);
  for (let i = 0; i < NODES_INSIDE; i++) radii[i] = first * (cutoff / first) ** (i / (NODES_INSIDE - 1));
  radii[NODES_INSIDE - 1] = cutoff;
  for (let i = 1; i <= NODES_OUTSIDE; i++) radii[NODES_INSIDE - 1 + i] = cutoff * OUTERMOST ** (i / NODES_OUTSIDE);
  return radii;
}

/** d²ρ/dΨ² = (ρ'' − ρ' Ψ''/Ψ')/Ψ'², with Ψ' = −M/r² and Ψ'' = 2M/r³ − 4πρ_total. */
export function densityCurvature(
  shape: Pick<SphericalShape, "density" | "slope" | "slopeGradient">,
  total: SphericalProfile,
  r: number,
): number {
  const density = shape.density(r);
  if (density === 0) return 0;
  const slope = shape.slope(r);
  const first = (density * slope) / r;
  const second = (density * (slope * slope - slope + shape.slopeGradient(r))) / (r * r);
  const mass = total.mass(r);
  const depthSlope = -mass / (r * r);
  const depthCurvature = (2 * mass) / r ** 3 - 4 * Math.PI * total.density(r);
  return (second - (first * depthCurvature) / depthSlope) / depthSlope ** 2;
}

/** ∫₀^E g dΨ/√(E − Ψ) for E = depths[at]; g is linear in Ψ between nodes, exact there. Depths fall with the index. */
export function abelIntegral(depths: Float64Array, g: Float64Array, at: number): number {
  const energy = depths[at];
  let sum = 0;
  let upper = 0; // √(E − Ψ) at the node nearer to the centre
  for (let j = at; j + 1 < depths.length; j++) {
    const lower = Math.sqrt(energy - depths[j + 1]);
    const width = depths[j] - depths[j + 1];
    const difference = width / (lower + upper);
    sum += 2 * g[j + 1] * difference;
    sum += ((2 * (g[j] - g[j + 1])) / width) * ((difference * difference * (2 * lower + upper)) / 3);
    upper = lower;
  }
  return sum;
}

/** 4π ∫₀^{Ψc} f √(2(Ψ − E)) dE over the nodes from the cutoff outwards, by the trapezium. */
function removedDensity(depths: Float64Array, f: Float64Array, depth: number): number {
  let sum = 0;
  let previous = f[NODES_INSIDE - 1] * Math.sqrt(Math.max(0, depth - depths[NODES_INSIDE - 1]));
  for (let j = NODES_INSIDE; j < depths.length; j++) {
    const next = f[j] * Math.sqrt(depth - depths[j]);
    sum += 0.5 * (previous + next) * (depths[j - 1] - depths[j]);
    previous = next;
  }
  return 4 * Math.PI * Math.SQRT2 * sum;
}

/** M(<r) at the nodes: the first from the shape, then Simpson in ln r with the midpoint from the neighbours. */
function enclosedMasses(shape: SphericalShape, radii: Float64Array, densities: Float64Array): Float64Array {
  const masses = new Float64Array(NODES_INSIDE);
  const step = Math.log(radii[1] / radii[0]);
  masses[0] = shape.mass(radii[0]) * (densities[0] / shape.density(radii[0]));
  // dM/d ln r = 4πr³ρ; trapezium with the end correction from centred differences.
  const rate = densities.map((density, i) => 4 * Math.PI * radii[i] ** 3 * density);
  const rateSlope = (i: number) => {
    const left = Math.max(0, i - 1);
    const right = Math.min(NODES_INSIDE - 1, i + 1);
    return (rate[right] - rate[left]) / ((right - left) * step);
  };
  for (let i = 1; i < NODES_INSIDE; i++) {
    const correction = (step * step * (rateSlope(i - 1) - rateSlope(i))) / 12;
    masses[i] = masses[i - 1] + (step * (rate[i - 1] + rate[i])) / 2 + correction;
  }
  return masses;
}

/** f is made tiny where it isn't positive, if it holds less than this fraction of the mass there. */
const NEGATIVE_MASS_ALLOWED = 0.01;
/** The same of an anisotropic one, whose limit depends on the innermost orbits. */
const NEGATIVE_CENTRE_ALLOWED = 1e-4;

/** f = isotropic + rest/r_a² at the nodes [K]. */
type AnisotropyLimit = Record<"isotropic" | "rest", Float64Array>;

/** Puts tiny positive numbers where f isn't positive. Throws "scenario" where that would change more than a little. */
export function clearNegative(
  sphere: SphericalComponent,
  radii: Float64Array,
  values: Float64Array,
  limit?: AnisotropyLimit,
): void {
  const share = negativeShare(sphere, radii, values);
  if (!(share <= (limit ? NEGATIVE_CENTRE_ALLOWED : NEGATIVE_MASS_ALLOWED))) refuse(sphere, radii, share, limit);
  const smallest = Math.min(...values.filter((value) => value > 0));
  for (let i = 0; i < values.length; i++) if (!(values[i] > 0)) values[i] = smallest * 1e-6;
}

/** Share of the mass at nodes where f isn't positive. */
function negativeShare({ shape, cutoff }: SphericalComponent, radii: Float64Array, values: Float64Array): number {
  let negativeMass = 0;
  for (let i = 0; i < values.length; i++) {
    if (values[i] > 0) continue;
    negativeMass += shape.mass(radii[Math.min(i + 1, values.length - 1)]) - shape.mass(i > 0 ? radii[i - 1] : 0);
  }
  return negativeMass / shape.mass(cutoff);
}

function refuse(
  sphere: SphericalComponent,
  radii: Float64Array,
  share: number,
  limit: AnisotropyLimit | undefined,
): never {
  const { name, anisotropyRadius } = sphere;
  const least = limit && leastAnisotropyRadius(sphere, radii, limit);
  const negative = `found a negative distribution function over ${percentOf(share)} of its mass`;
  const message =
    least === undefined
      ? `expected an isotropic equilibrium in the potential of all components about the same centre, ${negative} (its density ` +
        "is too flat for that potential). Try a larger scale, a cuspier kind or less mass in the other components."
      : "expected an equilibrium whose orbits become radial outside anisotropyRadius = " +
        `${shortest(anisotropyRadius!)}, ${negative} (so many radial orbits would put more ` +
        `mass at the centre than its density has). Try anisotropyRadius = ${shortest(least)} or more.`;
  throw new GravmeshError("scenario", `component "${name}": ${message}`);
}

const percentOf = (share: number) => {
  const percent = 100 * Math.min(1, share);
  return `${percent < 1 ? Number(percent.toPrecision(1)) : percent.toFixed(0)} %`;
};

/** To three digits, rounded up; undefined where not even an isotropic f is positive. */
function leastAnisotropyRadius(
  sphere: SphericalComponent,
  radii: Float64Array,
  { isotropic, rest }: AnisotropyLimit,
): number | undefined {
  const works = (ra: number) => {
    const values = isotropic.map((value, i) => value + rest[i] / ra ** 2);
    return negativeShare(sphere, radii, values) <= NEGATIVE_CENTRE_ALLOWED;
  };
  let low = sphere.anisotropyRadius!;
  let high = 2 * low;
  while (!works(high)) {
    low = high;
    high *= 2;
    if (high > 1e6 * sphere.cutoff) return undefined;
  }
  while (high / low > 1 + 1e-5) {
    const middle = Math.sqrt(low * high);
    if (works(middle)) high = middle;
    else low = middle;
  }
  const unit = 10 ** (Math.floor(Math.log10(high)) - 2);
  return Number((Math.ceil(high / unit) * unit).toPrecision(3));
}
