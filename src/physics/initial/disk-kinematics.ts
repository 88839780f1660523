/**
 * The motion of a disk's stars in the total field (total-field.ts). In the plane they follow a distribution function with
 * the surface density and the radial dispersion asked for (planar-distribution.ts), across it the vertical Jeans equation
 * (vertical-structure.ts). The circular speed is that of the mean radial force over the layer,
 *   vc²/R = −∫ F_R ζ dz,
 * as the vertically integrated Jeans equation asks. The dispersion asked for is `form` times what makes Toomre's
 * Q = σ_R κ/(3.36 GΣ), or σ_R itself, as given at one radius. Near the centre that could take a drift larger than the
 * rotation there is: inside the radius where v̄_φ would fall to SLOWEST·vc, σ_R² follows from the Jeans equation with that ratio,
 *   d(Σσ_R²)/dR = −Σ [(1 − SLOWEST²) vc² + σ_R² (1 − κ²/4Ω²)]/R.
 * Sources: Toomre 1964, ApJ 139, 1217; Hernquist 1993, ApJS 86, 389; Binney & Tremaine 2008, section 4.8.2.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { type Draw, setPlanar } from "./draw.ts";
import type { ParticleRandom } from "./philox.ts";
import { type PlanarPotential, planarDistribution, planarPotential, planarRadii } from "./planar-distribution.ts";
import { quasiIsothermal } from "./quasi-isothermal.ts";
import type { TotalField } from "./total-field.ts";
import {
  dispersionTable,
  givenColumn,
  gridHeights,
  isothermalColumn,
  type LayerForm,
  layerOf,
  type VerticalColumn,
} from "./vertical-structure.ts";

export interface Disk extends Record<"mass" | "scaleHeight" | "toomreQ" | "sigma" | "cutoff", number> {
  name: string;
  layer: LayerForm;
  /** σ_R ∝ e^{−R/sigmaLength} [length]; without it Q is the same at all radii. */
  sigmaLength?: number;
}

/** The surface density of a disk, as if it had no end. */
export interface SurfaceDensity {
  /** Radius over which it changes [length]. */
  scale: number;
  /** Σ [mass/length²] and d ln Σ/d ln R. */
  surfaceDensity(R: number): number;
  densitySlope(R: number): number;
}

/** A disk to be set in motion; Q or σ_R is given at `reference` [length], and the other of them is 0. */
type MovedDisk = Disk & SurfaceDensity & { reference: number };

/** Toomre's constant for a stellar disk. */
const TOOMRE = 3.36;
/** Least mean rotation, in circular speeds, where the dispersion is asked for. */
const SLOWEST = 0.3;
const RADII = 160;
/** The tables reach to this many cutoffs, and scales where that is more: stars at the edge come from farther out. */
const REACH = 1.5;
const LEAST_REACH = 4.5;
/** Steps of the Jeans equation from the centre to the reference radius. */
const INNER_POINTS = 1024;
/** Backward orbits matter within this many scales. */
const CORE = 0.05;

/** What the velocities of a disk follow, as functions of the cylindrical radius R [length]. */
export function diskKinematics(disk: MovedDisk, field: TotalField, G: number) {
  const outermost = Math.max(REACH * disk.cutoff, LEAST_REACH * disk.scale);
  const radii = planarRadii(outermost, RADII);
  const layer = layerOf(disk.layer, disk.scaleHeight);
  const isothermal = disk.layer === "isothermal";
  const heights = gridHeights(layer.scale);
  const { radial, vertical } = field.forces(radii, heights);
  const row = (values: Float64Array, i: number) => values.slice(i * heights.length, (i + 1) * heights.length);
  const pulls = Array.from(radii, (_, i) => row(vertical, i).map((force) => -force));
  const alone = Array.from(radii, (R, i): VerticalColumn => {
    if (!isothermal) return givenColumn(layer, heights, pulls[i]);
    return isothermalColumn(layer.scale, heights, pulls[i], 2 * Math.PI * G * disk.surfaceDensity(R));
  });
  const plane = planarPotential(
    radii,
    radii.map((R, i) => -R * layerMean(alone[i], row(radial, i))),
  );
  const stars = planarDistribution(plane, {
    surfaceDensity: disk.surfaceDensity,
    radialDispersion: dispersionAskedFor(disk, plane, G),
    fitted: Math.max(disk.cutoff, 3 * disk.scale),
    core: CORE * disk.scale,
  });
  const meanHeight = layer.scale * Math.LN2;
  const mixture = isothermal ? quasiIsothermal(alone, pulls, heights, { stars, meanHeight }) : undefined;
  const place = (R: number) => Math.min(RADII - 1, Math.max(0, Math.sqrt(R / outermost) * RADII - 1));
  const verticalDispersion = dispersionTable(mixture?.columns ?? alone, heights, place);
  const planar = new Float64Array(3);
  const across = new Float64Array(2);
  return {
    /** Σ [mass/length²], vc² and κ² of all components, mean over the layer, and the motions in the plane */
    ...{ surfaceDensity: disk.surfaceDensity, plane, stars },
    /** σ_z at a height [velocity] */
    verticalDispersion,
    /** Writes v_R, v_φ, z and v_z of a star at R. */
    draw(random: ParticleRandom, R: number, out: Float64Array): void {
      stars.draw(random, R, planar);
      if (mixture) mixture.draw(random, place(R), planar[2], across);
      else {
        across[0] = layer.height(random.uniform());
        across[1] = verticalDispersion(R, across[0]) * random.normal();
      }
      out.set(planar.subarray(0, 2));
      out.set(across, 2);
    },
  };
}

