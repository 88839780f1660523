/**
 * What each deck key is, kept next to its zod schema: meaning, unit, what is expected, where a default comes from.
 * Error messages, the deck as run and docs/scenarios.md are all written from this.
 */
import { z } from "zod";
import type { Dimension } from "./units.ts";

/** A deck as parsed, before it is checked. */
export type RawTable = Record<string, unknown>;

/** A default that depends on other keys. `deck` and `component` are unchecked. */
export interface DerivedDefault {
  /** For the documentation. */
  text: string;
  /** The value, or undefined when the key has to be given after all. */
  value(context: { deck: RawTable; component: RawTable; index: number }): unknown;
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

type About = Pick<KeyInfo, "meaning"> & Pick<Partial<KeyInfo>, "unit" | "hint">;

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

/** A key whose default depends on others; defaults.ts fills it in before the schema is applied. */
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
