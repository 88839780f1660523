/**
 * Gamma functions of positive arguments: ln Γ(a), and P(a, x) = ∫₀ˣ t^{a−1} e^{−t} dt/Γ(a) by its series below a + 1 and by
 * the continued fraction of 1 − P above.
 * Sources: Lanczos 1964, SIAM J. Num. Anal. B 1, 86 (coefficients of Godfrey 2001, g = 607/128); Abramowitz & Stegun, 6.5.29
 * and 6.5.31.
 */

const LANCZOS_G = 607 / 128;
const LANCZOS = [
  0.9999999999999971, 57.15623566586292, -59.59796035547549, 14.136097974741746, -0.4919138160976202,
  3.399464998481189e-5, 4.652362892704858e-5, -9.837447530487956e-5, 0.0001580887032249125, -0.00021026444172410488,
  0.00021743961811521265, -0.0001643181065367639, 8.441822398385275e-5, -2.6190838401581408e-5, 3.6899182659531625e-6,
];

/** ln Γ(a), a > 0. */
export function logGamma(a: number): number {
  let sum = LANCZOS[0];
  for (let k = 1; k < LANCZOS.length; k++) sum += LANCZOS[k] / (a - 1 + k);
  const base = a - 0.5 + LANCZOS_G;
  return 0.5 * Math.log(2 * Math.PI) + (a - 0.5) * Math.log(base) - base + Math.log(sum);
}

const PRECISION = 1e-16;

/** P(a, x), a > 0, x ≥ 0: 0 at x = 0, 1 far out. */
export function lowerGamma(a: number, x: number): number {
  if (!(x > 0)) return 0;
  if (x === Number.POSITIVE_INFINITY) return 1;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; term > PRECISION * sum; n++) {
      term *= x / (a + n);
      sum += term;
    }
    return front * sum;
  }
  // Lentz's method, as Thompson & Barnett 1986 have it.
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
  return 1 - front * fraction;
}
