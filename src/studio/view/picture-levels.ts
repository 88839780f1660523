/** The levels of the adaptive blur (wgsl/studio/view/pyramid.wgsl): cells of 1, 2, 4 … pixels. */
import type { PictureSize } from "./camera.ts";
import { MOMENTS } from "./layers.ts";
import type { View } from "./view.ts";

/** Cells of the topmost level are at most so many pixels wide, 2^6, and it has a few cells a side. */
const MOST_LEVELS = 6;
const LEAST_CELLS = 4;

/** How many times as many particles a mean velocity takes as a density, to be told from noise as well. */
const MOTION = 8;

/** Particles that a pixel's neighbourhood should hold. */
export function particlesWanted({ smoothing, quantity }: Pick<View, "smoothing" | "quantity">): number {
  return MOMENTS[quantity] > 0 ? MOTION * smoothing : smoothing;
}

/** Levels above the pixels; none without blur. */
export function levelCount({ width, height }: PictureSize, smoothing: number): number {
  if (!(smoothing > 0)) return 0;
  return Math.max(0, Math.min(MOST_LEVELS, Math.floor(Math.log2(Math.min(width, height) / LEAST_CELLS))));
}

export function pyramidSizes({ width, height }: PictureSize, levels: number): PictureSize[] {
  const sizes = [{ width, height }];
  for (let l = 0; l < levels; l++) {
    const below = sizes[l];
    sizes.push({ width: Math.ceil(below.width / 2), height: Math.ceil(below.height / 2) });
  }
  return sizes;
}

/** Blocks of 2 × 2 pixels, of which grids and maps are made (wgsl/studio/view/blocks.wgsl). */
export function pixelBlocks({ width, height }: PictureSize): number {
  return Math.ceil(width / 2) * Math.ceil(height / 2);
}

/** Particles of a pixel from which a picture of motion has its full colour: as few as the widest blur asks for. */
export function fewestParticles(levels: number, smoothing: number): number {
  return levels > 0 ? smoothing / 4 ** levels : 1;
}

export function squares({ width, height }: PictureSize, side: number): [number, number] {
  return [Math.ceil(width / side), Math.ceil(height / side)];
}
