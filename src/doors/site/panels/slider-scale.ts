/**
 * A slider's places: 0 … PLACES over its range, evenly, or by equal factors where the range spans decades:
 *   linear  x = least + (most − least) p,   logarithmic  x = least (most/least)^p,   p = place/PLACES.
 */
import { scaleLinear, scaleLog } from "d3-scale";
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

const scaleOf = (range: Range) =>
  (isLogarithmic(range) ? scaleLog : scaleLinear)([range.least, range.most], [0, PLACES]).clamp(true);

/** Place [0…PLACES] of a value; at an end where it is beyond. */
export const placeOf = (range: Range, value: number): number =>
  range.most > range.least ? Math.round(scaleOf(range)(value)) : 0;

/** The value at a place, to three digits and within the range. */
export function valueAt(range: Range, place: number): number {
  const { least, most, integer } = range;
  if (place <= 0) return least;
  if (place >= PLACES) return most;
  const exact = scaleOf(range).invert(place);
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
