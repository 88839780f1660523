/**
 * Spherical components in equilibrium with everything that shares their centre: radii from the tabulated mass profile,
 * speeds from p(u) ∝ u² f(Ψ(r) − u²/2) by rejection (f: eddington.ts), isotropic directions. With an anisotropy radius
 * r_a the velocity's tangential part is u's over √(1 + r²/r_a²). Live spheres depend on each other through the total
 * potential: their profiles are iterated to agreement. Sources: Eddington 1916; Merritt 1985, AJ 90, 1027; Kazantzidis,
 * Magorrian & Moore 2004, ApJ 601, 37 (why not Gaussian velocities).
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { type Draw, type PhaseSpacePoint, setIsotropic } from "./draw.ts";
import { distributionFunction } from "./eddington.ts";
import { anisotropicValues } from "./osipkov-merritt.ts";
import {
  type SphericalComponent,
  type SphericalProfile,
  sumOfProfiles,
  tabulatedProfile,
  truncatedProfile,
} from "./profiles.ts";
import { interpolate, uniformTable } from "./tables.ts";

/** With its mass profile as sampled. */
export type EquilibriumSphere = ReturnType<typeof equilibriumSphere>;

const MAX_ITERATIONS = 12;
/** The iteration stops when no mass profile moves by more than this fraction of its mass. */
const PROFILE_TOLERANCE = 1e-5;

type OfProfile = (profile: SphericalProfile) => SphericalProfile;
const same: OfProfile = (profile) => profile;

/**
 * Concentric live spheres in the field of `others`, tracers in that of all. `felt`: a profile as the field has it; `law`: the
 * mass that has the field of all of them in Newton's gravity.
 */
export function equilibriumSpheres(
  all: readonly SphericalComponent[],
  others: readonly SphericalProfile[],
  { felt = same, law = same }: { felt?: OfProfile; law?: OfProfile } = {},
): EquilibriumSphere[] {
  const spheres = all.filter(({ massless }) => !massless);
  let profiles = spheres.map(({ shape, cutoff, mass = shape.mass(cutoff) }) => truncatedProfile(shape, mass, cutoff));
  let found: EquilibriumSphere[] = [];
  let total = law(sumOfProfiles(others));
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    total = law(sumOfProfiles([...profiles.map(felt), ...others]));
    found = spheres.map((sphere) => equilibriumSphere(sphere, total));
    const change = Math.max(...found.map(({ sphere, profile }, i) => profileChange(sphere, profile, profiles[i])));
    profiles = found.map(({ profile }) => profile);
    if (change < PROFILE_TOLERANCE) break;
  }
  return all.map((sphere) => {
    if (!sphere.massless) return madeAnisotropic(found[spheres.indexOf(sphere)], total);
    if (spheres.length + others.length > 0) return madeAnisotropic(equilibriumSphere(sphere, total), total);
    throw new GravmeshError(
      "scenario",
      `component "${sphere.name}": expected something with mass about its centre, which holds tracers (mass = 0) in equilibrium, ` +
        "found nothing. Add a component or a [[potential]] there, with the same offset.",
    );
  });
}

/** Velocities follow the anisotropy radius; the densities are those of isotropic components. */
function madeAnisotropic(one: EquilibriumSphere, total: SphericalProfile): EquilibriumSphere {
  const { sphere, df } = one;
  const { anisotropyRadius = Number.POSITIVE_INFINITY } = sphere;
  if (anisotropyRadius === Number.POSITIVE_INFINITY) return one;
  return { ...one, df: { ...df, values: anisotropicValues({ ...sphere, anisotropyRadius }, total, df) } };
}

function equilibriumSphere(sphere: SphericalComponent, total: SphericalProfile) {
  const df = distributionFunction(sphere, total);
  const factor = sphere.mass === undefined ? 1 : sphere.mass / df.masses[df.masses.length - 1];
  const profile = tabulatedProfile(
    df.radii,
    df.masses.map((mass) => factor * mass),
    df.densities.map((density) => factor * density),
  );
  return { sphere, profile, df };
}

function profileChange({ cutoff }: SphericalComponent, after: SphericalProfile, before: SphericalProfile): number {
  let change = 0;
  for (let i = 1; i < 64; i++) {
    const r = cutoff * 10 ** (-3 * (1 - i / 64));
    change = Math.max(change, Math.abs(after.mass(r) - before.mass(r)));
  }
  return change / after.mass(cutoff);
}

