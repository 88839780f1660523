/**
 * Colours for differences: dark where there is none, blue where there is less, orange where there is more.
 *
 * Lightness rises linearly with |t| and alike on both sides, in OKLab (Ottosson 2020, "A perceptual color space for
 * image processing"); blue against orange stays apart for colour-blind readers, and the dark middle goes with the
 * density pictures.
 */
import { encode } from "fast-png";
import type { PixelMap } from "../page/pictures.ts";

const COLOURS = 255;
const MIDDLE = (COLOURS - 1) / 2;
/** OKLab lightness at t = 0 and at |t| = 1. */
const DARK = 0.12;
const LIGHT = 0.9;
/** Largest chroma, and hues [degree]; the chroma falls off towards the light end, where the screen has less of it. */
const SIDES = { less: { hue: 245, chroma: 0.135 }, more: { hue: 55, chroma: 0.155 } };

/** OKLab → linear sRGB (Ottosson's matrices). */
function linearRgb(L: number, a: number, b: number): number[] {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** sRGB transfer function, IEC 61966-2-1, to 0 … 255. */
function byte(linear: number): number {
  const c = Math.min(1, Math.max(0, linear));
  return Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));
}

/** [r, g, b] of the fraction `t` [−1 … 1]. */
export function divergingRgb(t: number): number[] {
  const size = Math.min(1, Math.abs(t));
  const { hue, chroma } = t < 0 ? SIDES.less : SIDES.more;
  const L = DARK + (LIGHT - DARK) * size;
  const angle = (Math.PI * hue) / 180;
  const inGamut = (c: number) => linearRgb(L, c * Math.cos(angle), c * Math.sin(angle)).every((v) => v >= 0 && v <= 1);
  let c = chroma * Math.min(1, 2 * size);
  while (c > 0.001 && !inGamut(c)) c *= 0.96;
  return linearRgb(L, c * Math.cos(angle), c * Math.sin(angle)).map(byte);
}

/** The same as a CSS colour. */
export function divergingColour(t: number): string {
  return `rgb(${divergingRgb(t).join(",")})`;
}

/** A PNG file with a palette: `ceiling` and beyond get the lightest colours. */
export function differencePng(map: PixelMap, ceiling: number): Uint8Array {
  const palette = Array.from({ length: COLOURS }, (_, i) => divergingRgb((i - MIDDLE) / MIDDLE));
  const data = new Uint8Array(map.width * map.height);
  for (let i = 0; i < data.length; i++) {
    const t = ceiling > 0 ? Math.min(1, Math.max(-1, map.values[i] / ceiling)) : 0;
    data[i] = Math.round(MIDDLE + MIDDLE * t);
  }
  return encode({ width: map.width, height: map.height, data, depth: 8, channels: 1, palette }, { zlib: { level: 9 } });
}
