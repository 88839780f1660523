/**
 * Exponential disk, alone or in the field of spherical components about the same centre:
 *   Σ = Σ0 e^{−R/Rd}, ρ ∝ sech²(z/z0), σz² = πGΣz0, σR² ∝ e^{−R/Rd} with Toomre's Q = σR κ/(3.36 GΣ) given at 2.5 Rd,
 *   σφ = σR κ/2Ω,   v̄φ² = vc² + σR² (1 − κ²/4Ω² − 2R/Rd)   (asymmetric drift).
 * Gaussian velocities. The rotation curve vc is that of the disk itself, thickness included (rotation-curve.ts), plus
 * GM(R)/R of the spheres. The disk's cutoff is not in its rotation curve: it is that of the infinite disk of the same Σ0.
 * Near the centre σR² ∝ e^{−R/Rd} would take a drift larger than the rotation there is. Inside the radius where v̄φ
 * has fallen to SLOWEST·vc it stays at that ratio, and σR² follows from the Jeans equation instead:
 *   d(ΣσR²)/dR = −Σ [(1 − SLOWEST²) vc² + σR² (1 − κ²/4Ω²)]/R.
 * σz is that of an infinite sheet: by itself a disk of z0 = 0.15 Rd then settles to about a tenth more than z0 (its
 * radial force grows outwards near the centre), in a massive halo to slightly less (the halo's weight).
 * Sources: Hernquist 1993, ApJS 86, 389, section 2.2; Toomre 1964; Aubert, Amini & David 2009, section 3.1.
 */
import { optional, positive, required } from "../deck/keys.ts";
import { GravmeshError } from "../errors.ts";
import { count, cutoffFrom, mass } from "./keys.ts";
import { type Draw, initialModel } from "./model.ts";
import type { ParticleRandom } from "./philox.ts";
import { type ScaledProfile, type SphericalProfile, uniformTable } from "./profiles.ts";
import { diskRotationCurve } from "./rotation-curve.ts";

/** Where Q is given, in scale lengths. */
const Q_RADIUS = 2.5;
/** Toomre's constant for a stellar disk. */
const TOOMRE = 3.36;
/** Least mean rotation, in circular speeds. */
const SLOWEST = 0.3;
/** Points of the tables over radius. */
const TABLE_POINTS = 512;
/** Step of centred differences, as a fraction of the radius or the scale length. */
const SLOPE_STEP = 0.02;
/** Half of the spacing of the uniform deviates: bounds |z| at 19 z0. */
const SMALLEST_FRACTION = 2 ** -54;
/** Below this cutoff, in scale lengths, fewer than one in eleven deviates of the infinite disk lies inside. */
const MOST_CUT = 0.5;
/** Steps of the Jeans equation from the centre to the radius of Q. */
const INNER_POINTS = 1024;
/** The tables start here, in scale lengths: frequencies are divided by the radius. */
const INNERMOST = 1e-3;

export const exponentialDisk = initialModel({
  name: "exponential-disk",
  meaning: "Disk, Σ ∝ exp(−R/Rd), ρ ∝ sech²(z/z0), as warm as Toomre's Q says, rotating in the total field",
  species: "disk",
  keys: {
    count,
    mass,
    scaleLength: required(positive, { unit: "length", meaning: "radial scale length Rd" }),
    scaleHeight: required(positive, { unit: "length", meaning: "vertical scale height z0" }),
    toomreQ: optional(positive, 1.2, {
      meaning: "Toomre's Q at 2.5 Rd; below 1 rings form, from 1 to 2 arms and bars",
    }),
    cutoff: cutoffFrom("scaleLength", 6, "cylindrical radius where the disk ends"),
  },
  scales: ["scaleLength", "scaleHeight"],
  extent: { reach: ({ cutoff }) => cutoff, keys: ["cutoff", "scaleHeight"] },
  profile: (disk) => sphericalDiskProfile(disk.mass, disk.scaleLength, disk.cutoff),
  particles: (disk, { others, G }) => diskDraw(disk, diskKinematics(disk, others(), G)),
});

/** The keys of a disk; its name is for messages. */
export type DiskModel = { name: string } & Record<
  "mass" | "scaleLength" | "scaleHeight" | "toomreQ" | "cutoff",
  number
>;

/** What the velocities of a disk follow, as functions of the cylindrical radius R [length]. */
export interface DiskKinematics {
  /** Σ(R) [mass/length²] */
  surfaceDensity(R: number): number;
  /** vc(R) in the plane, all components [velocity] */
  circularSpeed(R: number): number;
  /** κ(R) [1/time] */
  epicyclicFrequency(R: number): number;
  /** σR, σφ, σz [velocity] */
  dispersions(R: number): [number, number, number];
  /** v̄φ(R) [velocity] */
  meanRotation(R: number): number;
  /** Q(R) */
  toomreQ(R: number): number;
}

