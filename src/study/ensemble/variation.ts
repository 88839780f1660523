/**
 * `--vary KEY=…`: what an entry of the deck takes in an ensemble.
 *
 *     a,b,c      values, one by one
 *     1..16      whole numbers; several such and values may stand side by side
 *     0.5..2/4   as many values, evenly from end to end
 *     0.5..2     a range, for a Latin hypercube
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { cut } from "../../foundation/deck/problems.ts";
import { ParticleRandom } from "../../physics/initial/philox.ts";
import type { VariedKey, VariedValue } from "./ensemble.ts";

const NUMBER = String.raw`[+-]?(?:\d[\d_]*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?`;
const ONE_NUMBER = new RegExp(`^${NUMBER}$`);
const RANGE = new RegExp(`^(${NUMBER})\\s*\\.\\.\\s*(${NUMBER})(?:\\s*/\\s*(\\d+))?$`);
/** Parted by commas outside brackets and quotes. */
const ITEMS = /(?:\[[^\]]*\]|"(?:[^"\\]|\\.)*"|'[^']*'|[^,])+|(?<=^|,)(?=,|$)/g;
const WHOLE = /^[+-]?[\d_]+$/;
/** Digits of values that are spaced evenly: 0.3, not 0.30000000000000004. */
const DIGITS = 12;
const LONGEST_SHOWN = 80;
const numberIn = (text: string) => Number(text.replaceAll("_", ""));
const FORMS = "KEY=a,b,c, KEY=1..16 (whole numbers) or KEY=0.5..2/4 (as many values, evenly)";

export const MOST_MEMBERS = 10_000;

function refuse(text: string, message: string): never {
  throw new GravmeshError("usage", `--vary ${cut(text, LONGEST_SHOWN)}: ${message}`);
}

/** KEY=…; `isWhole` says of a key whether it takes whole numbers alone. Throws "usage". */
export function variedKeyOf(text: string, isWhole: (key: string) => boolean | undefined): VariedKey {
  const equals = text.indexOf("=");
  const key = text.slice(0, Math.max(0, equals)).trim();
  const items = (text.slice(equals + 1).match(ITEMS) ?? [""]).map((item) => item.trim());
  if (key === "" || items.some((item) => item === "")) refuse(text, `expected a deck key and its values: ${FORMS}.`);
  const [only] = items;
  const ends = items.length === 1 ? RANGE.exec(only) : null;
  if (ends && ends[3] === undefined) {
    const [from, to] = numbersOf(ends, text);
    const whole = WHOLE.test(ends[1]) && WHOLE.test(ends[2]) && isWhole(key) !== false;
    return { key, range: { from, to, whole } };
  }
  const count = items.reduce((sum, item) => sum + countOf(item), 0);
  requireFew(count, text);
  const values = new Set<VariedValue>();
  for (const value of items.flatMap((item) => valuesOf(item, text))) {
    if (values.has(value)) refuse(text, `${value} is given twice.`);
    values.add(value);
  }
  return { key, values: [...values] };
}

/** Its values one by one. Throws "usage" for a range of real numbers. */
export function enumerated({ key, values, range }: VariedKey): readonly VariedValue[] {
  if (values) return values;
  const { from, to } = range!;
  if (Number.isInteger(from) && Number.isInteger(to)) return wholeNumbers(from, to, key);
  throw new GravmeshError(
    "usage",
    `--vary ${key}=${from}..${to}: how many values of this range? Give as many evenly, ${key}=${from}..${to}/5, or spread ` +
      "members over the ranges of all keys with --latin COUNT.",
  );
}

/** How many values an item stands for, as far as it can be right. */
function countOf(item: string): number {
  const [, from, to, count] = RANGE.exec(item) ?? [];
  if (from === undefined) return 1;
  if (count !== undefined) return Math.min(Number(count), MOST_MEMBERS);
  return Math.max(1, Math.floor(numberIn(to) - numberIn(from)) + 1);
}

function requireFew(count: number, text: string): void {
  if (count > MOST_MEMBERS) refuse(text, `${count} values: expected at most ${MOST_MEMBERS} members.`);
}

function valuesOf(item: string, text: string): VariedValue[] {
  const ends = RANGE.exec(item);
  if (!ends) return [singleValue(item)];
  const [from, to] = numbersOf(ends, text);
  if (ends[3] === undefined) {
    if (Number.isInteger(from) && Number.isInteger(to)) return wholeNumbers(from, to, text);
    return refuse(text, `how many values from ${from} to ${to}? Write ${from}..${to}/5 for 5 of them.`);
  }
  const count = Number(ends[3]);
  if (count < 2 || count > MOST_MEMBERS) refuse(text, `expected 2 to ${MOST_MEMBERS} values, found ${count}.`);
  return Array.from({ length: count }, (_, i) => Number((from + ((to - from) * i) / (count - 1)).toPrecision(DIGITS)));
}

function numbersOf([, first, second]: RegExpExecArray, text: string): [number, number] {
  const [from, to] = [first, second].map(numberIn);
  if (!(from < to) || !Number.isFinite(to - from)) {
    refuse(text, `expected a range from the smaller end to the larger, found ${first}..${second}.`);
  }
  return [from, to];
}

function wholeNumbers(from: number, to: number, text: string): number[] {
  const count = to - from + 1;
  requireFew(count, text);
  return Array.from({ length: count }, (_, i) => from + i);
}

const singleValue = (item: string): VariedValue =>
  item === "true" || item === "false" ? item === "true" : ONE_NUMBER.test(item) ? numberIn(item) : item;

/**
 * A Latin hypercube: of M members each range is cut into M equal strata, each of which holds exactly one member, at random
 * within it. Places [member][dimension] from 0 up, below 1, by random numbers of (seed, dimension, member).
 * Source: McKay, Beckman & Conover 1979, Technometrics 21, 239.
 */
export function latinHypercube(members: number, dimensions: number, seed: number): number[][] {
  const places = Array.from({ length: members }, (): number[] => []);
  for (let dimension = 0; dimension < dimensions; dimension++) {
    const random = new ParticleRandom(seed, dimension, { batches: false });
    const drawn = places.map((_, member) => {
      random.seek(member);
      return { member, order: random.uniform(), within: random.uniform() };
    });
    drawn.sort((a, b) => a.order - b.order || a.member - b.member);
    drawn.forEach(({ member, within }, stratum) => {
      // Rounding must not lift the last one to 1.
      places[member].push(Math.min((stratum + within) / members, 1 - Number.EPSILON));
    });
  }
  return places;
}

/** The value of a key at a place from 0 to 1 of its range, or of its list. */
export function variedValue({ values, range }: VariedKey, place: number): VariedValue {
  if (values) return values[Math.floor(place * values.length)];
  const { from, to, whole } = range!;
  return whole ? from + Math.floor(place * (to - from + 1)) : from + place * (to - from);
}
