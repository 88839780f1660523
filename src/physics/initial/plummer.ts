/**
 * Plummer sphere, isotropic and self-consistent: M(r) = M r³/(r² + a²)^{3/2}, f(E) ∝ (−E)^{7/2}. Radius by inversion, r =
 * a (X^{−2/3} − 1)^{−1/2}; speed v = q·v_esc with q from q²(1 − q²)^{7/2} by rejection (Aarseth, Hénon & Wielen 1974, A&A
 * 37, 183, appendix). With a cutoff rc = xa the sampled mass M is all inside rc: the model is the inner part of a Plummer
 * sphere of mass M (1 + 1/x²)^{3/2}. The outside would press on it with 4πrc³P(rc); without it 2K would exceed |W|, so
 * all speeds take the factor that makes 2K = |W| exactly:
 *   |W|/2K = 1 − x³/(3J (1 + x²)³),   J = ∫₀ˣ s² (1 + s²)^{−3} ds.      0.997 in speed at x = 6.5, 0.9992 at x = 10
 */
import { derived, positive } from "../../foundation/deck/keys.ts";
import { type Draw, setIsotropic } from "./draw.ts";
import { clusterMass, henonUnits } from "./keys.ts";
import type { SphericalShape } from "./profiles.ts";
import { sphericalModel } from "./spherical-model.ts";

/** In virial equilibrium with G = M = 1 and E = −1/4. */
const HENON_SCALE = (3 * Math.PI) / 16;

export const plummer = sphericalModel({
  name: "plummer",
  meaning: "Plummer sphere in equilibrium, ρ = 3M/(4πa³) (1 + r²/a²)^(−5/2) (Aarseth, Hénon & Wielen 1974)",
  species: "stars",
  keys: {
    mass: clusterMass,
    scale: derived(positive, henonUnits("3π/16", HENON_SCALE), { unit: "length", meaning: "Plummer radius a" }),
  },
  shape: plummerShape,
  potential: "plummer",
  massOf: "particles", // as star clusters are given: M = 1 in Hénon units, whatever the cut-off
  alone: plummerDraw,
});

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

/** Maximum of q²(1 − q²)^{7/2} is 0.0922 (at q² = 2/9). */
const REJECTION_CEILING = 0.1;

/** How far a product of square roots may differ from a power. */
const ROUNDING = 1e-12;

/** height > q² (1 − q²)^{7/2}, the power itself taken only where rounding could decide. */
function isAbove(height: number, square: number): boolean {
  const rest = 1 - square;
  const near = square * rest * rest * rest * Math.sqrt(rest);
  return Math.abs(height - near) > ROUNDING * near ? height > near : height > square * rest ** 3.5;
}

/** |W|/2K of the Plummer sphere inside x = rc/a, without the pressure of what is outside. */
function virialRatioInside(x: number): number {
  const square = 1 + x * x;
  const integral = (Math.atan(x) + (x * (x * x - 1)) / square ** 2) / 8;
  return Math.max(0, 1 - x ** 3 / (3 * integral * square ** 3));
}

/** `mass` inside the cutoff [mass], `scale` a and `cutoff` [length], `G` in deck units. */
function plummerDraw(model: { mass: number; scale: number; cutoff: number }, G: number): Draw {
  const { mass, scale, cutoff } = model;
  const fractionInside = (1 + (scale / cutoff) ** 2) ** -1.5;
  const fullMass = mass / fractionInside;
  const escapeFactor = 2 * G * fullMass * virialRatioInside(cutoff / scale);
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
    } while (isAbove(height, q * q));
    const highestSpeed = Math.sqrt(escapeFactor / Math.sqrt(radius * radius + scale * scale));
    setIsotropic(random, q * highestSpeed, point, 3);
  };
}
