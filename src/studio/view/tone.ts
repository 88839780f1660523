/**
 * From maps to colours: stretches, and the tables that both renderers and the legend take them from.
 *
 * Species: colours of Okabe & Ito (2008), told apart by colour-blind people, added as light.
 */
import { interpolateViridis } from "d3-scale-chromatic";
import type { Species } from "../../physics/particles/state.ts";
import { densityRgb, differenceRgb, rgbOfHex } from "../../run/page/colours.ts";
import type { Quantity, Stretch, View } from "./view.ts";

/** Colours of t = 0 … 1 in a table: neighbours differ by less than a screen shows. */
export const TABLE_COLOURS = 1024;
/** Colours that it is made from: as many as the maps of colours have. */
const GIVEN_COLOURS = 256;
/** Share of the pixels with something in them that may be brighter than the brightest colour. */
export const SATURATED: Record<Quantity, number> = { density: 5e-4, species: 5e-4, velocity: 0.02, dispersion: 0.02 };

/** The brightness is taken from about so many pixels. */
const SAMPLE = 2 ** 15;

/** Every how many pixels are looked at for that: an odd number, which takes other columns in every row. */
export function sampleStride(pixels: number): number {
  return Math.floor(pixels / SAMPLE) | 1;
}

/** [r, g, b] of a species, 0 … 255. */
export const SPECIES_RGB: Record<Species, readonly [number, number, number]> = {
  gas: [86, 180, 233],
  halo: [88, 70, 190],
  disk: [240, 180, 60],
  bulge: [230, 110, 60],
  stars: [255, 235, 190],
  "black-holes": [60, 200, 150],
};

/** [r, g, b], 0 … 255, of t [0…1]; velocities have their middle at 0.5. */
export function quantityRgb(quantity: Quantity, t: number): number[] {
  if (quantity === "velocity") return differenceRgb(2 * t - 1);
  if (quantity === "dispersion") return rgbOfHex(interpolateViridis(Math.min(1, Math.max(0, t))));
  return densityRgb(t);
}

/** Colours of densities by the leading bits of their shares of the brightest. */
export const SHARE_COLOURS = 10241;
/** Octaves of shares below the darkest colour of a logarithm that an asinh still tells apart. */
const DARKER_OCTAVES = 6;

/** Bits of shares that their table leaves out: as few as it has room for. */
export function shareBits(contrast: number): number {
  const octaves = Math.max(1, Math.log2(contrast)) + DARKER_OCTAVES;
  return 23 - Math.floor(Math.log2((SHARE_COLOURS - 1) / octaves));
}

/** [SHARE_COLOURS · 4] bytes as in colourTable(): of nothing, …, of a share of 1. */
export function shareTable(stretch: Stretch, contrast: number, blueFirst = false): Uint32Array<ArrayBuffer> {
  const fine = new Uint32Array(colourTable("density", blueFirst).buffer);
  const one = 2 ** shareBits(contrast);
  const bits = new Uint32Array(1);
  const share = new Float32Array(bits.buffer);
  return Uint32Array.from({ length: SHARE_COLOURS }, (_, i) => {
    bits[0] = 0x3f800000 - (SHARE_COLOURS - 1 - i) * one + one / 2;
    const t = i === 0 ? 0 : stretchedTo(stretch, contrast, share[0]);
    return fine[Math.floor(t * (TABLE_COLOURS - 1) + 0.5)];
  });
}

/** [TABLE_COLOURS · 4] r, g, b (or b, g, r) and 255 of t = 0 … 1: of every quantity but species. */
export function colourTable(quantity: Quantity, blueFirst = false): Uint8Array<ArrayBuffer> {
  const table = new Uint8Array(4 * TABLE_COLOURS);
  const given = Array.from({ length: GIVEN_COLOURS }, (_, i) => quantityRgb(quantity, i / (GIVEN_COLOURS - 1)));
  for (let i = 0; i < TABLE_COLOURS; i++) {
    const place = (i / (TABLE_COLOURS - 1)) * (GIVEN_COLOURS - 1);
    const at = Math.min(Math.floor(place), GIVEN_COLOURS - 2);
    const rgb = given[at].map((from, k) => Math.round(from + (place - at) * (given[at + 1][k] - from)));
    table.set([...(blueFirst ? rgb.reverse() : rgb), 255], 4 * i);
  }
  return table;
}

/** [r, g, b] of a species' light, linear [0…1]; black of none. */
export function lightOf(species: Species | undefined): number[] {
  return species ? SPECIES_RGB[species].map((part) => linear(part / 255)) : [0, 0, 0];
}

/** sRGB, IEC 61966-2-1. */
const linear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);

/** Brightness [0…1] of a value; `contrast`: brightest to darkest of the logarithm. */
export function stretchedTo(stretch: Stretch, contrast: number, part: number): number {
  if (!(part > 0)) return 0;
  const t =
    stretch === "log"
      ? 1 + Math.log(part) / Math.log(contrast)
      : stretch === "asinh"
        ? Math.asinh(part * contrast) / Math.asinh(contrast)
        : part;
  return Math.min(1, Math.max(0, t));
}

export const contrastOf = ({ decades }: Pick<View, "decades">) => 10 ** decades;

/** What the colours of a picture mean. */
export interface ColourRange {
  quantity: Quantity;
  stretch: Stretch;
  contrast: number;
  /** Value of the brightest colour of each map [mass/length²], or the largest speed or dispersion [velocity]; 0 of an empty one. */
  brightest: readonly number[];
  maps: readonly Species[];
}
