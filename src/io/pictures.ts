/**
 * Density maps as pictures: adaptive smoothing, one logarithmic stretch for a whole run, a perceptual colour map, PNG.
 *
 * Colours: inferno (van der Walt & Smith 2015), monotonic in lightness and safe for colour-blind readers.
 */
import { interpolateInferno } from "d3-scale-chromatic";
import { encode } from "fast-png";

/** [width·height], rows from the top. */
export interface PixelMap {
  values: ArrayLike<number>;
  width: number;
  height: number;
}

export interface Stretch {
  /** Densities that get the darkest and the brightest colour [mass/length²]. */
  floor: number;
  ceiling: number;
}

const COLOURS = 256;
const DECADES = 3.5;
/** Share of the non-empty pixels that may saturate, so that one dense pixel does not darken the rest. */
const SATURATED = 5e-4;
/** Smoothing lengths of the adaptive smoothing [pixel]: each level doubles the one before. */
const SMOOTHING_LEVELS = 7;
const FINEST_SIGMA = 0.5;
/** Particles within the smoothing kernel: shot noise of 18 %. */
const PARTICLES_PER_KERNEL = 32;

/** Colour number `i` of 256 as [r, g, b]. */
function colourTable(): number[][] {
  return Array.from({ length: COLOURS }, (_, i) => {
    const hex = interpolateInferno(i / (COLOURS - 1));
    return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  });
}

/** CSS colour of the fraction `t` [0…1] of the stretch. */
export function stretchColour(t: number): string {
  return interpolateInferno(Math.min(1, Math.max(0, t)));
}

/** One running mean of 2·radius + 1 pixels along lines of `length` pixels that are `stride` apart, ends repeated. */
function boxBlur(
  from: Float32Array,
  to: Float32Array,
  lines: number,
  lineStride: number,
  length: number,
  stride: number,
  radius: number,
) {
  const scale = 1 / (2 * radius + 1);
  for (let line = 0; line < lines; line++) {
    const start = line * lineStride;
    const at = (i: number) => from[start + Math.min(length - 1, Math.max(0, i)) * stride];
    let sum = 0;
    for (let i = -radius; i <= radius; i++) sum += at(i);
    for (let i = 0; i < length; i++) {
      to[start + i * stride] = Math.max(0, sum * scale);
      sum += at(i + radius + 1) - at(i - radius);
    }
  }
}

/** Three running means along each axis: close to a Gaussian of that σ [pixel]. */
function blurred(values: Float32Array, width: number, height: number, sigma: number): Float32Array {
  const radius = Math.round((Math.sqrt(4 * sigma * sigma + 1) - 1) / 2);
  if (radius < 1) return values;
  let from = values;
  for (let pass = 0; pass < 3; pass++) {
    const rows = new Float32Array(values.length);
    const both = new Float32Array(values.length);
    boxBlur(from, rows, height, width, width, 1, radius);
    boxBlur(rows, both, width, 1, height, width, radius);
    from = both;
  }
  return from;
}

/**
 * `map` smoothed so that about 32 particles make up each pixel's value: sharp where there are many, calm where there
 * are few. `quantum`: what one particle adds to its pixel (mean particle mass / pixel area).
 */
export function smoothedMap(map: PixelMap, quantum: number): PixelMap & { values: Float32Array } {
  const { width, height } = map;
  const original = Float32Array.from(map.values);
  const result = new Float32Array(original.length);
  const settled = new Uint8Array(original.length);
  let finer: Float32Array = original;
  let finerCount: Float32Array | undefined;
  for (let level = 0; level < SMOOTHING_LEVELS; level++) {
    const sigma = FINEST_SIGMA * 2 ** level;
    const smooth = blurred(original, width, height, sigma);
    const kernelArea = level === 0 ? 1 : 4 * Math.PI * sigma * sigma;
    const last = level === SMOOTHING_LEVELS - 1;
    const count = Float32Array.from(smooth, (value) => (value * kernelArea) / quantum);
    for (let i = 0; i < original.length; i++) {
      if (settled[i] === 1) continue;
      if (count[i] < PARTICLES_PER_KERNEL && !last) continue;
      settled[i] = 1;
      const below = finerCount?.[i];
      if (below === undefined || count[i] <= below) result[i] = smooth[i];
      else {
        // Between two levels, in proportion to where the wanted number lies between their numbers.
        const t = Math.min(1, Math.max(0, (PARTICLES_PER_KERNEL - below) / (count[i] - below)));
        result[i] = finer[i] + t * (smooth[i] - finer[i]);
      }
    }
    finer = smooth;
    finerCount = count;
  }
  return { values: result, width, height };
}

/** One stretch for all the pictures of a run, so that they can be compared; undefined when every map is empty. */
export function commonStretch(maps: readonly PixelMap[], decades = DECADES): Stretch | undefined {
  const all = new Float64Array(maps.reduce((sum, map) => sum + map.values.length, 0));
  let filled = 0;
  for (const { values } of maps) {
    for (let i = 0; i < values.length; i++) if (values[i] > 0 && Number.isFinite(values[i])) all[filled++] = values[i];
  }
  if (filled === 0) return undefined;
  const sorted = all.subarray(0, filled).sort();
  const ceiling = sorted[Math.floor((sorted.length - 1) * (1 - SATURATED))];
  return { floor: ceiling / 10 ** decades, ceiling };
}

/** Fraction [0…1] of the stretch, logarithmic; 0 for empty pixels. */
export function stretched(value: number, { floor, ceiling }: Stretch): number {
  if (!(value > floor)) return 0;
  return Math.min(1, Math.log(value / floor) / Math.log(ceiling / floor));
}

/** A PNG file with a palette of 256 colours. */
export function densityPng(map: PixelMap, stretch: Stretch | undefined): Uint8Array {
  const data = new Uint8Array(map.width * map.height);
  if (stretch !== undefined) {
    for (let i = 0; i < data.length; i++) data[i] = Math.round(stretched(map.values[i], stretch) * (COLOURS - 1));
  }
  return encode(
    { width: map.width, height: map.height, data, depth: 8, channels: 1, palette: colourTable() },
    { zlib: { level: 9 } },
  );
}

/** Bytes as a data: URL, for a page that stands alone. */
export function dataUrl(bytes: Uint8Array, type = "image/png"): string {
  const BLOCK = 0x8000;
  let text = "";
  for (let at = 0; at < bytes.length; at += BLOCK) text += String.fromCharCode(...bytes.subarray(at, at + BLOCK));
  return `data:${type};base64,${btoa(text)}`;
}

/** A round length [length] for a scale bar: the largest of 1, 2, 5 × 10ᵏ that is at most `share` of `span`. */
export function scaleBarLength(span: number, share = 0.3): number {
  const most = span * share;
  const power = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].map((step) => step * power).find((length) => length <= most) ?? power;
}
