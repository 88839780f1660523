/**
 * Gamma functions of potentials and profiles, to float64's precision: by series for small x, by the continued fraction
 * beyond. Sources: Lanczos 1964, SIAM J. Num. Anal. B 1, 86 (coefficients of Godfrey 2001, g = 607/128); Abramowitz &
 * Stegun 1964, 6.5.29 and 6.5.31.
 */

/** Up to here Γ(a, x) is by series. */
const SERIES_TO = 2;
const PRECISION = 1e-16;

const LANCZOS_G = 607 / 128;
const LANCZOS = [
  0.9999999999999971, 57.15623566586292, -59.59796035547549, 14.136097974741746, -0.4919138160976202,
  3.399464998481189e-5, 4.652362892704858e-5, -9.837447530487956e-5, 0.0001580887032249125, -0.00021026444172410488,
  0.00021743961811521265, -0.0001643181065367639, 8.441822398385275e-5, -2.6190838401581408e-5, 3.6899182659531625e-6,
];

function lanczosSum(a: number): number {
  let sum = LANCZOS[0];
  for (let k = 1; k < LANCZOS.length; k++) sum += LANCZOS[k] / (a - 1 + k);
  return sum;
}

/** Γ(a), no pole. */
export function gamma(a: number): number {
  if (a < 0.5) return Math.PI / (Math.sin(Math.PI * a) * gamma(1 - a));
  const base = a - 0.5 + LANCZOS_G;
  return Math.sqrt(2 * Math.PI) * base ** (a - 0.5) * Math.exp(-base) * lanczosSum(a);
}

/** ln Γ(a), a > 0. */
export function logGamma(a: number): number {
  const base = a - 0.5 + LANCZOS_G;
  return 0.5 * Math.log(2 * Math.PI) + (a - 0.5) * Math.log(base) - base + Math.log(lanczosSum(a));
}

/** `sum` + Σ_{n≥1} xⁿ/(a (a + 1) … (a + n)), a > 0: with 1/a for the sum it is γ(a, x)/(x^a e^{−x}). */
export function series(a: number, x: number, sum: number): number {
  let [total, term] = [sum, 1 / a];
  for (let n = 1; term > PRECISION * total; n++) {
    term *= x / (a + n);
    total += term;
  }
  return total;
}

/** Γ(a, x)/(x^a e^{−x}) for x that isn't small, by Lentz's method as Thompson & Barnett 1986 have it. */
function upperFraction(a: number, x: number): number {
  const tiny = 1e-300;
  let b = x + 1 - a;
  let c = 1 / tiny;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < 1000; n++) {
    const numerator = n * (a - n);
    b += 2;
    d = 1 / (numerator * d + b || tiny);
    c = numerator / c + b || tiny;
    fraction *= c * d;
    if (Math.abs(c * d - 1) < PRECISION) break;
  }
  return fraction;
}

/** P(a, x) = γ(a, x)/Γ(a), a > 0, x ≥ 0: 0 at x = 0, 1 far out. */
export function lowerGammaShare(a: number, x: number): number {
  if (!(x > 0)) return 0;
  if (x === Number.POSITIVE_INFINITY) return 1;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  return x < a + 1 ? front * series(a, x, 1 / a) : 1 - front * upperFraction(a, x);
}

/** (Γ(1 + a) − 1)/a, −γ_E at 0: Γ(a) without its pole 1/a. */
export function gammaBesidePole(a: number): number {
  if (Math.abs(a) > 1e-3) return (gamma(1 + a) - 1) / a;
  // Taylor: −γ_E + a (γ_E²/2 + π²/12) − a² (γ_E³/6 + γ_E π²/12 + ζ(3)/3) + …
  return -0.5772156649015329 + a * (0.9890559953279725 + a * (-0.9074790760808862 + a * 0.9817280868344002));
}

/** Γ(a, x), x > 0, for any a above −1. */
export function upperGamma(a: number, x: number): number {
  if (x > SERIES_TO) return x ** a * Math.exp(-x) * upperFraction(a, x);
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
