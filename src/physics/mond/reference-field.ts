/**
 * The phantom matter of a Plummer sphere of mass M in a uniform external field, as tables in r: what the modified potential
 * of any isolated mass M looks like from far away. Solvers look for the difference to it alone, whose source falls with the
 * quadrupole's share, r⁻² of the sphere's, so that what a box cuts off doesn't matter.
 *   F = (ν(|g|/a0) − 1) g,   g = −GM r/(r² + b²)^{3/2} + g_Ne,   ∇²φ = −∇·(F − F(g_Ne))
 * in Legendre polynomials about the external field, φ = Σ f_l(r) P_l(cos θ):
 *   f_l = −1/(2l + 1) {r^{−(l+1)} ∫₀ʳ (T_l − l F_l) s^{l+1} ds + r^l ∫ᵣ^∞ ((l + 1) F_l + T_l) s^{−l} ds}
 * with F_l of the outward and T_l of the tangential component of −F (integrated by parts). Without an external field l = 0.
 */
import { gaussLegendre } from "../cosmology/quadrature.ts";
import { newtonian, phantomShare } from "./interpolation.ts";
import type { MondSettings } from "./settings.ts";

/** Orders of the tables with an external field. */
export const ORDERS = 9;
/** Panels of the quadrature in ln r per e-fold, and angles. */
const PER_E_FOLD = 48;
const ANGLES = 64;
/** Range of the quadrature, over the softening and over the largest radius. */
const [NEAR, FAR] = [1e-3, 300];

export interface ReferenceField {
  /** Orders of l, 1 without an external field. */
  orders: number;
  /** Radius of a step of the tables [length]. */
  step: number;
  /** [nodes][orders] f_l [velocity²], zero for l = 0 at the side of the box; df_l/dr; −∇·F by orders: the source, ∇²φ. */
  potential: Float64Array;
  slope: Float64Array;
  source: Float64Array;
}

interface ReferenceSphere extends MondSettings {
  /** G·M [velocity²·length] and Plummer radius [length]. */
  strength: number;
  softening: number;
  /** Newton's external field g_Ne, its size [velocity²/length]. */
  external: number;
}

/** Newton's field of which a modified external one is made. */
export function newtonianExternal(mond: MondSettings): [number, number, number] {
  const { interpolation, a0, externalField: field } = mond;
  const size = Math.hypot(...field);
  const share = size === 0 ? 0 : newtonian(interpolation, a0, size) / size;
  return [share * field[0], share * field[1], share * field[2]];
}

/** Of the vector; along z for none. */
export function unitVector(vector: readonly [number, number, number]): [number, number, number] {
  const size = Math.hypot(...vector);
  return size === 0 ? [0, 0, 1] : [vector[0] / size, vector[1] / size, vector[2] / size];
}

/** P_l and dP_l/dθ at cos θ = c. */
function legendre(c: number, orders: number): { p: number[]; dTheta: number[] } {
  const s = Math.sqrt(1 - c * c);
  const p = [1, c];
  const derivative = [0, 1];
  for (let l = 2; l < orders; l++) {
    p[l] = ((2 * l - 1) * c * p[l - 1] - (l - 1) * p[l - 2]) / l;
    derivative[l] = l * p[l - 1] + c * derivative[l - 1];
  }
  return { p, dTheta: derivative.map((value) => -s * value) };
}

/** Softening over the side of the box, and at least so many cells. */
const [SOFTENING, LEAST_CELLS] = [1 / 16, 4];

/** Over the side of a box of so many cells. */
export const mondReferenceSoftening = (cells: number): number => Math.max(SOFTENING, LEAST_CELLS / cells);

/**
 * What a solver's potential of a smooth source S has too much, over h² S: −1/r with its mean over the cell at the origin in
 * place of the lattice's own constant (2.837297 − 2.380077)/4π; the 7-point Laplacian −1/20, in the mean of directions.
 */
const EXCESS = { cellMean: 0.036385, laplacian7: -1 / 20, none: 0 } as const;
export type SmoothExcess = keyof typeof EXCESS;

