/** How a disk's matter lies about its plane: ζ(z) with ∫ζ dz = 1. */
import type { Layer } from "./flat-field.ts";

/** Half of the spacing of the uniform deviates: bounds |z| at 19 z0. */
const SMALLEST_FRACTION = 2 ** -54;

/** A layer of the same form at all radii. */
export interface DrawnLayer extends Layer {
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
