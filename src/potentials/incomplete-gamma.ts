/**
 * Gamma functions for potentials: Γ(a), the lower one γ(a, x) and the upper one Γ(a, x), also for a ≤ 0. By series up to
 * x = 2, by the continued fraction beyond, both to float64's precision (Abramowitz & Stegun 1964, 6.5.29 and 6.5.31).
 */

/** Up to here series, and the continued fraction's depth beyond. */
const SERIES_TO = 2;
const DEPTH = 64;

const LANCZOS = [
  ...[0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313],
  ...[-176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7],
];

/** Γ(a), no pole (Lanczos' approximation with g = 7, to 1e-15). */
export function gamma(a: number): number {
  if (a < 0.5) return Math.PI / (Math.sin(Math.PI * a) * gamma(1 - a));
  const t = a + 6.5;
  const series = LANCZOS.reduce((sum, c, k) => sum + (k === 0 ? c : c / (a - 1 + k)), 0);
  return Math.sqrt(2 * Math.PI) * t ** (a - 0.5) * Math.exp(-t) * series;
}

/** Σ_{n≥1} xⁿ/(a (a + 1) … (a + n)): γ(a, x) = x^a e^{−x} (1/a + this). */
export function lowerTail(a: number, x: number): number {
  let [sum, term] = [0, 1 / a];
  for (let n = 1; n === 1 || term > 1e-17 * sum; n++) {
    term *= x / (a + n);
    sum += term;
    if (term === 0) break;
  }
  return sum;
}

/** γ(a, x), a > 0. */
export function lowerGamma(a: number, x: number): number {
  if (x > SERIES_TO) return gamma(a) - upperFraction(a, x);
  return x ** a * Math.exp(-x) * (1 / a + lowerTail(a, x));
}

/** (Γ(1 + a) − 1)/a, −γ_E at 0: what Γ(a) has beside 1/a. */
export function gammaBesidePole(a: number): number {
  if (Math.abs(a) > 1e-3) return (gamma(1 + a) - 1) / a;
  // Taylor: −γ_E + a (γ_E²/2 + π²/12) − a² (γ_E³/6 + γ_E π²/12 + ζ(3)/3) + …
  return -0.5772156649015329 + a * (0.9890559953279725 + a * (-0.9074790760808862 + a * 0.9817280868344002));
}

/** Γ(a, x), x > 0, for any a above −1. */
export function upperGamma(a: number, x: number): number {
  if (x > SERIES_TO) return upperFraction(a, x);
  const logarithm = Math.log(x);
  const [growth, scale] = [a * logarithm, x ** a];
  let [sum, term] = [0, 1];
  for (let n = 1; n < 60; n++) {
    term *= -x / n;
    sum += term / (a + n);
  }
  const ofPower = growth === 0 ? logarithm : (logarithm * Math.expm1(growth)) / growth; // (x^a − 1)/a
  return gammaBesidePole(a) - ofPower - scale * sum;
}

/** Γ(a, x) for x that isn't small. */
function upperFraction(a: number, x: number): number {
  let below = 0;
  for (let n = DEPTH; n >= 1; n--) below = (n * (n - a)) / (x + 2 * n + 1 - a - below);
  return (x ** a * Math.exp(-x)) / (x + 1 - a - below);
}
