/**
 * The open-space potential that is exact for the 7-point Laplacian, for comparison with solvers that invert it:
 *   −Δ₇G = δ on the infinite lattice,  G(i, j, k) = ∫₀^∞ g_i(t) g_j(t) g_k(t) dt,  g_m(t) = e^{−2t} I_m(2t).
 */
import { PoissonFft } from "../../src/engine/reference/mesh/poisson-fft.ts";

/** [count] e^{−x} I_m(x), m = 0 … count − 1, by Miller's recurrence or, for large x, the asymptotic series. */
function scaledBessel(x: number, count: number): Float64Array {
  const values = new Float64Array(count);
  if (x > 30 * count * count) {
    for (let m = 0; m < count; m++) {
      let term = 1;
      let sum = 1;
      for (let k = 1; k < 20; k++) {
        term *= -(4 * m * m - (2 * k - 1) ** 2) / (8 * x * k);
        sum += term;
      }
      values[m] = sum / Math.sqrt(2 * Math.PI * x);
    }
    return values;
  }
  const start = count + 20 + Math.ceil(8 * Math.sqrt(x));
  let above = 0;
  let here = 1e-280;
  let norm = 0;
  for (let m = start; m >= 0; m--) {
    if (m < count) values[m] = here;
    norm += (m === 0 ? 1 : 2) * here;
    const below = above + ((2 * m) / x) * here;
    above = here;
    here = below;
    if (here > 1e250) {
      here *= 1e-250;
      above *= 1e-250;
      norm *= 1e-250;
      for (let j = m; j < count; j++) values[j] *= 1e-250;
    }
  }
  for (let m = 0; m < count; m++) values[m] /= norm;
  return values;
}

/** [(n+1)³] G at offsets 0 … n, x fastest. */
export function latticeGreens(n: number): Float64Array {
  const m = n + 1;
  const step = 0.15; // trapezoidal rule in ln t: the integrand falls exponentially on both sides
  const nodes: { weight: number; g: Float64Array }[] = [];
  for (let u = -30; u < 60; u += step) {
    const t = Math.exp(u);
    nodes.push({ weight: step * t, g: scaledBessel(2 * t, m) });
  }
  const values = new Float64Array(m ** 3);
  for (let z = 0; z < m; z++) {
    for (let y = 0; y <= z; y++) {
      for (let x = 0; x <= y; x++) {
        let sum = 0;
        for (const { weight, g } of nodes) sum += weight * g[x] * g[y] * g[z];
        for (const [a, b, c] of [
          [x, y, z],
          [x, z, y],
          [y, x, z],
          [y, z, x],
          [z, x, y],
          [z, y, x],
        ]) {
          values[(c * m + b) * m + a] = sum;
        }
      }
    }
  }
  return values;
}

/** Isolated solver for the 7-point Laplacian, exact to rounding. */
export function latticeSolver(n: number, boxSize: number, G: number): PoissonFft {
  const m = n + 1;
  const h = boxSize / n;
  let values = latticeGreens(n);
  // Even transform of each axis in turn: the innermost is transformed and becomes the outermost.
  const cosines = Float64Array.from({ length: 2 * n }, (_, i) => Math.cos((Math.PI * i) / n));
  for (let axis = 0; axis < 3; axis++) {
    const next = new Float64Array(m ** 3);
    for (let row = 0; row < m * m; row++) {
      for (let k = 0; k < m; k++) {
        let sum = values[row * m] + (k & 1 ? -1 : 1) * values[row * m + n];
        for (let j = 1; j < n; j++) sum += 2 * values[row * m + j] * cosines[(j * k) % (2 * n)];
        next[k * m * m + row] = sum;
      }
    }
    values = next;
  }
  const scale = (-4 * Math.PI * h * h) / (2 * n) ** 3;
  return PoissonFft.withKernel({ cells: n, period: 2 * n, h: boxSize / n, G, spectrum: values.map((v) => scale * v) });
}

/** [n³] 7-point Laplacian of a periodic mesh, the operator that the discrete Green's function inverts. */
export function laplacian7(values: Float64Array, n: number, h: number): Float64Array {
  const next = (i: number) => (i + 1 === n ? 0 : i + 1);
  const last = (i: number) => (i === 0 ? n - 1 : i - 1);
  const result = new Float64Array(n ** 3);
  const at = (x: number, y: number, z: number) => values[(z * n + y) * n + x];
  for (let z = 0, i = 0; z < n; z++) {
    for (let y = 0; y < n; y++) {
      for (let x = 0; x < n; x++, i++) {
        const sides = at(next(x), y, z) + at(last(x), y, z) + at(x, next(y), z) + at(x, last(y), z);
        result[i] = (sides + at(x, y, next(z)) + at(x, y, last(z)) - 6 * values[i]) / (h * h);
      }
    }
  }
  return result;
}
