/** Density maps as pictures: adaptive smoothing, one logarithmic stretch for a whole run, differences; PNG files. */
import { blur2, quickselect, range } from "d3-array";
import { encode } from "fast-png";
import type { DensityMap as ProjectedDensity } from "../../engine/diagnostics/profiles.ts";
import { densityRgb, differenceRgb } from "./colours.ts";
import { powerOfTen } from "./numbers.ts";

export interface PixelMap {
  values: ArrayLike<number>;
  width: number;
  height: number;
}

/** A projected density map, and what calms it. */
export interface DensityPicture extends ProjectedDensity {
  /** What one particle of mean mass adds to its pixel [mass/length²]; 0 for no smoothing. */
  quantum: number;
}

export interface PictureStretch {
  /** Densities that get the darkest and the brightest colour [mass/length²]. */
  floor: number;
  ceiling: number;
}

const COLOURS = 256;
/** An odd number: the middle one stands for no difference. */
const DIFFERENCE_COLOURS = 255;
const DECADES = 2.75;
/** Share of the non-empty pixels that may saturate, so that one dense pixel does not darken the rest. */
const SATURATED = 5e-4;
/** The stretch is taken from at most about twice this many pixels, evenly picked. */
const LARGEST_SAMPLE = 200_000;
/** Smoothing lengths of the adaptive smoothing [pixel]: each level doubles the one before. */
const SMOOTHING_LEVELS = 7;
const FINEST_SIGMA = 0.5;
/** Particles within the smoothing kernel: shot noise of 18 %. */
const PARTICLES_PER_KERNEL = 32;

/** Three running means along each axis: close to a Gaussian of that σ [pixel]. Values are taken to be ≥ 0. */
export function blurred(values: Float32Array, width: number, height: number, sigma: number): Float32Array {
  const radius = Math.round((Math.sqrt(4 * sigma * sigma + 1) - 1) / 2);
  if (radius < 1) return values;
  const data = values.slice();
  blur2({ data, width, height }, radius);
  for (let i = 0; i < data.length; i++) if (data[i] < 0) data[i] = 0; // running sums leave roundings below zero
  return data;
}

/** `map` smoothed so that about 32 particles make up each pixel's value; `quantum`: what one particle adds to its pixel. */
export function smoothedMap(map: PixelMap, quantum: number): PixelMap & { values: Float32Array } {
  const { width, height } = map;
  const original = new Float32Array(map.values);
  const result = new Float32Array(original.length);
  // Pixels that have too few particles so far: the first `left` of these.
  const open = new Uint32Array(original.length);
  for (let i = 0; i < open.length; i++) open[i] = i;
  let left = open.length;
  let finer: Float32Array = original;
  let finerArea = 0;
  for (let level = 0; level < SMOOTHING_LEVELS && left > 0; level++) {
    const sigma = FINEST_SIGMA * 2 ** level;
    const area = level === 0 ? 1 : 4 * Math.PI * sigma * sigma;
    const smooth = blurred(original, width, height, sigma);
    const last = level === SMOOTHING_LEVELS - 1;
    let kept = 0;
    for (let k = 0; k < left; k++) {
      const i = open[k];
      const count = (smooth[i] * area) / quantum;
      if (count < PARTICLES_PER_KERNEL && !last) {
        open[kept++] = i;
        continue;
      }
      // Between two levels, in proportion to where the wanted number lies between their numbers.
      const below = (finer[i] * finerArea) / quantum;
      const t = count > below ? Math.min(1, Math.max(0, (PARTICLES_PER_KERNEL - below) / (count - below))) : 1;
      result[i] = level === 0 ? smooth[i] : finer[i] + t * (smooth[i] - finer[i]);
    }
    left = kept;
    finer = smooth;
    finerArea = area;
  }
  return { values: result, width, height };
}

/** `map` smoothed where particles are few. */
export function calm(map: DensityPicture): DensityPicture {
  return map.quantum > 0 ? { ...map, ...smoothedMap(map, map.quantum) } : map;
}

/** `map` less `other`, both smoothed with a Gaussian of half a cell: finer than that a mesh decides nothing. */
export function differenceMap(map: DensityPicture, other: DensityPicture, cell: number): DensityPicture {
  const sigma = (0.5 * cell * map.width) / map.spanX;
  const [own, others] = [map, other].map((of) => blurred(new Float32Array(of.values), of.width, of.height, sigma));
  return { ...map, values: own.map((value, i) => value - others[i]) };
}

/** One stretch for all the pictures of a run, so that they can be compared; undefined when every map is empty. */
export function commonStretch(maps: readonly PixelMap[], decades = DECADES): PictureStretch | undefined {
  const pixels = maps.reduce((sum, map) => sum + map.values.length, 0);
  const stride = Math.max(1, Math.floor(pixels / LARGEST_SAMPLE));
  const all = new Float64Array(pixels);
  let filled = 0;
  for (const { values } of maps) {
    for (let i = 0; i < values.length; i += stride)
      if (values[i] > 0 && values[i] < Infinity) all[filled++] = values[i];
  }
  if (filled === 0) return undefined;
  const place = Math.floor((filled - 1) * (1 - SATURATED));
  const ceiling = quickselect(all.subarray(0, filled), place)[place];
  return { floor: ceiling / 10 ** decades, ceiling };
}

