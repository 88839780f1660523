/**
 * What is measured of a disk at one time, in rings about its centre, reduced where the particles lie:
 *   C_m(R) = Σ m_i e^{imφ} / Σ m_i = A_m e^{imφ_m},  m = 1 … 6
 *   Ω, κ, Σ, σ_R and Q (disk-frequencies.ts);  bending B(R) = Σ m_i z_i e^{2iφ} / Σ m_i (Debattista et al. 2006)
 * A density Σ₀(R) [1 + ε cos m(φ − φ₀)] has A_m = ε/2 and φ_m = φ₀.
 */
import { MOST_DEGREE, poleStrength, WAVES } from "../../physics/particles/harmonics.ts";
import type { IdRange, Reductions, Sphere, Vector } from "../../physics/particles/reductions.ts";
import { densityCentre, followedCentre } from "./density-centre.ts";
import { diskFrequencies, surfaceDensities } from "./disk-frequencies.ts";
import { rotationIn } from "./profiles.ts";

export interface BarRequest {
  /** Edges of the rings, [B + 1] ascending [length]. */
  edges: readonly number[];
  /** What is further from the plane doesn't count [length]. */
  height: number;
  /** The axis of the disk. */
  normal: Vector;
  /** In deck units. */
  G: number;
  /** In shells between the same edges. */
  multipoles: boolean;
  /** Where the disk is about, and how large what is looked at first; anywhere when left out. */
  about?: Sphere | undefined;
}

/** What a profile has: its shape for B rings, its unit, and what it is. */
interface Quantity {
  shape: (B: number) => readonly number[];
  unit: "" | "length" | "mass" | "velocity" | "mass/length^2" | "rad" | "1/time";
  meaning: string;
}

const one = (unit: Quantity["unit"], meaning: string): Quantity => ({ shape: (B) => [B], unit, meaning });
const vector = (unit: Quantity["unit"], meaning: string): Quantity => ({ shape: () => [3], unit, meaning });
const waves = (unit: Quantity["unit"], meaning: string): Quantity => ({ shape: (B) => [WAVES, B], unit, meaning });

/** By the names that files give them. */
export const PROFILE = {
  centre: vector("length", "where the disk is densest, box coordinates"),
  velocity: vector("velocity", "mean velocity there"),
  count: one("", "particles of each ring"),
  mass: one("mass", "mass of each ring"),
  amplitude: waves("", "A_m of m = 1 to 6"),
  phase: waves("rad", "phi_m of m = 1 to 6, in (-pi/m, pi/m]"),
  surface_density: one("mass/length^2", "mass of each ring over its area"),
  rotation: one("velocity", "mean v_phi"),
  sigma_R: one("velocity", "dispersion of v_R"),
  sigma_z: one("velocity", "dispersion of v_z"),
  Omega: one("1/time", "angular speed of circular orbits, of the mean force"),
  kappa: one("1/time", "epicyclic frequency"),
  Q: one("", "Toomre's Q, sigma_R kappa / (3.36 G Sigma)"),
  height: one("length", "mean z"),
  thickness: one("length", "dispersion of z"),
  buckling: one("length", "absolute value of the mean of z exp(2 i phi)"),
  buckling_phase: one("rad", "half of its argument"),
} satisfies Record<string, Quantity>;

/** The multipoles, where they are asked for. */
export const POLE_PROFILE = {
  shell_count: one("", "particles of each shell"),
  shell_mass: one("mass", "mass of each shell"),
  pole_strength: {
    shape: (B: number) => [MOST_DEGREE, B],
    unit: "",
    meaning: "root of the sum over m of the squares of poles, of l = 1 to 4",
  },
  poles: {
    shape: (B: number) => [MOST_DEGREE * (MOST_DEGREE + 2), B],
    unit: "",
    meaning: "mean of sqrt(4 pi / (2 l + 1)) Y_lm, real, of l = 1 to 4 and m = -l to l",
  },
} satisfies Record<string, Quantity>;

export type BarProfile = Record<keyof typeof PROFILE, Float64Array<ArrayBuffer>>;
export type PoleProfile = Record<keyof typeof POLE_PROFILE, Float64Array<ArrayBuffer>>;

/** The profile of the particles in `ranges`, about where they are densest near `about`. */
export async function barProfile(
  particles: Reductions,
  request: BarRequest,
  ranges?: readonly IdRange[],
): Promise<BarProfile & Partial<PoleProfile>> {
  const { edges, height, normal, G } = request;
  const { centre, velocity } = request.about
    ? await followedCentre(particles, request.about, ranges)
    : await densityCentre(particles, ranges);
  const found = await particles.waves({ centre, normal, edges, height }, ranges);
  const rings = await particles.rings({ centre, normal, velocity, edges, accelerations: true }, ranges);
  const { omega, kappa, toomreQ } = diskFrequencies(rings, edges, G);
  const { rotation, sigmaR, sigmaZ } = rotationIn(rings, edges);
  const waveParts = found.cosine.map((cosine, k) => polar(cosine, found.sine[k], k + 1));
  const bending = polar(found.bending.cosine, found.bending.sine, 2);
  return {
    centre: Float64Array.from(centre),
    velocity: Float64Array.from(velocity),
    count: Float64Array.from(found.count),
    mass: Float64Array.from(found.mass),
    amplitude: Float64Array.from(waveParts.flatMap(({ amplitude }) => amplitude)),
    phase: Float64Array.from(waveParts.flatMap(({ phase }) => phase)),
    surface_density: Float64Array.from(surfaceDensities(rings.mass, edges)),
    rotation: Float64Array.from(rotation),
    sigma_R: Float64Array.from(sigmaR),
    sigma_z: Float64Array.from(sigmaZ),
    Omega: Float64Array.from(omega),
    kappa: Float64Array.from(kappa),
    Q: Float64Array.from(toomreQ),
    height: Float64Array.from(found.height),
    thickness: Float64Array.from(found.squaredHeight, (z2, k) => Math.sqrt(Math.max(0, z2 - found.height[k] ** 2))),
    buckling: Float64Array.from(bending.amplitude),
    buckling_phase: Float64Array.from(bending.phase),
    ...(request.multipoles && (await polesAbout(particles, { centre, normal, edges }, ranges))),
  };
}

async function polesAbout(
  particles: Reductions,
  request: { centre: Vector; normal: Vector; edges: readonly number[] },
  ranges: readonly IdRange[] | undefined,
): Promise<PoleProfile> {
  const found = await particles.multipoles(request, ranges);
  const degrees = Array.from({ length: MOST_DEGREE }, (_, i) => i + 1);
  return {
    shell_count: Float64Array.from(found.count),
    shell_mass: Float64Array.from(found.mass),
    pole_strength: Float64Array.from(degrees.flatMap((l) => poleStrength(found, l))),
    poles: Float64Array.from(found.terms.flat()),
  };
}

/** A and φ of A e^{imφ}, φ in (−π/m, π/m]. */
function polar(cosine: readonly number[], sine: readonly number[], m: number) {
  return {
    amplitude: cosine.map((c, i) => Math.hypot(c, sine[i])),
    phase: cosine.map((c, i) => Math.atan2(sine[i], c) / m),
  };
}