/** Mean over the stars of a column of what is given at the heights. */
function layerMean({ shares }: VerticalColumn, values: Float64Array): number {
  let sum = 0;
  for (let j = 1; j < values.length; j++) sum += 0.5 * (shares[j] - shares[j - 1]) * (values[j] + values[j - 1]);
  return sum;
}

/** σ_R(R) [velocity]. Throws where Q or σ_R is out of reach. */
function dispersionAskedFor(disk: MovedDisk, plane: PlanarPotential, G: number): (R: number) => number {
  const { reference, sigmaLength: length } = disk;
  const { kappaSquared, speedSquared } = plane;
  const critical = (R: number) => (TOOMRE * G * disk.surfaceDensity(R)) ** 2 / kappaSquared(R);
  const given = disk.sigma > 0 ? disk.sigma ** 2 : disk.toomreQ ** 2 * critical(reference);
  const form = length === undefined ? critical : (R: number) => Math.exp((-2 * R) / length);
  const free = (R: number) => (given * form(R)) / form(reference);
  /** κ²/4Ω² */
  const frequencyRatio = (R: number) => (speedSquared(R) > 0 ? (kappaSquared(R) * R * R) / (4 * speedSquared(R)) : 1);
  const slope = (R: number) =>
    disk.densitySlope(R) +
    (length === undefined ? Math.log(free(1.02 * R) / free(0.98 * R)) / Math.log(1.02 / 0.98) : (-2 * R) / length);
  /** v̄_φ² = vc² + σ_R² (1 − κ²/4Ω² + d ln Σσ_R²/d ln R) has to be SLOWEST² vc² at least. */
  const driftExcess = (R: number) =>
    free(R) * (frequencyRatio(R) - 1 - slope(R)) - (1 - SLOWEST ** 2) * speedSquared(R);
  if (!(driftExcess(reference) < 0)) throw tooHot(disk, driftExcess(reference), speedSquared(reference));

  // The Jeans equation inwards from where the drift is as large as it may be, by Heun's method.
  const step = reference / INNER_POINTS;
  let joint = INNER_POINTS;
  while (joint > 1 && driftExcess(joint * step) < 0) joint--;
  const stress = new Float64Array(INNER_POINTS + 1);
  const stressSlope = (R: number, value: number) =>
    -((1 - SLOWEST ** 2) * speedSquared(R) * disk.surfaceDensity(R) + value * (1 - frequencyRatio(R))) / R;
  stress[joint] = free(joint * step) * disk.surfaceDensity(joint * step);
  for (let i = joint; i > 0; i--) {
    const outer = i * step;
    const inner = Math.max((i - 1) * step, plane.radii[0]);
    const first = stressSlope(outer, stress[i]);
    const second = stressSlope(inner, stress[i] - first * (outer - inner));
    stress[i - 1] = stress[i] - 0.5 * (first + second) * (outer - inner);
  }
  return (R) => {
    if (R >= joint * step) return Math.sqrt(free(R));
    const i = Math.floor(R / step);
    return Math.sqrt((stress[i] + (R / step - i) * (stress[i + 1] - stress[i])) / disk.surfaceDensity(R));
  };
}

function tooHot({ name, toomreQ, sigma }: Disk, excess: number, speedSquared: number): GravmeshError {
  const allowed = (1 - SLOWEST ** 2) * speedSquared;
  const [key, found] = sigma > 0 ? ["sigma", sigma] : ["Toomre Q", toomreQ];
  const highest = found * Math.sqrt(allowed / (allowed + excess));
  return new GravmeshError(
    "scenario",
    `component "${name}": expected a ${key} below ${highest.toPrecision(3)} (above it the disk would be held up by ` +
      `its dispersion rather than by rotation), found ${found}. ` +
      `Try a lower ${sigma > 0 ? "sigma" : "toomreQ"}, or more mass in a halo about the same centre.`,
  );
}

/** Draws stars whose radii `radius` gives; they turn anticlockwise seen from +z. */
export function diskDraw(
  { draw }: ReturnType<typeof diskKinematics>,
  radius: (random: ParticleRandom) => number,
): Draw {
  const star = new Float64Array(4);
  return (random, point) => {
    const R = radius(random);
    const azimuth = 2 * Math.PI * random.uniform();
    draw(random, R, star);
    setPlanar(point, R, azimuth, star);
    point[2] = star[2];
    point[5] = star[3];
  };
}
