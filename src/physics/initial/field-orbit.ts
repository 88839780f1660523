/**
 * Orbits of given apsides. Between two points it is Kepler's, with the pericentre q, the eccentricity e, the separation r
 * before the pericentre, μ = G(M₁ + M₂), p = q (1 + e) and the true anomaly −f:
 *   tan²(f/2) = (1 + e)(r − q)/[(1 + e) q − (1 − e) r],   x = r (cos f, −sin f),   ẋ = √(μ/p) (sin f, e + cos f)
 * in the axes of the orbit: x to the pericentre, anticlockwise about z. The first form of p/r = 1 + e cos f loses no digits
 * at either apsis. Source: Danby 1988, Fundamentals of Celestial Mechanics, sections 6.3 and 6.4.
 *
 * In a spherical field r̈ = −G M(r)/r², with Ψ(r) = ∫_r^∞ M/r² dr and e = (Q − q)/(Q + q), Q the apocentre,
 *   L² = 2G [Ψ(q) − Ψ(Q)] q²Q²/(Q² − q²);   on a circle L² = G M(q) q;   for e ≥ 1 L² = (1 + e) G Ψ(q) q²,
 * so that the energy of an open orbit is ½(e − 1) G Ψ(q): none of a parabola, and that of Kepler's hyperbola between points.
 * In a field whose mass doesn't decrease outwards q and Q are the turning points, and the radial velocity
 *   ṙ² = L² (1/q² − 1/r²) − 2G [Ψ(q) − Ψ(r)]
 * is positive between them. Time and azimuth from the pericentre are ∫ dr/ṙ and ∫ L/(r²ṙ) dr, with r = (q + Q)/2 −
 * (Q − q)/2 cos η, or q + η², which take the roots out of them. Source: Binney & Tremaine 2008, section 3.1.
 */
import { gaussLegendre, integral } from "../cosmology/quadrature.ts";
import type { OrbitSettings } from "./galaxies.ts";
import type { OrbitField } from "./orbit-field.ts";

type Apsides = Pick<OrbitSettings, "pericentre" | "eccentricity">;

/** The largest separation [length]; Infinity of an open orbit. */
export function apocentre({ pericentre, eccentricity: e }: Apsides): number {
  return e < 1 ? (pericentre * (1 + e)) / (1 - e) : Number.POSITIVE_INFINITY;
}

export interface Orbit {
  /**
   * Before the pericentre at a separation from it to the apocentre [length]: place in the orbit's plane [length], velocity
   * [velocity], and the time from now to the pericentre [time].
   */
  at(separation: number): { position: [number, number]; velocity: [number, number]; untilPericentre: number };
}

/** The orbit of two points with `mu` = G M [length velocity²]. */
export function pointOrbit(apsides: Apsides, mu: number): Orbit {
  const { pericentre, eccentricity: e } = apsides;
  const p = pericentre * (1 + e);
  const speed = Math.sqrt(mu / p);
  return {
    at(separation) {
      const rise = (1 + e) * Math.max(0, separation - pericentre);
      const rest = Math.max(0, p - (1 - e) * separation);
      // tan(f/2), as cosine and sine of f, which stay finite at the apocentre.
      const sum = rise + rest;
      const [cosine, sine] = sum > 0 ? [(rest - rise) / sum, (2 * Math.sqrt(rise * rest)) / sum] : [1, 0];
      return {
        position: [separation * cosine, -separation * sine],
        velocity: [speed * sine, speed * (e + cosine)],
        untilPericentre: timeFromPericentre(apsides, Math.sqrt(rise), Math.sqrt(rest), mu),
      };
    },
  };
}

/** Kepler's equation, Barker's for the parabola; tan(f/2) = sine/cosine [time]. */
function timeFromPericentre(
  { pericentre, eccentricity: e }: Apsides,
  sine: number,
  cosine: number,
  mu: number,
): number {
  if (e === 1) {
    const tangent = sine / cosine;
    return 0.5 * Math.sqrt((2 * pericentre) ** 3 / mu) * (tangent + tangent ** 3 / 3);
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

const RULE = gaussLegendre(16);
/** Panels of the integrals of time and azimuth. */
const PANELS = 6;
/** Widest panel of ln r. */
const PANEL = 0.5;

export function fieldOrbit(field: OrbitField, apsides: Apsides, G: number): Orbit {
  const { pericentre: q, eccentricity: e } = apsides;
  const far = apocentre(apsides);
  /** Ψ(a) − Ψ(b), without the cancellation. */
  const drop = (a: number, b: number) => {
    const [from, to] = [Math.log(a), Math.log(b)];
    const panels = Math.ceil(Math.abs(to - from) / PANEL) || 1;
    return integral((x) => field.mass(Math.exp(x)) / Math.exp(x), from, to, panels);
  };
  const spin2 = (() => {
    if (e >= 1) return (1 + e) * G * field.depth(q) * q * q;
    if (far === q) return G * field.mass(q) * q;
    return (2 * G * drop(q, far) * q * q) / ((1 - q / far) * (1 + q / far));
  })();
  const spin = Math.sqrt(spin2);
  const radial = (r: number) => Math.sqrt(Math.max(0, (spin2 * (r - q) * (r + q)) / (q * r) ** 2 - 2 * G * drop(q, r)));
  /** Time and azimuth from the pericentre. */
  const since = (separation: number) => {
    let [time, angle] = [0, 0];
    if (!(separation > q)) return { time, angle };
    const half = (far - q) / 2;
    const bound = far < Number.POSITIVE_INFINITY;
    const end = bound ? Math.acos(Math.max(-1, 1 - (separation - q) / half)) : Math.sqrt(separation - q);
    const width = end / PANELS;
    for (let panel = 0; panel < PANELS; panel++) {
      for (let k = 0; k < RULE.nodes.length; k++) {
        const eta = width * (panel + (1 + RULE.nodes[k]) / 2);
        // 1 − cos η without its cancellation.
        const r = bound ? q + 2 * half * Math.sin(eta / 2) ** 2 : q + eta * eta;
        const rate = bound ? half * Math.sin(eta) : 2 * eta;
        const dt = (RULE.weights[k] * width * rate) / (2 * radial(r));
        time += dt;
        angle += (dt * spin) / (r * r);
      }
    }
    return { time, angle };
  };
  return {
    at(separation) {
      const { time, angle } = since(separation);
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const inwards = separation < far ? radial(separation) : 0;
      const across = spin / separation;
      return {
        position: [separation * c, -separation * s],
        velocity: [across * s - inwards * c, across * c + inwards * s],
        untilPericentre: time,
      };
    },
  };
}
