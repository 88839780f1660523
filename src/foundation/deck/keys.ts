/** The properties of each deck key, kept with its zod schema: messages, decks as run and docs/scenarios.md are written from it. */
import { z } from "zod";
import { isTable, type RawTable } from "./tables.ts";

export { isTable, type RawTable };

/** The dimensions that a deck key can have; a frequency is velocity/length, an acceleration velocity²/length. */
export type Dimension = "length" | "mass" | "velocity" | "time" | "frequency" | "acceleration";

/**
 * A default that depends on other keys. The deck is still unchecked here: where a rule needs a value that is itself
 * wrong, it yields a harmless STAND_IN, so that the message is about the wrong value and not about what follows from it.
 */
export interface DerivedDefault {
  /** For the documentation. */
  text: string;
  /** Undefined when the key has to be given; `table` is its own, the `index`-th of the `siblings` in an array. */
  value(context: { deck: RawTable; table: RawTable; index: number; siblings: readonly unknown[] }): unknown;
}

export const STAND_IN = 1;

/** deck.table.key; undefined when there is no such table. */
export function entry(deck: RawTable, table: string, key: string): unknown {
  const found = deck[table];
  return isTable(found) ? found[key] : undefined;
}

export function positiveNumber(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 && Number.isFinite(value) ? value : undefined;
}

/** A kind of value: its schema and how it is spoken of. */
export interface ValueKind<S extends z.ZodType> {
  schema: () => S;
  /** Completes "expected …". */
  expected: string;
  /** Completes "type" in the documentation, e.g. "integer ≥ 1". */
  type: string;
  /** The accepted words, for spelling suggestions. */
  choices?: readonly string[];
  /** What to try instead of `value`. */
  hint?(value: unknown): string | undefined;
  /** Written as an integer in a deck. */
  integer?: boolean;
  /** Keys of the table that it is, with their schemas. */
  inner?: Readonly<Record<string, z.ZodType>>;
}

export interface KeyInfo extends Omit<ValueKind<z.ZodType>, "schema"> {
  /** One phrase, no full stop. */
  meaning: string;
  /** Dimension in deck units, or a unit by name. */
  unit?: Dimension | "cells" | "minutes" | "K" | "eV" | "degrees";
  derived?: DerivedDefault;
  /** May have another value in the rest of a run that goes on: nothing before depends on it. */
  later?: true;
}

const infos = new WeakMap<z.ZodType, KeyInfo>();

/** The information kept with a key's schema; undefined for tables. */
export function keyInfo(schema: z.ZodType): KeyInfo | undefined {
  return infos.get(schema);
}

type About = Pick<KeyInfo, "meaning" | "unit" | "later">;

function remember<S extends z.ZodType>(schema: S, kind: ValueKind<z.ZodType>, about: Partial<KeyInfo> & About): S {
  infos.set(schema, { ...kind, ...about });
  return schema;
}

export function required<S extends z.ZodType>(kind: ValueKind<S>, about: About): S {
  return remember(kind.schema(), kind, about);
}

/** A key with a fixed default. */
export function optional<S extends z.ZodType>(kind: ValueKind<S>, fallback: z.output<S>, about: About) {
  const schema = kind.schema().prefault(() => structuredClone(fallback) as z.input<S>);
  return remember(schema, kind, about);
}

/** A key that may be missing, in a complete deck too. */
export function omittable<S extends z.ZodType>(kind: ValueKind<S>, about: About) {
  return remember(kind.schema().optional(), kind, about);
}

/** A key that a deck may leave out although its schema doesn't know a default. */
export type DerivedKey<S extends z.ZodType> = S & { _zod: { optin: "optional" } };

/** A key whose default depends on others; it is filled in before the schema is applied. */
export function derived<S extends z.ZodType>(kind: ValueKind<S>, rule: DerivedDefault, about: About): DerivedKey<S> {
  return remember(kind.schema(), kind, { ...about, derived: rule }) as DerivedKey<S>;
}

/** `schema` makes a new one for each key: its properties go with its schema. */
export function kindOfValue<S extends z.ZodType>(
  schema: () => S,
  expected: string,
  type: string,
  more: Pick<ValueKind<S>, "choices" | "hint" | "integer" | "inner"> = {},
): ValueKind<S> {
  return { schema, expected, type, ...more };
}

