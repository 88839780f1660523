/**
 * Spherical mass profiles, with G left out: mass M(r), density ρ(r), and depth Ψ(r) = ∫_r^∞ M/r² dr, so that the
 * potential is −GΨ and the circular speed √(GM/r). Shapes also have the logarithmic slopes Eddington's formula needs.
 * Sources: Plummer 1911; Hernquist 1990, eqs 2, 3, 5; for the disk, Hernquist 1993, section 2.2.
 */

export interface SphericalProfile {
  /** M(<r) [mass] */
  mass(r: number): number;
  /** ρ(r) [mass/length³] */
  density(r: number): number;
  /** Ψ(r) = ∫_r^∞ M/r² dr [mass/length], also at r = 0 */
  depth(r: number): number;
}

/** An analytic profile that reaches to infinity. */
export interface SphericalShape extends SphericalProfile {
  /** Scale radius [length] */
  readonly scale: number;
  /** γ = d ln ρ / d ln r */
  slope(r: number): number;
  /** dγ / d ln r */
  slopeGradient(r: number): number;
}

/** M(r) = M r³/(r² + a²)^{3/2}; `mass` M [mass], `a` [length]. */
export function plummerShape(mass: number, a: number): SphericalShape {
  const central = (3 * mass) / (4 * Math.PI * a ** 3);
  return {
    scale: a,
    mass: (r) => mass * (r / Math.sqrt(r * r + a * a)) ** 3,
    density: (r) => central * (1 + (r * r) / (a * a)) ** -2.5,
    depth: (r) => mass / Math.sqrt(r * r + a * a),
    slope: (r) => (-5 * r * r) / (r * r + a * a),
    slopeGradient: (r) => -10 * ((a * r) / (r * r + a * a)) ** 2,
  };
}

/** M(r) = M r²/(r + a)²; `mass` M [mass], `a` [length]. */
export function hernquistShape(mass: number, a: number): SphericalShape {
  return {
    scale: a,
    mass: (r) => mass * (r / (r + a)) ** 2,
    density: (r) => (mass * a) / (2 * Math.PI * r * (r + a) ** 3),
    depth: (r) => mass / (r + a),
    slope: (r) => -1 - (3 * r) / (r + a),
    slopeGradient: (r) => (-3 * a * r) / (r + a) ** 2,
  };
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

/**
 * The exponential disk, its mass spread over spheres: M(r) ∝ 1 − (1 + r/Rd) e^{−r/Rd} up to the cutoff.
 * `mass` [mass], `scaleLength` and `cutoff` [length].
 */
export function sphericalDiskProfile(mass: number, scaleLength: number, cutoff: number): SphericalProfile {
  const edge = cutoff / scaleLength;
  const factor = mass / diskMassFraction(edge);
  // (1 − e^{−x})/x, and its series where the difference would cancel.
  const meanExponential = (x: number) => (x < 1e-6 ? 1 - x / 2 : -Math.expm1(-x) / x);
  return {
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

/** Several concentric profiles together. */
export function sumOfProfiles(profiles: readonly SphericalProfile[]): SphericalProfile {
  const sum = (term: (profile: SphericalProfile) => number) => {
    let total = 0;
    for (const profile of profiles) total += term(profile);
    return total;
  };
  return {
    mass: (r) => sum((profile) => profile.mass(r)),
    density: (r) => sum((profile) => profile.density(r)),
    depth: (r) => sum((profile) => profile.depth(r)),
  };
}

/**
 * A profile known on nodes: `radii` [K, logarithmic spacing], `masses` [K], `densities` [K]; empty beyond the last
 * node, a power law of the first two masses inside the first. Cubic Hermite in ln r for M and Ψ, whose slopes are known.
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
  const innerPower = Math.log(masses[1] / masses[0]) / step;

  const hermite = (r: number, values: Float64Array, slope: (i: number) => number) => {
    const position = (Math.log(r) - start) / step;
    const i = Math.min(last - 1, Math.max(0, Math.floor(position)));
    const t = position - i;
    const s = 1 - t;
    return (
      s * s * (1 + 2 * t) * values[i] +
      t * t * (3 - 2 * t) * values[i + 1] +
      t * s * step * (s * slope(i) - t * slope(i + 1))
    );
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
      if (r <= radii[0]) {
        const inner = masses[0] / (radii[0] * (innerPower - 1));
        return depths[0] + inner * (1 - (r / radii[0]) ** (innerPower - 1));
      }
      return hermite(r, depths, (i) => -masses[i] / radii[i]);
    },
  };
}
