/** How far an invocation walks along x that takes 2 × 2 rows of the mesh at once, as deposit and gradient do on CPUs. */

/** The longer a walk, the less of its neighbours is read. */
const LONGEST = 128;
/** Every mesh's side is a multiple of it. */
const SHORTEST = 8;
/** Walks that keep all cores busy. */
const FEWEST = 512;

/** Cells along x: the longest walk of which there are enough, or else the shortest. */
export function walkLength(cells: number): number {
  for (let length = LONGEST; length > SHORTEST; length -= SHORTEST) {
    if (cells % length === 0 && cells ** 3 / 4 / length >= FEWEST) return length;
  }
  return SHORTEST;
}
