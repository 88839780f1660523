/** The 256 colours of a movie: steps of the density's colours, then from the background to the ink of letters and lines. */
import { densityRgb } from "../page/colours.ts";

/** Steps of densities, and from the background to the ink. */
export const LEVELS = 224;
const SHADES = 32;

const BACKGROUND = [11, 11, 15];
const INK = [231, 231, 234];

export const PALETTE: readonly number[][] = [
  ...Array.from({ length: LEVELS }, (_, i) => densityRgb(i / (LEVELS - 1))),
  ...Array.from({ length: SHADES }, (_, i) =>
    BACKGROUND.map((dark, k) => Math.round(dark + (INK[k] - dark) * (i / (SHADES - 1)))),
  ),
];

/** The colour of a share [0…1] of the density's stretch, by number. */
export const levelOf = (share: number): number => Math.round(share * (LEVELS - 1));

/** The colour of so much ink [0…1] on the background, by number. */
export const shadeOf = (ink: number): number => LEVELS + Math.round(ink * (SHADES - 1));

/** Three bytes a pixel, as encoders of films take them [3·pixels]. */
export function rgbOf(pixels: Uint8Array): Uint8Array {
  const rgb = new Uint8Array(3 * pixels.length);
  for (let i = 0; i < pixels.length; i++) rgb.set(PALETTE[pixels[i]], 3 * i);
  return rgb;
}
