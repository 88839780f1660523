/**
 * Rates f, ḟ, f̈ of the strength f = −φ′/r of spherical potentials, from what their formulas know. With s the distance r, or
 * any length with s ds = r dr, such as √(r² + b²), u = x·v and w = u̇:
 *   ḟ = (s f′) u/s²,   f̈ = (s(s f′)′ − 2 s f′) (u/s²)² + (s f′) w/s²        (′: by s)
 */
type Rates = readonly [f: number, rate: number, secondRate: number];

/** How a path goes, in terms of s. */
export interface Along {
  s2: number;
  u: number;
  w: number;
}

/** From λ = d ln f/d ln s and s λ′. */
export function ratesOfSlope(f: number, slope: number, slopeChange: number, { s2, u, w }: Along): Rates {
  const alpha = u / s2;
  const first = f * slope;
  return [f, first * alpha, f * (slope * slope + slopeChange - 2 * slope) * alpha * alpha + (first * w) / s2];
}

/** Of a mass distribution: `first` = r f′ = −(4πGρ + 3f), `second` = r(r f′)′ − 2 r f′ = −4πGρ (d ln ρ/d ln r − 5) + 15 f. */
export function ratesOfMass(f: number, first: number, second: number, { s2, u, w }: Along): Rates {
  const alpha = u / s2;
  return [f, first * alpha, second * alpha * alpha + (first * w) / s2];
}
