/**
 * Plummer sphere, isotropic and self-consistent: M(r) = M r³/(r² + a²)^{3/2}, f(E) ∝ (−E)^{7/2}.
 * Radius by inversion, r = a (X^{−2/3} − 1)^{−1/2}; speed v = q·v_esc with q from q²(1 − q²)^{7/2} by rejection.
 * Source: Aarseth, Hénon & Wielen 1974, A&A 37, 183, appendix.
 *
 * Hénon units: G = M = 1, E = −1/4, so that a = 3π/16. With a cutoff rc the sampled mass M is all inside rc: the
 * model is the inner part of a Plummer sphere of mass M (1 + a²/rc²)^{3/2}. What the missing outside would have
 * pushed inwards is left out; 2K then exceeds |W| by 4πrc³P(rc), 0.2 % at rc = 10 a and falling as rc^{−3}.
 */
import { type Draw, setIsotropic } from "./model.ts";

/** Maximum of q²(1 − q²)^{7/2} is 0.0922 (at q² = 2/9). */
const REJECTION_CEILING = 0.1;

/** `mass` inside the cutoff [mass], `scale` a and `cutoff` [length], `G` in deck units. */
export function plummerDraw(model: { mass: number; scale: number; cutoff: number }, G: number): Draw {
  const { mass, scale, cutoff } = model;
  const fractionInside = (1 + (scale / cutoff) ** 2) ** -1.5;
  const fullMass = mass / fractionInside;
  return (random, point) => {
    // 1 − uniform() lies in (0, 1], so the radius is neither 0/0 nor beyond the cutoff.
    const enclosed = fractionInside * (1 - random.uniform());
    const radius = Math.min(cutoff, scale / Math.sqrt(enclosed ** (-2 / 3) - 1));
    setIsotropic(random, radius, point, 0);

    let q: number;
    let height: number;
    do {
      q = random.uniform();
      height = REJECTION_CEILING * random.uniform();
    } while (height > q * q * (1 - q * q) ** 3.5);
    const escapeSpeed = Math.sqrt((2 * G * fullMass) / Math.sqrt(radius * radius + scale * scale));
    setIsotropic(random, q * escapeSpeed, point, 3);
  };
}
