/**
 * The place of two point masses on the Kepler orbit of a given pericentre q, eccentricity e and separation r, before
 * pericentre, with μ = G(M₁ + M₂), p = q (1 + e) and the true anomaly −f:
 *   tan²(f/2) = (1 + e)(r − q)/[(1 + e) q − (1 − e) r],   x = r (cos f, −sin f),   ẋ = √(μ/p) (sin f, e + cos f)
 * in the axes of the orbit: x to the pericentre, anticlockwise about z. The first form of p/r = 1 + e cos f loses no digits
 * at either apsis. Source: Danby 1988, Fundamentals of Celestial Mechanics, sections 6.3 and 6.4.
 */

export interface Apsides {
  /** Least separation q [length]. */
  pericentre: number;
  eccentricity: number;
}

export interface OrbitState {
  /** In the orbit's plane [length]. */
  position: [number, number];
  /** [velocity] */
  velocity: [number, number];
  /** From now to the pericentre [time]. */
  untilPericentre: number;
}

/** The largest separation [length]; Infinity of an open orbit. */
export function apocentre({ pericentre, eccentricity: e }: Apsides): number {
  return e < 1 ? (pericentre * (1 + e)) / (1 - e) : Number.POSITIVE_INFINITY;
}

/** `mu` = G M [length velocity²]; `separation` from pericentre to apocentre [length]. */
export function incoming(apsides: Apsides, separation: number, mu: number): OrbitState {
  const { pericentre, eccentricity: e } = apsides;
  const p = pericentre * (1 + e);
  const rise = (1 + e) * Math.max(0, separation - pericentre);
  const rest = Math.max(0, p - (1 - e) * separation);
  // tan(f/2), as cosine and sine of f, which stay finite at the apocentre.
  const sum = rise + rest;
  const [cosine, sine] = sum > 0 ? [(rest - rise) / sum, (2 * Math.sqrt(rise * rest)) / sum] : [1, 0];
  const speed = Math.sqrt(mu / p);
  return {
    position: [separation * cosine, -separation * sine],
    velocity: [speed * sine, speed * (e + cosine)],
    untilPericentre: timeFromPericentre(apsides, Math.sqrt(rise), Math.sqrt(rest), mu),
  };
}

/** Kepler's equation, Barker's for the parabola; tan(f/2) = sine/cosine [time]. */
function timeFromPericentre(
  { pericentre, eccentricity: e }: Apsides,
  sine: number,
  cosine: number,
  mu: number,
): number {
  const p = pericentre * (1 + e);
  if (e === 1) {
    const tangent = sine / cosine;
    return 0.5 * Math.sqrt(p ** 3 / mu) * (tangent + tangent ** 3 / 3);
  }
  const rate = Math.sqrt((Math.abs(1 - e) / pericentre) ** 3 * mu);
  if (e < 1) {
    const E = 2 * Math.atan2(Math.sqrt(1 - e) * sine, Math.sqrt(1 + e) * cosine);
    return ((1 - e) * Math.sin(E) + beyondSine(E, -1)) / rate;
  }
  const F = 2 * Math.atanh((Math.sqrt(e - 1) * sine) / (Math.sqrt(1 + e) * cosine));
  return ((e - 1) * Math.sinh(F) + beyondSine(F, 1)) / rate;
}

/** x − sin x for a sign of −1, sinh x − x for +1: by the series where the difference would cancel. */
function beyondSine(x: number, sign: -1 | 1): number {
  if (Math.abs(x) > 0.5) return sign < 0 ? x - Math.sin(x) : Math.sinh(x) - x;
  let term = x ** 3 / 6;
  let sum = 0;
  for (let k = 4; Math.abs(term) > 1e-17 * Math.abs(sum); k += 2) {
    sum += term;
    term *= (sign * x * x) / (k * (k + 1));
  }
  return sum;
}
