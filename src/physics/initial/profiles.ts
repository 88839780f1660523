/**
 * Spherical mass profiles, with G left out: mass M(r), density ρ(r), and depth Ψ(r) = ∫_r^∞ M/r² dr, so that the
 * potential is −GΨ and the circular speed √(GM/r). Shapes also have the logarithmic slopes Eddington's formula needs.
 */
import type { ParticleSource } from "../particles/source.ts";
import { cubic } from "./tables.ts";

export interface SphericalProfile {
  /** M(<r) [mass] */
  mass(r: number): number;
  /** ρ(r) [mass/length³] */
  density(r: number): number;
  /** Ψ(r) = ∫_r^∞ M/r² dr [mass/length], also at r = 0, where it may be infinite */
  depth(r: number): number;
}

export interface ScaledProfile extends SphericalProfile {
  /** Scale radius [length] */
  readonly scale: number;
}

/** An analytic profile that reaches to infinity. */
export interface SphericalShape extends ScaledProfile {
  /** γ = d ln ρ / d ln r */
  slope(r: number): number;
  /** dγ / d ln r */
  slopeGradient(r: number): number;
}

/** A spherical component that is to be in equilibrium. */
export interface SphericalComponent {
  /** For messages. */
  name: string;
  shape: SphericalShape;
  /** What the particles hold [mass]; without it, what the cutoff leaves of the shape. */
  mass?: number;
  /** [length] */
  cutoff: number;
  /** It is made of tracers: the shape says where they are, its mass means nothing. */
  massless?: boolean;
  /** r_a [length]; isotropic without it, or where it is infinite. */
  anisotropyRadius?: number;
}

/** A shape cut off sharply at `cutoff` and scaled so that `mass` is inside. */
export function truncatedProfile(shape: SphericalShape, mass: number, cutoff: number): SphericalProfile {
  const factor = mass / shape.mass(cutoff);
  const edge = shape.depth(cutoff);
  return {
    mass: (r) => (r < cutoff ? factor * shape.mass(r) : mass),
    density: (r) => (r < cutoff ? factor * shape.density(r) : 0),
    depth: (r) => (r < cutoff ? mass / cutoff + factor * (shape.depth(r) - edge) : mass / r),
  };
}

export function sumOfProfiles(profiles: readonly SphericalProfile[]): SphericalProfile {
  const sum = (term: (profile: SphericalProfile) => number) =>
    profiles.reduce((total, profile) => total + term(profile), 0);
  return {
    mass: (r) => sum((profile) => profile.mass(r)),
    density: (r) => sum((profile) => profile.density(r)),
    depth: (r) => sum((profile) => profile.depth(r)),
  };
}

/**
 * A profile known on nodes: `radii` [K, logarithmic spacing], `masses` [K], `densities` [K]; empty beyond the last
 * node, a power law of the first two masses inside the first (nothing where it holds none). Cubic Hermite in ln r for M
 * and Ψ, whose slopes are known.
 */
