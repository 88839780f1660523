/**
 * The pixels of a map in fixed point: a pixel begins at the first unit of L/2^32 that isn't to the left of its edge, so that
 * kernels and float64 give every particle to the same pixel.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { type Box, MAP_AXES, type MapAxis, type MapView } from "./reductions.ts";

const TURN = 2 ** 32;
export const MOST_PIXELS = 8192;
/** Edges are as exact as float64 has them: what lies so little beyond a unit lies on it [units]. */
const NO_MORE = 2 ** -10;

/** What each axis of the map is in space. */
const PLANES: Record<MapAxis, readonly [number, number]> = { z: [0, 1], y: [0, 2], x: [1, 2] };

/** Which axes of space are to the right and up on a map. */
export const axesOf = (axis: MapAxis): readonly [number, number] => PLANES[axis];

export interface PixelAxis {
  /** An axis of space: 0, 1, 2. */
  axis: number;
  /** First unit of the map, from the box's corner [L/2^32]. */
  start: number;
  /** [pixels] last unit of each pixel, from `start` on. */
  last: Uint32Array<ArrayBuffer>;
  /** Pixels to a unit. */
  perUnit: number;
}

/** Right and up. Throws "usage" for a view that the box doesn't hold. */
export function pixelAxes(view: MapView, { size }: Pick<Box, "size">): readonly [PixelAxis, PixelAxis] {
  const { axis, centre, span, width, height } = view;
  const pixel = span / width;
  const sides = [span, pixel * height];
  const wrong =
    !MAP_AXES.includes(axis) ||
    ![width, height].every((n) => Number.isInteger(n) && n >= 1 && n <= MOST_PIXELS) ||
    !(span > 0 && Math.max(...sides) <= size * (1 + 1e-12)) ||
    !centre.every(Number.isFinite);
  if (wrong) {
    throw new GravmeshError(
      "usage",
      `a map of ${width} × ${height} pixels and ${sides.join(" × ")} along ${axis}: expected 1 to ${MOST_PIXELS} pixels a side, a map no larger than the box's ${size}, a centre of numbers and one of the axes ${MAP_AXES.join(", ")}`,
    );
  }
  const along = (side: 0 | 1): PixelAxis => {
    const which = PLANES[axis][side];
    const count = side === 0 ? width : height;
    const units = (pixel / size) * TURN;
    const from = ((centre[which] - sides[side] / 2) / size) * TURN;
    const first = (k: number) => Math.ceil(from + k * units - NO_MORE);
    const start = first(0);
    const last = Uint32Array.from({ length: count }, (_, k) => Math.min(TURN, first(k + 1) - start) - 1);
    return { axis: which, start, last, perUnit: 1 / units };
  };
  return [along(0), along(1)];
}

/** The pixel that holds `units` past the start, 0 ≤ units ≤ the last of all. */
export function pixelOf({ last, perUnit }: PixelAxis, units: number): number {
  let pixel = Math.min(last.length - 1, Math.floor(units * perUnit));
  while (pixel > 0 && units <= last[pixel - 1]) pixel--;
  while (units > last[pixel]) pixel++;
  return pixel;
}
