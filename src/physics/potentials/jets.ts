/**
 * Jets: a quantity on a particle's path with two derivatives in time, [g, ġ, g̈], so that formulas need no derivatives of
 * their own (forward differentiation; Griewank & Walther 2008, ch. 13). In WGSL: wgsl/physics/potentials/jets.wgsl.
 */
export type Jet = readonly [value: number, rate: number, secondRate: number];

export const NONE: Jet = [0, 0, 0];

export const shifted = ([g, rate, second]: Jet, c: number): Jet => [g + c, rate, second];

export const scaled = ([g, rate, second]: Jet, c: number): Jet => [c * g, c * rate, c * second];

export const sum = (g: Jet, h: Jet): Jet => [g[0] + h[0], g[1] + h[1], g[2] + h[2]];

export const difference = (g: Jet, h: Jet): Jet => [g[0] - h[0], g[1] - h[1], g[2] - h[2]];

export const product = (g: Jet, h: Jet): Jet => [
  g[0] * h[0],
  g[1] * h[0] + g[0] * h[1],
  g[2] * h[0] + 2 * g[1] * h[1] + g[0] * h[2],
];

/** F(g) of a function with this value and these derivatives at g. */
export const composed = (g: Jet, value: number, slope: number, curvature: number): Jet => [
  value,
  slope * g[1],
  curvature * g[1] * g[1] + slope * g[2],
];

/** √g, g > 0 */
export function root(g: Jet): Jet {
  const value = Math.sqrt(g[0]);
  const slope = 0.5 / value;
  return composed(g, value, slope, (-0.5 * slope) / g[0]);
}

/** g^n, g > 0 */
export function power(g: Jet, n: number): Jet {
  const value = g[0] ** n;
  const slope = (n * value) / g[0];
  return composed(g, value, slope, ((n - 1) * slope) / g[0]);
}

export function quotient(c: number, g: Jet): Jet {
  const value = c / g[0];
  return composed(g, value, -value / g[0], (2 * value) / (g[0] * g[0]));
}

export const inverse = (g: Jet): Jet => quotient(1, g);

/** The strength f of a mass distribution at r², from r f′ = −(4πGρ + 3f) and r(r f′)′ − 2 r f′ = −4πGρ (d ln ρ/d ln r − 5) + 15 f. */
export const ofMass = (r2: Jet, f: number, first: number, second: number): Jet =>
  composed(r2, f, first / (2 * r2[0]), second / (4 * r2[0] * r2[0]));