const ENERGY_POINTS = 1024;
const RADIUS_POINTS = 512;
/**
 * Speeds, in those that reach the cutoff, at which the rejection's ceiling is looked for. Radial orbits come from far
 * out.
 */
const ISOTROPIC_SPEEDS = Array.from({ length: 127 }, (_, k) => ((k + 1) / 128) ** 2);
const ANISOTROPIC_SPEEDS = Array.from({ length: 512 }, (_, k) => Math.sin((Math.PI / 2) * ((k + 1) / 512)) ** 2);
const CEILING_MARGIN = 1.1;

/** `G` in deck units. */
export function sphereDraw({ sphere, profile, df }: EquilibriumSphere, G: number): Draw {
  const { radii, depths, values, masses, edgeDepth, centralDepth } = df;
  const { anisotropyRadius = Number.POSITIVE_INFINITY } = sphere;
  const anisotropic = anisotropyRadius < Number.POSITIVE_INFINITY;
  const last = radii.length - 1;
  const totalMass = masses[last];
  const logRadii = radii.map(Math.log);
  const logMasses = masses.map(Math.log);

  // ln f against y = ln((Ψ(0) − E)/E), which is close to ln r: even steps resolve the cusp and the edge alike.
  const y = depths.map((depth) => Math.log((centralDepth - depth) / depth));
  const logValues = values.map(Math.log);
  const logF = uniformTable(y[0], y[last], ENERGY_POINTS, (at) => interpolate(at, y, logValues));
  const f = (depthBelowCentre: number) =>
    Math.exp(logF(Math.log(depthBelowCentre / (centralDepth - depthBelowCentre))));

  const speeds = anisotropic ? ANISOTROPIC_SPEEDS : ISOTROPIC_SPEEDS;
  const belowCentre = depths.map((depth) => Math.log(centralDepth - depth));
  const depthBelowCentre = uniformTable(logRadii[0], logRadii[last], RADIUS_POINTS * 4, (x) =>
    interpolate(x, logRadii, belowCentre),
  );
  const edgeBelowCentre = centralDepth - edgeDepth;
  const ceiling = uniformTable(logRadii[0], logRadii[last], RADIUS_POINTS, (x) => {
    const below = Math.exp(depthBelowCentre(x));
    const halfSpeedSquared = Math.max(0, edgeBelowCentre - below);
    let highest = 0;
    for (const q of speeds) highest = Math.max(highest, q * q * f(below + q * q * halfSpeedSquared));
    return Math.log(highest * CEILING_MARGIN);
  });

  const draw: Draw = (random, point) => {
    const x = interpolate(Math.log(totalMass * (1 - random.uniform())), logMasses, logRadii);
    setIsotropic(random, Math.exp(x), point, 0);

    const below = Math.exp(depthBelowCentre(x));
    const halfSpeedSquared = Math.max(0, edgeBelowCentre - below);
    const top = Math.exp(ceiling(x));
    let q: number;
    let height: number;
    do {
      q = random.uniform();
      height = top * random.uniform();
    } while (height > q * q * f(below + q * q * halfSpeedSquared));
    setIsotropic(random, q * Math.sqrt(2 * G * halfSpeedSquared), point, 3);
    if (anisotropic) shortenTangential(point, anisotropyRadius);
  };
  if (sphere.massless) return Object.assign(draw, { mass: 0 });
  return sphere.mass === undefined ? Object.assign(draw, { mass: profile.mass(sphere.cutoff) }) : draw;
}

/** Divides the part of the velocity across the radius by √(1 + r²/r_a²). */
function shortenTangential(point: PhaseSpacePoint, anisotropyRadius: number): void {
  const [x, y, z, vx, vy, vz] = point;
  const square = x * x + y * y + z * z;
  if (square === 0) return;
  const factor = 1 / Math.sqrt(1 + square / anisotropyRadius ** 2);
  const radial = ((1 - factor) * (x * vx + y * vy + z * vz)) / square;
  point[3] = factor * vx + radial * x;
  point[4] = factor * vy + radial * y;
  point[5] = factor * vz + radial * z;
}
