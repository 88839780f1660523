/** Geometry of the search in fixed-point integers: friends lie in the same block of 2³ cells or in neighbouring ones. */
import { GravmeshError } from "../../foundation/base/errors.ts";

/** Shares of the box side; positions have a resolution of 2^-32 of it. */
const SHORTEST = 2 ** -20;
const LONGEST = 1 / 8;
const TURN = 2 ** 32;

export interface FriendsSearch {
  /** b [L/2^32]; friends are d ≤ b. */
  reach: number;
  /** m, cells per side: even, for blocks. */
  cells: number;
}

/** Linking lengths that can be searched with, over the mean separation of `count` particles: least and greatest. */
export function linkingRange(count: number): [least: number, most: number] {
  return [SHORTEST * Math.cbrt(count), LONGEST * Math.cbrt(count)];
}

/** The search for a linking length [length] in a box of side L [length]. Throws "usage" below L/2^20 or above L/8. */
export function friendsSearch(linkingLength: number, boxSize: number): FriendsSearch {
  const fraction = linkingLength / boxSize;
  if (!(fraction >= SHORTEST && fraction <= LONGEST)) {
    throw new GravmeshError(
      "usage",
      `friends of friends: expected a linking length of ${SHORTEST * boxSize} to ${LONGEST * boxSize} (an eighth of the box), found ${linkingLength}`,
    );
  }
  const reach = Math.round(fraction * TURN);
  const square = BigInt(reach) ** 2n;
  // Cells have a side of ⌊2^32/m⌋ or ⌈2^32/m⌉: two particles of one differ by less than the latter on each axis.
  let cells = 2 * Math.ceil((Math.sqrt(3) * TURN) / reach / 2);
  while (3n * BigInt(Math.ceil(TURN / cells) - 1) ** 2n > square) cells += 2;
  return { reach, cells };
}
