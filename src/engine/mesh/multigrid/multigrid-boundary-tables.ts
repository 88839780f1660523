/**
 * Boundary values of the isolated multigrid solver: the open-space potential −Σ F/(4π r) (h = 1) at the ghost centres of
 * the six faces. A coarse mesh carries the sources; 1/r is a sum of Gaussians, each a product over the axes,
 *   1/r = (2/√π) ∫ exp(u − r² e^{2u}) du ≈ Σ_q w_q exp(−a_q r²)   (trapezoidal rule; Beylkin & Monzón 2005),
 * so that the sum over the sources factors axis by axis. Here: sizes and the float64 tables, for GPU and oracle.
 */

/** Step of the trapezoidal rule: relative error 2√2·exp(−π²/2τ) = 1.5e-4. */
const STEP = 0.5;
/** Terms narrower than the coarse cell by this factor add nothing that the coarse mesh resolves. */
const NARROWEST = 3;
/** r·e^u at which the rest of the integral is a constant, to the cube of this. */
const WIDEST = 0.1;
/** Coarse cells beyond the box on either side: linear spreading of the sources, cubic interpolation of the targets. */
export const SOURCE_MARGIN = 1;
export const TARGET_MARGIN = 2;

export interface BoundaryTables {
  /** Coarse cells per side, c = n/coarse fine cells each. */
  coarse: number;
  factor: number;
  /** K, terms; a multiple of 4. */
  terms: number;
  /** [K] w_q. */
  weights: Float64Array;
  /** [K × sources] exp(−a_q d²) from the ghost centres of a low face to the sources −1 … coarse, along its axis. */
  normal: Float64Array;
  /** [K × (targets + 1)] exp(−a_q d²) along the face, by distance in coarse cells. */
  along: Float64Array;
  /** coarse + 2 and coarse + 4, values per axis. */
  sources: number;
  targets: number;
}

/** Cells a side of the mesh that carries the sources: a quarter of the mesh, or half of a small one. */
export function boundaryCells(cells: number): number {
  return cells >= 64 ? cells / 4 : cells / 2;
}

export function boundaryTables(cells: number): BoundaryTables {
  const coarse = boundaryCells(cells);
  const factor = cells / coarse;
  const farthest = Math.sqrt(3) * (cells + 2 * factor);
  const lowest = Math.log(WIDEST / farthest);
  const wanted = Math.ceil((Math.log(NARROWEST / factor) - lowest) / STEP) + 2;
  const terms = 4 * Math.ceil(wanted / 4);
  const weights = new Float64Array(terms);
  const exponents = new Float64Array(terms);
  const scale = (2 / Math.sqrt(Math.PI)) * STEP;
  // Term 0 stands for all that are wider than the box: a constant.
  weights[0] = (scale * Math.exp(lowest - STEP)) / (1 - Math.exp(-STEP));
  for (let q = 1; q < terms; q++) {
    const u = lowest + (q - 1) * STEP;
    weights[q] = scale * Math.exp(u);
    exponents[q] = Math.exp(2 * u);
  }
  const sources = coarse + 2 * SOURCE_MARGIN;
  const targets = coarse + 2 * TARGET_MARGIN;
  const normal = new Float64Array(terms * sources);
  const along = new Float64Array(terms * (targets + 1));
  for (let q = 0; q < terms; q++) {
    for (let s = 0; s < sources; s++) {
      const d = (s - SOURCE_MARGIN + 0.5) * factor + 0.5;
      normal[q * sources + s] = Math.exp(-exponents[q] * d * d);
    }
    for (let s = 0; s <= targets; s++) along[q * (targets + 1) + s] = Math.exp(-exponents[q] * (s * factor) ** 2);
  }
  return { coarse, factor, terms, weights, normal, along, sources, targets };
}

/** Weights of cubic interpolation between four neighbours at −1, 0, 1, 2, for t from 0. */
export function cubicWeights(t: number): [number, number, number, number] {
  return [
    (-t * (t - 1) * (t - 2)) / 6,
    ((t + 1) * (t - 1) * (t - 2)) / 2,
    (-(t + 1) * t * (t - 2)) / 2,
    ((t + 1) * t * (t - 1)) / 6,
  ];
}