/** Kernels compute in float32, which ends at 3.4e38 and 1.2e-38, and square what a deck gives them. */
const inRange = (x: number) => Math.abs(x) <= 1e18;
/** What has to be above 0 isn't 0 in a kernel. */
const aboveZero = (x: number) => x >= 1e-18 && inRange(x);
export const inFloat32 = {
  hint(value: unknown) {
    const found = [value].flat().filter((x) => Number.isFinite(x)) as number[];
    const wrong = found.some((x) => !inRange(x) || (x > 0 && !aboveZero(x)));
    return wrong ? "Kernels compute in float32: numbers go from 1e-18 to 1e18. Use other units" : undefined;
  },
};

const number = () => z.number().refine(inRange);
const above = () => z.number().positive().refine(aboveZero);
export const positive = kindOfValue(above, "a number above 0", "number > 0", inFloat32);
export const nonNegative = kindOfValue(() => number().nonnegative(), "a number from 0 up", "number ≥ 0", inFloat32);
export const anyNumber = kindOfValue(number, "a number", "number", inFloat32);
export const flag = kindOfValue(() => z.boolean(), "true or false", "true or false");
export const text = kindOfValue(() => z.string(), "a text in quotes", "text");
export const filledText = kindOfValue(() => z.string().regex(/\S/), "a text in quotes, not empty", "text");

export const numbers = kindOfValue(
  () => z.array(number().nonnegative()),
  "a list of numbers from 0 up, [10, 1, 0]",
  "[number, …]",
  inFloat32,
);

export const anyNumbers = kindOfValue(
  () => z.array(number()),
  "a list of numbers, [-10, 1, 0]",
  "[number, …]",
  inFloat32,
);

export const names = kindOfValue(() => z.array(z.string()), "a list of names in quotes", "[text, …]");

/** The only key that may be `inf`: no limit. */
export const positiveOrInfinite = kindOfValue(
  () => z.union([positive.schema(), z.literal(Number.POSITIVE_INFINITY)]),
  "a number above 0, or inf",
  "number > 0, or `inf`",
  inFloat32,
);

export const vector = kindOfValue(
  () => z.tuple([number(), number(), number()]),
  "three numbers [x, y, z]",
  "[x, y, z]",
  inFloat32,
);

/** A table within a table, on one line: key = { a = 1, b = 2 }. */
export function innerTable<S extends z.ZodObject>(schema: S) {
  const shown = `{ ${Object.keys(schema.shape)
    .map((key) => `${key} = …`)
    .join(", ")} }`;
  return kindOfValue(() => schema.clone(), `a table in braces, ${shown}`, "table", { inner: schema.shape });
}

/** A number of that kind, or one word: "adaptive". */
export function orWord<S extends z.ZodType, const W extends string>(kind: ValueKind<S>, word: W) {
  const { schema, expected, type, hint } = kind;
  const either = () => z.union([schema(), z.literal(word)]);
  const more = { choices: [word], ...(hint && { hint }) };
  return kindOfValue(either, `${expected}, or "${word}"`, `${type}, or \`"${word}"\``, more);
}

export function either<const A extends number, const B extends number>(a: A, b: B) {
  const shown = `${a} or ${b}`;
  return kindOfValue(() => z.union([z.literal(a), z.literal(b)]), shown, shown, { integer: true });
}

/** Ids and seeds are u32. */
export const LARGEST_U32 = 2 ** 32 - 1;

export function integer(least: number, most: number) {
  const type = most > 1000 ? `integer ≥ ${least}` : `integer, ${least} to ${most}`;
  const expected = `a whole number from ${least} to ${most}`;
  return kindOfValue(() => z.int().min(least).max(most), expected, type, { integer: true });
}

export function choice<const T extends readonly [string, ...string[]]>(...choices: T) {
  const quoted = choices.map((word) => `"${word}"`);
  const expected = choices.length === 1 ? quoted[0] : `one of ${quoted.join(", ")}`;
  return kindOfValue(() => z.enum(choices), expected, quoted.map((word) => `\`${word}\``).join(", "), { choices });
}

/** A list of words, each of which may be there once. */
export function choices<const T extends readonly [string, ...string[]]>(...words: T) {
  const quoted = words.map((word) => `"${word}"`);
  const type = `[${quoted.map((word) => `\`${word}\``).join(", ")}] or some of them`;
  return kindOfValue(() => z.array(z.enum(words)), `a list of some of ${quoted.join(", ")}`, type, { choices: words });
}