/** `others`: the mass of the components about the same centre; `G` in deck units. Throws where Q is out of reach. */
export function diskKinematics(disk: DiskModel, others: SphericalProfile, G: number): DiskKinematics {
  const { mass, scaleLength, scaleHeight, cutoff } = disk;
  const centralSurfaceDensity =
    mass / (2 * Math.PI * scaleLength * scaleLength * diskMassFraction(cutoff / scaleLength));
  const surfaceDensity = (R: number) => centralSurfaceDensity * Math.exp(-R / scaleLength);

  const outermost = Math.max(cutoff, (Q_RADIUS + 0.5) * scaleLength);
  const own = diskRotationCurve({ centralSurfaceDensity, scaleLength, scaleHeight }, outermost * 1.02, G);
  const speedSquared = (R: number) => Math.max(0, own(R) + (G * others.mass(R)) / R);
  /** df/dR, centred */
  const slope = (f: (R: number) => number, R: number) => {
    const step = SLOPE_STEP * Math.min(R, scaleLength);
    return (f(R + step) - f(R - step)) / (2 * step);
  };
  // κ² = (1/R) dvc²/dR + 2 vc²/R²
  const kappaSquared = (R: number) => Math.max(0, slope(speedSquared, R) / R + (2 * speedSquared(R)) / (R * R));

  const RQ = Q_RADIUS * scaleLength;
  const squareAtRQ = (disk.toomreQ * TOOMRE * G * surfaceDensity(RQ)) ** 2 / kappaSquared(RQ);
  /** κ²/4Ω² */
  const frequencyRatioSquared = (R: number) =>
    speedSquared(R) > 0 ? (kappaSquared(R) * R * R) / (4 * speedSquared(R)) : 1;
  /** Σ σR² ∝ e^{−2R/Rd}: the drift takes (2R/Rd − 1 + κ²/4Ω²) σR² from vc². */
  const exponential = (R: number) => squareAtRQ * Math.exp(-(R - RQ) / scaleLength);
  const driftExcess = (R: number) =>
    exponential(R) * ((2 * R) / scaleLength - 1 + frequencyRatioSquared(R)) - (1 - SLOWEST ** 2) * speedSquared(R);
  if (!(driftExcess(RQ) < 0)) throw tooHot(disk, driftExcess(RQ), speedSquared(RQ));

  // The Jeans equation inwards from where the drift is as large as it may be, by Heun's method.
  const step = RQ / INNER_POINTS;
  let joint = INNER_POINTS;
  while (joint > 0 && driftExcess(joint * step) < 0) joint--;
  const stress = new Float64Array(INNER_POINTS + 1);
  const stressSlope = (R: number, value: number) =>
    -((1 - SLOWEST ** 2) * speedSquared(R) * surfaceDensity(R) + value * (1 - frequencyRatioSquared(R))) / R;
  stress[joint] = exponential(joint * step) * surfaceDensity(joint * step);
  for (let i = joint; i > 0; i--) {
    const outer = i * step;
    const inner = Math.max((i - 1) * step, INNERMOST * scaleLength);
    const first = stressSlope(outer, stress[i]);
    const second = stressSlope(inner, stress[i] - first * (outer - inner));
    stress[i - 1] = stress[i] - 0.5 * (first + second) * (outer - inner);
  }
  const jointRadius = joint * step;
  const radialSquared = (R: number) => {
    if (R >= jointRadius) return exponential(R);
    const i = Math.floor(R / step);
    return (stress[i] + (R / step - i) * (stress[i + 1] - stress[i])) / surfaceDensity(R);
  };
  const radialDispersion = (R: number) => Math.sqrt(radialSquared(R));

  return {
    surfaceDensity,
    circularSpeed: (R) => Math.sqrt(speedSquared(R)),
    epicyclicFrequency: (R) => Math.sqrt(kappaSquared(R)),
    dispersions: (R) => {
      const radial = radialDispersion(R);
      return [
        radial,
        radial * Math.sqrt(frequencyRatioSquared(R)),
        Math.sqrt(Math.PI * G * surfaceDensity(R) * scaleHeight),
      ];
    },
    meanRotation: (R) => {
      if (R < jointRadius) return SLOWEST * Math.sqrt(speedSquared(R));
      const drift = exponential(R) * (1 - frequencyRatioSquared(R) - (2 * R) / scaleLength);
      return Math.sqrt(Math.max(0, speedSquared(R) + drift));
    },
    toomreQ: (R) => (radialDispersion(R) * Math.sqrt(kappaSquared(R))) / (TOOMRE * G * surfaceDensity(R)),
  };
}

