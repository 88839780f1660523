/**
 * Motion in the plane of a disk, from its circular speed on a grid: Ω = vc/R, φ(R) = ∫ vc²/R dR, κ² = dvc²/R dR + 2Ω².
 * Nodes are even in s = √(R/outermost), in which curves are smooth: cubic in s between them.
 */

export interface PlanarPotential {
  /** [length], rising, evenly in the root */
  radii: Float64Array;
  /** vc²(R) [velocity²] */
  speedSquared(R: number): number;
  /** κ²(R) [1/time²] */
  kappaSquared(R: number): number;
  /** φ at the radii [velocity²]; 0 at the last. */
  depths: Float64Array;
}

/** Step of centred differences, as a fraction of the radius. */
const SLOPE_STEP = 0.02;
/** φ between two nodes: Gauss and Legendre's three points. */
const GAUSS = [
  [0.5 - Math.sqrt(0.15), 5 / 18],
  [0.5, 8 / 18],
  [0.5 + Math.sqrt(0.15), 5 / 18],
];

/** `count` radii up to `outermost`; the innermost is outermost/count². */
export function planarRadii(outermost: number, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => outermost * ((i + 1) / count) ** 2);
}

/** `squares`: vc² at planarRadii(); negative ones, where the mean force is outwards, count as none. */
export function planarPotential(radii: Float64Array, squares: Float64Array): PlanarPotential {
  const count = radii.length;
  const values = squares.map((square) => Math.max(0, square));
  const at = tableOverRoot(radii[count - 1], values);
  const speedSquared = (R: number) => Math.max(0, at(R));
  const depths = new Float64Array(count);
  for (let i = count - 2; i >= 0; i--) {
    // dφ = vc² dR/R = 2 vc² ds/s
    let sum = 0;
    for (const [x, weight] of GAUSS) {
      const s = (i + 1 + x) / count;
      sum += (weight * 2 * speedSquared(radii[count - 1] * s * s)) / (i + 1 + x);
    }
    depths[i] = depths[i + 1] - sum;
  }
  return {
    radii,
    depths,
    speedSquared,
    kappaSquared(R) {
      const step = SLOPE_STEP * R;
      const slope = (speedSquared(R + step) - speedSquared(R - step)) / (2 * step);
      return Math.max(0, slope / R + (2 * speedSquared(R)) / (R * R));
    },
  };
}

/** Cubic through four values at planarRadii(outermost, values.length), constant beyond them. */
export function tableOverRoot(outermost: number, values: Float64Array): (R: number) => number {
  const count = values.length;
  return (R) => {
    const position = Math.min(count - 1, Math.max(0, Math.sqrt(R / outermost) * count - 1));
    const i = Math.min(count - 3, Math.max(1, Math.floor(position)));
    const t = position - i;
    return (
      (-t * (t - 1) * (t - 2) * values[i - 1] + 3 * (t + 1) * (t - 1) * (t - 2) * values[i]) / 6 +
      (-3 * (t + 1) * t * (t - 2) * values[i + 1] + (t + 1) * t * (t - 1) * values[i + 2]) / 6
    );
  };
}