export function tabulatedProfile(radii: Float64Array, masses: Float64Array, densities: Float64Array): SphericalProfile {
  const last = radii.length - 1;
  const start = Math.log(radii[0]);
  const step = (Math.log(radii[last]) - start) / last;
  const depths = new Float64Array(radii.length);
  depths[last] = masses[last] / radii[last];
  for (let i = last - 1; i >= 0; i--) {
    // ∫ M/r d ln r by the trapezium with its end correction (Euler and Maclaurin), d(M/r)/d ln r = 4πr²ρ − M/r.
    const here = masses[i] / radii[i];
    const next = masses[i + 1] / radii[i + 1];
    const slopeHere = 4 * Math.PI * radii[i] ** 2 * densities[i] - here;
    const slopeNext = 4 * Math.PI * radii[i + 1] ** 2 * densities[i + 1] - next;
    depths[i] = depths[i + 1] + (step * (here + next)) / 2 + (step * step * (slopeHere - slopeNext)) / 12;
  }
  const innerPower = masses[0] > 0 ? Math.log(masses[1] / masses[0]) / step : 0;

  const hermite = (r: number, values: Float64Array, slope: (i: number) => number) => {
    const position = (Math.log(r) - start) / step;
    const i = Math.min(last - 1, Math.max(0, Math.floor(position)));
    return cubic(position - i, step, [values[i], values[i + 1]], [slope(i), slope(i + 1)]);
  };
  return {
    mass: (r) => {
      if (r >= radii[last]) return masses[last];
      if (r <= radii[0]) return masses[0] * (r / radii[0]) ** innerPower;
      return hermite(r, masses, (i) => 4 * Math.PI * radii[i] ** 3 * densities[i]);
    },
    density: (r) => {
      if (r >= radii[last]) return 0;
      if (r <= radii[0]) return densities[0] * (r / radii[0]) ** (innerPower - 3);
      const position = (Math.log(r) - start) / step;
      const i = Math.min(last - 1, Math.floor(position));
      return densities[i] + (position - i) * (densities[i + 1] - densities[i]);
    },
    depth: (r) => {
      if (r >= radii[last]) return masses[last] / r;
      if (r <= radii[0] && !(masses[0] > 0)) return depths[0];
      if (r <= radii[0]) {
        // M ∝ r makes it a logarithm.
        if (Math.abs(innerPower - 1) < 1e-9) return depths[0] - (masses[0] / radii[0]) * Math.log(r / radii[0]);
        const inner = masses[0] / (radii[0] * (innerPower - 1));
        return depths[0] + inner * (1 - (r / radii[0]) ** (innerPower - 1));
      }
      return hermite(r, depths, (i) => -masses[i] / radii[i]);
    },
  };
}

/** A profile by its masses on logarithmic nodes [K ≥ 5], `step` apart in ln r; densities by differences of fourth order. */
export function profileOfMasses(radii: Float64Array, masses: Float64Array, step: number): SphericalProfile {
  const last = radii.length - 1;
  const slope = (i: number) => {
    if (i < 2 || i > last - 2) {
      const [low, high] = [Math.max(0, i - 1), Math.min(last, i + 1)];
      return (masses[high] - masses[low]) / ((high - low) * step);
    }
    return (8 * (masses[i + 1] - masses[i - 1]) - (masses[i + 2] - masses[i - 2])) / (12 * step);
  };
  return tabulatedProfile(
    radii,
    masses,
    radii.map((r, i) => slope(i) / (4 * Math.PI * r ** 3)),
  );
}

/** Radii of the bins' ends, in sides of the box. */
const [INNERMOST, OUTERMOST, BINS] = [1e-6, 1e2, 640];

/** The profile of particles about the centre of the box, from their radii in bins of a few per cent. */
export async function sampledProfile(
  { blocks, masses }: Pick<ParticleSource, "blocks" | "masses">,
  boxSize: number,
): Promise<SphericalProfile> {
  const step = Math.log(OUTERMOST / INNERMOST) / (BINS - 1);
  const radii = Float64Array.from({ length: BINS }, (_, i) => INNERMOST * boxSize * Math.exp(i * step));
  const half = boxSize / 2;
  const within = new Float64Array(BINS);
  for await (const { first, count, positions } of blocks()) {
    const each = masses.every(1, { first, count });
    for (let i = 0; i < count; i++) {
      const [x, y, z] = [positions[3 * i] - half, positions[3 * i + 1] - half, positions[3 * i + 2] - half];
      const r = Math.sqrt(x * x + y * y + z * z);
      const bin = r > radii[0] ? Math.ceil(Math.log(r / radii[0]) / step) : 0;
      within[Math.min(BINS - 1, bin)] += each[i];
    }
  }
  for (let i = 1; i < BINS; i++) within[i] += within[i - 1];
  return profileOfMasses(radii, within, step);
}
