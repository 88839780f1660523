/**
 * Fixed-point coordinates: x = L·(image + u/2^32) with 0 ≤ u < 2^32, exact in float64 for every image in use.
 * A packed image holds the box offsets of the three axes as 10-bit two's complement: x in bits 0–9, y in 10–19,
 * z in 20–29; 0 is the box itself.
 */

/** Mass units of the heaviest particle: weighted masses are integers with this resolution. */
export const MASS_UNITS = 2 ** 22;

const TURN = 2 ** 32;
/** Box offsets that an image can hold per axis: −511 … 511. */
export const LARGEST_IMAGE = 511;

export interface FixedPoint {
  /** Fixed-point coordinate in the box, units of L/2^32. */
  u: number;
  image: number;
}

/** Nearest fixed-point coordinate of x [length] in a box of side `boxSize` [length]. */
export function toFixedPoint(x: number, boxSize: number): FixedPoint {
  const fraction = x / boxSize;
  const image = Math.floor(fraction);
  const u = Math.round((fraction - image) * TURN);
  return u === TURN ? { u: 0, image: image + 1 } : { u, image };
}

/** [length] */
export function fromFixedPoint(u: number, image: number, boxSize: number): number {
  return boxSize * (image + u / TURN);
}

export function packImage(x: number, y: number, z: number): number {
  return ((x & 0x3ff) | ((y & 0x3ff) << 10) | ((z & 0x3ff) << 20)) >>> 0;
}

/** Box offset on `axis` (0, 1, 2) of a packed image. */
export function imageOnAxis(packed: number, axis: number): number {
  return (packed << (22 - 10 * axis)) >> 22;
}

/** [3n] coordinates [length] of fixed-point ones [3n] with packed images [n], or in the box itself; into `positions`. */
export function boxCoordinates(
  fixed: Uint32Array,
  images: Uint32Array | undefined,
  boxSize: number,
  positions = new Float64Array(fixed.length),
): Float64Array<ArrayBuffer> {
  for (let i = 0; i < fixed.length; i++) positions[i] = fromFixedPoint(fixed[i], 0, boxSize);
  for (let particle = 0; particle < (images?.length ?? 0); particle++) {
    const image = images![particle];
    if (image === 0) continue;
    for (let axis = 0; axis < 3; axis++) {
      const i = 3 * particle + axis;
      positions[i] = fromFixedPoint(fixed[i], imageOnAxis(image, axis), boxSize);
    }
  }
  return positions;
}
