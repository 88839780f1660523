/**
 * Bessel functions of the first kind, orders 0 and 1, for x ≥ 0; errors below 1e-7.
 * Source: Abramowitz & Stegun 1964, 9.4.1, 9.4.3, 9.4.4 and 9.4.6.
 */

export function besselJ0(x: number): number {
  if (x < 3) {
    const y = (x * x) / 9;
    return 1 + y * (-2.2499997 + y * (1.2656208 + y * (-0.3163866 + y * (0.0444479 + y * (-0.0039444 + y * 0.00021)))));
  }
  const y = 3 / x;
  const amplitude =
    0.79788456 +
    y * (-0.00000077 + y * (-0.0055274 + y * (-0.00009512 + y * (0.00137237 + y * (-0.00072805 + y * 0.00014476)))));
  const phase =
    x -
    0.78539816 +
    y * (-0.04166397 + y * (-0.00003954 + y * (0.00262573 + y * (-0.00054125 + y * (-0.00029333 + y * 0.00013558)))));
  return (amplitude * Math.cos(phase)) / Math.sqrt(x);
}

export function besselJ1(x: number): number {
  if (x < 3) {
    const y = (x * x) / 9;
    const even =
      0.5 +
      y * (-0.56249985 + y * (0.21093573 + y * (-0.03954289 + y * (0.00443319 + y * (-0.00031761 + y * 0.00001109)))));
    return x * even;
  }
  const y = 3 / x;
  const amplitude =
    0.79788456 +
    y * (0.00000156 + y * (0.01659667 + y * (0.00017105 + y * (-0.00249511 + y * (0.00113653 - y * 0.00020033)))));
  const phase =
    x -
    2.35619449 +
    y * (0.12499612 + y * (0.0000565 + y * (-0.00637879 + y * (0.00074348 + y * (0.00079824 - y * 0.00029166)))));
  return (amplitude * Math.cos(phase)) / Math.sqrt(x);
}
