/**
 * A slider's places: 0 … PLACES over its range, evenly, or by equal factors where the range spans decades:
 *   linear  x = least + (most − least) p,   logarithmic  x = least (most/least)^p,   p = place/PLACES.
 */
import type { DeckSlider } from "../stage.ts";

export const PLACES = 1000;

/** A range of two decades from end to end is logarithmic; a bit less, for tenfold up and down isn't quite a hundred. */
const FACTOR = 99;

/** Digits of values that a slider sets: numbers that a person would write. */
const SIGNIFICANT = 3;

type Range = Pick<DeckSlider, "least" | "most" | "integer">;

export function isLogarithmic({ least, most }: Range): boolean {
  return least > 0 && most / least >= FACTOR;
}

/** Place [0…PLACES] of a value; at an end where it is beyond. */
export function placeOf(range: Range, value: number): number {
  const { least, most } = range;
  if (!(most > least)) return 0;
  const share = isLogarithmic(range)
    ? Math.log(Math.max(value, least) / least) / Math.log(most / least)
    : (value - least) / (most - least);
  return Math.round(PLACES * Math.min(1, Math.max(0, share)));
}

/** The value at a place, to three digits and within the range. */
export function valueAt(range: Range, place: number): number {
  const { least, most, integer } = range;
  const share = place / PLACES;
  if (share <= 0) return least;
  if (share >= 1) return most;
  const exact = isLogarithmic(range) ? least * (most / least) ** share : least + (most - least) * share;
  // Three digits of the value, or of the range where the value is close to none.
  const digit = Math.max(Math.abs(exact), isLogarithmic(range) ? 0 : (most - least) / 10);
  const unit = 10 ** (Math.floor(Math.log10(digit)) - SIGNIFICANT + 1);
  const rounded = integer ? Math.round(exact) : Number((Math.round(exact / unit) * unit).toPrecision(12));
  return Math.min(most, Math.max(least, rounded));
}

/** The range wide enough to hold `value`. */
export function widened<R extends Range>(range: R, value: number): R {
  return { ...range, least: Math.min(range.least, value), most: Math.max(range.most, value) };
}
