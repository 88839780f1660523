/**
 * 16-point Gauss–Legendre on equal panels, right to rounding where a panel is no wider than the function's own scale.
 * Source: Abramowitz & Stegun 1964, eqs 25.4.29 and 25.4.30; nodes by Newton's method.
 */

/** The n-point Gauss–Legendre rule on [−1, 1], nodes ascending. */
export function gaussLegendre(n: number): { nodes: Float64Array; weights: Float64Array } {
  const nodes = new Float64Array(n);
  const weights = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let x = -Math.cos((Math.PI * (i + 0.75)) / (n + 0.5));
    let slope = 0;
    for (let iteration = 0; iteration < 20; iteration++) {
      let previous = 1;
      let value = x;
      for (let j = 2; j <= n; j++) [previous, value] = [value, ((2 * j - 1) * x * value - (j - 1) * previous) / j];
      slope = (n * (x * value - previous)) / (x * x - 1);
      const correction = value / slope;
      x -= correction;
      if (Math.abs(correction) < 1e-16) break;
    }
    nodes[i] = x;
    weights[i] = 2 / ((1 - x * x) * slope * slope);
  }
  return { nodes, weights };
}

const RULE = gaussLegendre(16);

/** ∫ f dx over [from, to] in `panels` equal panels; negative where `to` is less than `from`. */
export function integral(f: (x: number) => number, from: number, to: number, panels = 1): number {
  const half = (to - from) / (2 * panels);
  let sum = 0;
  for (let panel = 0; panel < panels; panel++) {
    const centre = from + half * (2 * panel + 1);
    for (let i = 0; i < RULE.nodes.length; i++) sum += RULE.weights[i] * f(centre + half * RULE.nodes[i]);
  }
  return half * sum;
}

/** Visits nodes and weights of one panel of the same rule, for several integrals at once: Σ weight·f(x). */
export function eachNode(from: number, to: number, visit: (x: number, weight: number) => void): void {
  const half = (to - from) / 2;
  for (let i = 0; i < RULE.nodes.length; i++) visit(from + half + half * RULE.nodes[i], half * RULE.weights[i]);
}
