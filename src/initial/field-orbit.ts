/**
 * The orbit of given apsides in a spherical field, r̈ = −G M(r)/r², with Ψ(r) = ∫_r^∞ M/r² dr. With the pericentre q and
 * e = (Q − q)/(Q + q), Q the apocentre,
 *   L² = 2G [Ψ(q) − Ψ(Q)] q²Q²/(Q² − q²);   on a circle L² = G M(q) q;   for e ≥ 1 L² = (1 + e) G Ψ(q) q²,
 * so that the energy of an open orbit is ½(e − 1) G Ψ(q): none of a parabola, and that of Kepler's hyperbola between points.
 * In a field whose mass doesn't decrease outwards q and Q are the turning points, and the radial velocity
 *   ṙ² = L² (1/q² − 1/r²) − 2G [Ψ(q) − Ψ(r)]
 * is positive between them. Time and azimuth from the pericentre are ∫ dr/ṙ and ∫ L/(r²ṙ) dr, with r = (q + Q)/2 −
 * (Q − q)/2 cos η, or q + η², which take the roots out of them. Source: Binney & Tremaine 2008, section 3.1.
 */
import { gaussLegendre, integral } from "../cosmology/quadrature.ts";
import { type Apsides, apocentre, incoming, type OrbitState } from "./kepler-orbit.ts";
import type { OrbitField } from "./orbit-field.ts";

/** An orbit of two galaxies, or of points. */
export interface Orbit {
  /** Before the pericentre at a separation from it to the apocentre [length]. */
  at(separation: number): OrbitState;
}

/** The orbit of two points with `mu` = G M [length velocity²]. */
export const pointOrbit = (apsides: Apsides, mu: number): Orbit => ({
  at: (separation) => incoming(apsides, separation, mu),
});

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
    return integral(
      (x) => field.mass(Math.exp(x)) / Math.exp(x),
      from,
      to,
      Math.ceil(Math.abs(to - from) / PANEL) || 1,
    );
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