/** Fraction [0…1] of the stretch, logarithmic; 0 for empty pixels. */
export function stretched(value: number, { floor, ceiling }: PictureStretch): number {
  if (!(value > floor)) return 0;
  return Math.min(1, Math.log(value / floor) / Math.log(ceiling / floor));
}

/** Ticks of a stretch's colours: the powers of ten on it, and where they are [0…1]. */
export function decadeTicks({ floor, ceiling }: PictureStretch): { at: number; text: string }[] {
  const [low, high] = [Math.log10(floor), Math.log10(ceiling)];
  return range(Math.ceil(low), Math.floor(high) + 1).map((n) => ({
    at: (n - low) / (high - low),
    text: powerOfTen(n),
  }));
}

/** A PNG file with a palette: `colour` of each pixel, by number. */
function palettePng({ width, height, values }: PixelMap, palette: number[][], colour: (value: number) => number) {
  const data = new Uint8Array(width * height);
  for (let i = 0; i < data.length; i++) data[i] = colour(values[i]);
  return encode({ width, height, data, depth: 8, channels: 1, palette });
}

const DENSITIES = Array.from({ length: COLOURS }, (_, i) => densityRgb(i / (COLOURS - 1)));
const densityLevel = (share: number) => Math.round(share * (COLOURS - 1));

/** A PNG file of densities; dark without a stretch. */
export function densityPng(map: PixelMap, stretch: PictureStretch | undefined): Uint8Array {
  return palettePng(map, DENSITIES, (value) => densityLevel(stretch ? stretched(value, stretch) : 0));
}

/** A PNG file of values from `floor` up to `ceiling`, in the colours of densities. */
export function linearPng(map: PixelMap, ceiling: number, floor = 0): Uint8Array {
  const share = (value: number) => (value - floor) / (ceiling - floor) || 0;
  return palettePng(map, DENSITIES, (value) => densityLevel(Math.min(1, Math.max(0, share(value)))));
}

/** A PNG file of differences: `ceiling` and beyond get the lightest colours. */
export function differencePng(map: PixelMap, ceiling: number): Uint8Array {
  const middle = (DIFFERENCE_COLOURS - 1) / 2;
  const palette = Array.from({ length: DIFFERENCE_COLOURS }, (_, i) => differenceRgb((i - middle) / middle));
  return palettePng(map, palette, (value) => {
    const t = ceiling > 0 ? Math.min(1, Math.max(-1, value / ceiling)) : 0;
    return Math.round(middle + middle * t);
  });
}

/** Share of the mass that a strip may leave out at each edge. */
const CUT_OFF = 0.003;
/** Room about what a strip shows; it is at least this share of its width high. */
const STRIP_ROOM = 1.1;
const FLATTEST = 1 / 4;

/**
 * Rows of strips about the middle that hold what is in all `maps`, of one size about one centre: a flat disk's is a quarter
 * as high as wide, one that is tilted or thickened gets the room it takes.
 */
export function stripRows(maps: readonly PixelMap[]): number {
  const [{ width, height }] = maps;
  const filled = Math.max(...maps.map((map) => halfHeight(map)));
  const half = Math.max(Math.ceil(STRIP_ROOM * filled), Math.round((FLATTEST * width) / 2));
  return Math.min(height, 2 * half);
}

export function stripOf<Map extends DensityPicture>(map: Map, rows: number): Map {
  const { values, width, height, spanY } = map;
  if (rows === height) return map;
  const top = Math.floor((height - rows) / 2);
  return {
    ...map,
    values: new Float32Array(values).subarray(top * width, (top + rows) * width),
    height: rows,
    spanY: (spanY * rows) / height,
  };
}

export function fittedStrips<Map extends DensityPicture>(maps: readonly Map[]): Map[] {
  if (maps.length === 0) return [];
  const rows = stripRows(maps);
  return maps.map((map) => stripOf(map, rows));
}

/** Rows above and below the middle one that hold all of the mass but CUT_OFF at each edge. */
function halfHeight({ values, width, height }: PixelMap): number {
  const mass = new Float64Array(height);
  for (let row = 0; row < height; row++) {
    for (let i = row * width; i < (row + 1) * width; i++) mass[row] += values[i];
  }
  const least = CUT_OFF * mass.reduce((sum, value) => sum + value, 0);
  let [half, above, below] = [Math.floor(height / 2), 0, 0];
  for (; half > 0; half--) {
    above += mass[Math.ceil(height / 2) - half];
    below += mass[Math.floor(height / 2) + half - 1];
    if (Math.max(above, below) > least) return half;
  }
  return 0;
}

/** A PNG file as a data: URL, for a page that stands alone. */
export function dataUrl(bytes: Uint8Array): string {
  return `data:image/png;base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}

/** A round length [length] for a scale bar: the largest of 1, 2, 5 × 10ᵏ that is at most `share` of `span`. */
export function scaleBarLength(span: number, share = 0.3): number {
  const most = span * share;
  const power = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].map((step) => step * power).find((length) => length <= most) ?? power;
}
