/**
 * Geometry of the search for friends: cells so small that particles of one cell are always friends and so large that
 * friends are at most two cells apart, in the integers of fixed-point positions.
 */
import { GravmeshError } from "../errors.ts";

/** Of a box side; positions have a resolution of 2^-32 of it. */
const SHORTEST = 2 ** -20;
const LONGEST = 1 / 4;
const TURN = 2 ** 32;
/** Cells that a friend may be away, per axis. */
const REACH = 2;

export interface FriendsSearch {
  /** b [L/2^32]; friends are d ≤ b. */
  reach: number;
  /** m, cells per side. */
  cells: number;
  /** Half of the neighbouring cells (the other half are their opposites), nearest first. */
  offsets: [number, number, number][];
}

/**
 * The search for a linking length b [length] in a box of side L [length].
 * Throws "usage" for b below L/2^20 or above L/4.
 */
export function friendsSearch(linkingLength: number, boxSize: number): FriendsSearch {
  const fraction = linkingLength / boxSize;
  if (!(fraction >= SHORTEST && fraction <= LONGEST)) {
    throw new GravmeshError(
      "usage",
      `friends of friends: expected a linking length of ${SHORTEST * boxSize} to ${LONGEST * boxSize} (a quarter of the box), found ${linkingLength}`,
    );
  }
  const reach = Math.round(fraction * TURN);
  const square = BigInt(reach) ** 2n;
  // Cells of a side between ⌊2^32/m⌋ and ⌈2^32/m⌉: two particles of one differ by less than the latter on each axis.
  let cells = Math.ceil((Math.sqrt(3) * TURN) / reach);
  while (3n * BigInt(Math.ceil(TURN / cells) - 1) ** 2n > square) cells++;
  const range = Array.from({ length: 2 * REACH + 1 }, (_, i) => i - REACH);
  const offsets = range
    .flatMap((z) => range.flatMap((y) => range.map((x): [number, number, number] => [x, y, z])))
    .filter(([x, y, z]) => z > 0 || (z === 0 && (y > 0 || (y === 0 && x > 0))))
    .sort((a, b) => length2(a) - length2(b));
  return { reach, cells, offsets };
}

function length2([x, y, z]: readonly [number, number, number]): number {
  return x * x + y * y + z * z;
}
