/** Samples of slots: spread evenly, because in cell order what is near in memory is near in space. */
import type { Range } from "../gpu/windows.ts";

/** `taken` of `count` slots at most, in so many pieces spread evenly over them. */
export function evenPieces(count: number, taken: number, pieces = 16): Range[] {
  const total = Math.min(count, taken);
  const edge = (whole: number, k: number) => Math.floor((whole * k) / pieces);
  return Array.from({ length: pieces }, (_, k) => {
    const length = edge(total, k + 1) - edge(total, k);
    return { first: edge(count, k) + Math.floor((edge(count, k + 1) - edge(count, k) - length) / 2), count: length };
  }).filter(({ count }) => count > 0);
}