function tooHot(disk: DiskModel, excess: number, speedSquared: number): GravmeshError {
  const allowed = (1 - SLOWEST ** 2) * speedSquared;
  const highest = disk.toomreQ * Math.sqrt(allowed / (allowed + excess));
  return new GravmeshError(
    "scenario",
    `component "${disk.name}": expected a Toomre Q below ${highest.toPrecision(3)} (above it the disk would be held up by ` +
      `its dispersion rather than by rotation), found ${disk.toomreQ}. ` +
      "Try a lower toomreQ, or more mass in a halo about the same centre.",
  );
}

/** Draws from the disk whose velocities `kinematics` gives; it rotates anticlockwise seen from +z. */
export function diskDraw(disk: DiskModel, kinematics: DiskKinematics): Draw {
  const { scaleLength, scaleHeight, cutoff } = disk;
  const table = (value: (R: number) => number) =>
    uniformTable(0, cutoff, TABLE_POINTS, (R) => value(Math.max(R, INNERMOST * scaleLength)));
  const rotation = table(kinematics.meanRotation);
  const radial = table((R) => kinematics.dispersions(R)[0]);
  const azimuthal = table((R) => kinematics.dispersions(R)[1]);
  const vertical = table((R) => kinematics.dispersions(R)[2]);

  const radius = cutoff < MOST_CUT * scaleLength ? radiusWithin(cutoff, scaleLength) : radiusBelow(cutoff, scaleLength);

  return (random, point) => {
    const R = radius(random);
    const azimuth = 2 * Math.PI * random.uniform();
    const cosine = Math.cos(azimuth);
    const sine = Math.sin(azimuth);
    // z = z0 artanh(2u − 1), with u kept from 0; it never reaches 1.
    const u = Math.max(random.uniform(), SMALLEST_FRACTION);
    point[0] = R * cosine;
    point[1] = R * sine;
    point[2] = 0.5 * scaleHeight * Math.log(u / (1 - u));

    const alongRadius = radial(R) * random.normal();
    const alongAzimuth = rotation(R) + azimuthal(R) * random.normal();
    point[3] = alongRadius * cosine - alongAzimuth * sine;
    point[4] = alongRadius * sine + alongAzimuth * cosine;
    point[5] = vertical(R) * random.normal();
  };
}

/** R/Rd follows x e^{−x}, the sum of two exponential deviates; those beyond the cutoff are drawn again. */
const radiusBelow = (cutoff: number, scaleLength: number) => (random: ParticleRandom) => {
  let R: number;
  do {
    R = -scaleLength * Math.log((1 - random.uniform()) * (1 - random.uniform()));
  } while (R > cutoff);
  return R;
};

/** The same for a cutoff that hardly any of those would meet: an even disk, thinned by e^{−x}. */
const radiusWithin = (cutoff: number, scaleLength: number) => (random: ParticleRandom) => {
  let R: number;
  do {
    R = cutoff * Math.sqrt(random.uniform());
  } while (random.uniform() > Math.exp(-R / scaleLength));
  return R;
};

/**
 * The exponential disk, its mass spread over spheres: M(r) ∝ 1 − (1 + r/Rd) e^{−r/Rd} up to the cutoff.
 * `mass` [mass], `scaleLength` and `cutoff` [length].
 */
export function sphericalDiskProfile(mass: number, scaleLength: number, cutoff: number): ScaledProfile {
  const edge = cutoff / scaleLength;
  const factor = mass / diskMassFraction(edge);
  // (1 − e^{−x})/x, and its series where the difference would cancel.
  const meanExponential = (x: number) => (x < 1e-6 ? 1 - x / 2 : -Math.expm1(-x) / x);
  return {
    scale: scaleLength,
    mass: (r) => (r < cutoff ? factor * diskMassFraction(r / scaleLength) : mass),
    density: (r) => (r < cutoff ? (factor * Math.exp(-r / scaleLength)) / (4 * Math.PI * r * scaleLength ** 2) : 0),
    depth: (r) =>
      r < cutoff
        ? mass / cutoff + (factor / scaleLength) * (meanExponential(r / scaleLength) - meanExponential(edge))
        : mass / r,
  };
}

/** Mass fraction of an infinite exponential disk inside x = R/Rd: 1 − (1 + x) e^{−x}. */
export function diskMassFraction(x: number): number {
  return x < 1e-4 ? x * x * (0.5 - x / 3) : 1 - (1 + x) * Math.exp(-x);
}
