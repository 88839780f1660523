/**
 * Heights and vertical velocities of a disk's stars in the total field, at each radius by itself, by the vertical Jeans
 * equation,
 *   ρσ_z² = ∫_z^∞ ρ ∂φ/∂z dz,
 * for a given layer ζ(z), whose σ_z depends on z, or an isothermal one, ζ ∝ exp(−Δφ(z)/σ_z²), with the mean |z| of
 * sech²(z/z0), z0 ln 2. The disk's own pull in the total field is that of a sech² layer; that of an isothermal one is
 * corrected by the difference as of a sheet, 2πGΣ(<|z|). Source: Binney & Tremaine 2008, sections 4.6.1 and 4.4.
 */
import type { DiskLayer } from "./flat-field.ts";

/** Half of the spacing of the uniform deviates: bounds |z| at 19 z0. */
const SMALLEST_FRACTION = 2 ** -54;

/** A layer of the same form at all radii. */
export interface DrawnLayer extends DiskLayer {
  /** z [length] below which a share u of the matter is, 0 ≤ u < 1. */
  height(u: number): number;
}

export type LayerForm = "sech2" | "isothermal" | "exponential";

/** What stands for it in the field: an isothermal layer differs little from sech², and by how much is corrected. */
export function layerOf(form: LayerForm, scale: number): DrawnLayer {
  return form === "exponential" ? exponentialLayer(scale) : sechLayer(scale);
}

/** ζ = sech²(z/z0)/2z0: isothermal where nothing but the disk itself holds it together. */
export function sechLayer(scale: number): DrawnLayer {
  return {
    scale,
    density: (z) => 1 / Math.cosh(z / scale) ** 2 / (2 * scale),
    // z = z0 artanh(2u − 1), with u kept from 0; it never reaches 1.
    height(u) {
      const share = Math.max(u, SMALLEST_FRACTION);
      return 0.5 * scale * Math.log(share / (1 - share));
    },
  };
}

/** ζ = e^{−|z|/z0}/2z0. */
export function exponentialLayer(scale: number): DrawnLayer {
  return {
    scale,
    density: (z) => Math.exp(-z / scale) / (2 * scale),
    height(u) {
      const share = Math.max(u, SMALLEST_FRACTION);
      return share < 0.5 ? scale * Math.log(2 * share) : -scale * Math.log(2 * (1 - share));
    },
  };
}

/** Heights of the grid, in scales of the layer; even steps from 0. */
const STEPS_TO_SCALE = 5;
const LAST_SCALE = 8;

export function gridHeights(scale: number): Float64Array {
  return Float64Array.from({ length: STEPS_TO_SCALE * LAST_SCALE + 1 }, (_, j) => (j * scale) / STEPS_TO_SCALE);
}

/** At one radius. */
export interface VerticalColumn {
  /** σ_z [velocity] at the heights. */
  dispersions: Float64Array;
  /** Share of the stars below each height, of those on one side. */
  shares: Float64Array;
}

/** ∂φ/∂z at the heights of the grid [velocity/time]. */
export type Pull = Float64Array;

export function givenColumn(layer: DrawnLayer, heights: Float64Array, pull: Pull): VerticalColumn {
  const last = heights.length - 1;
  const dispersions = new Float64Array(heights.length);
  // Beyond the grid the layer falls exponentially, by e over ζ/|ζ'|.
  const near = 1e-4 * layer.scale;
  const end = layer.density(heights[last]);
  let stress = (pull[last] * end * end * near) / (end - layer.density(heights[last] + near));
  for (let j = last; j >= 0; j--) {
    const here = layer.density(heights[j]);
    if (j < last) {
      const middle = layer.density(0.5 * (heights[j] + heights[j + 1])) * (pull[j] + pull[j + 1]);
      const far = layer.density(heights[j + 1]) * pull[j + 1];
      stress += ((heights[j + 1] - heights[j]) / 6) * (here * pull[j] + 2 * middle + far);
    }
    dispersions[j] = Math.sqrt(Math.max(0, stress / here));
  }
  return { dispersions, shares: sharesOf(heights, layer.density) };
}

const ITERATIONS = 12;
const HALVINGS = 40;
/** σ_z² is looked for within this factor of the depth at z0. */
const WIDEST = 1e3;

/** An isothermal layer of mean |z| = z0 ln 2; `sheet`: 2πGΣ [velocity/time]. */
export function isothermalColumn(scale: number, heights: Float64Array, pull: Pull, sheet: number): VerticalColumn {
  const own = heights.map((z) => Math.tanh(z / scale));
  const last = heights.length - 1;
  const step = heights[1];
  // Depths at the heights and half-way between them: what Simpson's rule asks for.
  const depths = new Float64Array(2 * last + 1);
  let shares = own;
  let square = 0;
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    for (let j = 1; j <= last; j++) {
      const near = pull[j - 1] + sheet * (shares[j - 1] - own[j - 1]);
      const far = pull[j] + sheet * (shares[j] - own[j]);
      depths[2 * j - 1] = depths[2 * j - 2] + (step / 8) * (3 * near + far);
      depths[2 * j] = depths[2 * j - 2] + (step / 2) * (near + far);
    }
    const reference = depths[2 * STEPS_TO_SCALE];
    let [low, high] = [reference / WIDEST, reference * WIDEST];
    for (let k = 0; k < HALVINGS; k++) {
      square = Math.sqrt(low * high);
      if (meanHeight(depths, square) * step < scale * Math.LN2) low = square;
      else high = square;
    }
    const found = sharesOf(heights, (z) => Math.exp(-depths[Math.round((2 * z) / step)] / square));
    shares = shares.map((share, j) => 0.5 * (share + found[j]));
  }
  return { dispersions: heights.map(() => Math.sqrt(square)), shares };
}

/** Mean z of ζ ∝ e^{−depth/square}, in steps of two depths. */
function meanHeight(depths: Float64Array, square: number): number {
  let [sum, moment] = [0, 0];
  for (let n = 0; n < depths.length; n++) {
    const simpson = n === 0 || n === depths.length - 1 ? 1 : n % 2 === 1 ? 4 : 2;
    const layer = simpson * Math.exp(-depths[n] / square);
    sum += layer;
    moment += layer * n;
  }
  return moment / (2 * sum);
}

/** Share of a layer's matter below each height, by Simpson's rule. */
function sharesOf(heights: Float64Array, density: (z: number) => number): Float64Array {
  const below = new Float64Array(heights.length);
  for (let j = 1; j < heights.length; j++) {
    const [a, b] = [heights[j - 1], heights[j]];
    below[j] = below[j - 1] + ((b - a) / 6) * (density(a) + 4 * density(0.5 * (a + b)) + density(b));
  }
  return below.map((part) => part / below[below.length - 1]);
}

/** σ_z(R, z) [velocity] from columns at several radii; `place` of R among them. */
export function dispersionTable(
  columns: readonly VerticalColumn[],
  heights: Float64Array,
  place: (R: number) => number,
) {
  return (R: number, z: number) => {
    const at = place(R);
    const i = Math.min(columns.length - 2, Math.floor(at));
    const position = Math.min(heights.length - 1, Math.abs(z) / heights[1]);
    const j = Math.min(heights.length - 2, Math.floor(position));
    const value = ({ dispersions: sigma }: VerticalColumn) => sigma[j] + (position - j) * (sigma[j + 1] - sigma[j]);
    return value(columns[i]) + (at - i) * (value(columns[i + 1]) - value(columns[i]));
  };
}
