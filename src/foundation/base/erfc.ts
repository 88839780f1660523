const TWO_OVER_ROOT_PI = 2 / Math.sqrt(Math.PI);

/** Complementary error function for x ≥ 0, float64: series of erf below 2, Lentz's continued fraction above. */
export function erfc(x: number): number {
  if (x < 2) {
    let term = x;
    let sum = x;
    for (let n = 1; term > 1e-18 * sum; n++) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return 1 - TWO_OVER_ROOT_PI * Math.exp(-x * x) * sum;
  }
  // e^{−x²}/√π · 1/(x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …
  let tail = x;
  for (let k = 60; k >= 1; k--) tail = x + k / 2 / tail;
  return (Math.exp(-x * x) * TWO_OVER_ROOT_PI) / 2 / tail;
}
