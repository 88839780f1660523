/**
 * Phantom matter beyond an isolated box of side 1, as far as it isn't the reference's (reference-field.ts): that of the quadrupole of
 * the mass, and so on. Inside, its potential has no source, and is a Taylor series about the box's centre,
 *   φ(x) = −(1/4π) Σ_abc x^a y^b z^c ∫ T_abc(s) S(s) d³s,   1/|s − x| = Σ_abc T_abc(s) x^a y^b z^c
 *   s² T = ((2k − 1) Σ_i s_i T_{α−e_i} − (k − 1) Σ_i T_{α−2e_i})/k,   α = (a, b, c), k = a + b + c (Duan & Krasny 2001, eq. 18)
 * with the integral as a sum over points on cubes about the box, of half sides 1/t of the innermost one's: midpoints on their faces, Gauss's
 * nodes in t, as S falls with a power of s.
 */
import { gaussLegendre } from "../cosmology/quadrature.ts";

/** Cubes along a side, into which mass is gathered as the points see it. */
export const CUBES_PER_SIDE = 8;
/** Of the series. */
export const ORDER = 8;
/** Points along the side of a cube's face, and cubes. */
const [ALONG, CUBES] = [8, 4];
const POINTS = 6 * ALONG ** 2 * CUBES;
/** d ln g of the difference that stands for dν/d ln g. */
export const FIELD_STEP = 0.03;

/** Exponents (a, b, c) in the order of loops over c, b and a. */
export const seriesTerms = Array.from({ length: (ORDER + 1) ** 3 }, (_, i) => {
  return [i % (ORDER + 1), Math.floor(i / (ORDER + 1)) % (ORDER + 1), Math.floor(i / (ORDER + 1) ** 2)] as const;
}).filter(([a, b, c]) => a + b + c <= ORDER);

/** Words of the points and their weights. */
export const BEYOND_WORDS = POINTS * (4 + seriesTerms.length);

/**
 * [points][4] places from the centre, sides of the box, and a zero; [terms][points] weights of the sources at them [acceleration, lengths
 * in sides] in the coefficients of the series [velocity²].
 */
export function beyondBox(cells: number, boxSize: number): { points: Float64Array; weights: Float64Array } {
  const count = POINTS;
  const points = new Float64Array(4 * count);
  const weights = new Float64Array(seriesTerms.length * count);
  const index = new Map(seriesTerms.map((term, k) => [term.join(), k]));
  // The outermost cells hold none.
  const half = 0.5 - 1 / cells;
  const { nodes, weights: shares } = gaussLegendre(CUBES);
  for (let p = 0; p < count; p++) {
    const [u, v] = [p, Math.floor(p / ALONG)].map((i) => (2 * (i % ALONG) + 1) / ALONG - 1);
    const cube = Math.floor(p / ALONG ** 2) % CUBES;
    const t = 0.5 * (nodes[cube] + 1);
    const face = Math.floor(p / (ALONG ** 2 * CUBES));
    const s = [face % 2 === 0 ? 1 : -1, u, v].map((x) => (half * x) / t);
    for (let axis = 0; axis < 3; axis++) points[4 * p + ((axis + face) % 3)] = s[axis];
    const own = points.subarray(4 * p, 4 * p + 3);
    const square = own.reduce((sum, x) => sum + x * x, 0);
    // d³s = half³ du dv dt/t⁴
    const weight = (boxSize * (-((half / t) ** 3) / t) * (2 / ALONG) ** 2 * 0.5 * shares[cube]) / (4 * Math.PI);
    for (const [k, term] of seriesTerms.entries()) {
      const order = term[0] + term[1] + term[2];
      const lower = (axis: number, by: number) => {
        const of = index.get(term.map((power, i) => (i === axis ? power - by : power)).join());
        return of === undefined ? 0 : weights[of * count + p];
      };
      let sum = 0;
      for (let axis = 0; axis < 3; axis++)
        sum += (2 * order - 1) * own[axis] * lower(axis, 1) - (order - 1) * lower(axis, 2);
      weights[k * count + p] = order === 0 ? weight / Math.sqrt(square) : sum / (order * square);
    }
  }
  return { points, weights };
}