/** Of G·M `strength` in an isolated box, with what the mesh adds to its potential; nodes 0, step, … */
export function referenceField(
  mond: MondSettings,
  strength: number,
  { boxSize, cells, excess: kind }: { boxSize: number; cells: number; excess: SmoothExcess },
): ReferenceField {
  const h = boxSize / cells;
  const softening = boxSize * mondReferenceSoftening(cells);
  const [step, reach, excess] = [softening / 16, 2 * boxSize, EXCESS[kind] * h * h];
  const external = Math.hypot(...newtonianExternal(mond));
  const sphere = { ...mond, strength, softening, external };
  const orders = external === 0 ? 1 : ORDERS;
  const start = Math.log(NEAR * softening);
  const count = Math.ceil((Math.log((external === 0 ? 1.1 : FAR) * reach) - start) * PER_E_FOLD);
  const du = 1 / PER_E_FOLD;
  const radii = Float64Array.from({ length: count }, (_, i) => Math.exp(start + i * du));
  const fields = fieldsByOrder(sphere, radii, orders);
  const tables = Array.from({ length: orders }, (_, l) => orderTable(fields.radial[l], fields.tangential[l], radii, l));
  // The monopole's zero; those of other orders lie at infinity.
  const monopole = tables[0];
  const zero = hermite(radii, monopole.potential, monopole.slope, boxSize);
  for (let i = 0; i < count; i++) monopole.potential[i] -= zero;
  const nodes = Math.ceil(reach / step) + 2;
  const sampled = (pick: (table: (typeof tables)[number], r: number) => number) =>
    Float64Array.from({ length: nodes * orders }, (_, i) => {
      return pick(tables[i % orders], Math.max(Math.floor(i / orders) * step, radii[0]));
    });
  return {
    orders,
    step,
    potential: sampled(
      ({ potential, slope, source }, r) => hermite(radii, potential, slope, r) + excess * linear(radii, source, r),
    ),
    slope: sampled(({ slope, source }, r) => linear(radii, slope, r) + excess * slopeOf(radii, source, r)),
    source: sampled(({ source }, r) => linear(radii, source, r)),
  };
}

/** Orders of −F's outward and tangential component at the radii, without the uniform field far away. */
function fieldsByOrder(sphere: ReferenceSphere, radii: Float64Array, orders: number) {
  const { interpolation, a0, strength, softening, external } = sphere;
  const excess = (g: number) => phantomShare(interpolation, a0, g);
  const { nodes, weights } = external === 0 ? { nodes: [0], weights: [2] } : gaussLegendre(ANGLES);
  const far = external === 0 ? 0 : excess(external) * external;
  const radial = Array.from({ length: orders }, () => new Float64Array(radii.length));
  const tangential = Array.from({ length: orders }, () => new Float64Array(radii.length));
  for (let k = 0; k < nodes.length; k++) {
    const c = nodes[k];
    const s = Math.sqrt(1 - c * c);
    const { p, dTheta } = legendre(c, Math.max(2, orders));
    for (let i = 0; i < radii.length; i++) {
      const r = radii[i];
      const inward = (strength * r) / (r * r + softening * softening) ** 1.5;
      const outward = inward - external * c;
      const across = external * s;
      const factor = excess(Math.hypot(outward, across));
      const fr = factor * outward + far * c;
      const ft = factor * across - far * s;
      for (let l = 0; l < orders; l++) {
        radial[l][i] += 0.5 * (2 * l + 1) * weights[k] * fr * p[l];
        tangential[l][i] -= 0.5 * (2 * l + 1) * weights[k] * ft * dTheta[l];
      }
    }
  }
  return { radial, tangential };
}

