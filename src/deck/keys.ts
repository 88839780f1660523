/**
 * What each deck key is, kept next to its zod schema: meaning, unit, what is expected, where a default comes from.
 * Error messages, the deck as run and docs/scenarios.md are all written from this.
 */
import { z } from "zod";

/** A deck as parsed, before it is checked. */
export type RawTable = Record<string, unknown>;

/** The dimensions that a deck key can have. */
export type Dimension = "length" | "mass" | "velocity" | "time";

/**
 * A default that depends on other keys. The deck is still unchecked here: where a rule needs a value that is itself
 * wrong, it yields a harmless STAND_IN, so that the message is about the wrong value and not about what follows from it.
 */
export interface DerivedDefault {
  /** For the documentation. */
  text: string;
  /**
   * The value, or undefined when the key has to be given after all. `table` is the key's own; `index` and `siblings`
   * its place in an array of tables.
   */
  value(context: { deck: RawTable; table: RawTable; index: number; siblings: readonly unknown[] }): unknown;
}

export const STAND_IN = 1;

export const isTable = (value: unknown): value is RawTable =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** deck.table.key; undefined when there is no such table. */
export function entry(deck: RawTable, table: string, key: string): unknown {
  const found = deck[table];
  return isTable(found) ? found[key] : undefined;
}

export function positiveNumber(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 && Number.isFinite(value) ? value : undefined;
}

export interface KeyInfo {
  /** One phrase, no full stop. */
  meaning: string;
  /** Dimension in deck units, or a unit by name. */
  unit?: Dimension | "cells" | "minutes" | "K";
  /** Completes "expected …". */
  expected: string;
  /** Completes "type" in the documentation, e.g. "integer ≥ 1". */
  type: string;
  derived?: DerivedDefault;
  /** The accepted words, for spelling suggestions. */
  choices?: readonly string[];
  /** What to try instead of `value`. */
  hint?(value: unknown): string | undefined;
  /** Written as an integer in a deck. */
  integer?: boolean;
  /** Its name in decks of earlier versions. */
  formerly?: string;
}

const infos = new WeakMap<z.ZodType, KeyInfo>();

/** The information kept with a key's schema; undefined for tables. */
export function keyInfo(schema: z.ZodType): KeyInfo | undefined {
  return infos.get(schema);
}

/** A kind of value: its schema and how it is spoken of. */
export interface ValueKind<S extends z.ZodType> {
  schema: () => S;
  expected: string;
  type: string;
  choices?: readonly string[];
  integer?: boolean;
  hint?(value: unknown): string | undefined;
}

type About = Pick<KeyInfo, "meaning"> & Pick<Partial<KeyInfo>, "unit" | "hint" | "formerly">;

function remember<S extends z.ZodType>(
  schema: S,
  kind: ValueKind<z.ZodType>,
  about: About,
  derived?: DerivedDefault,
): S {
  const { expected, type, choices, integer, hint } = kind;
  infos.set(schema, {
    expected,
    type,
    ...(choices ? { choices } : {}),
    ...(integer ? { integer } : {}),
    ...(hint ? { hint } : {}),
    ...about,
    ...(derived ? { derived } : {}),
  });
  return schema;
}

/** A key that has to be given. */
export function required<S extends z.ZodType>(kind: ValueKind<S>, about: About): S {
  return remember(kind.schema(), kind, about);
}

/** A key with a fixed default. */
export function optional<S extends z.ZodType>(kind: ValueKind<S>, fallback: z.output<S>, about: About) {
  return remember(
    kind.schema().prefault(() => structuredClone(fallback) as z.input<S>),
    kind,
    about,
  );
}

/** A key whose default depends on others; it is filled in before the schema is applied. */
export function derived<S extends z.ZodType>(kind: ValueKind<S>, rule: DerivedDefault, about: About): S {
  return remember(kind.schema(), kind, about, rule);
}

export const positive = {
  schema: () => z.number().positive(),
  expected: "a number above 0",
  type: "number > 0",
};

export const anyNumber = { schema: () => z.number(), expected: "a number", type: "number" };

export const numbers = {
  schema: () => z.array(z.number().nonnegative()),
  expected: "a list of numbers from 0 up, [10, 1, 0]",
  type: "[number, …]",
};

export const nonNegative = {
  schema: () => z.number().nonnegative(),
  expected: "a number from 0 up",
  type: "number ≥ 0",
};

/** The only key that may be `inf`: no limit. */
export const positiveOrInfinite = {
  schema: () => z.union([z.number().positive(), z.literal(Number.POSITIVE_INFINITY)]),
  expected: "a number above 0, or inf",
  type: "number > 0, or `inf`",
};

export const vector = {
  schema: () => z.tuple([z.number(), z.number(), z.number()]),
  expected: "three numbers [x, y, z]",
  type: "[x, y, z]",
};

export const flag = { schema: () => z.boolean(), expected: "true or false", type: "true or false" };

export const text = { schema: () => z.string(), expected: "a text in quotes", type: "text" };

export const filledText = {
  schema: () => z.string().regex(/\S/),
  expected: "a text in quotes, not empty",
  type: "text",
};

/** A number of that kind, or one word: "adaptive". */
export function orWord<S extends z.ZodType, const W extends string>(kind: ValueKind<S>, word: W) {
  return {
    schema: () => z.union([kind.schema(), z.literal(word)]),
    expected: `${kind.expected}, or "${word}"`,
    type: `${kind.type}, or \`"${word}"\``,
    choices: [word],
  };
}

/** One of two whole numbers. */
export function either<const A extends number, const B extends number>(a: A, b: B) {
  return {
    schema: () => z.union([z.literal(a), z.literal(b)]),
    expected: `${a} or ${b}`,
    type: `${a} or ${b}`,
    integer: true,
  };
}

/** Ids and seeds are u32. */
export const LARGEST_U32 = 2 ** 32 - 1;

export function integer(least: number, most: number) {
  return {
    schema: () => z.int().min(least).max(most),
    expected: `a whole number from ${least} to ${most}`,
    type: most > 1000 ? `integer ≥ ${least}` : `integer, ${least} to ${most}`,
    integer: true,
  };
}

export function choice<const T extends readonly [string, ...string[]]>(...choices: T) {
  const quoted = choices.map((word) => `"${word}"`);
  return {
    schema: () => z.enum(choices),
    expected: choices.length === 1 ? quoted[0] : `one of ${quoted.join(", ")}`,
    type: quoted.map((word) => `\`${word}\``).join(", "),
    choices,
  };
}
