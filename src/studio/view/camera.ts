/**
 * A camera's axes, and the projection of fixed-point positions to pixels in integers, so that the grid of a picture has
 * the same bits on every adapter and in TypeScript (host-counts.ts).
 *
 * With d the separation from the centre, 32 bits signed [2^shift L/2^32], and the axes A [pixel per unit] in fixed point of
 * 27 bits, column = ⌊(⌊Σ A d / 2^(30 + low)⌋ + width) / 2⌋, where Σ A d / 2^(31 + low) is in pixels. What is left out of A
 * moves a particle half a box from the centre by 2^(3.8 − b) pixels, where a pixel is 2^b units: a tenth at L/2^25 a pixel.
 * Where pixels are L/2^10 or more the axes have 13 bits and a pixel has 64 to 128 units, which moves such a particle by a
 * tenth at most, too: what is in the box of the centre is multiplied without carries then.
 */

import { packImage } from "../../physics/particles/fixed-point.ts";
import type { ViewCamera } from "./view.ts";

type Vector = readonly [number, number, number];

/** Right and up on the picture, and the way towards the observer, of angles [degree]. */
export function cameraAxes({ azimuth, elevation }: Pick<ViewCamera, "azimuth" | "elevation">) {
  const [a, e] = [azimuth, elevation].map((degrees) => (degrees * Math.PI) / 180);
  const right: Vector = [Math.cos(a), Math.sin(a), 0];
  const up: Vector = [-Math.sin(a) * Math.sin(e), Math.cos(a) * Math.sin(e), Math.cos(e)];
  const nearer: Vector = [Math.sin(a) * Math.cos(e), -Math.cos(a) * Math.cos(e), Math.sin(e)];
  return { right, up, nearer };
}

export interface PictureSize {
  width: number;
  height: number;
}

export interface Projection extends PictureSize {
  /** Side of a pixel [length]. */
  pixel: number;
  /** Pixels · 2^(31 + low) to a unit of 2^shift L/2^32: integers of up to 27 bits and a sign. */
  right: Vector;
  down: Vector;
  /** Bits of Σ A d below half a pixel, less 30. */
  low: number;
  /** The axes are multiples of 2^LOW_AXIS_BITS, and the centre of a unit: products are shorter. */
  isShort: boolean;
  shift: number;
  /** Away from the observer, times DEPTH_ONE. */
  away: Vector;
  /** What the camera looks at: fixed point, and the box that it is in. */
  centre: Vector;
  boxes: Vector;
  /** The latter as particles have it. */
  box: number;
}

/** The depth axis in fixed point; bits of the fastest velocity along an axis; what makes speeds positive in sums. */
export const DEPTH_ONE = 2 ** 14;
export const SPEED_BITS = 15;
export const SPEED_BIAS = 2 ** 16;

/** Bits of the low part of an axis as the kernel multiplies it: A = 2^14 high + low. */
export const LOW_AXIS_BITS = 14;

const TURN = 2 ** 32;
const AXIS_BITS = 27;
/** The lowest bit above the low word of Σ A d. */
const HIGH_FROM = 30;
/** Images of isolated boxes reach no further; the box of the centre must be told from them. */
const FURTHEST = 511;
/** A pixel has so many bits of units where some are dropped. */
const UNITS_A_PIXEL = 6;
/** Bits that are dropped at most: those that images of boxes take; all but those that separations need on short axes. */
const DROPPED = 11;
const DROPPED_SHORT = 26;
/** Powers of two of units in a pixel: less can't be resolved, more can't be counted. */
const FINEST = 4;
const COARSEST = 34;
/** From so many bits of L/2^32 in a pixel on short axes move no particle of the box by more than a tenth of a pixel. */
const SHORT_FROM = 22;

/** `size`: the picture's. Spans that the fixed point can't follow are drawn as the nearest that it can. */
export function projectionOf(
  camera: ViewCamera,
  { width, height }: PictureSize,
  { boxSize, periodic }: { boxSize: number; periodic: boolean },
): Projection {
  const units = ((camera.span / Math.min(width, height)) * TURN) / boxSize;
  const bits = Math.log2(units);
  // Positions of isolated boxes have ten bits more than fit: as many are dropped as a pixel can spare.
  const isShort = bits >= SHORT_FROM;
  const spare = Math.floor(bits) - UNITS_A_PIXEL;
  const shift = isShort ? Math.min(DROPPED_SHORT, spare) : periodic ? 0 : Math.min(DROPPED, Math.max(1, spare));
  const size = 2 ** Math.min(COARSEST, Math.max(FINEST, bits - shift));
  const scale = Math.floor(AXIS_BITS + Math.log2(size));
  const { right, up, nearer } = cameraAxes(camera);
  const fixed = (axis: Vector, one: number, step = 1): Vector => {
    const [x, y, z] = axis.map((part) => step * Math.round((part * one) / step) || 0);
    return [x, y, z];
  };
  const step = isShort ? 2 ** LOW_AXIS_BITS : 1;
  const perUnit = 2 ** scale / size;
  const places = camera.centre.map((x) => placeOf(x, boxSize, periodic));
  const each = (of: (place: { u: number; box: number }) => number): Vector => {
    const [x, y, z] = places.map(of);
    return [x, y, z];
  };
  return {
    ...{ width, height, shift, isShort },
    pixel: (size * 2 ** shift * boxSize) / TURN,
    right: fixed(right, perUnit, step),
    down: fixed(up, -perUnit, step),
    low: scale - HIGH_FROM - 1,
    away: fixed(nearer, -DEPTH_ONE),
    centre: each(({ u }) => (isShort ? u - (u % 2 ** shift) : u)),
    boxes: each(({ box }) => box),
    box: packImage(...each(({ box }) => box)),
  };
}

function placeOf(x: number, boxSize: number, periodic: boolean): { u: number; box: number } {
  const units = Math.round((x / boxSize) * TURN);
  const box = Math.floor(units / TURN);
  const u = units - box * TURN;
  return { u, box: periodic ? 0 : Math.min(FURTHEST, Math.max(-FURTHEST, box)) };
}
