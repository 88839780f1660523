/** Arrays of tables, each with a name: of kinds that are records of a registry, [[particles]], or all alike, [[galaxy]]. */
import { z } from "zod";
import type { Registry } from "../base/registry.ts";
import { type DerivedDefault, derived, kindOfValue, omittable, type RawTable, text } from "./keys.ts";
import { namesOf, tablesOf } from "./tables.ts";

export { namesOf, tablesOf };

interface AnyTables {
  /** The section's name: "particles" for [[particles]]. */
  readonly name: string;
  /** What one table is called in messages: "component". */
  readonly noun: string;
  /** And several: "components". */
  readonly nouns: string;
  /** What the tables are, for the documentation; no full stop. */
  readonly about: string;
  /** Tables that a deck needs. */
  readonly least: 0 | 1;
}

export interface KindTables extends AnyTables {
  /** What its kind chooses. */
  readonly meaning: string;
  /** Each schema has the literal `kind` = name, and the key `name`; what it is `describe`d with says what the kind is. */
  readonly kinds: Registry<{ readonly name: string; readonly schema: z.ZodObject }>;
}

/** Tables that all have the same keys, `name` among them. */
export interface PlainTables extends AnyTables {
  readonly schema: z.ZodObject;
}

export type ArrayTables = KindTables | PlainTables;

/** What a table of the section has to be; undefined for a kind that there isn't. */
export function schemaOf(section: ArrayTables, { kind }: RawTable): z.ZodObject | undefined {
  if ("schema" in section) return section.schema;
  return typeof kind === "string" && section.kinds.has(kind) ? section.kinds.get(kind).schema : undefined;
}

/** Names appear in tables and in overrides (particles.NAME.key=value), so they are plain words. */
export const plainName = kindOfValue(
  () => z.string().regex(/^\p{L}[\p{L}\p{N} _-]*$/u),
  "a name of letters, digits, spaces, - and _ that begins with a letter",
  "text",
);

const nameOfKind: DerivedDefault = { text: "the kind", value: ({ siblings, index }) => namesOf(siblings)[index] };

export const galaxyKey = omittable(text, {
  meaning: "name of the [[galaxy]] in whose frame it lies, with its other components",
});

export const nameKey = derived(plainName, nameOfKind, {
  meaning: "label in diagnostics and reports, and in overrides",
});
