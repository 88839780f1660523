/** Every k-th particle in id order, for an observer of a run in motion. */
import { packImage, toFixedPoint } from "./fixed-point.ts";

/** n particles: those of the ids 0, k, 2k … */
export interface Thinned {
  every: number;
  /** [3n, xyzxyz…] u32 fixed point */
  positions: Uint32Array<ArrayBuffer>;
  /** [3n, xyzxyz…] [velocity] */
  velocities: Float32Array<ArrayBuffer>;
  /** [n] packed; isolated only. */
  images?: Uint32Array<ArrayBuffer>;
  /** Of the levels [levels × 3, box coordinates]. */
  levelCentres?: readonly (readonly number[])[];
}

export interface Look<T extends Thinned = Thinned & { step: number }> {
  /** Whether there is an observer. */
  readonly watched: boolean;
  /** One particle in so many is waited for; undefined as long as none is waited for. */
  wanted(): number | undefined;
  take(thinned: T): void;
  /** Nothing can be shown, and why. */
  missed(why: string): void;
}

export function emptyThinned(count: number, every: number, images: boolean): Thinned {
  return {
    every,
    positions: new Uint32Array(3 * count),
    velocities: new Float32Array(3 * count),
    ...(images && { images: new Uint32Array(count) }),
  };
}

/** Puts particle k, in box coordinates among those of arrays [3·], into its place. */
export function putThinned(
  { positions, velocities, images }: Omit<Thinned, "every">,
  k: number,
  from: { positions: ArrayLike<number>; velocities: ArrayLike<number>; particle: number },
  boxSize: number,
): void {
  const boxes = [0, 0, 0];
  for (let axis = 0; axis < 3; axis++) {
    const at = 3 * from.particle + axis;
    const { u, image } = toFixedPoint(from.positions[at], boxSize);
    positions[3 * k + axis] = u;
    velocities[3 * k + axis] = from.velocities[at];
    boxes[axis] = image;
  }
  if (images) images[k] = packImage(boxes[0], boxes[1], boxes[2]);
}
