import damerauLevenshtein from "damerau-levenshtein";

/**
 * How far one word is from another: letters put in, left out, changed, or swapped with their neighbour, each an edit
 * (Damerau 1964). A swap is what hurried fingers do most, and counts as one. Infinite where the lengths alone take more
 * than `most`: a key may be a megabyte of somebody's mistake.
 */
export function edits(one: string, other: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(one.length - other.length) > most) return Number.POSITIVE_INFINITY;
  return damerauLevenshtein(one, other).steps;
}
