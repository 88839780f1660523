/**
 * Exponential disk, alone or in the field of spherical components about the same centre:
 *   Σ = Σ0 e^{−R/Rd}, ρ ∝ sech²(z/z0), σz² = πGΣz0, σR² ∝ e^{−R/Rd} with Toomre's Q = σR κ/(3.36 GΣ) given at 2.5 Rd,
 *   σφ = σR κ/2Ω,   v̄φ² = vc² + σR² (1 − κ²/4Ω² − 2R/Rd)   (asymmetric drift).
 * Gaussian velocities. The rotation curve vc is that of the disk itself, thickness included (rotation-curve.ts), plus
 * GM(R)/R of the spheres. The disk's cutoff is not in its rotation curve: it is that of the infinite disk of the same Σ0.
 * Near the centre σR² ∝ e^{−R/Rd} would exceed vc², and the drift the rotation: there σR² is kept below LIMIT·vc², and
 * the drift takes the slope that σR² really has,   v̄φ² = vc² + σR² (1 − κ²/4Ω² + d ln(ΣσR²)/d ln R).
 * σz is that of an infinite sheet: by itself a disk of z0 = 0.15 Rd then settles to about a tenth more than z0 (its
 * radial force grows outwards near the centre), in a massive halo to slightly less (the halo's weight).
 * Sources: Hernquist 1993, ApJS 86, 389, section 2.2; Toomre 1964; Aubert, Amini & David 2009, section 3.1.
 */
import { GravmeshError } from "../errors.ts";
import type { Draw } from "./model.ts";
import { diskMassFraction, type SphericalProfile } from "./profiles.ts";
import { diskRotationCurve } from "./rotation-curve.ts";

/** Where Q is given, in scale lengths. */
const Q_RADIUS = 2.5;
/** Toomre's constant for a stellar disk. */
const TOOMRE = 3.36;
/** σR² stays below this multiple of vc²; the two meet as (x^{−n} + y^{−n})^{−1/n} with n = LIMIT_SHARPNESS. */
const LIMIT = 0.7;
const LIMIT_SHARPNESS = 2;
/** Points of the tables over radius. */
const TABLE_POINTS = 512;
/** Step of centred differences, as a fraction of the radius or the scale length. */
const SLOPE_STEP = 0.02;
/** Half of the spacing of the uniform deviates: bounds |z| at 19 z0. */
const SMALLEST_FRACTION = 2 ** -54;
/** The tables start here, in scale lengths: frequencies are divided by the radius. */
const INNERMOST = 1e-3;

export interface DiskModel {
  /** For messages. */
  name: string;
  mass: number;
  scaleLength: number;
  scaleHeight: number;
  toomreQ: number;
  cutoff: number;
}

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
  const highest = LIMIT * speedSquared(RQ);
  if (!(squareAtRQ < highest)) {
    throw new GravmeshError(
      "scenario",
      `component "${disk.name}": expected a Toomre Q below ${(disk.toomreQ * Math.sqrt(highest / squareAtRQ)).toPrecision(3)} ` +
        `(above it the disk would be held up by its dispersion rather than by rotation), found ${disk.toomreQ}. ` +
        "Try a lower toomreQ, or more mass in a halo about the same centre.",
    );
  }
  const power = -LIMIT_SHARPNESS;
  const unlimitedAtRQ = (squareAtRQ ** power - highest ** power) ** (1 / power);
  const radialSquared = (R: number) => {
    const unlimited = unlimitedAtRQ * Math.exp(-(R - RQ) / scaleLength);
    return (unlimited ** power + (LIMIT * speedSquared(R)) ** power) ** (1 / power);
  };
  const radialDispersion = (R: number) => Math.sqrt(radialSquared(R));
  /** κ²/4Ω² */
  const frequencyRatioSquared = (R: number) => (kappaSquared(R) * R * R) / (4 * speedSquared(R));

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
      const pressureSlope = R * (slope(radialSquared, R) / radialSquared(R) - 1 / scaleLength);
      const drift = radialSquared(R) * (1 - frequencyRatioSquared(R) + pressureSlope);
      return Math.sqrt(Math.max(0, speedSquared(R) + drift));
    },
    toomreQ: (R) => (radialDispersion(R) * Math.sqrt(kappaSquared(R))) / (TOOMRE * G * surfaceDensity(R)),
  };
}

/** Draws from the disk whose velocities `kinematics` gives; it rotates anticlockwise seen from +z. */
export function diskDraw(disk: DiskModel, kinematics: DiskKinematics): Draw {
  const { scaleLength, scaleHeight, cutoff } = disk;
  const inverseStep = (TABLE_POINTS - 1) / cutoff;
  const radius = (i: number) => Math.max(i / inverseStep, INNERMOST * scaleLength);
  const table = (value: (R: number) => number) =>
    Float64Array.from({ length: TABLE_POINTS }, (_, i) => value(radius(i)));
  const rotation = table(kinematics.meanRotation);
  const radial = table((R) => kinematics.dispersions(R)[0]);
  const azimuthal = table((R) => kinematics.dispersions(R)[1]);
  const vertical = table((R) => kinematics.dispersions(R)[2]);

  return (random, point) => {
    // R/Rd follows x e^{−x}: the sum of two exponential deviates.
    let R: number;
    do {
      R = -scaleLength * Math.log((1 - random.uniform()) * (1 - random.uniform()));
    } while (R > cutoff);
    const azimuth = 2 * Math.PI * random.uniform();
    const cosine = Math.cos(azimuth);
    const sine = Math.sin(azimuth);
    // z = z0 artanh(2u − 1), with u kept from 0; it never reaches 1.
    const u = Math.max(random.uniform(), SMALLEST_FRACTION);
    point[0] = R * cosine;
    point[1] = R * sine;
    point[2] = 0.5 * scaleHeight * Math.log(u / (1 - u));

    const position = Math.min(TABLE_POINTS - 1, R * inverseStep);
    const i = Math.min(TABLE_POINTS - 2, Math.floor(position));
    const t = position - i;
    const at = (values: Float64Array) => values[i] + t * (values[i + 1] - values[i]);
    const alongRadius = at(radial) * random.normal();
    const alongAzimuth = at(rotation) + at(azimuthal) * random.normal();
    point[3] = alongRadius * cosine - alongAzimuth * sine;
    point[4] = alongRadius * sine + alongAzimuth * cosine;
    point[5] = at(vertical) * random.normal();
  };
}