/** f_l, its derivative and its source at the radii, which are even in ln r. */
function orderTable(field: Float64Array, tangent: Float64Array, radii: Float64Array, l: number) {
  const count = radii.length;
  const du = 1 / PER_E_FOLD;
  const potential = new Float64Array(count);
  const slope = new Float64Array(count);
  const inner = new Float64Array(count);
  const outer = new Float64Array(count);
  // Integrals over ln r by the trapezoidal rule with its end correction left out: the integrands are smooth in ln r.
  const below = (i: number) => (tangent[i] - l * field[i]) * radii[i] ** (l + 2);
  const above = (i: number) => ((l + 1) * field[i] + tangent[i]) * radii[i] ** (1 - l);
  for (let i = 1; i < count; i++) inner[i] = inner[i - 1] + cubicStep(below, i, count, du);
  for (let i = count - 2; i >= 0; i--) outer[i] = outer[i + 1] + cubicStep(above, i + 1, count, du);
  for (let i = 0; i < count; i++) {
    const r = radii[i];
    if (l === 0) {
      // By its field alone: the potential may grow without a limit.
      slope[i] = field[i];
      potential[i] = -outer[i];
      continue;
    }
    potential[i] = -(r ** -(l + 1) * inner[i] + r ** l * outer[i]) / (2 * l + 1);
    slope[i] = ((l + 1) * r ** -(l + 2) * inner[i] - l * r ** (l - 1) * outer[i]) / (2 * l + 1) + field[i];
  }
  const source = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const [a, b] = [Math.max(0, i - 1), Math.min(count - 1, i + 1)];
    const derivative = (field[b] - field[a]) / ((b - a) * du);
    source[i] = (derivative + 2 * field[i] + tangent[i]) / radii[i];
  }
  return { potential, slope, source };
}

/** ∫ between the points i − 1 and i of values du apart, by a cubic through their neighbours. */
function cubicStep(value: (i: number) => number, i: number, count: number, du: number): number {
  if (i < 2 || i > count - 2) return 0.5 * du * (value(i - 1) + value(i));
  return (du / 24) * (13 * (value(i - 1) + value(i)) - value(i - 2) - value(i + 1));
}

/** Interval of the radii, even in ln r, that r lies in, and how far. */
function placeIn(radii: Float64Array, r: number): { i: number; t: number } {
  const u = Math.log(r / radii[0]) * PER_E_FOLD;
  const i = Math.min(Math.max(0, Math.floor(u)), radii.length - 2);
  return { i, t: (r - radii[i]) / (radii[i + 1] - radii[i]) };
}

function linear(radii: Float64Array, values: Float64Array, r: number): number {
  const { i, t } = placeIn(radii, r);
  return values[i] + t * (values[i + 1] - values[i]);
}

/** Derivative of what `linear` interpolates, by its differences over a fifth of r. */
function slopeOf(radii: Float64Array, values: Float64Array, r: number): number {
  const [a, b] = [0.9 * r, 1.1 * r];
  return r <= 2 * radii[0] ? 0 : (linear(radii, values, b) - linear(radii, values, a)) / (b - a);
}

function hermite(radii: Float64Array, values: Float64Array, slopes: Float64Array, r: number): number {
  const { i, t } = placeIn(radii, r);
  return hermiteBetween([values[i], values[i + 1]], [slopes[i], slopes[i + 1]], radii[i + 1] - radii[i], t);
}

type Pair = readonly [number, number];

/** Cubic between two values with their derivatives, `step` apart. */
function hermiteBetween([a, b]: Pair, [da, db]: Pair, step: number, t: number): number {
  const s = 1 - t;
  return s * s * ((1 + 2 * t) * a + t * step * da) + t * t * ((1 + 2 * s) * b - s * step * db);
}

/** Potential and source at a distance r and cos θ from the external field's axis. */
export function referenceAt(field: ReferenceField, r: number, cosine: number): { potential: number; source: number } {
  const { orders, step, potential, slope, source } = field;
  const last = potential.length / orders - 2;
  const i = Math.min(Math.floor(r / step), last);
  const t = r / step - i;
  const p = orders === 1 ? [1] : legendre(cosine, orders).p;
  let phi = 0;
  let rho = 0;
  for (let l = 0; l < orders; l++) {
    const [a, b] = [i * orders + l, (i + 1) * orders + l];
    phi += p[l] * hermiteBetween([potential[a], potential[b]], [slope[a], slope[b]], step, t);
    rho += p[l] * (source[a] + t * (source[b] - source[a]));
  }
  return { potential: phi, source: rho };
}
