/** How far an invocation walks along x that takes 2 × 2 rows of the mesh at once, as deposit and gradient do on CPUs. */

/** Multiples of 8 that divide a mesh's side. The longer, the less is read beside a walk. */
const LENGTHS = [128, 96, 64, 48, 32, 24, 16, 8];
/** Walks that keep all cores busy. */
const FEWEST = 512;

/** Cells along x: the longest walk of which there are enough, or else the shortest. */
export function walkLength(cells: number): number {
  const lengths = LENGTHS.filter((length) => cells % length === 0);
  return lengths.find((length) => cells ** 3 / 4 / length >= FEWEST) ?? lengths[lengths.length - 1];
}
