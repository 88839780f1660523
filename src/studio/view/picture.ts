/** What a renderer is asked and answers, on the GPU and on the host alike. */

import { encode } from "fast-png";
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { PictureSize } from "./camera.ts";
import type { GridCounts } from "./host-counts.ts";
import type { ColourRange } from "./tone.ts";
import type { View } from "./view.ts";

export interface DrawOptions {
  /** The brightness follows that of the pictures before slowly, so that a live picture doesn't flicker. */
  steady?: boolean;
}

/** What was drawn: for a legend. */
export interface Drawn extends PictureSize {
  view: View;
  /** Side of a pixel [length]. */
  pixel: number;
  range: ColourRange;
}

export interface Picture extends Drawn {
  /** [height · width · 4], rows from the top. */
  rgba: Uint8ClampedArray<ArrayBuffer>;
}

/** The integers behind a picture. */
export interface PictureGrid extends PictureSize, GridCounts {
  /** Names of the layers: of the components in each. */
  layers: readonly string[];
  view: View;
}

/** `view` in the colours that another picture was drawn in; pictures by species have no bar to share. */
export const inColoursOf = (view: View, { range: { brightest, maps } }: Pick<Drawn, "range">): View =>
  maps.length === 1 && brightest[0] > 0 ? { ...view, brightest: brightest[0] } : view;

/** The share of the way to a new brightness that a steady picture goes. */
export const PACE = 0.12;
const LARGEST_SIDE = 8192;

/** Throws "usage" for a size that no picture has. */
export function requireSize({ width, height }: PictureSize): void {
  if ([width, height].every((n) => Number.isInteger(n) && n >= 1 && n <= LARGEST_SIDE)) return;
  throw new GravmeshError(
    "usage",
    `a picture of ${width} × ${height} pixels: expected whole numbers of 1 to ${LARGEST_SIDE} a side`,
  );
}

/** Throws "usage" where there is nothing to draw. */
export function requireScene<T>(scene: T | undefined): T {
  if (scene !== undefined) return scene;
  throw new GravmeshError("usage", "a picture of nothing: call show() with a scene first");
}

/** The bytes of a PNG file of what picture() gave, without loss. */
export function pngOf({ rgba, width, height }: Pick<Picture, "rgba" | "width" | "height">): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(rgba.buffer, rgba.byteOffset, rgba.byteLength);
  return encode({ width, height, data, depth: 8, channels: 4 }) as Uint8Array<ArrayBuffer>;
}
