/** The word that another one was probably meant to be. */
import { least } from "d3-array";
import damerauLevenshtein from "damerau-levenshtein";

/** Edits allowed per letter before two names count as different. */
export const TOLERANCE = 0.4;

/** A name as it is compared: letters' case, dashes and blanks make no difference. */
export const foldedName = (name: string | number) => String(name).toLowerCase().replace(/[-_ ]/g, "");

/** The word among `choices` that `value` was probably meant to be. */
export function nearestWord(value: string, choices: readonly string[]): string | undefined {
  const most = Math.max(1, TOLERANCE * value.length);
  const apart = (word: string) => edits(foldedName(value), foldedName(word), most);
  const best = least(choices, apart);
  return best !== undefined && apart(best) <= most ? best : undefined;
}

/**
 * How far one word is from another: letters put in, left out, changed, or swapped with their neighbour, each an edit
 * (Damerau 1964). A swap is what hurried fingers do most, and counts as one. Infinite where the lengths alone take more
 * than `most`: a key may be a megabyte by mistake.
 */
export function edits(one: string, other: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(one.length - other.length) > most) return Number.POSITIVE_INFINITY;
  return damerauLevenshtein(one, other).steps;
}
